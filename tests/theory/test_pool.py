"""Work side by side: in order, at the same time, and in no more threads than there may be."""

from __future__ import annotations

import threading

import pytest

from mlcore.maths.pool import side_by_side


def test_work_is_done_at_the_same_time_and_comes_in_order(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    together = threading.Barrier(3, timeout=20)  # passes only when three wait at once

    def work(item):
        together.wait()
        return 10 * item

    assert list(side_by_side(work, range(6))) == [0, 10, 20, 30, 40, 50]


def test_work_within_work_takes_no_further_thread(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")

    def inner(item):
        return threading.get_ident()

    def outer(item):
        return {threading.get_ident(), *side_by_side(inner, range(4))}

    assert all(len(used) == 1 for used in side_by_side(outer, range(4)))


def test_who_stops_asking_leaves_the_rest_undone(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    done = []
    first = side_by_side(lambda item: done.append(item) or threading.Event().wait(0.01), range(500))
    next(first)
    first.close()
    assert len(done) < 500


def test_an_error_of_one_is_that_of_all(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        list(side_by_side(lambda item: 1 // item, [1, 0, 1]))
