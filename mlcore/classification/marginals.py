"""One-dimensional distributions of a column within each class: parts of naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.classification import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.fit import freeze


@dataclass(frozen=True, eq=False)
class Distributions:
    """A Gaussian distribution for each class and column of numbers."""

    means: np.ndarray  # (K, q)
    variances: np.ndarray  # (K, q), the floor included
    counts: np.ndarray  # (K, q), weight of the values that are not missing

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)

    def of(self, column: int) -> Distributions:
        """The distributions of a single column."""
        own = slice(column, column + 1)
        return Distributions(self.means[:, own], self.variances[:, own], self.counts[:, own])

    def logs(self, X: np.ndarray) -> np.ndarray:
        """Sum over the columns of X, shape (m, q), of the log density in each class, (m, K)."""
        out = np.zeros((len(X), len(self.means)))
        halves = 0.5 / self.variances
        levels = -0.5 * np.log(2 * np.pi * self.variances)
        inputs = (X, self.means, halves, levels)
        rows, means, halves, levels = (read_only(each) for each in inputs)
        _kernels.gaussian_logs(rows, means, halves, levels, out)
        return out


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, sum and squares of each column within each class, of the rows seen so far."""

    counts: np.ndarray  # (K, q), weight of the values that are not missing
    sums: np.ndarray  # (K, q)
    squares: np.ndarray  # (K, q), about the mean of the class

    @property
    def means(self) -> np.ndarray:
        """Mean of each class, shape (K, q); 0 where it has no value."""
        return self.sums / np.where(self.counts > 0, self.counts, 1.0)

    def plus(self, other: Moments) -> Moments:
        """The moments of the rows of both, shape (K, q).

        Squares about two means become squares about the common one without a sum of raw squares,
        which would cancel (Chan, Golub and LeVeque 1983, The American Statistician 37).
        """
        counts = self.counts + other.counts
        apart = self.counts * other.counts / np.where(counts > 0, counts, 1.0)
        apart *= (other.means - self.means) ** 2
        return Moments(counts, self.sums + other.sums, self.squares + other.squares + apart)


def moments(X: np.ndarray, codes: np.ndarray, w: np.ndarray, K: int) -> Moments:
    """The moments of rows X, shape (n, q), some missing, in K classes, shape (K, q)."""
    counts, sums, squares = (np.zeros((K, X.shape[1])) for _ in range(3))
    X, codes, w = read_only(X), read_only(codes), read_only(w)
    _kernels.grouped_sums(X, codes, w, counts, sums)
    means = Moments(counts, sums, squares).means
    _kernels.grouped_squares(X, codes, w, read_only(means), squares)
    return Moments(counts, sums, squares)


@dataclass(frozen=True, kw_only=True)
class Marginal(Component):
    """The distribution that a column of numbers is assumed to have within a class."""

    def distributions(self, moments: Moments, floor: float) -> Distributions:
        """The distributions of K classes from their moments, shape (K, q).

        `floor` is the share of the largest variance that is added to all.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no distributions")


@enter(
    Card(
        "gaussian",
        "Gaussian",
        ("marginal",),
        kind="part",
        sources=("s841:naive_bayes_gaussian",),
        formula=r"\tfrac{1}{\sqrt{2\pi}\,\sigma} e^{-(x - \mu)^2 / 2\sigma^2}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Gaussian(Marginal):
    """A normal distribution for each class, with its own mean and variance."""

    def distributions(self, moments: Moments, floor: float) -> Distributions:
        """Means and variances, divisor the weight; `floor` times the largest variance is added.

        Where a class has no value of a column, it gets the distribution of all rows.
        """
        counts, squares, has_values = moments.counts, moments.squares, moments.counts > 0
        total = np.maximum(counts.sum(axis=0), np.finfo(np.float64).tiny)
        overall = moments.sums.sum(axis=0) / total
        means = np.where(has_values, moments.means, overall)
        spread = (squares + counts * (means - overall) ** 2).sum(axis=0) / total
        variances = np.where(has_values, squares / np.where(has_values, counts, 1.0), spread)
        variances += floor * float(spread.max(initial=0.0))
        # A column that varies within no class carries no information, whatever its variance.
        return Distributions(means, np.where(variances > 0, variances, 1.0), counts)
