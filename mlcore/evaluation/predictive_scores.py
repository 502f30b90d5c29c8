"""Predictions of a distribution judged: how likely the truth was, and how often it lay inside."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesPredictiveDeviation, GivesPredictiveInterval
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

LEVEL = 0.95
SHARE = f"{100 * LEVEL:.0f}"
OF_DISTRIBUTIONS = (
    Metric(
        "interval_score", f"Score of {SHARE} % intervals", "lower",
        f"Mean width of the intervals that should hold {SHARE} of 100 rows, and for each row "
        f"outside {2 / (1 - LEVEL):.0f} times how far it lies outside; in units of the target.",
        0,
    ),
    Metric(
        "coverage_gap", f"Gap of the coverage to {SHARE} %", "lower",
        f"How far the share of rows inside their {SHARE} % intervals is from {LEVEL}.", 0, 1,
    ),
    Metric(
        "negative_log_density", "Negative log density", "lower",
        "Mean of minus the logarithm of the predicted normal density at the truth, in nats.",
    ),
)  # fmt: skip


def interval_score(y: np.ndarray, ends: np.ndarray, level: float) -> float:
    """Mean score of intervals, (m, 2), of a level for the truth y, (m,): small is good.

    Gneiting and Raftery (2007), Journal of the American Statistical Association 102.
    """
    low, high = ends.T
    outside = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    return float((high - low + 2.0 / (1.0 - level) * outside).mean())


def coverage(y: np.ndarray, ends: np.ndarray) -> float:
    """Share of the truth y, (m,), that lies in its interval, (m, 2)."""
    return float(((ends[:, 0] <= y) & (y <= ends[:, 1])).mean())


@enter(Card("predictive_scores", "Scores of predicted distributions", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class PredictiveScores(Scoring):
    """Whether predicted distributions are calibrated and narrow; NaN for a method without any."""

    baseline_name = "mean"

    def metrics(self) -> tuple[Metric, ...]:
        """The score of the intervals first: it asks for both, narrow and right."""
        return OF_DISTRIBUTIONS

    def scored(self, case: Case) -> Scored:
        """Of the rows to judge on. Raises DataError without a target."""
        fit, X, y = case.fit, case.test.X, case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a target to compare with; choose one.")
        scores = {}
        if can(fit, GivesPredictiveInterval):
            ends = finite(fit.predictive_interval(X, LEVEL))
            scores["interval_score"] = interval_score(y, ends, LEVEL)
            scores["coverage_gap"] = abs(coverage(y, ends) - LEVEL)
        if can(fit, GivesPredictiveDeviation):
            deviation = finite(fit.predictive_deviation(X))
            if (deviation > 0).all():  # a fit that leaves no noise has no density
                z = (y - fit.predict(X)) / deviation
                scores["negative_log_density"] = float(
                    (z**2 / 2 + np.log(deviation)).mean() + log(2 * pi) / 2
                )
        return Scored(self._complete(scores))

    def baseline_of(self, method: Component) -> Component:
        """The mean of the training rows' target, which has no distribution."""
        return lookup("regression", "constant_regression")()
