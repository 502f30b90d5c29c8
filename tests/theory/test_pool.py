"""Work side by side: in order, at the same time, and in no more threads than there may be."""

from __future__ import annotations

import os
import threading

import pytest

from mlcore.spine.pool import Crew, even_parts, side_by_side


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


def test_a_crew_works_at_the_same_time_again_and_again(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    crew, together, done = Crew(), threading.Barrier(3, timeout=20), []

    def work(part):
        together.wait()
        done.extend(range(part.start, part.stop))

    for _ in range(2):
        crew.do(work, crew.parts(14, 4))
    assert sorted(done) == sorted(2 * [*range(14)])
    assert [part.stop for part in crew.parts(14, 4)] == [4, 8, 14]


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("multiple", [1, 4])
def test_a_crew_shares_as_evenly_as_multiples_allow(threads, multiple, monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", str(threads))
    crew = Crew()
    for n in (0, 1, 7, 14, 30, 100):
        parts = crew.parts(n, multiple)
        assert [i for part in parts for i in range(n)[part]] == [*range(n)]
        assert all(part.stop % multiple == 0 for part in parts[:-1])
    ends = [part.stop for part in crew.parts(62, multiple)]
    even = [62 * (k + 1) / threads for k in range(threads)]
    assert max(abs(end - goal) for end, goal in zip(ends, even, strict=True)) <= multiple / 2


def test_a_crew_within_work_is_of_one(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    assert list(side_by_side(lambda item: Crew().size, range(3))) == [1, 1, 1]
    assert Crew().size == 2


def test_an_error_in_a_crew_is_told(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        Crew().do(lambda item: 1 // item, [1, 0])


def test_helpers_stay(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    together = threading.Barrier(2, timeout=20)
    used = set(side_by_side(lambda item: (together.wait(), threading.get_ident())[1], range(2)))
    assert len(used) == 2
    assert used <= {thread.ident for thread in threading.enumerate()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_helpers_of_its_own(monkeypatch):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    list(side_by_side(abs, range(4)))  # there is a helper, which a fork does not copy
    together = threading.Barrier(2, timeout=5)
    child = os.fork()
    if child == 0:
        done = 1
        try:
            list(side_by_side(lambda item: together.wait(), range(2)))
            done = 0
        finally:
            os._exit(done)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000])
def test_even_parts_are_of_one_size_and_an_even_number(n):
    parts = even_parts(n, 8)
    sizes = [last - first for first, last in parts]
    assert [i for part in parts for i in range(*part)] == [*range(n)]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= 8
    assert len(parts) == 1 or len(parts) % 2 == 0
