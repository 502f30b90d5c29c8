"""Quantiles of mixtures of normal distributions in one dimension."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

HALVINGS = 60  # of an interval, which leave 1e-18 of its length


def mixture_quantiles(
    weights: np.ndarray, means: np.ndarray, deviations: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """Below which a share of each of h mixtures of C normal distributions lies, shape (h, q).

    `weights`, (h, C), sum to 1 in each; `means` and positive `deviations`, (C,), are those of all;
    `shares`, (q,), lie between 0 and 1. By halving between the least and the largest quantile of
    the parts, between which that of any mixture lies.
    """
    parts = means[:, None] + deviations[:, None] * ndtri(shares)  # (C, q)
    shape = (len(weights), len(shares))
    low, high = (np.broadcast_to(end, shape).copy() for end in (parts.min(0), parts.max(0)))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = ndtr((middle[:, :, None] - means) / deviations)  # (h, q, C)
        is_short = np.einsum("hc,hqc->hq", weights, below) < shares
        low, high = np.where(is_short, middle, low), np.where(is_short, high, middle)
    return (low + high) / 2
