"""Where the iteration of Baum and Welch begins: which rows are first given to what."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import distinct_rows
from mlcore.spine.registry import lookup

SLOT = "mixture_start"  # the starts of a mixture serve for states too


def grouped(kind: str, Z: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Which of k groups each row of Z, (n, q), is given to by a start of that kind: (n, k)."""
    return lookup(SLOT, kind)().begun(Z, np.ones(len(Z)), k, rng)[1]


def split(
    Z: np.ndarray, shares: np.ndarray, M: int, rng: np.random.Generator
) -> np.ndarray:  # fmt: skip
    """The rows of each of N states, (n, N) of 0 and 1, in M groups of k-means: (n, N M)."""
    if M == 1:
        return shares
    n, N = shares.shape
    out = np.zeros((n, N, M))
    for k in range(N):
        own = np.flatnonzero(shares[:, k] > 0)
        if len(distinct_rows(Z[own], M)) < M:  # too few to be grouped
            out[own, k, rng.integers(M, size=len(own))] = 1.0
        else:
            out[own, k] = grouped("kmeans", Z[own], M, rng)
    return out.reshape(n, N * M)


def lumped(parts: np.ndarray, first: np.ndarray, M: int) -> np.ndarray:
    """Groups of rows, (n, N M) of 0 and 1, in an order in which each M of them make a state.

    Those that follow one another more often than their sizes say go together: a state jumps between
    its components and seldom leaves. `first`, (k,), are the rows that begin a sequence. The largest
    group that is left begins the next state.
    """
    inside = np.setdiff1d(np.arange(1, len(parts)), first)
    sizes = np.maximum(parts.sum(axis=0), 1.0)
    moves = parts[inside - 1].T @ parts[inside]
    nearness = (moves + moves.T) / np.outer(sizes, sizes)
    left, order = list(np.argsort(-sizes, kind="stable")), []
    while left:
        state = [left.pop(0)]
        while len(state) < M:
            most = max(left, key=lambda group, own=tuple(state): nearness[group, own].mean())
            left.remove(most)
            state.append(most)
        order += state
    return np.array(order)
