"""Gram matrices of low rank: a few rows that all others are written by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

EXHAUSTED = 1e-10  # of the largest k(x, x): rows of which less is left add only rounding
CANDIDATES, A_PIVOT = 500, 2  # rows that pivots are picked among, at least, and for each pivot


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
    left, fall = np.diagonal(K).copy(), (K**2).sum(axis=0)
    total, least = float(left.sum()), EXHAUSTED * float(left.max(initial=0.0))
    G = np.zeros((len(K), min(rank, len(K))), order="F")
    pivots: list[int] = []
    for k in range(G.shape[1]):
        i = _next(left, fall, least)
        if i < 0:
            break
        before = G[:, :k]
        g = (K[i] - before @ before[i]) / np.sqrt(left[i])
        g[pivots], g[i] = 0.0, np.sqrt(left[i])
        image = K @ g - before @ (before.T @ g)  # R g
        fall += g * (float(g @ g) * g - 2.0 * image)
        left = np.maximum(left - g**2, 0.0)
        G[:, k] = g
        pivots.append(i)
        left[pivots] = 0.0
    G = G[:, : len(pivots)]
    share = float(left.sum()) / total if total > 0 else 0.0
    return LowRank(G, np.array(pivots, dtype=np.int64), G[pivots], share)


def _next(left: np.ndarray, fall: np.ndarray, least: float) -> int:
    """The row that takes most from the trace, of those with something left; -1 for none."""
    has = left > least
    if not has.any():
        return -1
    return int(np.where(has, fall / np.where(has, left, 1.0), -np.inf).argmax())


def nystroem(kernel: Any, X: np.ndarray, rank: int) -> LowRank:
    """The Gram matrix of rows X, (n, p), by at most `rank` of them.

    Pivots are picked among some rows, which lie even along the distance from the mean row, whatever
    the order of the rows; with few rows they are all. The kernel is resolved. O(n m^2 + m^3), as
    products of matrices where rows are many. Williams and Seeger (2001), NIPS 13.
    """
    from scipy.linalg import get_blas_funcs  # takes a moment to import

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
    across = np.ascontiguousarray(kernel.against(X[pivots])(X))
    (solved,) = get_blas_funcs(("trsm",), dtype=np.float64)
    G = np.asarray(solved(1.0, picked.corner, across.T, lower=1, overwrite_b=1)).T
    share = 1.0 - float(np.vdot(G, G)) / float(kernel.diag(X).sum())
    return LowRank(G, pivots, picked.corner, max(share, 0.0))
