"""Tests compute with one thread, also after the benchmarks, which ask for two, were imported."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
from threadpoolctl import threadpool_info

from benchmarks import THREADS
from mlcore.spine.threads import thread_settings

ROOT = Path(__file__).parents[2]


def loaded(name: str) -> list[Any]:
    """The pools of threads of all libraries after one more was imported."""
    importlib.import_module(name)
    return threadpool_info()


POOLS = loaded("scipy.linalg")  # has a BLAS of its own, and comes after the benchmarks here


def test_pages_sleep_outside():
    """Two are drawn at once: one that sleeps while it is counted keeps the others waiting."""
    sleeping = re.compile(r"\bsleep\b")
    files = [file for file in (ROOT / "ui").rglob("*.py") if sleeping.search(file.read_text())]
    assert [file.name for file in files] == ["serve.py"]  # before there is a page


def test_every_library_has_one_thread():
    """Two BLAS libraries with two threads each wait for one another: fits took fifty times as
    long, and what a test sees would follow from which tests were collected before it."""
    assert THREADS == 2
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert len(POOLS) >= 2
    assert {pool["num_threads"] for pool in POOLS} == {numba.get_num_threads()} == {1}


IDLE = """
import time
import numpy as np

A = np.ones((300, 300))
busy = 0.0
for _ in range(10):
    A @ A
    before = time.process_time()
    time.sleep(0.03)
    busy += time.process_time() - before
print(busy)
"""


def test_threads_without_work_sleep():
    """Else those of numpy's BLAS keep a processor from those of scipy's for up to 30 ms."""
    done = subprocess.run(
        [sys.executable, "-c", IDLE], env=os.environ | thread_settings(2),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(done.stdout) < 0.05, "of 0.3 s in which nothing was asked"
