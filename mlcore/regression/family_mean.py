"""The mean alone, judged by the deviance of a family: what generalised models must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.regression.families import Family
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import part


@dataclass(frozen=True, eq=False, kw_only=True)
class FamilyMeanFit(Fit):
    """One mean for every row."""

    made_by: FamilyMean
    mean: float  # in units of the target
    dispersion: float = 1.0  # which nobody asks of a baseline

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the training rows, shape (m,)."""
        return np.full(len(self._rows(X)), self.mean)

    def unit_deviance(self, y: Any, mean: Any) -> np.ndarray:
        """What targets cost about means, both (m,), under the family: shape (m,)."""
        y, mean = np.asarray(y, dtype=np.float64), np.asarray(mean, dtype=np.float64)
        return self.made_by.family.deviance(y, mean)

    def variance(self, mean: Any) -> np.ndarray:
        """Variance at means, (m,), for dispersion 1: shape (m,)."""
        return self.made_by.family.variance(np.asarray(mean, dtype=np.float64))


@enter(Card("family_mean", "Mean of the target", ("baseline",), kind="part", task="regression"))
@dataclass(frozen=True, kw_only=True)
class FamilyMean(Method):
    """Predicts the mean of the training rows, which every family has as its best constant."""

    family: Family = part("gaussian", slot="response_family", doc="By what it is judged.")

    def _fit(self, given: Given) -> FamilyMeanFit:
        mean = float(given.w @ given.target / given.w.sum())
        return FamilyMeanFit(made_by=self, columns=given.columns, mean=mean)
