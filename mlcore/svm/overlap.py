"""Whether two classes can be parted without an error: how near their hulls come to each other.

A border that leaves every row on its side is there where the convex hulls of the classes, in the
features of the kernel, do not meet; its margin is as wide as they are apart. Without an intercept
the rows of one class are mirrored at the origin, and it is the distance of their hull from there.
Bennett and Bredensteiner (2000), ICML 17.
"""

from __future__ import annotations

import numpy as np

from mlcore.svm.dual import Dual, Point

TOUCHING = 1e-8  # of the variance of the rows: hulls that near cannot be told from such that meet
SAMPLE = 200  # rows by which the variance is judged


def distance_of_hulls(problem: Dual, point: Point) -> float:
    """Squared distance of two points of the hulls, in the features: at least that of the hulls.

    Multipliers that are divided by their sums are such points. Where the hulls meet, the dual has
    no maximum: the multipliers grow on and on, and the points come together.
    """
    beta = point.beta
    squared = float(max(beta @ (point.slope - problem.q), 0.0))
    of_classes = float(np.abs(beta[problem.q != 0]).sum()) / 2
    return squared / of_classes**2 if of_classes > 0 else np.inf


def spread_of(problem: Dual, has_intercept: bool) -> float:
    """Variance of the rows in the features of the kernel; about the origin without an intercept."""
    own = np.flatnonzero(problem.q)
    squares = float(problem.source.diag[own].mean())
    if not has_intercept:
        return squares
    some = own[:: max(len(own) // SAMPLE, 1)]
    return max(squares - float(problem.source.rows(some)[:, some].mean()), np.finfo(float).tiny)
