"""The simplest reductions, groupings and novelty detectors, which the others must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.novelty import NoveltyFit, contamination, line_at
from mlcore.spine.params import integer


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanRowFit(Fit):
    """The mean of the training rows."""

    mean: np.ndarray  # (p,)
    out_columns: tuple[Column, ...] = ()

    def transform(self, X: Any) -> np.ndarray:
        """Rows without coordinates, shape (m, 0)."""
        return np.empty((len(self._rows(X)), 0))

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The mean for every row, shape (m, p)."""
        return np.tile(self.mean, (len(Z), 1))


@enter(Card("mean_row", "Mean of the rows", ("baseline",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class MeanRow(Method):
    """Keeps no component: every row is reconstructed as the mean of the training rows."""

    def _fit(self, given: Given) -> MeanRowFit:
        return MeanRowFit(made_by=self, columns=given.columns, mean=given.X.mean(axis=0))


@dataclass(frozen=True, eq=False, kw_only=True)
class SameRowsFit(Fit):
    """Nothing was learned."""

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """The columns of X, unchanged."""
        return self.columns

    def transform(self, X: Any) -> np.ndarray:
        """The rows as they are, shape (m, p)."""
        return self._rows(X)


@enter(Card("same_rows", "Identity transform", ("baseline",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class SameRows(Method):
    """Changes nothing: distances are those of the prepared rows."""

    def _fit(self, given: Given) -> SameRowsFit:
        return SameRowsFit(made_by=self, columns=given.columns)


@dataclass(frozen=True, eq=False, kw_only=True)
class FirstColumnsFit(Fit):
    """Nothing was learned."""

    n_kept: int

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """The columns that are kept."""
        return self.columns[: self.n_kept]

    def transform(self, X: Any) -> np.ndarray:
        """The first columns of the rows, shape (m, q)."""
        return self._rows(X)[:, : self.n_kept]


@enter(Card("first_columns", "First columns", ("baseline",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class FirstColumns(Method):
    """Keeps the first columns and forgets the others."""

    n_columns: int | None = integer(
        2, low=1, soft=(1, 5), or_none="all", doc="Columns that are kept."
    )

    def _fit(self, given: Given) -> FirstColumnsFit:
        n_kept = given.p if self.n_columns is None else self.n_columns
        return FirstColumnsFit(made_by=self, columns=given.columns, n_kept=n_kept)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupsByChanceFit(Fit):
    """A group for each fitted row, drawn without looking at it."""

    labels: np.ndarray  # (n,), 0..n_groups-1


@enter(
    Card(
        "groups_by_chance",
        "Groups by chance",
        ("baseline",),
        takes=("missing",),
        random=True,
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class GroupsByChance(Method):
    """Gives every row one of the groups by chance, whatever its columns say."""

    n_groups: int = integer(2, low=1, soft=(2, 12), doc="Groups that are drawn from.")

    def _fit(self, given: Given) -> GroupsByChanceFit:
        labels = given.rng("groups by chance").integers(self.n_groups, size=given.n)
        return GroupsByChanceFit(made_by=self, columns=given.columns, labels=labels)


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanDistanceFit(NoveltyFit):
    """The mean of the training rows."""

    mean: np.ndarray  # (p,)

    def usualness(self, X: Any) -> np.ndarray:
        """Minus the distance to the mean, shape (m,), in units of the prepared columns."""
        return _to_mean(self._rows(X), self.mean)


def _to_mean(X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Minus the distance of rows X, shape (m, p), to the mean, (p,), as if they had all columns."""
    squares, seen = (X - mean) ** 2, np.isfinite(X)
    share = np.maximum(seen.sum(axis=1), 1) / max(X.shape[1], 1)
    return -np.sqrt(np.where(seen, squares, 0.0).sum(axis=1) / share)


@enter(
    Card("mean_distance", "Distance to the mean", ("baseline",), takes=("missing",), kind="part")
)
@dataclass(frozen=True, kw_only=True)
class MeanDistance(Method):
    """Calls those rows outside that lie farthest from the mean row: one ball around everything.

    Of a row with missing values the mean square of what it shows counts for all columns.
    """

    share: float | None = contamination("none lies outside")

    def _fit(self, given: Given) -> MeanDistanceFit:
        seen = np.isfinite(given.X)
        sums = np.where(seen, given.X, 0.0).sum(axis=0)
        mean = sums / np.maximum(seen.sum(axis=0), 1)
        own = _to_mean(given.X, mean)
        line = line_at(own, self.share, -np.inf)
        return MeanDistanceFit(
            made_by=self,
            columns=given.columns,
            mean=mean,
            own_usualness=own,
            threshold=line.threshold,
            share_asked=line.share_asked,
        )
