"""Runs whose calls are spread over the workers: order, stops, limits, crashes, whose turn it is."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace

import pytest

from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.moons import Moons
from mlcore.evaluation.splits import HoldOut, KFold
from mlcore.runs import carry_tuning
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuned import Chosen
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError
from service.executors import fan
from service.fair_queue import FairQueue
from service.fan import Fan
from service.pool import Pool
from service.results import Results
from service.work import Job
from tests.service import probes
from tests.service.conftest import LIMITS, ask, exists, is_running, until
from tests.service.test_queue import waiting
from tests.spine.test_places import KINDS, events_of, same


def begun(pool: Pool, *asked: object, **how: object) -> Job:
    """A run of so many parts, each a call of a probe."""
    return pool.submit(ask("parts", *asked), fan=fan(), **how)


def carried_by(pool: Pool, job: Job) -> set[int]:
    """The processes that carry out calls of a run."""
    with pool._lock:
        return {p.pid for work, p in pool._busy.items() if work.part_of is job.work}


def test_calls_are_shared_out_and_their_results_are_events(pool):
    assert until(lambda: pool.ready() == 3, 60)
    job = begun(pool, 6, "nap", 0.2)
    result = job.result(60)
    assert sorted(k for k, _ in result) == list(range(6))
    assert len({pid for _, pid in result}) >= 2
    assert [event.found for event in job.events] == result
    assert job.progress == (6, 6, "parts")


class Counting(Executor):
    """Carries out nothing by itself, and knows what it was given."""

    def __init__(self) -> None:
        self.given: list[Future] = []

    def submit(self, fn, /, *args, **kwargs) -> Future:
        self.given.append(Future())
        return self.given[-1]


def test_only_a_few_calls_stand_in_the_queue():
    executor = Counting()
    found = Fan(executor, 3).each(probes.add, [(k, k) for k in range(10)])
    got = []
    reader = threading.Thread(target=lambda: got.extend(found), daemon=True)
    reader.start()
    for k in range(10):
        assert until(lambda k=k: len(executor.given) == min(10, 3 + k))
        executor.given[k].set_result(-k)
    reader.join(20)
    assert got == [(k, -k) for k in range(10)]


def test_who_stops_asking_ends_the_calls_that_are_left():
    executor = Counting()
    found = Fan(executor, 3).each(probes.add, [(k, k) for k in range(10)])
    threading.Timer(0.1, lambda: executor.given[0].set_result(0)).start()
    assert next(found) == (0, 0)
    found.close()
    assert [future.cancelled() for future in executor.given] == [False, True, True, True]


def test_what_a_person_can_put_right_is_raised_in_the_run_as_it_was_in_the_call(pool):
    job = begun(pool, 3, "stumble", "refuse", 1)
    assert job.wait(60)
    assert job.failed.kind == DataError.__name__
    assert job.failure.startswith("k-means with n_clusters=3 needs")


def test_a_fault_in_a_call_is_the_fault_of_the_run(pool):
    job = begun(pool, 3, "stumble", "break_down", 1)
    assert job.wait(60)
    assert job.failed.kind == "fault"
    assert "1 / 0" in job.failed.detail


def test_stop_frees_every_worker_and_keeps_what_is_done(pool):
    job = begun(pool, 6, "stumble", "multiply", 2)
    assert until(lambda: len(job.events) == 5, 60)  # all but the one that never ends
    carried = carried_by(pool, job)
    assert len(carried) == 1
    job.cancel()
    assert job.is_over
    assert job.failure == "The run was stopped after 5 of 6 parts."
    assert until(lambda: not any(map(exists, carried)))
    assert len(job.events) == 5
    assert pool.submit(ask("add", 1, 1)).result(60) == 2


def test_a_run_that_waits_can_be_stopped_before_it_begins(single):
    first = single.submit(ask("multiply"))
    assert until(lambda: is_running(first), 60)
    job = begun(single, 3, "nap", 0.0)
    job.cancel()
    assert job.failure == "The run was stopped before it began."
    assert until(lambda: len(single._queue) == 0)


def test_a_killed_worker_is_a_sentence_and_what_is_done_stays(pool):
    other = begun(pool, 4, "nap", 0.3, owner="b")
    job = begun(pool, 5, "stumble", "multiply", 3, owner="a")
    assert until(lambda: len(job.events) == 4, 60)
    (pid,) = carried_by(pool, job)
    os.kill(pid, signal.SIGKILL)
    assert job.wait(60)
    assert "ended unexpectedly after 4 of 5 parts" in job.failure
    assert job.failed.kind == "crash"
    assert f"exit code {-signal.SIGKILL}" in job.failed.detail
    assert len(job.events) == 4
    assert len(other.result(60)) == 4


def test_the_time_limit_is_that_of_the_whole_run(pool):
    job = begun(pool, 40, "nap", 0.2, limits=replace(LIMITS, seconds=1.0))
    assert job.wait(60)
    assert job.failed.kind == "time"
    assert "the 1 seconds it may take and was stopped after" in job.failure
    assert 0 < len(job.events) < 40


def test_calls_share_the_memory_of_their_run(pool):
    """Each call alone would have enough."""
    assert until(lambda: pool.ready() == 3, 60)
    limits = replace(LIMITS, memory_mb=600)
    assert begun(pool, 1, "fill", 300, limits=limits).result(60)
    both = begun(pool, 2, "fill", 300, limits=limits)
    assert both.wait(60)
    assert both.failed.kind == "memory"
    assert both.failure.startswith("The run needed more than 600 MB of memory")


def test_of_calls_that_need_much_memory_fewer_are_carried_out_at_once(pool):
    job = pool.submit(ask("parts", 4, "nap", 0.1), fan=fan(600 * 2**20))
    most = 0
    while not job.is_over:
        most = max(most, len(carried_by(pool, job)))
    assert (most, len(job.result())) == (1, 4)


def test_a_run_goes_on_from_an_earlier_attempt(pool):
    before = begun(pool, 2, "nap", 0.0)
    assert before.wait(60)
    job = begun(pool, 4, "nap", 0.5, before=before.events)
    assert until(lambda: len(job.events) >= 3, 60)
    assert job.events[:2] == tuple(e._replace(total=4) for e in before.events)
    assert job.seconds_left is None or job.seconds_left < 3 * job.seconds
    assert len(job.result(60)) == 4


def test_asking_for_the_same_run_joins_it(pool):
    cache = Results(10_000)
    first, second = (
        cache.obtain("k", ask("parts", 3, "nap", 0.2), pool=pool, owner=o, fan=fan()) for o in "ab"
    )
    first.cancel()
    assert len(second.result(60)) == 3
    assert "k" in cache


def test_runs_of_an_owner_who_is_gone_are_stopped(pool):
    job = begun(pool, 3, "stumble", "multiply", 0, owner="gone")
    assert until(lambda: carried_by(pool, job), 60)
    pool.cancel("gone")
    assert job.state == "stopped"
    assert until(lambda: not carried_by(pool, job))


def test_a_newer_run_replaces_the_older_one_of_the_same_place(pool):
    naps = [5.1, 5.2, 5.3, 5.4, 0.1]  # seconds; the older ones must not be through before
    jobs = [begun(pool, 3, "nap", nap, owner="a", replaces="page") for nap in naps]
    assert [job.state for job in jobs[:-1]] == ["stopped"] * 4
    assert len(jobs[-1].result(60)) == 3


def test_short_calls_of_a_stopped_run_cost_no_worker(pool, monkeypatch):
    """Whoever moves a slider stops a run with every step."""
    monkeypatch.setattr("service.pool.GRACE_SECONDS", 20.0)
    # What the test before has stopped must be over: its calls have the usual grace.
    assert until(lambda: pool.ready() == 3 and pool._queue.running == 0, 60)
    before = set(pool.pids())
    for _ in range(5):
        job = begun(pool, 50, "nap", 0.01)
        assert until(lambda job=job: len(job.events) > 2, 60)
        job.cancel()
        assert job.is_over
    assert set(pool.pids()) == before
    assert until(lambda: pool._queue.running == 0)
    assert len(begun(pool, 4, "nap", 0.0).result(60)) == 4


def test_who_is_ahead_is_counted_in_runs():
    queue = FairQueue()
    for owner, run in ["a1", "a1", "a2", "b3", "c4"]:
        item = waiting(owner)
        item.run = run
        queue.add(item)
    ahead = {run: queue.ahead(run, lambda item: item.run) for run in "1234"}
    assert ahead == {"1": 0, "3": 1, "4": 2, "2": 3}
    assert len(queue) == 5


def test_a_waiting_run_knows_how_many_are_ahead(single):
    busy = single.submit(ask("multiply"), owner="x")
    assert until(lambda: is_running(busy), 60)
    jobs = [begun(single, 2, "nap", 0.0, owner=owner) for owner in "abc"]
    assert until(lambda: sorted(map(single.ahead, jobs)) == [0, 1, 2])
    assert [job.state for job in jobs] == ["queued"] * 3
    busy.cancel()
    assert all(job.wait(60) for job in jobs)


def test_two_owners_share_the_workers_fold_by_fold(single):
    """A short run that comes late does not wait for the end of a long one."""
    long = begun(single, 40, "nap", 0.1, owner="a")
    assert until(lambda: long.events, 60)
    short = begun(single, 2, "nap", 0.0, owner="b")
    assert len(short.result(60)) == 2
    assert not long.is_over
    long.cancel()


def test_a_data_set_travels_to_a_worker_once(pool):
    data = TableData(source="iris").dataset()
    job = begun(pool, 8, "rows_of", data)
    found = job.result(60)
    assert {n for *_, n in found} == {150}
    objects: dict[int, set[int]] = {}
    for pid, identity, _ in found:
        objects.setdefault(pid, set()).add(identity)
    assert all(len(same) == 1 for same in objects.values())


def test_closing_the_pool_ends_every_run():
    made = Pool(1, limits=LIMITS, allowed=("tests.",))
    job = begun(made, 3, "stumble", "multiply", 0)
    assert until(lambda: carried_by(made, job), 60)
    made.close()
    assert job.failure.startswith("The run was stopped because the server is closing")


@pytest.fixture(scope="module")
def ours() -> Iterator[Pool]:
    """A pool for runs of mlcore."""
    made = Pool(2, limits=LIMITS)
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS)
def test_workers_give_the_numbers_of_this_process_to_the_last_bit(kind, ours):
    by, run = KINDS[kind]
    job = ours.submit((f"{by.module}:carry_out", (run,)), fan=fan())
    assert same(job.result(120), events_of(by, run)[1])


@pytest.mark.slow
def test_stop_ends_a_nested_search_of_a_support_vector_machine_and_keeps_its_folds(ours):
    """5,000 rows in ten outer folds, ended in the middle of several fits."""
    search = Tuning(
        data=TableData(source=Moons(n_samples=5000, noise=0.4)),
        method="svc",
        search=GridSearch(over={"method.C": "1,0.1,1000"}, inner=HoldOut()),
        evaluation=KFold(n_splits=10),
    )
    job = ours.submit(("mlcore.runs.carry_tuning:carry_out", (search,)), fan=fan())
    assert until(lambda: sum(isinstance(event, Chosen) for event in job.events) >= 2, 300)
    assert until(lambda: len(carried_by(ours, job)) == 2)
    events = len(job.events)
    job.cancel()
    assert until(lambda: not carried_by(ours, job))  # killed, or free after the moment they had
    assert job.state == "stopped"
    assert f"stopped after {job.progress.done} of 33 candidates" in job.failure
    assert len(job.events) >= events
    part = carry_tuning.so_far(search, job.events)
    assert part.overall is not None
    assert len(part.scored) >= 1
    assert part.planned == 10
