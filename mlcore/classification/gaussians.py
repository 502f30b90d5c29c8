"""Covariances of classes: sums of products, mixtures of them, and maps to white rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs

from mlcore.classification.scatter import BLOCK, EPS, ROUNDED
from mlcore.spine.errors import ClassError

POTRF, TRTRI = get_lapack_funcs(("potrf", "trtri"), dtype=np.float64)
AT_ONCE = 4096  # rows judged at a time, which stay in the cache
NAMED = 5  # columns whose names fit into a sentence
REMEDY = "Raise pooling or shrinkage, take diagonal covariances, leave columns out, or add rows."


@dataclass(frozen=True, eq=False)
class Scatters:
    """Sums of products of the rows of each class about its mean, or of squares alone."""

    sums: np.ndarray  # (K, p, p), or (K, p)
    counts: np.ndarray  # (K,) weight of each class

    def covariances(self, pooling: float, shrinkage: float, spent: float) -> np.ndarray:
        """Of each class, drawn towards the pooled one, then towards a sphere (Friedman 1989).

        Of the shape of the sums: (K, p, p), or variances alone, (K, p).
        `spent` is by how much the mean of a class lowers the divisor: 0 or 1.
        """
        own = (self.counts - spent).reshape(-1, *[1] * (self.sums.ndim - 1))
        divisor = (1.0 - pooling) * own + pooling * own.sum()
        mixed = (1.0 - pooling) * self.sums + pooling * self.sums.sum(axis=0)
        return _rounder(mixed / np.where(divisor > 0, divisor, 1.0), shrinkage)


def _rounder(covariances: np.ndarray, share: float) -> np.ndarray:
    """Each mixed with the sphere of the same total variance."""
    if covariances.ndim == 2:
        mean = covariances.mean(axis=1, keepdims=True)
        return (1.0 - share) * covariances + share * mean
    p = covariances.shape[1]
    mean = np.trace(covariances, axis1=1, axis2=2) / p
    return (1.0 - share) * covariances + share * mean[:, None, None] * np.eye(p)


def scatters(
    X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, means: np.ndarray, squares: bool
) -> np.ndarray:
    """Sums of products about the means of K classes, shape (K, p, p), or of squares, (K, p)."""
    K, p = means.shape
    sums = np.zeros((K, p) if squares else (K, p, p))
    for k in range(K):
        here = np.flatnonzero(codes == k)
        for start in range(0, len(here), BLOCK):
            at = here[start : start + BLOCK]
            Z = X[at] - means[k]
            if weights is not None:
                Z *= np.sqrt(weights[at])[:, None]
            sums[k] += np.einsum("ij,ij->j", Z, Z) if squares else Z.T @ Z
    return sums


def log_normals(x: np.ndarray, shares: np.ndarray, means: np.ndarray, variances: Any) -> np.ndarray:
    """Log of share times normal density of K classes at values x, (m,): shape (m, K).

    `shares` and `means` have shape (K,), `variances` too, or are one number for all.
    """
    away = x[:, None] - means
    with np.errstate(divide="ignore"):  # a class that cannot be
        return np.log(shares) - 0.5 * (away**2 / variances + np.log(2.0 * np.pi * variances))


def log_joint(
    X: np.ndarray, prior: np.ndarray, means: np.ndarray, maps: np.ndarray, log_dets: np.ndarray
) -> np.ndarray:
    """Log of prior times density of K classes at rows X, (m, p): shape (m, K).

    `means` has shape (K, p), `maps` (K, p, p) or (K, p): rows about a mean, times its map, are
    white. `prior` and `log_dets`, of the covariances, have shape (K,).
    """
    level = np.log(prior) - 0.5 * (log_dets + X.shape[1] * np.log(2 * np.pi))
    out = np.empty((len(X), len(prior)))
    for start in range(0, len(X), AT_ONCE):
        rows = X[start : start + AT_ONCE]
        for k, (mean, way) in enumerate(zip(means, maps, strict=True)):
            Z = (rows - mean) * way if way.ndim == 1 else (rows - mean) @ way
            out[start : start + AT_ONCE, k] = level[k] - 0.5 * np.einsum("ij,ij->i", Z, Z)
    return out


@dataclass(frozen=True, eq=False)
class Whitening:
    """Maps of K classes: rows about the mean of a class, times its map, have covariance I."""

    maps: np.ndarray  # (K, p, p), or (K, p), one factor a column
    log_dets: np.ndarray  # (K,) of the covariances


def whitening(
    covariances: np.ndarray, means: np.ndarray, labels: np.ndarray, names: list[str]
) -> Whitening:
    """The maps of covariances, shape (K, p, p) or (K, p).

    Raises ClassError for a class whose covariance has no inverse.
    """
    maps, log_dets = np.empty(covariances.shape), np.empty(len(covariances))
    largest = np.abs(means).max(axis=0)
    for k, covariance in enumerate(covariances):
        spread = np.sqrt(covariance if covariance.ndim == 1 else np.diagonal(covariance))
        flat = np.flatnonzero(spread <= ROUNDED * largest)
        _refuse(labels[k], "does not vary", [names[j] for j in flat])
        if covariance.ndim == 1:
            maps[k], log_dets[k] = 1.0 / spread, 2.0 * np.log(spread).sum()
            continue
        maps[k], log_dets[k], bad = white_map(covariance, spread)
        _refuse(labels[k], "is a combination of other columns", [names[j] for j in bad])
    return Whitening(maps, log_dets)


def white_map(covariance: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, float, list[int]]:
    """The map of one covariance, (p, p), with roots of its diagonal, and the log-determinant.

    Last the first column that those before it determine; where there is one there is no map.
    """
    factor, bad = _factored(covariance / np.outer(spread, spread))
    if bad:
        return factor, np.nan, bad
    log_det = 2.0 * np.log(spread).sum() + 2.0 * np.log(np.diagonal(factor)).sum()
    return TRTRI(factor, lower=1)[0].T / spread[:, None], float(log_det), []


def _factored(correlation: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Cholesky factor, and the first column that those before it determine, if there is one.

    A squared entry of its diagonal is the share of a variance that the columns before do not
    explain: whatever the units are, it says whether there is an inverse.
    """
    factor, failed = POTRF(correlation, lower=1, clean=1)
    if failed:
        return factor, [failed - 1]
    unexplained = np.diagonal(factor) ** 2
    return factor, np.flatnonzero(unexplained <= max(len(factor), 50) * EPS)[:1].tolist()


def _refuse(label: Any, what: str, names: list[str]) -> None:
    if not names:
        return
    shown = ", ".join(names[:NAMED])
    if len(names) > NAMED:
        shown += f" and {len(names) - NAMED} more"
    raise ClassError(
        "In ",
        [label],
        f" a column {what}, so its covariance has no inverse: {shown}. {REMEDY}",
    )
