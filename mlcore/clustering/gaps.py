"""Rows with missing values in a Gaussian mixture: what they show counts, the rest is expected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.clustering import _kernels
from mlcore.maths.arrays import read_only


def filled(X: np.ndarray) -> np.ndarray:
    """Rows X, shape (n, p), with the mean of what a column has in its gaps; X itself without any.

    A column without any value is NaN still.
    """
    lacks = np.isnan(X)
    if not lacks.any():
        return X
    counts = (~lacks).sum(axis=0)
    means = np.where(lacks, 0.0, X).sum(axis=0) / np.where(counts > 0, counts, np.nan)
    return np.where(lacks, means, X)


class Gaps(NamedTuple):
    """n rows of p columns, those together that show the same columns."""

    order: np.ndarray  # (n,) positions of the rows, set by set
    starts: np.ndarray  # (g + 1,) where each set begins in it
    seen: np.ndarray  # (g, p) whether the rows of a set show a column

    @classmethod
    def of(cls, X: np.ndarray) -> Gaps | None:
        """Of rows X, shape (n, p); None where nothing is missing."""
        if not (lacks := np.isnan(X)).any():
            return None
        sets, own, counts = np.unique(~lacks, axis=0, return_inverse=True, return_counts=True)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(np.argsort(own.ravel(), kind="stable"), starts, sets)

    def log_gaussians(
        self, X: np.ndarray, means: np.ndarray, covariances: np.ndarray
    ) -> np.ndarray:
        """Log-density of what each row of X, (n, p), shows in each component, shape (n, K).

        That of the marginal distribution of these columns. Raises LinAlgError if a covariance is
        not positive definite.
        """
        out = np.empty((len(X), len(means)))
        ask: Any = _kernels.seen_logs
        if not ask(*map(read_only, (X, *self, means, _matrices(covariances))), out):
            raise np.linalg.LinAlgError("a covariance is not positive definite")
        return out

    def expected(
        self, X: np.ndarray, resp: np.ndarray, means: np.ndarray, covariances: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """First and second moments about `means`, shapes (K, p) and (K, p, p), as sums.

        What a row lacks has, in each component, the mean and covariance given what it shows; rows
        count by the shares `resp`, (n, K). Ghahramani and Jordan (1994), NIPS 6. Raises LinAlgError
        if a covariance is not positive definite.
        """
        firsts, seconds = np.empty(means.shape), np.empty((*means.shape, means.shape[1]))
        ask: Any = _kernels.expected_sums
        given = map(read_only, (X, *self, resp, means, _matrices(covariances)))
        if not ask(*given, firsts, seconds):
            raise np.linalg.LinAlgError("a covariance is not positive definite")
        return firsts, seconds


def _matrices(covariances: np.ndarray) -> np.ndarray:
    """Covariances as matrices, (K, p, p), where they may be variances, (K, p)."""
    if covariances.ndim == 3:
        return covariances
    return covariances[:, :, None] * np.eye(covariances.shape[1])
