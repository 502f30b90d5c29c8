"""Undo, redo and the browser's Back walk through the same states, without a page."""

from __future__ import annotations

import pytest

from ui.runs.walks import KEEP, Walks


@pytest.fixture
def walks() -> Walks:
    """A page that was in the states 1, 2, 3 and is in 4; another one that was in 1."""
    held = Walks()
    for state in (1, 2, 3):
        held.left("a", state)
    held.left("b", 1)
    return held


def states(held: Walks, page: str) -> tuple[list[int], list[int]]:
    past, future = ([s for of, s in stack if of == page] for stack in (held.past, held.future))
    return past, future


def test_steps_go_back_and_forth(walks):
    assert walks.step("a", 4, "past") == 3
    assert walks.step("a", 3, "past") == 2
    assert states(walks, "a") == ([1], [4, 3])
    assert walks.step("a", 2, "future") == 3
    assert states(walks, "a") == ([1, 2], [4])
    assert not walks.can("b", "future")


def test_a_change_gives_up_what_was_taken_back_on_its_page_alone(walks):
    walks.step("a", 4, "past")
    walks.step("b", 2, "past")
    walks.left("a", 3)
    assert states(walks, "a") == ([1, 2, 3], [])
    assert states(walks, "b") == ([], [2])


def test_back_and_forward_of_the_browser_are_steps(walks):
    walks.reached("a", 4, 3)
    assert states(walks, "a") == ([1, 2], [4])
    walks.reached("a", 3, 1)
    assert states(walks, "a") == ([], [4, 3, 2])
    walks.reached("a", 1, 4)
    assert states(walks, "a") == ([1, 2, 3], [])


def test_an_address_that_never_was_is_a_change(walks):
    walks.reached("a", 4, 99)
    assert states(walks, "a") == ([1, 2, 3, 4], [])
    assert walks.step("a", 99, "past") == 4


def test_the_oldest_states_go_first(walks):
    for state in range(KEEP + 10):
        walks.left("a", state)
    assert len(walks.past) == KEEP and states(walks, "a")[0][-1] == KEEP + 9
    assert not walks.can("b", "past")
