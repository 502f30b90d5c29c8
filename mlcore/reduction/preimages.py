"""The way back from the features of a kernel: rows whose features lie near a given point."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.kernels.gram import gram
from mlcore.kernels.kernel import Kernel

LEAST = 1e-12  # sum of weights below which a fixed point has nothing to stand on
TOL = 1e-10  # change of a row, relative to the spread of the rows, that ends the iterations


def ridge_coefficients(kernel: Kernel, Z: np.ndarray, X: np.ndarray, alpha: float) -> np.ndarray:
    """Of the regression of rows X, (n, p), about their mean on coordinates Z, (n, k): (n, p).

    By the same kernel: Bakır, Weston and Schölkopf (2004), NIPS 16.
    """
    K, T = gram(kernel, Z), X - X.mean(axis=0)
    # Beside numbers so large that rounding swallows the penalty it is as if there were none.
    if alpha <= len(K) * np.finfo(float).eps * float(np.abs(np.diagonal(K)).max()):
        return np.linalg.lstsq(K, T, rcond=None)[0]
    K[np.diag_indices(len(K))] += alpha
    return np.linalg.solve(K, T)


def fixed_points(Z: np.ndarray, fit: Any, most: int) -> np.ndarray:
    """Rows for coordinates Z, (m, k), of a kernel PCA with a Gaussian kernel, shape (m, p).

    Weighted means of the training rows, the weights those of the mean itself.

    Mika and others (1999), NIPS 11: z = sum g_i k(z, x_i) x_i / sum g_i k(z, x_i), from the
    training row with the nearest coordinates, which stays where the weights vanish.
    """
    S, n = fit.rows, len(fit.rows)
    weights = Z @ fit.duals.T
    weights += (1.0 - weights.sum(axis=1, keepdims=True)) / n
    start = Neighbours(fit.scores).nearest(Z, 1).rows[:, 0]
    rows, going = S[start], np.arange(len(Z))
    scale = float(np.ptp(S, axis=0).max())
    for _ in range(most):
        shares = weights[going] * gram(fit.kernel, S, rows[going]).T
        total = shares.sum(axis=1, keepdims=True)
        is_supported = np.abs(total[:, 0]) > LEAST
        means = shares @ S / np.where(is_supported[:, None], total, 1.0)
        moved = np.where(is_supported[:, None], means, S[start[going]])
        change = np.abs(moved - rows[going]).max(axis=1)
        rows[going] = moved
        going = going[is_supported & (change > TOL * scale)]
        if not len(going):
            break
    return rows
