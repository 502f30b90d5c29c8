"""ReliefF: a variable is relevant if it differs between near rows of different targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from mlcore.preparation.selection.correlations import SURE
from mlcore.preparation.selection.counted import permutations_of
from mlcore.preparation.selection.dependence import as_levels
from mlcore.preparation.selection.gaps import Gap, known_rows
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.selection.relevance import Relevance
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given
from mlcore.spine.params import integer

PAIRS_AT_ONCE = 4096


class _Neighbourhood(NamedTuple):
    """The rows that are asked, and all others by their distance from each."""

    values: np.ndarray  # (n, d) numbers in ranges of their variable, codes of levels, NaN: missing
    has_levels: np.ndarray  # (d,)
    asked: np.ndarray  # (m,)
    order: np.ndarray  # (m, n - 1) the nearest first
    gaps: dict[int, Gap]  # of the variables with missing values

    def given(self, classes: np.ndarray) -> _Neighbourhood:
        """The same where what is missing is likely what rows of its class, (n,) codes, have."""
        return self._replace(gaps=_gaps(self.values, self.has_levels, classes))

    def differences(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """How far rows i and j, shape (r,) each, differ in every variable: 0 to 1, (r, d)."""
        away = np.abs(self.values[i] - self.values[j])
        away[:, self.has_levels] = away[:, self.has_levels] > 0
        for v, gap in self.gaps.items():
            away[:, v] = gap.filled(away[:, v], i, j)
        return away

    def summed(self, i: np.ndarray, j: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weighted sums of the differences; weights of shape (s, r), sums (s, d)."""
        total = np.zeros((len(weights), self.values.shape[1]))
        for start in range(0, len(i), PAIRS_AT_ONCE):
            at = slice(start, start + PAIRS_AT_ONCE)
            total += weights[:, at] @ self.differences(i[at], j[at])
        return total


