"""Jobs: events, results, failures as sentences, stopping, limits, crashes, a dying parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from mlcore.spine.threads import THREAD_VARIABLES
from service import starting
from service.jobs import JobHere
from service.pool import Pool
from service.starting import PROJECT, ForkServer
from service.tasks import JobError
from tests.service.conftest import LIMITS, ask, exists, is_running, until
from tests.service.probes import Fold


def test_a_job_gives_its_result(pool):
    job = pool.submit(ask("add", 1, 2))
    assert job.result(60) == 3
    assert (job.state, job.failure, job.events) == ("done", None, ())


def test_events_arrive_while_the_job_runs(pool):
    job = pool.submit(ask("folds", 12, 30, "multiply"))
    assert until(lambda: len(job.events) == 12, 60)
    assert job.state == "running"
    assert job.events[3] == Fold(4, 30)
    assert job.progress == (12, 30, "folds")
    assert job.seconds_left == pytest.approx(job.seconds * 18 / 12, rel=0.1)
    job.cancel()


def test_one_can_wait_for_the_first_event_alone(pool):
    job = pool.submit(ask("folds", 1, 30, "multiply"))
    job.work.wait_for_event(60)
    assert (job.events, job.state) == ((Fold(1, 30),), "running")
    job.cancel()
    silent = pool.submit(ask("add", 1, 2))
    silent.work.wait_for_event(60)
    assert silent.work.is_over


def test_what_a_generator_returns_is_the_result(pool):
    job = pool.submit(ask("folds", 3, 3))
    assert job.result(60) == 3
    assert job.events == (Fold(1, 3), Fold(2, 3), Fold(3, 3))


@pytest.mark.parametrize("loop", ["multiply", "spin"])
def test_stop_ends_a_busy_loop_and_keeps_events(pool, loop):
    job = pool.submit(ask("folds", 12, 30, loop))
    assert until(lambda: len(job.events) == 12, 60)
    time.sleep(0.3)  # well inside the loop
    before = set(pool.pids())
    job.cancel()
    assert job.wait(10)  # left alone it would go on for minutes
    assert until(lambda: sum(map(exists, before)) < len(before), 10)
    assert job.state == "stopped"
    assert job.failure == "The run was stopped after 12 of 30 folds."
    assert len(job.events) == 12
    with pytest.raises(JobError, match=r"^The run was stopped after 12 of 30 folds\.$"):
        job.result()


def test_a_warm_worker_takes_over_at_once(single):
    warm = single.pids()
    job = single.submit(ask("folds", 0, 1, "multiply"))
    assert until(lambda: is_running(job))
    job.cancel()
    assert single.submit(ask("pid")).result(60) in warm
    assert until(lambda: single.ready() == 2, 60)  # a new spare comes


def test_a_job_that_waits_can_be_stopped(single):
    first, second = (single.submit(ask("folds", 0, 1, "multiply")) for _ in range(2))
    second.cancel()
    assert (second.state, second.failure) == ("stopped", "The run was stopped before it began.")
    assert first.state in ("queued", "running")


def test_what_the_user_can_put_right_is_said_as_it_is(pool):
    job = pool.submit(ask("folds", 2, 5, "refuse"))
    assert job.wait(60)
    assert job.state == "failed"
    assert job.failure.startswith("k-means with n_clusters=3 needs")
    assert (job.failed.kind, job.failed.detail) == ("DataError", "")
    assert len(job.events) == 2


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("break_down", "1 / 0"),  # a fault
        ("unsendable", "lambda"),  # a result that does not pickle
        ("no_such_function", "no_such_function"),
    ],
)
def test_a_fault_is_a_sentence_with_details_and_the_worker_lives(pool, name, detail):
    job = pool.submit(ask(name))
    assert job.wait(60)
    assert job.failure.startswith("Something in MLScope itself went wrong")
    assert job.failed.kind == "fault"
    assert "Traceback" in job.failed.detail
    assert detail in job.failed.detail
    assert "Traceback" not in job.failure
    assert pool.submit(ask("add", 1, 1)).result(60) == 2


@pytest.mark.parametrize("name", ["subprocess:run", "tests.service.probes:os.getcwd", "os:getcwd"])
def test_only_our_own_functions_are_carried_out(pool, name):
    job = pool.submit((name,))
    assert job.wait(60)
    assert "is not a function of tests." in job.failed.detail


def test_what_an_allowed_module_imported_is_not_offered(pool):
    job = pool.submit(("tests.service.probes:cache", (len,)))
    assert job.wait(60)
    assert "is not a function of tests." in job.failed.detail


def test_a_killed_worker_is_a_sentence_and_the_pool_goes_on(pool):
    job = pool.submit(ask("folds", 4, 9, "die"))
    assert job.wait(60)
    assert job.state == "failed"
    assert "ended unexpectedly after 4 of 9 folds" in job.failure
    assert job.failed.kind == "crash"
    assert f"exit code {-signal.SIGKILL}" in job.failed.detail
    assert len(job.events) == 4
    assert pool.submit(ask("add", 1, 1)).result(60) == 2


def test_workers_that_died_while_idle_cost_no_job(single):
    for pid in single.pids():
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: single.ready() == 0)
    assert single.submit(ask("add", 2, 2)).result(60) == 4


def test_time_limit(pool):
    limits = replace(LIMITS, seconds=1.0)
    job = pool.submit(ask("folds", 2, 3, "multiply"), limits=limits)
    assert job.wait(60)
    assert (job.state, job.failed.kind) == ("failed", "time")
    assert "longer than the 1 seconds it may take and was stopped after 2 of 3" in job.failure
    assert 1.0 <= job.seconds < 2.0


def test_memory_limit(pool):
    limits = replace(LIMITS, memory_mb=512)
    job = pool.submit(ask("folds", 2, 3, "eat"), limits=limits)
    assert job.wait(60)
    assert (job.state, job.failed.kind) == ("failed", "memory")
    assert job.failure.startswith("The run needed more than 512 MB of memory and was stopped after")
    assert len(job.events) == 2


def test_a_worker_that_kept_much_memory_is_replaced(single):
    before = set(single.pids())
    assert single.submit(ask("hoard")).result(60) is None
    assert until(lambda: len(before & set(single.pids())) == 1)


def test_asking_for_more_memory_than_there_is_is_a_sentence(pool):
    job = pool.submit(ask("take_all"))
    assert job.wait(60)
    assert job.failed.kind == "memory"
    assert job.failure.startswith("The run asked for more memory than there is")


def test_what_a_task_prints_fills_no_pipe(pool):
    assert pool.submit(ask("output_goes_to_the_log")).result(60)


def test_workers_hold_to_their_threads(pool):
    seen = pool.submit(ask("settings")).result(60)
    assert {seen[name] for name in THREAD_VARIABLES} == {str(LIMITS.threads)}


def test_making_a_pool_does_not_wait_for_it():
    made = Pool(1, limits=LIMITS, allowed=("tests.",))
    ready = made.ready()
    made.close()
    assert ready == 0


def test_closing_leaves_no_worker_and_ends_every_job():
    made = Pool(1, limits=LIMITS, allowed=("tests.",))
    running, waiting = (made.submit(ask("folds", 0, 1, "multiply")) for _ in range(2))
    assert until(lambda: is_running(running), 60)
    pids = made.pids()
    made.close()
    assert not any(map(exists, pids))
    assert running.failure == "The run was stopped because the server is closing."
    assert waiting.state == "stopped"
    with pytest.raises(RuntimeError, match="closed"):
        made.submit(ask("add", 1, 1))


SERVER = """
import sys, time
from pytest import MonkeyPatch
from service.pool import Pool
from tests.service.asking import LIMITS, ask, bare_fork_servers, until
bare_fork_servers(MonkeyPatch())
pool = Pool(2, limits=LIMITS, allowed=("tests.",))
jobs = [pool.submit(ask("folds", 1, 2, loop)) for loop in ("multiply", "spin")]
until(lambda: all(job.events for job in jobs) and pool.ready() == 3, 60)
print(*pool.pids(), flush=True)
time.sleep(60)
"""


def test_no_worker_outlives_a_killed_server():
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as server:
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert len(pids) == 3
        assert all(map(exists, pids))
        server.kill()
    assert until(lambda: not any(map(exists, pids)), 3.0)


def test_no_worker_outlives_a_server_that_ends():
    script = SERVER.replace("time.sleep(60)", "")
    script = script.replace("Pool(2,", "service.jobs._PROCESS.pool = Pool(2,")
    script = script.replace("import sys", "import service.jobs\nimport sys")
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True
    )
    pids = [int(pid) for pid in ended.stdout.split()]
    assert (ended.returncode, len(pids)) == (0, 3)
    assert not any(map(exists, pids))


EDITED = """
import importlib, sys
from service import jobs
held = jobs.pool()
assert jobs.pool() is held
del sys.modules["service.jobs"], sys.modules["service.pool"]
fresh = importlib.import_module("service.jobs")
assert type(fresh.pool()) is fresh.Pool is not jobs.Pool
held.submit(("service.limits:table",))
"""


def test_after_an_edit_of_the_code_the_older_pool_is_closed():
    """Streamlit forgets an edited module; its workers would stay, with the older code."""
    ended = subprocess.run(
        [sys.executable, "-c", EDITED], cwd=PROJECT, capture_output=True, text=True
    )
    assert ended.stderr.endswith("RuntimeError: The pool is closed.\n")


def _here(asked):
    job = JobHere(asked)
    assert not job.is_over
    job.wait()
    return job


def test_in_place_goes_on_event_by_event(monkeypatch):
    monkeypatch.setattr("service.jobs.ALLOWED", ("tests.",))
    job = JobHere(ask("folds", 2, 3))
    assert job.step()
    assert (len(job.events), job.state) == (1, "running")
    assert job.wait()
    assert (job.state, job.step()) == ("done", False)


def test_in_place_gives_what_a_worker_gives(monkeypatch, pool):
    monkeypatch.setattr("service.jobs.ALLOWED", ("tests.",))
    for asked in [ask("folds", 3, 3), ask("folds", 2, 5, "refuse")]:
        here, there = _here(asked), pool.submit(asked)
        assert here.is_over
        assert there.wait(60)
        assert here.events == there.events
        assert (here.state, here.failed) == (there.state, there.failed)
    here = _here(ask("break_down"))
    assert here.failed.kind == "fault"
    assert "1 / 0" in here.failed.detail


def test_in_place_only_our_own_functions_are_carried_out():
    assert "is not a function of mlcore." in _here(("os:getcwd",)).failed.detail


def test_a_failing_start_is_a_sentence(monkeypatch):
    monkeypatch.setattr(starting, "ForkServer", ForkServer)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    made = Pool(1, limits=LIMITS)
    job = made.submit(ask("add", 1, 1))
    assert job.wait(30)
    assert "no worker process can be started" in job.failure
    made.close()
