"""The mean of a logistic function under a normal distribution."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr

NARROW = 1.0  # standard deviation below which few nodes are enough
NODES, SHARES = np.polynomial.hermite.hermgauss(24)
STEPS = 0.75 * np.arange(-30, 31)  # beyond them the logistic has 3e-10 of its mass
MASSES = expit(STEPS) * expit(-STEPS)
BLOCK = 4096  # rows at a time, whose nodes stay in the cache
SAMPLED = 256  # rows at a time, of many draws


def averaged_logistic(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """E 1 / (1 + e^-f) for f ~ N(mean, deviation^2), shape (m,), to about nine digits.

    Narrow ones by Gauss and Hermite. For wide ones the logistic function is a step between two
    nodes; but it is the distribution function of a logistic variable u, so the mean is that of the
    normal distribution function over u, which is smooth, and the trapezoidal rule converges fast.
    """
    out = np.empty(len(mean))
    for start in range(0, len(mean), BLOCK):
        part = slice(start, start + BLOCK)
        mu, s = mean[part, None], deviation[part, None]
        narrow = expit(mu + np.sqrt(2.0) * s * NODES) @ (SHARES / np.sqrt(np.pi))
        wide = ndtr((mu - STEPS) / np.maximum(s, NARROW)) @ (MASSES / MASSES.sum())
        out[part] = np.where(s[:, 0] < NARROW, narrow, wide)
    return out


def sampled_logistic(
    mean: np.ndarray, deviation: np.ndarray, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same by chance, with its standard error, (m,) each: over mean +- deviation draws.

    `draws` of a standard normal variable, (S / 2,), count with either sign, so that the mean lies
    on the side of one half on which `mean` has it. All places share them: what is said of one does
    not depend on which others are asked for, and level lines are smooth.
    """
    out, error = np.empty((2, len(mean)))
    for start in range(0, len(mean), SAMPLED):
        part = slice(start, start + SAMPLED)
        mu, away = mean[part, None], deviation[part, None] * draws
        pairs = (expit(mu + away) + expit(mu - away)) / 2.0
        out[part] = pairs.mean(axis=1)
        error[part] = pairs.std(axis=1) / np.sqrt(len(draws))
    return out, error
