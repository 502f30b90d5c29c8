"""Concurvity: how far one curve of an additive model can be written by all the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

SINGULAR = 1e-10  # share of the largest pivot that is rounding


class Concurvity(NamedTuple):
    """Of one curve, in [0, 1]: 0 where no other curve says any of it, 1 where they say it all.

    With the curve's basis Z split into what the others and the constant span and what they do not
    (Wood 2017, Generalized Additive Models, 2nd edition, and the function `concurvity` of mgcv).
    """

    worst: float  # the largest share of squares of any curve in this basis
    observed: float  # the share of squares of the fitted curve; NaN where that is 0
    estimate: float  # the share of squares of the basis as it is written


def concurvity(own: np.ndarray, others: np.ndarray, weights: np.ndarray) -> Concurvity:
    """Of the curve `own @ weights`, (n, k) @ (k,), beside those of the columns `others`, (n, q).

    O(n (k + q)^2).
    """
    one = np.ones((len(own), 1))
    # Shares of squares are the same in the triangle, which is no longer than it is wide.
    R = np.linalg.qr(np.hstack([one, others, own])).R
    k = own.shape[1]
    within, own = _span(R[:, :-k]), R[:, -k:]
    worst = float(np.linalg.norm(within.T @ _span(own), 2) ** 2)
    shares = worst, _share(within, own @ weights), _share(within, own)
    return Concurvity(*(min(share, 1.0) for share in shares))


def _span(Z: np.ndarray) -> np.ndarray:
    """Orthonormal directions of the columns, shape (n, r)."""
    lengths = np.sqrt((Z**2).sum(axis=0))
    factors: Any = qr(Z / np.where(lengths > 0, lengths, 1.0), mode="economic", pivoting=True)
    Q, sizes = factors[0], np.abs(np.diagonal(factors[1]))
    return Q[:, : int((sizes > SINGULAR * sizes[0]).sum())]


def _share(within: np.ndarray, values: np.ndarray) -> float:
    """Squares of values, (n,) or (n, k), that lie in a span, over all of them."""
    total = float((values**2).sum())
    return float(((within.T @ values) ** 2).sum()) / total if total > 0 else float("nan")
