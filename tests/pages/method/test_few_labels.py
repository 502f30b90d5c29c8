"""Methods for few labels on their pages: the pictures that they bring, and what they note."""

from __future__ import annotations

import pytest

from tests.pages.conftest import shown

PAGE = "classification"


def folds(at):
    """The page with the tab of the folds open."""
    at.session_state["tabs"] = "Data and folds"
    return at.run()


@pytest.mark.parametrize(
    ("method", "data", "titles"),
    [
        ("label_propagation", "students_semi", ("Label propagation",)),
        ("active_learning", "iris", ("Queried rows", "Accuracy by number of labels")),
    ],
)
def test_its_pictures_are_on_the_page(opened, method, data, titles):
    at = opened(PAGE, data=data, method=method)
    assert not at.exception
    assert not at.error, [error.value for error in at.error]
    for title in titles:
        assert f"**{title}**" in shown(at)


def test_what_a_fit_notes_stands_beside_the_folds(opened):
    said = shown(folds(opened(PAGE, data="students", method="membership")))
    assert "each would be a member in 100 % of cases if it were not stored" in said


def test_rows_without_target_are_counted(opened):
    said = shown(folds(opened(PAGE, data="students_semi", method="label_propagation")))
    assert "285 rows have no wrestler: they are never scored" in said