@enter(
    Card(
        "relief",
        "ReliefF",
        ("relevance",),
        paper="Kononenko (1994), ECML 94; Robnik-Sikonja and Kononenko (2003), Machine Learning 53",
        formula=r"P(\text{differs} \mid \text{near, other class}) - "
        r"P(\text{differs} \mid \text{near, same class})",
        kind="part",
        synonyms=("Relief", "RReliefF", "nearest hit", "nearest miss", "interactions"),
    )
)
@dataclass(frozen=True, kw_only=True)
class ReliefF(Relevance):
    """How much more a variable differs between near rows of different classes than of the same.

    Each row asks its nearest neighbours in its own class and in every other, which count by their
    shares; for a quantity RReliefF weighs near rows by how far their targets lie apart. Distances
    are sums of differences, numbers in ranges of their variable, levels equal or not. A missing
    value differs by as much as the values of its class are expected to; who is near is asked of
    the values of all classes.

    Sees what variables say only together, because all of them decide who is near; many irrelevant
    ones blur that, and a value very far out flattens its variable, whose range it is. What would be
    below 0, which says nothing, is 0. Copies are all kept. O(m n (d + log n)) for m rows asked.
    """

    bears_missing: ClassVar[bool] = True

    n_neighbors: int = integer(
        10, low=1, soft=(1, 50), symbol="k", label="Neighbours",
        doc="Near rows that each is compared with, in every class.",
    )  # fmt: skip
    n_rows: int | None = integer(
        250, low=1, soft=(50, 2000), or_none="all", symbol="m", label="Rows asked",
        doc="Rows, drawn at random, whose neighbours are looked at.",
    )  # fmt: skip
    permutations: int = permutations_of(10)

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """Weights from 0 to 1, shape (d,)."""
        return np.maximum(self.weights(given, variables), 0.0)

    def weights(self, given: Given, variables: Variables) -> np.ndarray:
        """Weights from -1 to 1 as published, shape (d,)."""
        return self._weigh(self._around(given, variables), given.target, given.classes is not None)

    def by_chance(self, given: Given) -> float:
        """By shuffled targets: the neighbours stay who they are."""
        if not self.permutations:
            return float("nan")
        around = self._around(given, Variables.of(given.columns))
        rng, has_classes = given.rng("targets by chance"), given.classes is not None
        weights_by_chance = [
            self._weigh(around, rng.permutation(given.target), has_classes)
            for _ in range(self.permutations)
        ]
        return float(np.quantile(np.maximum(weights_by_chance, 0.0), SURE))

    def seconds(self, n: int, p: int) -> float:
        """Distances and their order, and the neighbours for each order of the target."""
        m = min(n, n if self.n_rows is None else self.n_rows)
        around = m * n * (2e-9 * p + 1.2e-7)
        return around + (1 + self.permutations) * m * (3e-8 * n + 2e-8 * p * self.n_neighbors)

    def _around(self, given: Given, variables: Variables) -> _Neighbourhood:
        n, asked = given.n, np.arange(given.n)
        if self.n_rows is not None and n > self.n_rows:
            drawn = given.rng("rows that ask").choice(n, self.n_rows, replace=False)
            asked = np.sort(drawn)
        each = [_values(given.X[:, at]) for at in variables.blocks]
        has_levels = np.array([are_levels for _, are_levels in each])
        values = np.column_stack([x for x, _ in each])
        gaps = _gaps(values, has_levels, np.zeros(n, dtype=np.int64))
        plain = ~has_levels & ~np.isin(np.arange(len(each)), list(gaps))
        distances = cdist(values[asked][:, plain], values[:, plain], "cityblock")
        for v in np.flatnonzero(~plain).tolist():
            away = np.abs(values[asked, v, None] - values[:, v])
            away = (away > 0).astype(float) if has_levels[v] else away
            every = asked[:, None], np.arange(n)[None, :]
            distances += gaps[v].filled(away, *every) if v in gaps else away
        distances[np.arange(len(asked)), asked] = np.inf  # no row is its own neighbour
        order = np.argsort(distances, axis=1, kind="stable")[:, : n - 1]
        return _Neighbourhood(values, has_levels, asked, order, gaps)

    def _weigh(self, around: _Neighbourhood, y: np.ndarray, has_classes: bool) -> np.ndarray:
        return self._by_classes(around, y) if has_classes else self._by_distance(around, y)

    def _by_classes(self, around: _Neighbourhood, y: np.ndarray) -> np.ndarray:
        """Kononenko (1994): near misses count by the share of their class among the others."""
        codes, classes, counts = np.unique(y, return_inverse=True, return_counts=True)
        around = around.given(classes)
        shares, own, near = counts / len(y), y[around.asked], y[around.order]
        total = np.zeros(around.values.shape[1])
        for code, share in zip(codes, shares, strict=True):
            is_near = near == code
            is_near &= np.cumsum(is_near, axis=1) <= self.n_neighbors
            near_count = np.maximum(is_near.sum(axis=1), 1)
            beside = 1.0 - shares[np.searchsorted(codes, own)]
            factor = np.where(own == code, -1.0, share / beside) / near_count / len(own)
            a, at = np.nonzero(is_near)
            i, j = around.asked[a], around.order[a, at]
            total += around.summed(i, j, factor[a][None, :])[0]
        return total

    def _by_distance(self, around: _Neighbourhood, y: np.ndarray) -> np.ndarray:
        """Robnik-Sikonja and Kononenko (2003), figure 3, all near rows counting alike."""
        near = around.order[:, : self.n_neighbors]
        i, j = np.repeat(around.asked, near.shape[1]), near.ravel()
        apart = np.abs(y[i] - y[j]) / (np.ptp(y) or 1.0)
        weight = np.full(len(i), 1.0 / near.shape[1])
        both, every = around.summed(i, j, np.stack([weight * apart, weight]))
        differs, m = float(weight @ apart), len(around.asked)
        if not 0.0 < differs < m:
            return np.zeros(around.values.shape[1])
        return both / differs - (every - both) / (m - differs)


def _values(X: np.ndarray) -> tuple[np.ndarray, bool]:
    """Numbers in ranges of their variable X, shape (n, q), or codes of levels, and whether they are
    such; NaN where missing. Shape (n,)."""
    known = known_rows(X)
    values = np.full(len(X), np.nan)
    if not known.any():
        return values, False
    x = as_levels(X[known])
    values[known] = _ranged(x) if x.dtype.kind == "f" else x
    return values, x.dtype.kind != "f"


def _ranged(x: np.ndarray) -> np.ndarray:
    low, width = x.min(), np.ptp(x)
    return (x - low) / width if width > 0 else np.zeros(len(x))


def _gaps(values: np.ndarray, has_levels: np.ndarray, classes: np.ndarray) -> dict[int, Gap]:
    """Of the variables with missing values, by position."""
    return {
        v: Gap.of(values[:, v], classes, has_levels=bool(has_levels[v]))
        for v in np.flatnonzero(np.isnan(values).any(axis=0)).tolist()
    }
