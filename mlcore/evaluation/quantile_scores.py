"""Predicted quantiles judged: what they cost, and what share of the truth lies below each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.spine.asking import can
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.quantiles import AsksQuantiles, GivesQuantiles
from mlcore.spine.registry import lookup

OF_QUANTILES = (
    Metric(
        "pinball_loss", "Pinball loss", "lower",
        "Mean over rows and quantiles of how far the truth lies from the quantile q, times q where "
        "it lies above and 1 - q below; in units of the target.", 0,
    ),
    Metric(
        "quantile_gap", "Gap of the shares", "lower",
        "Largest difference, over the quantiles, between q and the share of rows below.", 0, 1,
    ),
    Metric(
        "outer_width", "Width of the outer interval", "lower",
        "Mean distance of the highest quantile from the lowest, in units of the target.", 0,
    ),
)  # fmt: skip


def pinball_loss(y: np.ndarray, quantiles: np.ndarray, levels: np.ndarray) -> float:
    """Mean loss of predicted quantiles, (m, k), of levels, (k,), for the truth y, (m,)."""
    left = y[:, None] - quantiles
    return float(np.maximum(levels * left, (levels - 1.0) * left).mean())


def shares_below(y: np.ndarray, quantiles: np.ndarray) -> np.ndarray:
    """Share of the truth y, (m,), at or below each predicted quantile, (m, k): shape (k,)."""
    return (y[:, None] <= quantiles).mean(axis=0)


@enter(Card("quantile_scores", "Scores of quantiles", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class QuantileScores(Scoring):
    """Whether predicted quantiles are right and near each other; NaN for a method without any."""

    baseline_name = "constant quantiles"

    def metrics(self) -> tuple[Metric, ...]:
        """The pinball loss first: it is least at the true quantiles, and there alone."""
        return OF_QUANTILES

    def scored(self, case: Case) -> Scored:
        """Of the rows to judge on. Raises DataError without a target."""
        fit, X, y = case.fit, case.test.X, case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a target to compare with; choose one.")
        scores = {}
        if can(fit, GivesQuantiles):
            quantiles = finite(fit.predict_quantiles(X))
            scores["pinball_loss"] = pinball_loss(y, quantiles, fit.levels)
            gaps = np.abs(shares_below(y, quantiles) - fit.levels)
            scores["quantile_gap"] = float(gaps.max())
            scores["outer_width"] = float((quantiles[:, -1] - quantiles[:, 0]).mean())
        return Scored(self._complete(scores))

    def baseline_of(self, method: Component) -> Component:
        """The same quantiles of the training rows' target, whatever the columns."""
        constant = lookup("baseline", "target_quantiles")
        asked = isinstance(method, AsksQuantiles)
        return constant(quantiles=method.quantiles) if asked else constant()
