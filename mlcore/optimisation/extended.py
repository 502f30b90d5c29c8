"""Least squares of small tables in extended precision, where the machine has it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.optimisation.rows import Design
from mlcore.optimisation.triangles import EPS

WIDE = np.longdouble
WIDER = float(np.finfo(WIDE).eps) < EPS  # it is no wider than float with some compilers
SMALL = 10_000  # n q^2 up to which it takes less than 0.3 ms


class Solved(NamedTuple):
    """The minimiser of ||y - X w||^2, rounded once, at the end."""

    w: np.ndarray  # (q,)
    b: float  # the intercept of the raw rows, 0 unless they are centred
    unit: np.ndarray  # (q, q), times its transpose the inverse of X'X
    rss: float  # weighted sum of squared residuals


def solved(design: Design, size: np.ndarray) -> Solved | None:
    """The minimiser for X of full rank, whose columns have about the length `size`, shape (q,).

    None where the table is not small, the machine has no wider numbers, or a column vanishes.
    """
    n, q = design.raw.shape
    if not WIDER or n * q**2 > SMALL:
        return None
    X, y, x_mean, y_mean = _centred(design)
    X /= size
    if design.weights is not None:
        root = np.sqrt(design.weights.astype(WIDE))
        X, y = X * root[:, None], y * root
    projected = _by_projections(X, y)
    if projected is None:
        return None
    inverse, w, left = projected
    w, inverse = w / size, inverse / size[:, None]
    return Solved(
        w.astype(float), float(y_mean - x_mean @ w), inverse.astype(float), float(left @ left)
    )


def _centred(design: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray, WIDE]:
    """Raw rows and targets minus their means, and these, none of them rounded to float."""
    X, y = design.raw.astype(WIDE), design.target.astype(WIDE)
    if design.offset != "centering":
        return X, y, np.zeros(X.shape[1], WIDE), WIDE(0)
    shares = np.ones(len(X), WIDE) if design.weights is None else design.weights.astype(WIDE)
    total = shares.sum()
    x_mean, y_mean = shares @ X / total, shares @ y / total
    return X - x_mean, y - y_mean, x_mean, y_mean


def _by_projections(
    A: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """R^-1, w and y - A w for A = Q R by modified Gram-Schmidt (Björck 1967).

    Of y the projections are taken as of a further column, which makes it as exact as reflections.
    """
    q = A.shape[1]
    rest = np.vstack([A.T, y])
    R = np.zeros((q, q + 1), A.dtype)
    for j in range(q):
        products = rest[j:] @ rest[j]
        if not products[0] > 0:
            return None
        R[j, j] = np.sqrt(products[0])
        rest[j] /= R[j, j]
        R[j, j + 1 :] = products[1:] / R[j, j]
        rest[j + 1 :] -= R[j, j + 1 :, None] * rest[j]
    ends = np.column_stack([np.eye(q, dtype=A.dtype), R[:, q]])
    for j in range(q - 1, -1, -1):
        ends[j] = (ends[j] - R[j, j + 1 : q] @ ends[j + 1 :]) / R[j, j]
    return ends[:, :q], ends[:, q], rest[q]
