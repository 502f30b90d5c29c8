"""Who is next: owners take turns, newer jobs replace older ones, askers share work."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from service.fair_queue import FairQueue
from tests.service.conftest import ask, is_running, until


def waiting(owner: str, priority: int = 0) -> SimpleNamespace:
    return SimpleNamespace(owner=owner, priority=priority)


def taken(queue: FairQueue) -> str:
    """The owners in the order of their turns when each job is over before the next is taken."""
    order = ""
    while len(queue):
        item = queue.take()
        queue.over(item)
        order += item.owner
    return order


def test_owners_take_turns():
    queue = FairQueue()
    for owner in "aaaabbc":
        queue.add(waiting(owner))
    assert taken(queue) == "abcabaa"


def test_an_owner_with_nothing_running_goes_before_one_who_has():
    queue = FairQueue()
    for owner in "aab":
        queue.add(waiting(owner))
    first = queue.take()
    assert first.owner == "a"
    queue.add(waiting("c"))
    assert [queue.take().owner for _ in range(3)] == ["b", "c", "a"]
    assert queue.running == 4


def test_lower_priority_numbers_go_first():
    queue = FairQueue()
    for owner, priority in [("a", 1), ("b", 0), ("a", 0)]:
        queue.add(waiting(owner, priority))
    assert taken(queue) == "baa"


def test_a_job_can_leave_the_queue():
    queue = FairQueue()
    jobs = [waiting(owner) for owner in "abc"]
    for job in jobs:
        queue.add(job)
    queue.remove(jobs[1])
    assert taken(queue) == "ac"


def test_two_owners_get_equal_shares_of_a_busy_pool(single):
    order = []
    block = single.submit(ask("sleep", 0.3), owner="a")
    jobs = [single.submit(ask("add", 1, 1), owner=owner) for owner in "aaaabb"]
    for job in jobs:
        job.when_over(lambda job: order.append(job.owner))
    assert block.wait(60)
    assert all(job.wait(60) for job in jobs)
    assert "".join(order) == "babaaa"


def test_one_long_job_does_not_delay_the_next(pool):
    long = pool.submit(ask("folds", 0, 1, "multiply"), owner="a")
    assert until(lambda: is_running(long), 60)
    assert pool.submit(ask("add", 1, 1), owner="a").result(60) == 2
    assert is_running(long)
    long.cancel()


def test_a_newer_job_replaces_the_older_one_of_the_same_place(single):
    def moved(k: int):
        return single.submit(ask("folds", k, 99, "multiply"), owner="a", replaces="page")

    elsewhere = single.submit(ask("add", 1, 1), owner="b", replaces="page")
    jobs = [moved(k) for k in range(10)]
    assert [job.state for job in jobs[:-1]] == ["stopped"] * 9
    assert jobs[0].failure.startswith("The run was replaced by a newer one")
    assert elsewhere.result(60) == 2
    assert until(lambda: is_running(jobs[-1]), 60)
    jobs[-1].cancel()


def test_asking_for_the_same_again_does_not_begin_it_anew(single):
    first = single.submit(ask("sleep", 0.3), owner="a", key="k", replaces="page")
    assert until(lambda: is_running(first), 60)
    again = single.submit(ask("sleep", 0.3), owner="a", key="k", replaces="page")
    assert first.state == "stopped"
    assert again.state == "running"
    assert again.result(60) in single.pids()


def test_stopping_for_one_leaves_it_running_for_the_other(single):
    mine = single.submit(ask("folds", 3, 4, "finish"), owner="a", key="k")
    yours = single.submit(ask("folds", 3, 4, "finish"), owner="b", key="k")
    mine.cancel()
    assert (mine.state, mine.is_over) == ("stopped", True)
    assert yours.result(60) == 3


def test_the_worker_is_killed_when_the_last_asker_stops(single):
    jobs = [single.submit(ask("folds", 1, 9, "multiply"), owner=o, key="k") for o in "ab"]
    assert until(lambda: jobs[0].events and single.ready() == 2, 60)
    before = set(single.pids())
    jobs[0].cancel()
    assert set(single.pids()) == before
    jobs[1].cancel()
    assert until(lambda: set(single.pids()) != before, 1.0)


def test_a_stopped_work_is_not_joined(single):
    first = single.submit(ask("sleep", 0.2), key="k")
    assert until(lambda: is_running(first), 60)
    first.cancel()
    assert single.submit(ask("sleep", 0.2), key="k").result(60)


def test_jobs_of_an_owner_who_is_gone_are_stopped(single):
    gone = [single.submit(ask("folds", 0, 1, "multiply"), owner="gone") for _ in range(3)]
    here = single.submit(ask("add", 1, 1), owner="here")
    single.cancel("gone")
    assert [job.state for job in gone] == ["stopped"] * 3
    assert here.result(60) == 2


def test_many_threads_may_submit_and_stop(pool):
    """Every job comes to an end, as a result or as a stop, whatever the order of events."""
    ended = []

    def session(k: int) -> None:
        for i in range(30):
            job = pool.submit(ask("add", k, i), owner=str(k))
            if i % 5 == 0:
                job.cancel()
            assert job.wait(60)
            ended.append(job.state == "stopped" or job.result() == k + i)

    threads = [threading.Thread(target=session, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [True] * 120
