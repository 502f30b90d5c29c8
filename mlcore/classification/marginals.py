"""One-dimensional distributions of a column within each class: parts of naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.classification import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.fit import freeze


@dataclass(frozen=True, eq=False)
class Laws:
    """A Gaussian distribution for each class and column of numbers."""

    means: np.ndarray  # (K, q)
    variances: np.ndarray  # (K, q), the floor included
    counts: np.ndarray  # (K, q), weight of the values that are there

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)

    def of(self, column: int) -> Laws:
        """The distribution of a single column."""
        own = slice(column, column + 1)
        return Laws(self.means[:, own], self.variances[:, own], self.counts[:, own])

    def logs(self, X: np.ndarray) -> np.ndarray:
        """Sum over the columns of the log density in each class, shape (m, K)."""
        out = np.zeros((len(X), len(self.means)))
        halves = 0.5 / self.variances
        levels = -0.5 * np.log(2 * np.pi * self.variances)
        given = (X, self.means, halves, levels)
        rows, means, halves, levels = (read_only(each) for each in given)
        _kernels.gaussian_logs(rows, means, halves, levels, out)
        return out


@dataclass(frozen=True, kw_only=True)
class Marginal(Component):
    """What a column of numbers is taken to look like within a class."""

    def learned(
        self, X: np.ndarray, codes: np.ndarray, w: np.ndarray, K: int, floor: float
    ) -> Laws:
        """The distributions of K classes from rows X, shape (n, q), some of them missing."""
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
    """A bell with mean and variance of its own for each class."""

    def learned(
        self, X: np.ndarray, codes: np.ndarray, w: np.ndarray, K: int, floor: float
    ) -> Laws:
        """Means and variances, divisor the weight; `floor` times the largest variance is added.

        Where a class has no value of a column, it gets the distribution of all rows.
        """
        shape = (K, X.shape[1])
        counts, sums, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        X, codes, w = read_only(X), read_only(codes), read_only(w)
        _kernels.grouped_sums(X, codes, w, counts, sums)
        there = counts > 0
        total = np.maximum(counts.sum(axis=0), np.finfo(np.float64).tiny)
        overall = sums.sum(axis=0) / total
        means = np.where(there, sums / np.where(there, counts, 1.0), overall)
        _kernels.grouped_squares(X, codes, w, read_only(means), squares)
        spread = (squares + counts * (means - overall) ** 2).sum(axis=0) / total
        variances = np.where(there, squares / np.where(there, counts, 1.0), spread)
        variances += floor * float(spread.max(initial=0.0))
        # Where nothing varies in any class a column says nothing, whatever its variance.
        return Laws(means, np.where(variances > 0, variances, 1.0), counts)
