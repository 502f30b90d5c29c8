"""Gram matrices of low rank: a few rows that all others are written by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.kernels._kernels import pivot
from mlcore.maths.triangular import inverse_lower

EXHAUSTED = 1e-10  # of the largest k(x, x): rows of which less is left add only rounding
CANDIDATES, A_PIVOT = 500, 2  # rows that pivots are picked among, at least, and for each pivot
STRIP = 4096  # rows that are written by the pivots together


class LowRank(NamedTuple):
    """K is about G G', exactly so in the rows and columns of the pivots."""

    G: np.ndarray  # (n, m)
    pivots: np.ndarray  # (m,) rows, in the order in which they were taken
    corner: np.ndarray  # (m, m) lower triangular, the rows of G at the pivots
    left: float  # share of the trace of K that G G' lacks, 0 to 1


def incomplete_cholesky(K: np.ndarray, rank: int) -> LowRank:
    """The factor of a Gram matrix K, (n, n), by at most `rank` of its rows as pivots.

    The next pivot is the row that takes most from the trace of what is left, R = K - G G':
    the largest |R e_i|^2 / R_ii; of equals the first. Ends early where nothing is left. O(n^2 m).
    Farahat, Ghodsi and Kamel (2011), AISTATS.
    """
    R, n = K.copy(), len(K)
    total, least = float(np.trace(K)), EXHAUSTED * float(np.diagonal(K).max(initial=0.0))
    turned = np.zeros((min(rank, n), n))
    pivots = np.zeros(len(turned), dtype=np.int64)
    count = pivot(R, least, turned, pivots)
    G, pivots = turned[:count].T, pivots[:count]
    share = float(np.diagonal(R)[: n - count].sum()) / total if total > 0 else 0.0
    return LowRank(G, pivots, np.tril(G[pivots]), share)


def nystroem(kernel: Any, X: np.ndarray, rank: int) -> LowRank:
    """The Gram matrix of rows X, (n, p), by at most `rank` of them.

    Pivots are picked among some rows, which lie even along the distance from the mean row, whatever
    the order of the rows; with few rows they are all. The kernel is resolved. O(n m^2 + m^3), as
    products of matrices where rows are many. Williams and Seeger (2001), NIPS 13.
    """
    n, most = len(X), min(len(X), max(CANDIDATES, A_PIVOT * rank))
    away = np.argsort(((X - X.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
    among = away[np.arange(most) * n // most]
    K = kernel.against(X[among])(X[among])
    np.fill_diagonal(K, kernel.diag(X[among]))
    picked = incomplete_cholesky(K, rank)
    pivots = among[picked.pivots]
    if most == n or not len(pivots):
        G = np.zeros((n, len(pivots)))
        G[among] = picked.G
        return LowRank(G, pivots, picked.corner, picked.left)
    across, back = kernel.against(X[pivots]), inverse_lower(picked.corner).T
    G = np.empty((n, len(pivots)))
    for start in range(0, n, STRIP):
        np.matmul(across(X[start : start + STRIP]), back, out=G[start : start + STRIP])
    share = 1.0 - float(np.vdot(G, G)) / float(kernel.diag(X).sum())
    return LowRank(G, pivots, picked.corner, max(share, 0.0))
