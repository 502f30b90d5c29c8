"""Tests compute with one thread, also after the benchmarks, which ask for two, were imported."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numba
from threadpoolctl import threadpool_info

from benchmarks import THREADS


def loaded(name: str) -> list[Any]:
    """The pools of threads of all libraries after one more was imported."""
    importlib.import_module(name)
    return threadpool_info()


POOLS = loaded("scipy.linalg")  # has a BLAS of its own, and comes after the benchmarks here


def test_every_library_has_one_thread():
    """Two BLAS libraries with two threads each wait for one another: fits took fifty times as
    long, and what a test sees would follow from which tests were collected before it."""
    assert THREADS == 2
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert len(POOLS) >= 2
    assert {pool["num_threads"] for pool in POOLS} == {numba.get_num_threads()} == {1}
