"""Predicted means judged by the deviance of the family that a method believes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasDeviance, HasFamily
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

OF_DEVIANCES = (
    Metric(
        "mean_deviance", "Mean deviance", "lower",
        "Mean over the rows of what they cost under the family; 0 is a perfect prediction. The "
        "squared error for the normal family. No number where a predicted mean is not above 0.", 0,
    ),
    Metric(
        "deviance_explained", "Deviance explained", "higher",
        "1 - deviance / deviance about the mean of these rows: R² for the normal family.", most=1,
    ),
)  # fmt: skip


def deviance_explained(y: np.ndarray, predicted: np.ndarray, fit: Any) -> float:
    """D² of predictions for the truth, both (m,), under the family of a fit; NaN for a constant y
    and where its deviance is lost in rounding.

    Hastie, Tibshirani and Wainwright (2015), Statistical Learning with Sparsity, eq. 3.11.
    """
    if y.min() == y.max():  # whose mean is rounded, and has a deviance then
        return float("nan")
    about_mean = float(fit.unit_deviance(y, np.full(len(y), y.mean())).mean())
    own = float(fit.unit_deviance(y, predicted).mean())
    return 1.0 - own / about_mean if about_mean > 0 else float("nan")


@enter(Card("deviance_scores", "Scores by deviance", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class DevianceScores(Scoring):
    """How likely the truth was under the family of the method about its predicted means."""

    baseline_name = "mean"

    def metrics(self) -> tuple[Metric, ...]:
        """The mean deviance first."""
        return OF_DEVIANCES

    def scored(self, case: Case) -> Scored:
        """Both measures, NaN for a fit without a family. Raises DataError without a target."""
        y = case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a target to compare with; choose one.")
        if not can(case.fit, HasDeviance):
            return Scored(self._complete({}))
        predicted = finite(case.fit.predict(case.test.X))
        scores = {
            "mean_deviance": float(case.fit.unit_deviance(y, predicted).mean()),
            "deviance_explained": deviance_explained(y, predicted, case.fit),
        }
        return Scored(self._complete(scores))

    def baseline_of(self, method: Component) -> Component:
        """The mean of the training rows' target, judged by the family of the method."""
        mean_of = lookup("baseline", "family_mean")
        return mean_of(family=method.family) if isinstance(method, HasFamily) else mean_of()
