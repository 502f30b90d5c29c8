"""Predicted classes judged by what their errors cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_costs import HasCosts, Rejects, SetsCosts
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

OF_COSTS = (
    Metric(
        "mean_cost", "Mean cost", "lower",
        "What the errors cost on average over the rows, by the costs of the method, and what rows "
        "cost that it leaves undecided.", 0,
    ),
    Metric(
        "share_rejected", "Left undecided", "lower",
        "The share of the rows that the method leaves undecided. No number where it never does.",
        0, 1,
    ),
    Metric(
        "decided_accuracy", "Accuracy where decided", "higher",
        "The share of right classes among the rows that are decided. No number where none is, or "
        "where none is ever left.", 0, 1,
    ),
)  # fmt: skip


@enter(Card("cost_scores", "Scores by costs", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class CostScores(Scoring):
    """The mean over the rows of what taking the true class for the predicted one costs."""

    baseline_name = "cheapest class"

    def metrics(self) -> tuple[Metric, ...]:
        """The mean cost first."""
        return OF_COSTS

    def scored(self, case: Case) -> Scored:
        """All three, NaN for a fit without costs. Raises DataError without a target."""
        y = case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a target to compare with; choose one.")
        if not can(case.fit, HasCosts):
            return Scored(self._complete({}))
        scores = {"mean_cost": mean_cost(case.fit, case.test.X, y)}
        return Scored(self._complete(scores | of_rejections(case.fit, case.test.X, y)))

    def baseline_of(self, method: Component) -> Component:
        """The class that is cheapest for all rows, by the costs of the method."""
        constant = lookup("classification", "constant")()
        if not isinstance(method, SetsCosts):
            return constant
        rule = lookup("classification", "decision_rule")
        return rule(estimator=constant, costs=method.costs)


def mean_cost(fit: Any, X: np.ndarray, y: np.ndarray) -> float:
    """What the predictions of a fit for rows X, (m, p), of classes y, (m,), cost on average.

    NaN where a row is of a class that the fit does not know, whose errors have no cost.
    """
    if not np.isin(y, fit.classes).all():
        return float("nan")
    true, predicted = (np.searchsorted(fit.classes, each) for each in (y, fit.predict(X)))
    costs = fit.costs[true, predicted]
    if can(fit, Rejects) and np.isfinite(fit.reject_cost):
        costs = np.where(fit.rejects(X), fit.reject_cost, costs)
    return float(costs.mean())


def of_rejections(fit: Any, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """How many rows X, (m, p), of classes y, (m,), are left, and how right the others are.

    Nothing for a fit that leaves none whatever the row.
    """
    if not can(fit, Rejects) or not np.isfinite(fit.reject_cost):
        return {}
    is_left = fit.rejects(X)
    is_right = (fit.predict(X) == y)[~is_left]
    accuracy = float(is_right.mean()) if len(is_right) else float("nan")
    return {"share_rejected": float(is_left.mean()), "decided_accuracy": accuracy}
