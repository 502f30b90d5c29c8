"""The simplest reductions, which the others must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method


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
        """The columns that came."""
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
