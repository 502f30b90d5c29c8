"""A learned distance: a linear map after which rows of one class lie near, of others far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.maths.linear import eigen_falling, signed
from mlcore.spine import checks
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import integer, part, real


class PairScatter(NamedTuple):
    """Mean of (x - z)(x - z)' over pairs of rows, in columns of standard deviation 1."""

    alike: np.ndarray  # (p, p) pairs of one class
    apart: np.ndarray  # (p, p) pairs of two classes
    spread: np.ndarray  # (p,) by which the columns were divided


class Directions(NamedTuple):
    """Directions, sorted by how much farther rows of two classes differ than rows of one."""

    values: np.ndarray  # (p,), falling
    axes: np.ndarray  # (p, p), one a row, for columns in their own units
    least: float  # value above which a direction parts the classes


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricFit(Fit):
    """z = W (x - mean): distances between z are the learned distances between x."""

    classes: np.ndarray  # (K,) sorted labels of the training rows
    mean: np.ndarray  # (p,)
    axes: np.ndarray  # (q, p) W
    values: np.ndarray  # (q,) of the directions kept
    spectrum: np.ndarray  # (p,) of all directions, falling
    notes: tuple[str, ...] = ()

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """One column a direction."""
        return tuple(Column(f"learned {j + 1}") for j in range(len(self.axes)))

    @property
    def metric(self) -> np.ndarray:
        """A = W'W, (p, p): the squared distance of x and z is (x - z)' A (x - z)."""
        return self.axes.T @ self.axes

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates whose Euclidean distances are the learned ones, shape (m, q)."""
        return (self._rows(X) - self.mean) @ self.axes.T


@dataclass(frozen=True, kw_only=True)
class PairConstraint(Component):
    """What is fixed while rows of two classes are drawn apart."""

    def directions(self, pairs: PairScatter) -> Directions:
        """All directions, the best first."""
        # Each constraint leads to other directions.
        raise NotImplementedError(f"{type(self).__name__} declares no directions")


@enter(
    Card(
        "similar",
        "Similar pairs at length 1",
        ("pair_constraint",),
        kind="part",
        formula=r"\max_W \operatorname{tr} W M_D W^\top, \quad W M_S W^\top = I",
    )
)
@dataclass(frozen=True, kw_only=True)
class Similar(PairConstraint):
    """Along every direction, rows of one class differ by a mean square of 1.

    Directions may be oblique and are stretched; units do not matter. With classes of equal size
    they are those of Fisher.
    """

    reg: float = real(
        1e-6,
        low=0.0,
        soft=(1e-8, 1.0),
        log=True,
        label="Ridge",
        doc="Added to the mean square along each column, as a share of its variance; "
        "needed where rows of one class do not differ in some direction.",
    )

    def directions(self, pairs: PairScatter) -> Directions:
        """Generalised eigenvectors M_D w = lambda M_S w, with w' M_S w = 1.

        Raises DataError if M_S plus the ridge is singular.
        """
        p = len(pairs.spread)
        try:
            L = np.linalg.cholesky(pairs.alike + self.reg * np.eye(p))
        except LinAlgError:
            raise DataError(
                "Along some direction rows of one class do not differ, so no length can be made 1. "
                "Raise the ridge of the constraint, or choose the orthonormal one."
            ) from None
        half = np.linalg.solve(L, pairs.apart)
        values, vectors = eigen_falling(_even(np.linalg.solve(L, half.T)))
        axes = signed(np.linalg.solve(L.T, vectors).T) / pairs.spread
        return Directions(values, axes, 1.0)


@enter(
    Card(
        "orthonormal",
        "Orthonormal directions",
        ("pair_constraint",),
        kind="part",
        formula=r"\max_W \operatorname{tr} W (M_D - M_S) W^\top, \quad W W^\top = I",
    )
)
@dataclass(frozen=True, kw_only=True)
class Orthonormal(PairConstraint):
    """Directions of length 1 at right angles, in the units of the columns.

    Only turns the rows and leaves directions out; columns of large units win, so scale them first.
    """

    def directions(self, pairs: PairScatter) -> Directions:
        """Eigenvectors of M_D - M_S."""
        gain = (pairs.apart - pairs.alike) * np.outer(pairs.spread, pairs.spread)
        values, vectors = eigen_falling(_even(gain))
        return Directions(values, signed(vectors.T), 0.0)


def _even(A: np.ndarray) -> np.ndarray:
    """A made symmetric, which it is but for rounding."""
    return (A + A.T) / 2


def _cost(n: int, p: int, method: MetricLearning) -> tuple[float, float]:
    return 3e-4 + (2.0 * n * p**2 + 30.0 * p**3) / 1e10, 8.0 * (2 * n * p + 6 * p**2)


@enter(
    Card(
        "metric_learning",
        "Metric learning",
        ("reduction",),
        paper="Alipanahi, Biggs and Ghodsi (2008), AAAI 23",
        also=("metric_learner",),
        sources=("s841:distance_metric_learning",),
        takes=("target",),
        scores=("neighbour_scores", "map_neighbours"),
        cost=_cost,
        formula=r"d(x, z)^2 = \|W (x - z)\|^2, \quad M_D w = \lambda M_S w",
        synonyms=(
            "Mahalanobis metric learning",
            "distance metric learning",
            "relevant component analysis",
            "RCA",
        ),
        line="a distance learned from classes",
    )
)
@dataclass(frozen=True, kw_only=True)
class MetricLearning(Method):
    r"""Learns from classes how far apart two rows are.

    With $M_S$ and $M_D$ the means of $(x - z)(x - z)^\top$ over pairs of rows of one class and of
    two, the directions W make $\operatorname{tr} W M_D W^\top$ large while $W M_S W^\top = I$
    (or, with orthonormal directions, $\operatorname{tr} W (M_D - M_S) W^\top$). Both have a closed
    form, and sums over pairs follow from the class means, so no pair is formed. It is judged by
    whether the nearest other row left out is of the same class, against the rows as they come.

    Use it before whatever looks at neighbours: directions that only differ within classes shrink or
    go. O(n p^2 + p^3). Large classes have more pairs and rule $M_S$; one linear map cannot help
    where classes lie in several places or around each other, and with few rows it believes chance.
    """

    n_components: int | None = integer(
        None,
        low=1,
        soft=(1, 10),
        or_none="one fewer than classes",
        symbol="q",
        label="Number of directions",
        doc="Directions to keep, the best first; class means span one fewer than there are "
        "classes, and further ones tell only how widely classes spread.",
    )
    constraint: PairConstraint = part(
        "similar", slot="pair_constraint", doc="What is held fixed while classes are drawn apart."
    )

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        checks.no_quantity(y, self.title())
        return super()._target(y, n)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse classes of single rows, and rows that are all equal."""
        if y is not None and np.bincount(y).max() < 2:
            return f"{self.title()} compares rows of one class; here each row has its own."
        if constant_columns(X).all():
            return f"{self.title()} needs rows that differ; here all are equal. Add rows that vary."
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> MetricFit:
        directions = self.constraint.directions(pair_means(given.X, given.target))
        helpful = int((directions.values > directions.least).sum())
        q = min(self.n_components or len(given.labels) - 1, given.p)
        return MetricFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            mean=given.X.mean(axis=0),
            axes=directions.axes[:q],
            values=directions.values[:q],
            spectrum=directions.values,
            notes=(
                f"Along {helpful} of {given.p} directions rows of two classes lie farther apart "
                "than rows of one.",
            ),
        )


def pair_means(X: np.ndarray, codes: np.ndarray) -> PairScatter:
    """The means over pairs of rows X, shape (n, p), with classes, shape (n,), from class means.

    Over the pairs within class k the sum is n_k S_k with the scatter S_k about its mean; over
    the pairs of different classes it is sum_k (n - n_k) S_k + n sum_k n_k (m_k - m)(m_k - m)'.
    """
    n, counts = len(X), np.bincount(codes)
    spread = np.sqrt(X.var(axis=0))
    spread = np.where(constant_columns(X) | (spread == 0), 1.0, spread)
    Z = (X - X.mean(axis=0)) / spread
    alike = apart = np.zeros((X.shape[1], X.shape[1]))
    for k, n_k in enumerate(counts):
        rows = Z[codes == k]
        center = rows.mean(axis=0)
        scatter = (rows - center).T @ (rows - center)
        alike = alike + n_k * scatter
        apart = apart + (n - n_k) * scatter + n * n_k * np.outer(center, center)
    same = float((counts * (counts - 1.0)).sum() / 2)
    return PairScatter(alike / same, apart / (n * (n - 1) / 2 - same), spread)
