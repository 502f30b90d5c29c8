"""Runs on a Dask cluster of two processes: the numbers of our own workers, to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlcore.data.dataset import TableData
from mlcore.runs.run import Comparison, Run
from mlcore.spine.threads import thread_settings
from service import executors
from service.executors import SCHEDULER, fan
from service.fan import Fan
from service.pool import Pool
from service.starting import PROJECT
from tests.service import probes
from tests.service.conftest import LIMITS, until
from tests.spine.test_places import KINDS, same

pytest.importorskip("distributed", reason="the package distributed is for several machines")
pytestmark = pytest.mark.slow  # the start of a cluster

COMPARISON = Comparison(data=TableData(source="penguins"), methods=("lda", "knn", "logistic"))
THREADS = thread_settings(1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[str]:
    """The address of a scheduler with two workers, started as whoever hosts it starts them."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", *common]]
    commands += [["worker", "--nthreads", "1", "--no-nanny", *common]] * 2
    environment = os.environ | THREADS | {"PYTHONPATH": str(PROJECT)}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command],
            cwd=file.parent, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]  # fmt: skip
    assert until(lambda: _address(file), 60)
    yield _address(file)
    if executors._client.cache_info().currsize:
        executors._client(_address(file)).close()
        executors._client.cache_clear()
    for process in started:
        process.kill()
        process.wait()


def _address(file: Path) -> str:
    try:
        return json.loads(file.read_text())["address"]
    except (FileNotFoundError, ValueError):  # not yet, or half of it
        return ""


@pytest.fixture
def on_cluster(cluster, monkeypatch) -> str:
    monkeypatch.setenv(SCHEDULER, cluster)
    client = executors._client(cluster)
    client.wait_for_workers(2, timeout=60)
    return cluster


@pytest.fixture(scope="module")
def ours() -> Iterator[Pool]:
    made = Pool(2, limits=LIMITS)
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_cluster_gives_the_numbers_of_our_workers(kind, on_cluster, ours, monkeypatch):
    by, run = KINDS[kind]
    asked = (f"{by.module}:carry_out", (run,))
    there = ours.submit(asked, fan=fan())
    outcome = there.result(120)
    assert there.progress.done == there.progress.total
    monkeypatch.delenv(SCHEDULER)
    assert same(outcome, ours.submit(asked, fan=fan()).result(120))


def test_a_comparison_is_the_same_on_a_cluster(on_cluster, ours, monkeypatch):
    asked = ("mlcore.runs.carry_comparison:carry_out", (COMPARISON,))
    there = ours.submit(asked, fan=fan()).result(120)
    monkeypatch.delenv(SCHEDULER)
    here = ours.submit(asked, fan=fan()).result(120)
    for a, b in zip(there.entrants, here.entrants, strict=True):
        assert not a.failure
        assert same(a.outcome, b.outcome)


def test_both_processes_of_a_cluster_take_part_and_the_rows_are_sent_once(on_cluster):
    client, data = executors._client(on_cluster), probes.counted(TableData(source="iris").dataset())
    place = Fan(client.get_executor(pure=False), 4, partial(executors._scattered, client))
    ended = [result for _, result in place.each(probes.rows_of, [(data, k) for k in range(12)])]
    assert [n for *_, n in ended] == [150] * 12
    assert len({pid for pid, *_ in ended}) == 2
    # The cluster may let a copy go and fetch it again from a neighbour: that asks nothing of us.
    assert probes.Counted.pickled == 2  # for their digest, and to send them


def test_rows_are_sent_again_right_after_they_were_let_go(on_cluster):
    """A run begins while the rows of the one before are being let go."""
    client, data = executors._client(on_cluster), TableData(source="iris").dataset()
    sizes: list[int] = []

    def runs() -> None:
        place = None
        for _ in range(8):
            # The former one is let go when its successor has the name.
            place = Fan(client.get_executor(pure=False), 2, partial(executors._scattered, client))
            sizes.extend(
                n for _, (*_, n) in place.each(probes.rows_of, [(data, k) for k in (0, 1)])
            )

    thread = threading.Thread(target=runs, daemon=True)  # lost rows are waited for without end
    thread.start()
    thread.join(30)
    assert sizes == [150] * 16


def test_only_our_own_functions_reach_a_cluster(on_cluster):
    place = fan()(SimpleNamespace(begin=lambda work: None), SimpleNamespace())
    with pytest.raises(ValueError, match="is not a function of mlcore"):
        next(place.each(os.getpid, [()]))


def test_what_a_call_refuses_is_the_reason_of_the_run(on_cluster, ours):
    run = Run(data=TableData(source="penguins"), preparation=(), method="logistic")
    job = ours.submit(("mlcore.runs.carry:carry_out", (run,)), fan=fan())
    assert job.wait(60)
    assert job.failed.kind == "DataError"
    assert "needs numbers" in job.failure


def test_a_run_on_a_cluster_can_be_stopped(on_cluster, ours):
    trial = KINDS["trial"][1]
    long = type(trial)(problem=trial.problem, methods=trial.methods, budget=3000, replicates=2000)
    job = ours.submit(("mlcore.runs.carry_trial:carry_out", (long,)), fan=fan())
    assert until(lambda: job.events, 60)
    job.cancel()
    assert job.state == "stopped"
    assert 0 < len(job.events) < 75
    asked = ("mlcore.runs.carry_trial:carry_out", (trial,))
    assert ours.submit(asked, fan=fan()).result(60)
