"""Relevance of a variable by any dependence of the target on it, linear or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.describing.information import mutual_information
from mlcore.kernels.gram import gram
from mlcore.kernels.similarity import hsic
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.selection.relevance import Relevance
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given
from mlcore.spine.params import flag, integer, part

MOST_ROWS = 2000  # whose pairs are compared: a Gram matrix of more takes memory and adds little
BY_CHANCE = 0.05  # share of the orders of the target that may reach what the true order has


@dataclass(frozen=True, kw_only=True)
class Estimator(Component):
    """A way to estimate information from rows."""

    @property
    def least_rows(self) -> int:
        """How many rows it needs."""
        return 1

    def between(self, x: np.ndarray, y: np.ndarray) -> float:
        """Information of x and y, shape (n,) each; whole numbers are levels."""
        raise NotImplementedError(f"{type(self).__name__} declares no estimate")

    def seconds(self, n: int) -> float:
        """About how long one variable takes."""
        raise NotImplementedError(f"{type(self).__name__} declares no cost")


@enter(
    Card("information_by_neighbours", "Neighbours", ("information",),
         paper="Kraskov and others (2004), Phys. Rev. E 69; Ross (2014), PLoS ONE 9",
         peer="sklearn.feature_selection.mutual_info_classif", kind="part")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ByNeighbours(Estimator):
    """From how near the k nearest rows are, without bins; levels are counted as they are.

    Hardly biased, but noisy: of unrelated variables it finds a little above or below nothing, and
    what is below is shown as 0.
    """

    n_neighbors: int = integer(
        3,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Neighbours",
        doc="Rows that each is compared with: more is smoother, and blurs fine structure.",
    )

    @property
    def least_rows(self) -> int:
        """Each with its neighbours."""
        return self.n_neighbors + 1

    def between(self, x: np.ndarray, y: np.ndarray) -> float:
        """Mutual information of x and y, shape (n,) each, in nats."""
        if x.dtype.kind != "f":
            if y.dtype.kind != "f":
                return mutual_information(x, y, "levels")
            x, y = y, x  # levels stand second
        return mutual_information(x, y, "knn", n_neighbors=self.n_neighbors)

    def seconds(self, n: int) -> float:
        """A tree in the plane, for a quantity."""
        return 2e-6 * n


@enter(Card("information_by_bins", "Histogram", ("information",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ByBins(Estimator):
    """From counts, after numbers are cut into intervals of equal width.

    Quick and rough: many bins with few rows find information where there is none.
    """

    n_bins: int = integer(
        10, low=2, soft=(2, 50), label="Histogram", doc="Intervals into which numbers are cut."
    )
    normalise: bool = flag(
        False,
        doc="Divide by the mean entropy of both: from 0 to 1, fair to variables of many levels.",
    )

    def between(self, x: np.ndarray, y: np.ndarray) -> float:
        """Mutual information of x and y, shape (n,) each, in nats, or normalised to 0 to 1."""
        return mutual_information(x, y, "binned", n_bins=self.n_bins, normalise=self.normalise)

    def seconds(self, n: int) -> float:
        """A sort."""
        return 5e-7 * n


@enter(
    Card(
        "mutual_information",
        "Mutual information",
        ("relevance",),
        peer="sklearn.feature_selection.mutual_info_classif",
        sources=("cs1:vs_filter_mi", "epfl:mutual_information"),
        formula=r"I(x; y) = H(x) + H(y) - H(x, y)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class MutualInformation(Relevance):
    """How much knowing the variable tells of the target, in nats: 0 for independent ones.

    Sees every kind of relation, not straight lines alone, but of each variable by itself. A block
    of columns, and a column of two values, is counted by its levels. O(n log n) a variable.
    """

    estimator: Any = part(
        "information_by_neighbours", slot="information", doc="How it is estimated from rows."
    )

    @property
    def least_rows(self) -> int:
        """As its estimator needs."""
        return self.estimator.least_rows

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """The information of each variable, shape (d,), in nats or normalised to 0 to 1."""
        return np.array(
            [self._information(given.X[:, at], given.target) for at in variables.blocks]
        )

    def _information(self, x: np.ndarray, y: np.ndarray) -> float:
        return self.estimator.between(as_levels(x), y) if np.ptp(x, axis=0).any() else 0.0

    def seconds(self, n: int, p: int) -> float:
        """Each variable by itself."""
        return p * self.estimator.seconds(n)


def as_levels(X: np.ndarray) -> np.ndarray:
    """The values of a variable X, shape (n, q), as one number a row, shape (n,).

    Numbers stay; a block of columns, or a column of two values, becomes codes of levels.
    """
    if X.shape[1] == 1:
        x = X[:, 0]
        low, high = x.min(), x.max()
        return (x == high).astype(int) if ((x == low) | (x == high)).all() else x
    return np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)


@enter(
    Card(
        "hsic",
        "Kernel dependence (HSIC)",
        ("relevance",),
        paper="Gretton and others (2005), Algorithmic Learning Theory 16",
        sources=("s841:hsic",),
        formula=r"\operatorname{tr}(K H L H) / (n - 1)^2",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class HSIC(Relevance):
    """How far rows that are alike in the variable are alike in the target too; 0 if independent.

    tr(K H L H) / (n - 1)^2 with H = I - 1/n, the Gram matrix K of the variable and L of the target:
    the same kernel for a quantity, 1 within a class and 0 between classes. Variable and quantity
    have variance 1 first. With permutations, a variable whose value more than one in twenty orders
    of the target reach counts as 0.

    Sees every kind of relation with a kernel such as the Gaussian; its size can be compared between
    variables of one table only. O(n^2) a variable and permutation, on at most 2 000 rows drawn at
    random.
    """

    kernel: Any = part("rbf", slot="kernel", doc="How alike two values of a variable are.")
    permutations: int = integer(
        0,
        low=0,
        high=10_000,
        soft=(0, 200),
        doc="Random orders of the target that tell what chance reaches; 0 asks for none.",
    )

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """The criterion of each variable, shape (d,); 0 where permuted targets reach it too."""
        rows = np.arange(given.n)
        if given.n > MOST_ROWS:
            rows = np.sort(given.rng("rows of a kernel").choice(given.n, MOST_ROWS, replace=False))
        y = given.target[rows]
        L = self._gram(y[:, None]) if given.classes is None else np.equal.outer(y, y).astype(float)
        return np.array(
            [self._criterion(given.X[np.ix_(rows, at)], L, given) for at in variables.blocks]
        )

    def _criterion(self, x: np.ndarray, L: np.ndarray, given: Given) -> float:
        if not np.ptp(x, axis=0).any():
            return 0.0
        result = hsic(self._gram(x), L, n_permutations=self.permutations, seed=given.seed)
        return 0.0 if result.p_value > BY_CHANCE else max(result.value, 0.0)

    def _gram(self, x: np.ndarray) -> np.ndarray:
        spread = x.std(axis=0)
        x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        if wrong := self.kernel.applies(x):
            raise DataError(wrong)
        return gram(self.kernel.resolve(x), x)

    def seconds(self, n: int, p: int) -> float:
        """Two matrices and a product, and a permuted copy each time."""
        return p * (20 + 10 * self.permutations) * 1e-9 * min(n, MOST_ROWS) ** 2
