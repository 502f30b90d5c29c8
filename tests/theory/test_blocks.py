"""What is done a block of values at a time is what is done of all at once."""

from __future__ import annotations

import math
import sys
import threading
import time

import numpy as np
import pytest

from mlcore.maths import linear
from mlcore.maths.linear import DIFFERENCES, FEWEST, column_means, signed, thin_svd, turned_about
from mlcore.spine import checks
from mlcore.spine.errors import DataError


@pytest.mark.parametrize(("n", "p"), [(1, 3), (FEWEST, 200), (FEWEST + 1, 200), (DIFFERENCES, 3)])
def test_rows_turned_about_their_mean_by_blocks(n, p):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(n, p)) + 3.0, rng.normal(size=(2, p))
    mean = np.array([math.fsum(column) for column in X.T]) / n
    np.testing.assert_allclose(column_means(X), mean, rtol=1e-14)
    np.testing.assert_allclose(turned_about(X, mean, W), (X - mean) @ W.T, atol=1e-12)


@pytest.mark.parametrize("rows", [3 * FEWEST - 1, 7 * FEWEST + 1])
def test_threads_share_a_mean_without_a_change_of_a_bit(monkeypatch, rows):
    monkeypatch.setattr(linear, "SHARE", 2 * FEWEST * 3)
    X = np.random.default_rng(0).normal(size=(rows, 3))
    alone = column_means(X)
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    np.testing.assert_array_equal(column_means(X), alone)
    monkeypatch.setattr(linear, "SHARE", 2**20)
    np.testing.assert_array_equal(column_means(X), alone)
    np.testing.assert_allclose(alone, [math.fsum(column) / rows for column in X.T], rtol=1e-11)


@pytest.mark.parametrize("n", [1, checks.BLOCK - 1, checks.BLOCK, checks.BLOCK + 1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e151])
def test_a_value_that_cannot_be_used_is_seen_wherever_it_lies(n, value):
    for at in {0, n // 2, n - 1}:
        X = np.ones((n, 1))
        checks.matrix(X, "The test")
        X[at] = value
        with pytest.raises(DataError, match=f"in row {at + 1}"):
            checks.matrix(X, "The test")


@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e151])
def test_threads_refuse_what_one_refuses(monkeypatch, value):
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    monkeypatch.setattr(checks, "SHARE", 2**12)
    X = np.ones((3 * 2**11, 2))
    assert checks.matrix(X, "The test") is X
    for at in (0, len(X) // 2 - 1, len(X) // 2, len(X) - 1):  # beside where the shares meet
        X[at, 1] = value
        with pytest.raises(DataError, match=f"number 2 has .* in row {at + 1}"):
            checks.matrix(X, "The test")
        X[at, 1] = 1.0


def test_who_looks_at_a_share_lets_go_of_the_interpreter():
    """Else threads would look at shares one after the other; numpy does so of many blocks only."""
    values, seen, is_over = np.ones(checks.SHARE // 2 + 1), [], threading.Event()

    def other():
        while not is_over.is_set():
            seen.append(1)
            time.sleep(1e-5)

    interval, thread = sys.getswitchinterval(), threading.Thread(target=other)
    thread.start()
    try:
        sys.setswitchinterval(100.0)  # nobody is made to let go
        seen.clear()
        for _ in range(2000):
            checks._have_squares(values)
            if seen:
                break
        assert seen
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        thread.join()


def test_of_entries_that_differ_by_rounding_the_first_is_made_positive():
    axes = np.array([[-0.5, 0.5 * (1 + 1e-12), 0.1], [0.2, -0.9, 0.8], [0.0, 0.0, 0.0]])
    wanted = [[0.5, -0.5, -0.1], [-0.2, 0.9, -0.8], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(signed(axes), wanted, rtol=1e-11)
    np.testing.assert_array_equal(signed(np.asfortranarray(axes)), signed(axes))


@pytest.mark.parametrize(("n", "p"), [(7, 3), (3, 7), (5, 5), (1, 4), (4, 1)])
def test_a_thin_decomposition_is_one_whichever_side_is_longer(n, p):
    A = np.random.default_rng(0).normal(size=(n, p))
    U, s, Vt = thin_svd(A)
    assert (U.shape, s.shape, Vt.shape) == ((n, min(n, p)), (min(n, p),), (min(n, p), p))
    np.testing.assert_allclose((U * s) @ Vt, A, atol=1e-14)
    np.testing.assert_allclose(U.T @ U, np.eye(len(s)), atol=1e-14)
    np.testing.assert_allclose(Vt @ Vt.T, np.eye(len(s)), atol=1e-14)
    assert (np.diff(s) <= 0).all()
