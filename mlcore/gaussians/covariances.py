"""Covariance structures of the components of a mixture, and how each is estimated."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import ClassVar

import numpy as np

from mlcore.gaussians import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


def moved_means(X: np.ndarray, resp: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Means of rows X, shape (n, p), by their shares (n, K), from `before`, shape (K, p).

    A mean without any share stays where it was.
    """
    means = np.empty_like(before)
    _kernels.moved_means(read_only(X), read_only(resp), read_only(before), means)
    return means


@dataclass(frozen=True, kw_only=True)
class Covariance(Component):
    """Covariances of K components: K matrices, shape (K, p, p), or K rows of variances, (K, p)."""

    may_collapse: ClassVar[bool] = True  # whether one component can shrink to a point by itself
    is_shared: ClassVar[bool] = False  # whether all components have the same
    is_matrix: ClassVar[bool] = False  # whether columns may go together within a component

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """The covariances of rows X, shape (n, p), about `means`, by their shares (n, K)."""
        raise NotImplementedError(f"{type(self).__name__} declares no estimate")

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The covariances by sums of r (x - mean)(x - mean)^T, (K, p, p), and of r, (K,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no estimate")

    def free(self, k: int, p: int) -> int:
        """Number of free parameters of the covariances of k components in p columns."""
        raise NotImplementedError(f"{type(self).__name__} declares no count")

    def ridged(self, covariances: np.ndarray, ridge: float) -> np.ndarray:
        """The covariances, shape (K, p, p) or (K, p), with `ridge` added to every variance."""
        p = covariances.shape[-1]
        return covariances + (ridge * np.eye(p) if covariances.ndim == 3 else ridge)

    def fewest(self, p: int) -> int:
        """Rows that a component needs to have a covariance of its own in p columns."""
        return 2


def _sums(X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Sums of r (x - mean)(x - mean)^T, shape (K, p, p)."""
    sums = np.empty((*means.shape, means.shape[1]))
    _kernels.spreads(read_only(X), read_only(resp), read_only(means), sums)
    return sums


def _axis_sums(X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Sums of r (x - mean)^2, shape (K, p)."""
    sums = np.empty_like(means)
    _kernels.axis_spreads(read_only(X), read_only(resp), read_only(means), sums)
    return sums


def _divisors(counts: np.ndarray) -> np.ndarray:
    """Rows of each component, (K,), as shape (K, 1); never zero, so that they may divide."""
    return np.maximum(counts, np.finfo(float).tiny)[:, None]


@enter(Card("full", "Full", ("covariance",), sources=("epfl:gmm_full",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Full(Covariance):
    """A covariance of its own for each component: ellipses of any length, width and direction.

    p (p + 1) / 2 numbers a component, which need many rows.
    """

    is_matrix = True

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Sums of r (x - mean)(x - mean)^T over sums of r."""
        return self.of_sums(_sums(X, resp, means), resp.sum(axis=0))

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Each sum over its count."""
        return sums / _divisors(counts)[:, :, None]

    def free(self, k: int, p: int) -> int:
        """k p (p + 1) / 2."""
        return k * p * (p + 1) // 2

    def fewest(self, p: int) -> int:
        """p + 1 rows span p columns."""
        return p + 1


@enter(Card("tied", "Tied", ("covariance",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Tied(Covariance):
    """One covariance for all components: ellipses of one shape at different places."""

    may_collapse = False
    is_shared = True
    is_matrix = True

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """The sums of all components together; the same matrix K times.

        Sum over k of r_k (x - mean_k)(x - mean_k)^T, from the spread of all rows about one point:
        one product of the table in place of K.
        """
        heavy, counts = resp.sum(axis=1), resp.sum(axis=0)
        at = heavy @ X / heavy.sum()
        about, moved = X - at, means - at
        across = (resp.T @ about).T @ moved
        one = (about * heavy[:, None]).T @ about - across - across.T
        one += (moved * counts[:, None]).T @ moved
        return np.repeat(one[None] / heavy.sum(), len(means), axis=0)

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """All sums together over all counts."""
        return np.repeat(sums.sum(axis=0)[None] / counts.sum(), len(sums), axis=0)

    def free(self, k: int, p: int) -> int:
        """p (p + 1) / 2."""
        return p * (p + 1) // 2


@enter(Card("diag", "Diagonal", ("covariance",), sources=("epfl:mog_diagonal",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Diagonal(Covariance):
    """A variance a column and component: ellipses that lie along the axes."""

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Sums of r (x - mean)^2 over sums of r, column by column."""
        return _axis_sums(X, resp, means) / _divisors(resp.sum(axis=0))

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The diagonals of the sums over the counts."""
        return np.diagonal(sums, axis1=1, axis2=2) / _divisors(counts)

    def free(self, k: int, p: int) -> int:
        """k p."""
        return k * p


@enter(
    Card("spherical", "Spherical", ("covariance",), sources=("epfl:mog_spherical",), kind="part")
)
@dataclass(frozen=True, kw_only=True)
class Spherical(Covariance):
    """One variance a component: balls of different size."""

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Sums of r |x - mean|^2 over p times the sums of r."""
        return self._round(_axis_sums(X, resp, means) / _divisors(resp.sum(axis=0)))

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The mean of the diagonal of each sum over its count."""
        return self._round(np.diagonal(sums, axis1=1, axis2=2) / _divisors(counts))

    def _round(self, variances: np.ndarray) -> np.ndarray:
        mean = variances.mean(axis=1, keepdims=True)
        return np.repeat(mean, variances.shape[1], axis=1)

    def free(self, k: int, p: int) -> int:
        """k."""
        return k


@enter(
    Card(
        "fixed", "Fixed", ("covariance",), sources=("mi2:gmm_soft_kmeans_equivalence",), kind="part"
    )
)
@dataclass(frozen=True, kw_only=True)
class Fixed(Covariance):
    """Spheres of one given size. With equal weights the mixture is then soft k-means."""

    may_collapse = False

    variance: float = real(
        1.0,
        above=0.0,
        soft=(0.01, 10.0),
        log=True,
        symbol="σ²",
        doc="Variance of every column in every component, in squared data units.",
    )

    def estimated(self, X: np.ndarray, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        """The fixed variance in every column, whatever the rows."""
        return np.full(means.shape, self.variance)

    def of_sums(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The fixed variance, whatever the sums."""
        return np.full(sums.shape[:2], self.variance)

    def free(self, k: int, p: int) -> int:
        """0: nothing is estimated."""
        return 0

    def ridged(self, covariances: np.ndarray, ridge: float) -> np.ndarray:
        """The same covariances: a fixed variance cannot vanish."""
        return covariances


class Whiteners:
    """Factors of inverse covariances: they map each component to a standard normal one."""

    def __init__(self, covariances: np.ndarray) -> None:
        """Factors of K covariances. Raises LinAlgError if one is not positive definite."""
        self.is_matrix = covariances.ndim == 3
        if self.is_matrix:
            roots = np.linalg.cholesky(covariances)
            diagonals = np.diagonal(roots, axis1=1, axis2=2)
            # scipy's triangular solve would bring scipy's own threads, which wait for numpy's.
            self.factors = np.tril(np.linalg.inv(roots))
        else:
            if not (covariances > 0).all():
                raise np.linalg.LinAlgError("a variance is not positive")
            diagonals = np.sqrt(covariances)
            self.factors = 1.0 / diagonals
        self.log_roots = np.log(diagonals).sum(axis=1)  # (K,) half the log of each determinant
        if not np.isfinite(self.factors).all():
            raise np.linalg.LinAlgError("a factor is not finite")

    def log_gaussians(self, X: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Log-density of each row in each component, shape (n, K)."""
        out = np.empty((len(X), len(means)))
        if self.is_matrix and (self.factors == self.factors[0]).all():
            # One covariance for all: whitened once, rows and means are those of spheres.
            X, means = ((points - means[0]) @ self.factors[0].T for points in (X, means))
            ones = read_only(np.ones_like(means))
            _kernels.scaled_squares(read_only(X), read_only(means), ones, out)
            return self._logs(out, X.shape[1])
        squares = _kernels.whitened_squares if self.is_matrix else _kernels.scaled_squares
        squares(read_only(X), read_only(means), read_only(self.factors), out)
        return self._logs(out, X.shape[1])

    def _logs(self, squares: np.ndarray, p: int) -> np.ndarray:
        """Log-densities from squared distances, in place."""
        squares *= -0.5
        squares -= self.log_roots + 0.5 * p * log(2 * pi)
        return squares
