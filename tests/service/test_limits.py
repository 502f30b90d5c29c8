"""Limits from the environment, and the sentences about them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import ModuleType

import pytest

from mlcore.spine.errors import ParamError
from mlcore.spine.threads import THREAD_VARIABLES, thread_settings
from service.limits import (
    Limits,
    cores,
    current_limits,
    hold_threads,
    memory,
    read,
    table,
)
from service.starting import PROJECT


def test_defaults():
    assert read({}) == Limits()
    assert Limits().workers == cores() >= 1
    assert (Limits().threads, Limits().memory_mb, Limits().seconds) == (1, 2048, 600.0)


def test_the_environment_sets_limits():
    given = read({"MLSCOPE_WORKERS": " 3 ", "MLSCOPE_SECONDS": "12.5", "MLSCOPE_ROWS": ""})
    assert (given.workers, given.seconds, given.rows) == (3, 12.5, Limits().rows)


@pytest.mark.parametrize(
    ("variable", "text", "must"),
    [
        ("MLSCOPE_WORKERS", "many", "a whole number of at least 1"),
        ("MLSCOPE_WORKERS", "0", "a whole number of at least 1"),
        ("MLSCOPE_WORKERS", "1.5", "a whole number of at least 1"),
        ("MLSCOPE_SECONDS", "nan", "a number of at least 1"),
        ("MLSCOPE_SECONDS", "inf", "a number of at least 1"),
        ("MLSCOPE_MEMORY_MB", "64", "a whole number of at least 512"),
    ],
)
def test_a_wrong_value_is_a_sentence(variable, text, must):
    with pytest.raises(ParamError) as error:
        read({variable: text})
    assert str(error.value).startswith(f"{variable} must be {must} (")
    assert f"got {text!r}" in str(error.value)


def test_long_runs_wait_and_too_long_ones_are_refused():
    limits = Limits()
    assert (limits.waits(4.9), limits.waits(5.1)) == (False, True)
    assert limits.refusal(599, 2e9) is None
    assert "about 40 days; this installation allows 10 min." in limits.refusal(3_456_000, 0)
    assert "allows 2 GB" in limits.refusal(1, 3e9)
    assert limits.refusal(1, 1, "folds", 1e8) is None
    assert limits.refusal(1, 1, "folds", 3e9) == (
        "The results of this run would take about 2.79 GB; this installation keeps 128 MB of one "
        "run. Use fewer folds, repeats or rows."
    )


def test_sizes_in_words():
    assert (memory(512), memory(2048), memory(1536)) == ("512 MB", "2 GB", "1.5 GB")


def test_the_table_names_every_limit():
    lines = table().splitlines()
    assert len(lines) == 2 + len(Limits.__dataclass_fields__)
    assert "| `MLSCOPE_ROWS` | 1,000,000 | Rows of one table. |" in lines
    assert lines[3].startswith("| `MLSCOPE_WORKERS` | cores |")


def test_threads_reach_every_library():
    counts = {name for name, value in thread_settings(2).items() if value == "2"}
    assert counts == {"MLSCOPE_THREADS", *THREAD_VARIABLES}
    assert {"OMP_NUM_THREADS", "NUMBA_NUM_THREADS"} <= counts


HOLD = """
import os, sys
from service.limits import hold_threads
assert "numpy" not in sys.modules
hold_threads()
print(os.environ["OPENBLAS_NUM_THREADS"], os.environ["NUMBA_NUM_THREADS"])
"""


def test_threads_are_held_before_numpy_is_imported():
    environment = {**os.environ, "MLSCOPE_THREADS": "3"}
    done = subprocess.run(
        [sys.executable, "-c", HOLD], cwd=PROJECT, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("3 3\n", "")


def test_holding_threads_too_late_is_said(monkeypatch, caplog):
    for name, held in thread_settings(current_limits().threads).items():
        monkeypatch.setenv(name, held)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    monkeypatch.setitem(sys.modules, "numpy", ModuleType("numpy"))
    hold_threads()
    assert "after numpy was imported" in caplog.text
