"""Predicted classes judged by what their errors cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_costs import HasCosts, SetsCosts
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

MEAN_COST = Metric(
    "mean_cost", "Mean cost", "lower",
    "What the errors cost on average over the rows, by the costs of the method.", 0,
)  # fmt: skip


@enter(Card("cost_scores", "Scores by costs", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class CostScores(Scoring):
    """The mean over the rows of what taking the true class for the predicted one costs."""

    baseline_name = "cheapest class"

    def metrics(self) -> tuple[Metric, ...]:
        """The mean cost alone."""
        return (MEAN_COST,)

    def scored(self, case: Case) -> Scored:
        """The mean cost, NaN for a fit without costs. Raises DataError without a target."""
        y = case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a target to compare with; choose one.")
        if not can(case.fit, HasCosts):
            return Scored(self._complete({}))
        return Scored({"mean_cost": mean_cost(case.fit, case.test.X, y)})

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
    return float(fit.costs[true, predicted].mean())
