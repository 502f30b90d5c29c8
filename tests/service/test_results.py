"""The result cache: joins, keeps, evicts; large arguments travel once."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.partly_labelled import PartlyLabelled
from mlcore.data.steps.picked_rows import ListedRows
from mlcore.data.upload import Upload
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.run import Comparison, Run
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from service.limits import Limits
from service.process import ARGUMENTS_SHARE, WorkerProcess
from service.results import Results, key
from service.starting import Starter
from service.tasks import Stored, pack, size_of, unpack
from tests.service.conftest import ask, is_running, until
from tests.service.probes import Table


@pytest.fixture
def cache() -> Results:
    return Results(10_000)


def test_a_known_result_is_there_at_once(cache, pool):
    first = cache.obtain("k", ask("sleep", 0.0), pool=pool)
    worker = first.result(60)
    again = cache.obtain("k", ask("break_down"), pool=pool)
    assert (again.state, again.result(0)) == ("done", worker)
    assert cache.used == len(pickle.dumps(("done", worker), protocol=pickle.HIGHEST_PROTOCOL))


def test_who_asks_for_what_is_running_joins_it(cache, pool):
    first, second = (cache.obtain("k", ask("sleep", 0.3), pool=pool, owner=o) for o in "ab")
    assert until(lambda: is_running(first), 60)
    assert second.state == "running"
    first.cancel()  # the other still gets the result, and the cache too
    assert second.result(60)
    assert "k" in cache


def test_what_was_stopped_or_failed_is_not_kept(cache, pool):
    stopped = cache.obtain("s", ask("folds", 2, 3, "multiply"), pool=pool)
    assert until(lambda: len(stopped.events) == 2, 60)
    stopped.cancel()
    failed = cache.obtain("f", ask("folds", 2, 3, "refuse"), pool=pool)
    assert failed.wait(60)
    assert len(cache) == 0
    assert cache.obtain("s", ask("add", 1, 1), pool=pool).result(60) == 2
    assert cache.obtain("f", ask("add", 1, 2), pool=pool).result(60) == 3


def test_the_longest_unused_goes_first(cache):
    cache.put("a", "A", 4_000)
    cache.put("b", "B", 4_000)
    assert cache.obtain("a", ()).result() == "A"  # used: now b is the older one
    cache.put("c", "C", 4_000)
    assert ["a" in cache, "b" in cache, "c" in cache] == [True, False, True]
    assert cache.used == 8_000


def test_a_result_larger_than_the_cache_is_not_kept(cache):
    cache.put("small", "s", 6_000)
    cache.put("large", "l", 10_001)
    assert ("small" in cache, "large" in cache) == (True, False)


def test_putting_again_counts_once(cache):
    cache.put("a", "A", 4_000)
    cache.put("a", "A", 5_000)
    assert (len(cache), cache.used) == (1, 5_000)
    cache.clear()
    assert (len(cache), cache.used) == (0, 0)


def test_in_place_results_are_kept_too(cache):
    asked = ("service.tasks:size_of", (np.zeros(100),))
    first = cache.obtain("k", asked, here=True)
    assert first.result() >= 800
    assert cache.obtain("k", ("service.none:none",), here=True).result() == first.result()


def test_size_counts_arrays():
    assert 80_000 <= size_of({"x": np.zeros(10_000)}) < 81_000


def test_keys_tell_digest_data_question_and_versions_apart():
    one, other = Run(data="iris"), Run(data="wine")
    assert len({key(one, ()), key(other, ()), key(one.data, ()), key(one, (), "curve")}) == 4
    assert ("numpy", np.__version__) in key(one, ()).versions


PRIVATE = Upload(digest="ab" * 32, name="mine.csv")
NAMING_IT: tuple[Component, ...] = (
    TableData(source=PRIVATE),
    Run(data=TableData(source=PRIVATE)),
    Run(data=TableData(source=PartlyLabelled(source=PRIVATE))),
    Comparison(data="iris", more=(TableData(source="wine"), TableData(source=PRIVATE))),
    Tuning(data=TableData(source=PRIVATE), method="ridge"),
    Run(data=TableData(source="iris", steps=(ListedRows(source=PRIVATE),))),
    Prediction(data="iris", new=PRIVATE),
    Explanation(data=TableData(source="iris", steps=(ListedRows(source=PRIVATE),))),
)


@pytest.mark.parametrize("it", NAMING_IT, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("what", ["run", "dataset", "steps", "curve"])
def test_there_is_a_key_only_for_who_has_the_tables(it, what):
    with pytest.raises(DataError, match=r"'mine\.csv' is not here"):
        key(it, {"cd" * 32}, what)
    assert key(it, {PRIVATE.digest}, what).what == what


@pytest.mark.parametrize("known", [True, False])
def test_what_needs_no_worker_replaces_older_jobs_too(cache, pool, known):
    """A person who moves from a slow method to a quick one no longer waits for the slow one."""
    slow = cache.obtain("slow", ask("multiply"), pool=pool, owner="a", replaces="page")
    if known:
        cache.put("quick", 1, 10)
    asked = ("service.tasks:size_of", (1,))
    cache.obtain("quick", asked, here=True, pool=pool, owner="a", replaces="page")
    assert slow.state == "stopped"


@pytest.fixture
def worker():
    limits = Limits(memory_mb=512)
    starter = Starter(limits.threads)
    process = WorkerProcess(limits, ("tests.",), starter)
    process.connect()
    yield process
    process.close()
    starter.close()


def look(worker: WorkerProcess, *stored: Stored) -> tuple[int, float, bool]:
    """How many tables the worker has received, the sum of this one, whether it is writeable."""
    worker.give(pack(ask("look_at", *stored)))
    verb, seen, _ = worker.receive()
    assert verb == "done"
    return seen[:3]


def test_a_large_argument_is_sent_to_a_worker_once(worker):
    table = Stored("digest", Table(np.ones(1000)))
    assert [look(worker, table) for _ in range(3)] == [(1, 1000.0, False)] * 3


def test_a_large_argument_is_not_copied_to_be_sent(worker):
    """The server holds the tables of all people; each copy of one is as large."""
    table = Stored("digest", Table(np.ones(2**20)))
    tracemalloc.start()
    seen = look(worker, table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == (1, 2.0**20, False)
    assert peak < 2**20  # of 8 MB


def test_the_longest_unused_argument_is_let_go(worker):
    """Three tables of which two fit: a, b, a again, then c in the place of b."""
    n = 512 * 2**20 // ARGUMENTS_SHARE // 8 * 2 // 5
    a, b, c = (Stored(name, Table(np.zeros(n))) for name in "abc")
    received = [look(worker, held)[0] for held in (a, b, a, c, a, c, b)]
    assert received == [1, 2, 2, 3, 3, 3, 4]


def test_every_worker_of_a_pool_gets_its_own(single):
    table = Stored("digest", Table(np.ones(1000)))
    seen = [single.submit(ask("look_at", table)).result(60) for _ in range(6)]
    assert {(received, total) for received, total, *_ in seen} == {(1, 1000.0)}


def test_large_arguments_stand_anywhere():
    table = Table(np.arange(3.0))
    packed = pack(("m:f", ({"deep": [Stored("d", table)]},), {"x": Stored("d", table)}))
    assert len(packed.data) < 300
    task = unpack(packed)
    assert task.args[0]["deep"][0] is table
    assert task.kwargs["x"] is table
