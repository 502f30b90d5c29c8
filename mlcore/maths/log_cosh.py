"""The logarithm of the hyperbolic cosine, and what it says of sources."""

from __future__ import annotations

import numpy as np

from mlcore.maths.arrays import deviations, means

OF_NORMAL = 0.37456720749  # the mean of log cosh for a standard normal number


def log_cosh(u: np.ndarray) -> np.ndarray:
    """log cosh(u), of the same shape; large values do not overflow."""
    sizes = np.abs(u)
    return sizes + np.log1p(np.exp(-2 * sizes)) - np.log(2)


def negentropies(U: np.ndarray) -> np.ndarray:
    """How far each column of U, shape (n, q), is from normal, whatever its scale: shape (q,).

    The squared difference between the means of log cosh of the column, at mean 0 and variance 1,
    and of a normal number. A column that never changes has 0.
    """
    U, spread = U - means(U), deviations(U)
    varies = spread > 0
    U = U / np.where(varies, spread, 1.0)
    return np.where(varies, (log_cosh(U).mean(axis=0) - OF_NORMAL) ** 2, 0.0)
