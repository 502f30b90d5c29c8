"""Lines around many queries at once, each through all rows, by products of matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Relative, what rounding may take from a line: queries that might lose more are answered one by one
LOST = 1e-10


class Lines(NamedTuple):
    """Lines of the smoother matrix of local lines."""

    L: np.ndarray  # (b, n)
    is_sure: np.ndarray  # (b,) False where products of matrices lose too many digits


class _Sums(NamedTuple):
    """Sums over the rows around each query, of differences from it."""

    total: np.ndarray  # (b,) of the weights
    moments: np.ndarray  # (b, 1 + p, 1 + p) of 1 and the differences, in units of `size`
    size: np.ndarray  # (b,) root of the mean squared distance
    lost: np.ndarray  # (b,) relative rounding of the moments


def lines(X: np.ndarray, Q: np.ndarray, W: np.ndarray, squares: np.ndarray, ridge: float) -> Lines:
    """e1' (D'WD)^-1 D'W with D = (1, x - q), of queries Q, (b, p), and rows X, (n, p).

    `W` and `squares`, both (b, n), are the weights of the rows around each query and their squared
    distances from it. Moments are summed about the mean of the rows and moved to each query, which
    takes n p^2 additions in one matrix product instead of a design of each query. `ridge` is what
    the slopes cost, of the weight of the window.
    """
    centre = X.mean(axis=0)
    Z, C = X - centre, Q - centre
    sums = _sums(Z, C, W, squares, ridge)
    M = sums.moments
    values = np.linalg.eigvalsh(M)
    is_sure = sums.lost * values[:, -1] <= LOST * values[:, 0]
    M[~is_sure] = np.eye(M.shape[1])
    first = np.zeros((len(Q), M.shape[1], 1))
    first[:, 0] = 1.0
    a = np.linalg.solve(M, first)[:, :, 0]
    slopes = a[:, 1:] / sums.size[:, None]
    at_centre = a[:, 0] - (slopes * C).sum(axis=1)
    return Lines(summing_to_one(W * (at_centre[:, None] + slopes @ Z.T)), is_sure)


def summing_to_one(L: np.ndarray) -> np.ndarray:
    """Lines of a smoother matrix, (b, n), without what rounding takes from their sums.

    A polynomial through equal values is this value. Where the ridge alone decides on slopes, its
    inverse magnifies rounding, and by the mean of the target as much would be missing.
    """
    return L / L.sum(axis=1, keepdims=True)


def _sums(Z: np.ndarray, C: np.ndarray, W: np.ndarray, squares: np.ndarray, ridge: float) -> _Sums:
    total = W.sum(axis=1)
    # A row at the query itself has no difference, and its weight would drown those of the others.
    others = np.where(squares > 0, W, 0.0)
    S = _products(Z, others)
    S0, S1, p = S[:, 0, 0], S[:, 0, 1:], Z.shape[1]
    spread = np.trace(S[:, 1:, 1:], axis1=1, axis2=2) + S0 * (C**2).sum(axis=1)
    cross = S1[:, :, None] * C[:, None]
    about = S[:, 1:, 1:] - cross - np.swapaxes(cross, 1, 2)
    about += S0[:, None, None] * C[:, :, None] * C[:, None]
    square = (others * squares).sum(axis=1)
    size = np.sqrt(square / total)
    size = np.where(size > 0, size, 1.0)
    M = np.empty((len(C), 1 + p, 1 + p))
    M[:, 0, 0] = total
    M[:, 0, 1:] = M[:, 1:, 0] = (S1 - S0[:, None] * C) / size[:, None]
    M[:, 1:, 1:] = about / (size**2)[:, None, None]
    slopes = np.arange(1, 1 + p)
    M[:, slopes, slopes] += ridge * np.maximum(total[:, None], M[:, slopes, slopes])
    lost = np.full(len(C), np.inf)
    np.divide(np.finfo(float).eps * spread, square, out=lost, where=square > 0)
    return _Sums(total, M, size, lost)


def _products(Z: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Sums of the products of (1, z) by weights W, shape (b, 1 + p, 1 + p)."""
    D = np.hstack([np.ones((len(Z), 1)), Z])
    S = np.empty((len(W), D.shape[1], D.shape[1]))
    for j in range(D.shape[1]):
        S[:, j, j:] = S[:, j:, j] = W @ (D[:, j:] * D[:, j, None])
    return S
