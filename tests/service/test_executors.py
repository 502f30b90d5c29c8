"""The pool behind the interface of concurrent.futures."""

from __future__ import annotations

import sys
from concurrent.futures import CancelledError, as_completed
from types import ModuleType

import pytest

from service.executors import SCHEDULER, PoolExecutor, fan
from service.tasks import JobError
from tests.service import probes
from tests.service.conftest import ask, until


@pytest.fixture
def made(pool):
    with PoolExecutor(pool, owner="me") as executor:
        yield executor


def test_map_gives_results_in_order(made):
    assert list(made.map(probes.add, range(5), range(5))) == [0, 2, 4, 6, 8]


def test_futures_complete(made):
    futures = {made.submit(probes.add, k, b=1): k for k in range(4)}
    assert {futures[f]: f.result() for f in as_completed(futures, 60)} == {0: 1, 1: 2, 2: 3, 3: 4}


def test_a_failure_is_the_exception_of_the_future(made):
    assert isinstance(made.submit(probes.break_down).exception(60), JobError)
    with pytest.raises(JobError, match="needs at least"):
        made.submit(probes.refuse).result(60)


def test_a_running_future_can_be_cancelled(made):
    future = made.submit(probes.multiply)
    assert until(future.running, 60)
    assert future.cancel()
    with pytest.raises(CancelledError):
        future.result(1)


def test_a_finished_future_cannot(made):
    future = made.submit(probes.add, 1, 1)
    assert future.result(60) == 2
    assert not future.cancel()


def test_shutting_down_cancels_what_is_left(pool):
    made = PoolExecutor(pool)
    futures = [made.submit(probes.multiply) for _ in range(3)]
    made.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)
    with pytest.raises(RuntimeError, match="shut down"):
        made.submit(probes.add, 1, 1)


def test_a_cluster_without_its_package_is_a_sentence(pool, monkeypatch):
    monkeypatch.setenv(SCHEDULER, "tcp://nowhere:1")
    monkeypatch.setitem(sys.modules, "distributed", None)
    job = pool.submit(ask("parts", 2), fan=fan())
    assert job.wait(60)
    assert "package distributed is not installed" in job.failure
    assert job.failed.kind == "ParamError"


def test_a_cluster_that_is_not_there_is_a_sentence(pool, monkeypatch):
    class Client:
        def __init__(self, address: str) -> None:
            raise OSError("no route")

    cluster = ModuleType("distributed")
    cluster.Client = Client
    monkeypatch.setitem(sys.modules, "distributed", cluster)
    monkeypatch.setenv(SCHEDULER, "tcp://there:1")
    job = pool.submit(ask("parts", 2), fan=fan())
    assert job.wait(60)
    assert "must be the address of a running Dask scheduler" in job.failure
