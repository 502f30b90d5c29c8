"""Quantiles of the target alone, whatever the columns: what quantile regression must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.regression.constant import weighted_quantile
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import many


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetQuantilesFit(Fit):
    """The same quantiles for every row."""

    levels: np.ndarray  # (k,) ascending
    values: np.ndarray  # (k,) in units of the target

    def predict(self, X: Any) -> np.ndarray:
        """The quantile nearest to the median, shape (m,)."""
        middle = int(np.abs(self.levels - 0.5).argmin())
        return np.full(len(self._rows(X)), self.values[middle])

    def predict_quantiles(self, X: Any) -> np.ndarray:
        """The quantiles of the training rows' target, shape (m, k)."""
        return np.tile(self.values, (len(self._rows(X)), 1))


@enter(
    Card("target_quantiles", "Quantiles of the target", ("baseline",), kind="part",
         task="regression")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class TargetQuantiles(Method):
    """Predicts the quantiles of the training rows, which lose least of all constants."""

    quantiles: tuple = many(
        (0.1, 0.5, 0.9), symbol="q", doc="Shares of the target below each value, ascending."
    )

    def _fit(self, given: Given) -> TargetQuantilesFit:
        values = [weighted_quantile(given.target, given.w, q) for q in self.quantiles]
        return TargetQuantilesFit(
            made_by=self,
            columns=given.columns,
            levels=np.array(self.quantiles),
            values=np.array(values),
        )
