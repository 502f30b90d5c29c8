"""Who is next: persons are served in rotation, newer jobs replace older ones, askers share work."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from service.fair_queue import SHORT_SECONDS, FairQueue, Person
from tests.service.conftest import ask, is_running, until

LONG = 10 * SHORT_SECONDS


def waiting(
    browser: str, priority: int = 0, address: str = "", expected: float = 0.0, asked: float = 0.0
) -> SimpleNamespace:
    return SimpleNamespace(
        person=Person(browser, address), priority=priority, expected=expected, asked=asked
    )


def filled(*items: SimpleNamespace, now: float = 0.0) -> FairQueue:
    queue = FairQueue(lambda: now)
    for item in items:
        queue.add(item)
    return queue


def taken(queue: FairQueue) -> str:
    """The browsers in the order in which they are served, one job at a time."""
    order = ""
    while len(queue):
        item = queue.take()
        queue.over(item)
        order += item.person.browser
    return order


def test_persons_are_served_in_rotation():
    assert taken(filled(*map(waiting, "aaaabbc"))) == "abcabaa"


def test_a_person_with_nothing_running_goes_before_one_who_has():
    queue = filled(*map(waiting, "aab"))
    assert queue.take().person.browser == "a"
    queue.add(waiting("c"))
    assert [queue.take().person.browser for _ in range(3)] == ["b", "c", "a"]
    assert queue.running == 4


def test_who_comes_again_and_again_does_not_go_before_who_waits():
    queue = filled(*map(waiting, "aaa"))
    order = ""
    for _ in range(3):
        queue.add(waiting("b"))
        for _ in range(2):
            item = queue.take()
            queue.over(item)
            order += item.person.browser
    assert order == "ababab"


def test_among_equals_the_address_with_fewest_running_goes_first():
    many_browsers = [waiting(name, address="one") for name in "abc"]
    queue = filled(*many_browsers, waiting("z", address="other"))
    assert [queue.take().person.browser for _ in range(4)] == ["a", "z", "b", "c"]


def test_short_work_goes_before_long_of_equals_and_of_the_same_person():
    long_ones = [waiting("a", expected=LONG), waiting("b", expected=LONG)]
    queue = filled(*long_ones, waiting("b", expected=1.0), waiting("c", expected=1.0))
    assert taken(queue) == "bcab"


def test_long_work_that_waited_as_long_as_it_takes_is_no_longer_passed():
    for now, order in [(LONG / 2, "ba"), (LONG, "ab")]:
        queue = filled(waiting("a", expected=LONG), waiting("b", asked=now), now=now)
        assert taken(queue) == order


def test_lower_priority_numbers_go_first():
    assert taken(filled(waiting("a", 1), waiting("b", 0), waiting("a", 0))) == "baa"


def test_a_job_can_leave_the_queue():
    jobs = [waiting(name) for name in "abc"]
    queue = filled(*jobs)
    queue.remove(jobs[1])
    assert taken(queue) == "ac"


def test_an_empty_queue_has_no_next():
    with pytest.raises(IndexError, match="nothing waits"):
        FairQueue().take()


def test_ten_tabs_of_one_person_do_not_keep_another_waiting(single):
    """Their runs hold every worker for long; what is short has the spare meanwhile."""
    heavy = {"person": Person("many tabs"), "expected": LONG}
    runs = [single.submit(ask("folds", 0, 1, "multiply"), owner=str(k), **heavy) for k in range(10)]
    assert until(lambda: is_running(runs[0]), 60)
    mine = single.submit(ask("add", 1, 1), owner="other", person=Person("other"), expected=1.0)
    assert mine.result(60) == 2
    assert is_running(runs[0])
    assert [job.state for job in runs[1:]] == ["queued"] * 9
    for job in runs:
        job.cancel()


def test_long_work_and_further_work_of_the_same_person_get_no_spare(single):
    run = single.submit(ask("folds", 0, 1, "multiply"), person=Person("a"), expected=LONG)
    assert until(lambda: is_running(run), 60)
    more = single.submit(ask("add", 1, 1), owner="a2", person=Person("a"), expected=1.0)
    other = single.submit(ask("add", 1, 1), owner="b", person=Person("b"), expected=LONG)
    assert not more.wait(0.5)
    assert (more.state, other.state) == ("queued", "queued")
    run.cancel()
    assert (more.result(60), other.result(60)) == (2, 2)


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
    mine = single.submit(ask("sleep", 1.0), owner="a", key="k")
    yours = single.submit(ask("sleep", 1.0), owner="b", key="k")
    mine.cancel()
    assert (mine.state, mine.is_over) == ("stopped", True)
    assert yours.result(60) in single.pids()


def test_who_comes_back_follows_what_is_under_way_and_keeps_it_alive(single):
    begun = single.submit(ask("sleep", 0.6), owner="before", key="k")
    again = single.follow("k", "after", "page")
    assert again is not None and again.work is begun.work
    single.cancel("before")  # as where nobody came back
    assert again.result(60) in single.pids()
    assert single.follow("k", "after", "page") is None
    assert single.follow("never", "after", "page") is None


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
