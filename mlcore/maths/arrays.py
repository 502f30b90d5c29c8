"""Arrays as compiled loops expect them."""

from __future__ import annotations

import numpy as np

from mlcore.maths import _kernels

GLANCE = 64  # rows that settle most questions about all rows
LEAST = 1e-140  # squares of differences that are much smaller than this are zero


def read_only(values: np.ndarray) -> np.ndarray:
    """A C-ordered view of the same shape that cannot be written to.

    Compiled loops take their inputs read-only, always: a writable array would be another type to
    the compiler, and a second compiled variant that the cache does not hold.
    """
    view = np.ascontiguousarray(values).view()
    view.setflags(write=False)
    return view


def picked(K: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The rows and columns `which`, shape (c,), of K, shape (n, n): shape (c, c), in C order.

    Several times as quick as an index of both, and other threads run meanwhile.
    """
    out = np.empty((len(which), len(which)), K.dtype)
    _kernels.pick(read_only(K), read_only(which), out)
    return out


def distinct_rows(X: np.ndarray, most: int) -> np.ndarray:
    """Positions in X, shape (n, p), of rows that differ from all earlier ones, at most `most`."""
    size = 2 * most
    while True:
        positions = np.sort(np.unique(X[:size], axis=0, return_index=True)[1])
        if len(positions) >= most or size >= len(X):
            return positions[:most]
        size *= 4  # most tables have enough different rows at their very beginning


def weighted_median(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Median of each column, shape (p,), rows counting by weights w, shape (n,), one positive.

    Halfway between the two middle values where the weights split evenly.
    """
    order = np.argsort(X, axis=0, kind="stable")
    below = np.cumsum(w[order], axis=0)
    half = below[-1] / 2
    low = np.take_along_axis(order, (below < half).sum(axis=0)[None], axis=0)
    at = np.minimum((below <= half).sum(axis=0), len(X) - 1)
    high = np.take_along_axis(order, at[None], axis=0)
    return (np.take_along_axis(X, low, axis=0)[0] + np.take_along_axis(X, high, axis=0)[0]) / 2


def constant_columns(X: np.ndarray) -> np.ndarray:
    """Whether all values of a column are equal, shape (p,)."""
    same = (X[:GLANCE] == X[0]).all(axis=0)
    at = np.flatnonzero(same)
    same[at] = (X[:, at] == X[0, at]).all(axis=0)
    return same


def means(X: np.ndarray) -> np.ndarray:
    """Mean of each column of X, (n, p): shape (p,). That of a constant column is its value.

    A sum of equal numbers is rounded, so that 0.1 would be something else than its own mean.
    """
    return np.where(constant_columns(X), X[0], X.mean(axis=0))


def deviations(X: np.ndarray) -> np.ndarray:
    """Standard deviation of each column of X, (n, p), with divisor n: shape (p,).

    Exactly 0 for a constant column, of whose mean rounding would leave a trace.
    """
    return np.where(constant_columns(X), 0.0, X.std(axis=0))


def vanishing(X: np.ndarray, who: str) -> str | None:
    """The sentence for rows X, shape (n, p), whose squared differences underflow, or None."""
    if np.ptp(X[:GLANCE], axis=0).max() >= LEAST:
        return None
    widest = np.ptp(X, axis=0).max()
    if widest >= LEAST or widest == 0:
        return None
    return f"{who} squares differences; here the largest is {widest:.3g}. Scale the columns."
