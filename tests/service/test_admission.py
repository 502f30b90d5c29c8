"""Few are inside at once, nobody waits for ever, and who waits for something else is outside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from service import admission
from service.admission import LONGEST, Admission
from service.fair_queue import Person
from tests.service.conftest import ask, until
from tests.service.stores import Clock


@contextmanager
def begun(*works: Callable[[], None]) -> Iterator[None]:
    """Threads that were started one after the other, and have ended when this does."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


class Visitor:
    """Goes in as a person, tells so, and leaves when it is told to."""

    def __init__(self, room: Admission, browser: str, order: list[str]) -> None:
        self._room, self._browser, self._order = room, browser, order
        self.may_leave = threading.Event()

    def __call__(self) -> None:
        with self._room.inside(Person(self._browser)):
            self._order.append(self._browser)
            self.may_leave.wait(20)


def waits(room: Admission, number: int) -> bool:
    return until(lambda: len(room._queue) == number, 5)


def test_no_more_are_inside_at_once_and_the_next_comes_when_one_leaves():
    order: list[str] = []
    room = Admission(2)
    a, b, c = (Visitor(room, name, order) for name in "abc")
    with begun(a, b, c):
        assert waits(room, 1) and len(order) == 2
        assert room.is_busy
        (a if "a" in order else b).may_leave.set()
        assert until(lambda: len(order) == 3, 5)
        for one in (a, b, c):
            one.may_leave.set()
    assert not room.is_busy


def test_persons_go_in_by_rotation():
    order: list[str] = []
    room = Admission(1)
    first, *tabs, other = (Visitor(room, name, order) for name in "aaaab")
    with ExitStack() as stack:
        for k, one in enumerate((first, *tabs, other)):
            stack.enter_context(begun(one))
            assert waits(room, k)
        for one in (first, *tabs, other):
            one.may_leave.set()
    assert order == ["a", "a", "b", "a", "a"]


def test_while_one_waits_for_something_else_another_goes_on():
    order: list[str] = []
    room = Admission(1)
    with room.inside(Person("a")):
        with begun(one := Visitor(room, "b", order)):
            assert waits(room, 1)
            with room.outside():
                assert until(lambda: order == ["b"], 5)
                one.may_leave.set()
        assert not room.is_busy


def test_outside_is_nothing_for_a_thread_that_is_not_inside():
    room = Admission(1)
    with room.outside():
        assert not room.is_busy
    with room.inside(Person("a")):
        pass


def test_who_comes_back_goes_before_who_is_new():
    order: list[str] = []
    room, is_outside, may_return = Admission(1), threading.Event(), threading.Event()

    def returning() -> None:
        with room.inside(Person("back")):
            with room.outside():
                is_outside.set()
                may_return.wait(20)
            order.append("back")

    with begun(returning):
        assert is_outside.wait(5)
        with begun(inside := Visitor(room, "inside", order)):
            assert until(lambda: order == ["inside"], 5)
            with begun(new := Visitor(room, "new", order)):
                assert waits(room, 1)
                may_return.set()
                assert waits(room, 2)
                new.may_leave.set()
                inside.may_leave.set()
    assert order == ["inside", "back", "new"]


def test_one_that_was_outside_comes_back_though_those_inside_wait_for_its_lock(monkeypatch):
    monkeypatch.setattr(admission, "COMING_BACK", 0.05)
    room, lock, is_outside = Admission(1), threading.Lock(), threading.Event()

    def computes() -> None:
        with room.inside(Person("a")), lock, room.outside():
            is_outside.set()
            until(lambda: len(room._inside) == 1, 5)

    def needs() -> None:
        is_outside.wait(5)
        with room.inside(Person("b")), lock:
            pass

    with begun(computes, needs):
        pass
    assert not room.is_busy


def test_one_that_hangs_keeps_the_others_out_only_for_a_while(monkeypatch):
    monkeypatch.setattr(admission, "LONGEST", 0.05)
    order: list[str] = []
    room = Admission(1)
    with begun(hangs := Visitor(room, "a", order)):
        assert until(lambda: order == ["a"], 5)
        with begun(new := Visitor(room, "b", order)):
            assert until(lambda: order == ["a", "b"], 5)
            new.may_leave.set()
        hangs.may_leave.set()
    assert not room.is_busy


def test_who_hangs_is_counted_until_then():
    clock, order = Clock(), []
    room = Admission(1, clock)
    with begun(first := Visitor(room, "a", order)):
        assert until(lambda: order == ["a"], 5)
        clock.now += LONGEST - 1
        with begun(new := Visitor(room, "b", order)):
            assert waits(room, 1)
            assert order == ["a"]
            first.may_leave.set()
            new.may_leave.set()
    assert order == ["a", "b"]


def test_who_fails_leaves():
    room = Admission(1)
    with pytest.raises(ValueError, match="fault"), room.inside(Person("a")):
        raise ValueError("fault")
    with pytest.raises(ValueError, match="fault"), room.inside(Person("a")), room.outside():
        raise ValueError("fault")
    assert not room.is_busy
    with room.inside(Person("b")):
        pass


def test_who_asks_for_what_is_over_stays_inside(pool, monkeypatch):
    """Each part of a page that is known would wait for its place again."""
    job = pool.submit(ask("add", 1.0, 2.0))
    assert job.result(60) == 3.0
    monkeypatch.setattr(admission.PAGES, "outside", lambda: pytest.fail("went outside"))
    assert job.wait(1)
    assert job.result(1) == 3.0
    job.work.wait_for_event(1)
