"""Files are read by a worker: what they do to it is a sentence about the file."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from mlcore.data.importing import Decisions
from mlcore.spine.errors import FileError
from service import limits, reading
from service.pool import Pool
from tests.data import hostile
from tests.service.conftest import LIMITS, ask, until

CSV = b"a,b,c\n" + b"".join(b"%d,%d.5,x%d\n" % (i, i, i % 3) for i in range(200))


@pytest.fixture(scope="module")
def reader():
    """A pool of one worker and its spare, which may do what a server's may."""
    made = Pool(1, limits=LIMITS, allowed=("mlcore.", "tests."))
    assert until(lambda: made.ready() == 2, 120)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _limits(monkeypatch):
    monkeypatch.setattr(limits, "current_limits", lambda: LIMITS)


def test_a_worker_gives_the_same_table_and_report(reader):
    there = reading.read(CSV, "a.csv", Decisions(), pool=reader)
    here = reading.reading.read(CSV, "a.csv")
    assert there.table.digest() == here.table.digest()
    assert there.report == here.report
    assert not there.table.columns[0].values.flags.writeable


def test_the_sentence_of_a_bad_file_and_the_rows_of_an_installation_are_kept(reader, monkeypatch):
    with pytest.raises(FileError, match="The Parquet file cannot be read"):
        reading.read(b"PAR1rest", "a.parquet", Decisions(), pool=reader)
    monkeypatch.setattr(limits, "current_limits", lambda: replace(LIMITS, rows=100))
    with pytest.raises(FileError, match="has 200 rows; this installation takes 100"):
        reading.read(CSV, "a.csv", Decisions(), pool=reader)


def test_a_file_that_needs_too_much_memory_is_named_and_the_next_is_read(reader, monkeypatch):
    monkeypatch.setattr(limits, "current_limits", lambda: replace(LIMITS, memory_mb=512))
    big = hostile.shared(200_000, 5000)
    with pytest.raises(FileError) as told:
        reading.read(big, "shared.xlsx", Decisions(), pool=reader)
    assert str(told.value) == (
        "The file 'shared.xlsx' needs more than 512 MB of memory to be read. Bring a sample of its "
        "rows, or save the table as CSV and bring that."
    )
    assert reading.read(CSV, "a.csv", Decisions(), pool=reader).table.n_rows == 200


def test_a_file_that_takes_too_long_is_named(reader, monkeypatch):
    monkeypatch.setattr(reading, "SECONDS", 0.2)
    with pytest.raises(FileError, match=r"'slow\.xlsx' takes longer to be read than the 0\.2 sec"):
        reading.read(hostile.shared(400_000, 1), "slow.xlsx", Decisions(), pool=reader)


def test_a_worker_that_ends_over_a_file_ends_alone(reader):
    def end():
        assert until(lambda: reader._busy, 60)
        for process in list(reader._busy.values()):
            os.kill(process.pid, signal.SIGABRT)  # as a library does that asks for too much room

    assert until(lambda: reader.ready() == 2, 60)
    ending = threading.Thread(target=end)
    ending.start()
    with pytest.raises(FileError, match=r"'x{60}…' ended the process that read it"):
        reading.read(hostile.shared(400_000, 1), "x" * 224, Decisions(), pool=reader)
    ending.join()
    assert reading.read(CSV, "a.csv", Decisions(), pool=reader).table.n_rows == 200


def test_a_file_waits_for_no_run_of_others(reader):
    assert until(lambda: reader.ready() == 2, 60)
    run, next_run = (reader.submit(ask("sleep", 60.0), owner=name) for name in ("one", "two"))
    assert until(lambda: run.state == "running")
    assert reading.read(CSV, "a.csv", Decisions(), pool=reader).table.n_rows == 200
    assert (run.state, next_run.state) == ("running", "queued")
    next_run.cancel()
    run.cancel()


def test_a_small_file_is_read_at_once(reader):
    assert until(lambda: reader.ready() == 2, 60)
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        reading.read(CSV, "a.csv", Decisions(), pool=reader)
        took.append(time.perf_counter() - begun)
    assert min(took) < 0.3
