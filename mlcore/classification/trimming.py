"""Rows that are far from most of their class, by the minimum covariance determinant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtr, chdtri

from mlcore.maths.arrays import weighted_median
from mlcore.spine.method import Given
from mlcore.spine.params import real

USUAL = 0.975  # share of normal rows within the ellipse outside which rows are left out at last
MOST_STEPS = 100  # each lowers the determinant; a few dozen reach the end
SPREAD = 0.6745  # of the normal distribution: median distance from the middle


class Kept(NamedTuple):
    """What the moments of a class are taken from."""

    weights: np.ndarray  # (n,) of the rows, 0 for those that are left out
    factor: float  # makes the covariance of the kept rows that of all, were they normal


class Trimmed(NamedTuple):
    """What the moments of all classes are taken from."""

    weights: np.ndarray  # (n,) of the rows, 0 for those that are left out
    factors: np.ndarray  # (K,) by what the covariance of a class falls short, inverted
    note: str


class _Half(NamedTuple):
    weights: np.ndarray  # (n,)
    level: float  # logarithm of the determinant
    away: np.ndarray  # (n,) squared distances


def share_of_wild_rows() -> Any:
    """Declare how many rows of a class may be wild."""
    return real(
        0.0,
        low=0.0,
        high=0.5,
        soft=(0.0, 0.5),
        symbol=r"\alpha",
        label="Share of wild rows",
        doc="Up to this share of each class may be far from the others without moving its mean and "
        "covariance (minimum covariance determinant); 0 takes every row as it is.",
        advanced=True,
    )


def trimmed(given: Given, share: float, shape: str) -> Trimmed:
    """The rows that are kept of each class, and a sentence that says how many are not."""
    weights, factors = np.zeros(given.n), np.ones(len(given.labels))
    for k in range(len(factors)):
        at = np.flatnonzero((given.target == k) & (given.w > 0))
        weights[at], factors[k] = kept(given.X[at], given.w[at], share, shape)
    left = int(((weights == 0) & (given.w > 0)).sum())
    note = f"{left} of {int((given.w > 0).sum())} rows are far from the others of their class "
    note += "and were left out of its mean and covariance."
    return Trimmed(weights, factors, note)


def innermost(given: Given, share: float) -> tuple[Given, float, tuple[str, ...]]:
    """The rows that are kept, for one covariance of all classes, and by what it falls short.

    That is 1, with all rows as they came, for a share of 0; then there is no note either.
    """
    if not share:
        return given, 1.0, ()
    rows = trimmed(given, share, "full")
    weights = rows.weights * rows.factors[given.target]
    bias = float(weights.sum() / rows.weights.sum())
    return replace(given, weights=weights / bias), bias, (rows.note,)


def kept(X: np.ndarray, w: np.ndarray, share: float, shape: str) -> Kept:
    """The rows within the ellipse that holds most of X, (n, p), with weights w, (n,).

    `share` of the rows, which may be wild, is left out such that the covariance of the others has
    the least determinant: concentration steps, each of which takes the rows nearest to the moments
    so far, from a few starts that wild rows cannot move. Then all rows are taken within the ellipse
    that would hold `USUAL` of a normal distribution with these moments. `shape` is that of the
    ellipse: "full", "diagonal" or "spherical". Rousseeuw and Van Driessen (1999), Technometrics 41;
    starts by Hubert, Rousseeuw and Verdonck (2012), J. Computational and Graphical Statistics 21.
    """
    p, total = X.shape[1], float(w.sum())
    middle = weighted_median(X, w)
    spread = weighted_median(np.abs(X - middle), w)
    if shape == "spherical":
        spread = np.full(p, spread.mean())
    Z = (X - middle) / np.where(spread > 0, spread, 1.0)
    most = min(max((1.0 - share) * total, (total + p + 1) / 2), total)
    halves = (_concentrated(Z, w, start, most, shape) for start in _starts(Z, w, shape))
    best = min(halves, key=lambda half: half.level)
    if not np.isfinite(best.level):
        return Kept(best.weights, 1.0)  # most rows lie on a plane: there is no inverse to scale
    away = best.away / _factor(most / total, p)
    weights = np.where(away <= chdtri(p, 1.0 - USUAL), w, 0.0)
    return Kept(weights, _factor(USUAL, p))


def _factor(share: float, p: int) -> float:
    """By what the covariance of the innermost share of normal rows falls short, inverted."""
    if share >= 1.0:
        return 1.0
    return float(share / chdtr(p + 2, chdtri(p, 1.0 - share)))


def _starts(Z: np.ndarray, w: np.ndarray, shape: str) -> list[np.ndarray]:
    """Squared distances of rows from the middle, by covariances that wild rows hardly move."""
    lengths = (Z**2).sum(axis=1)
    if shape != "full":
        return [lengths]
    bent = np.tanh(Z * SPREAD)
    around = Z / np.sqrt(np.maximum(lengths, 1e-300))[:, None]
    inner = _nearest(lengths, w, float(w.sum()) / 2)
    return [_along(Z, w, _moments(R, v, shape)[1]) for R, v in ((bent, w), (around, w), (Z, inner))]


def _along(Z: np.ndarray, w: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Squared distances by medians along the axes of a covariance, (n,)."""
    scores = Z @ np.linalg.eigh(covariance)[1]
    scores = np.abs(scores - weighted_median(scores, w))
    spread = weighted_median(scores, w)
    return ((scores / np.where(spread > 0, spread, 1.0)) ** 2).sum(axis=1)


def _nearest(away: np.ndarray, w: np.ndarray, most: float) -> np.ndarray:
    """The weights of the nearest rows up to this sum, the last in part, (n,)."""
    order = np.argsort(away, kind="stable")
    weights = np.zeros(len(w))
    before = np.cumsum(w[order]) - w[order]
    weights[order] = np.clip(most - before, 0.0, w[order])
    return weights


def _concentrated(Z: np.ndarray, w: np.ndarray, away: np.ndarray, most: float, shape: str) -> _Half:
    """Concentration steps from squared distances, (n,), until the determinant falls no more."""
    best = _measured(Z, _nearest(away, w, most), shape)
    for _ in range(MOST_STEPS):
        if not np.isfinite(best.level):
            break
        half = _measured(Z, _nearest(best.away, w, most), shape)
        if not half.level < best.level - 1e-12:
            break
        best = half
    return best


def _measured(Z: np.ndarray, v: np.ndarray, shape: str) -> _Half:
    """Determinant and distances by the moments of rows with weights v, (n,)."""
    mean, covariance = _moments(Z, v, shape)
    Y = Z - mean
    if covariance.ndim == 1:
        if not (covariance > 0).all():
            return _Half(v, -np.inf, np.zeros(len(Z)))
        return _Half(v, float(np.log(covariance).sum()), (Y**2 / covariance).sum(axis=1))
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return _Half(v, -np.inf, np.zeros(len(Z)))
    level = 2.0 * float(np.log(np.diagonal(factor)).sum())
    return _Half(v, level, (np.linalg.solve(factor, Y.T) ** 2).sum(axis=0))


def _moments(Z: np.ndarray, v: np.ndarray, shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean, (p,), and covariance, (p, p), or variances, (p,), of rows with weights v."""
    mean = np.average(Z, axis=0, weights=v)
    Y = Z - mean
    if shape == "full":
        return mean, (Y * v[:, None]).T @ Y / v.sum()
    variances = np.average(Y**2, axis=0, weights=v)
    return mean, np.full_like(variances, variances.mean()) if shape == "spherical" else variances
