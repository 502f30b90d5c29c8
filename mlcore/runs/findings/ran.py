"""What a run that is done knows, in the words of the rules: its scores, predictions and rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.leaks import Leak, class_leaks, number_leaks
from mlcore.evaluation.intervals import Interval, score_interval
from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.pooled import Pooled, pooled
from mlcore.evaluation.summary import sizes
from mlcore.runs.carry import Outcome
from mlcore.runs.run import Run
from mlcore.spine.wording import p_value

# From this score on it is asked whether one column tells the target: what is worse is no leak that
# the predictions rest on.
SUSPICIOUS = {"classification": ("accuracy", 0.95), "regression": ("r2", 0.95)}
MOST_COLUMNS = 200  # that are asked; the time grows with them


@dataclass(frozen=True, eq=False)
class Ran:
    """The outcome of a run with the rows that it was carried out on. Nothing is fitted anew."""

    outcome: Outcome
    dataset: Dataset

    @property
    def run(self) -> Run:
        """The run itself, which a press changes."""
        return self.outcome.run

    @property
    def task(self) -> str:
        """The task of its method."""
        return self.run.method.card.task

    @property
    def fit(self) -> Any:
        """The method fitted to all rows."""
        return self.outcome.whole.fit

    @property
    def metric(self) -> Metric:
        """The first score."""
        return self.outcome.judge.metric()

    @property
    def is_left_out(self) -> bool:
        """Whether the first score is one of rows left out, so that its spread says something."""
        return self.metric.rows == LEFT_OUT

    def better_by(self, of: str, than: str) -> np.ndarray:
        """By how much the first score of one thing is better than that of another, (folds,).

        Things are "scores", "fitted_scores" and "baseline"; positive is better in every metric.
        """
        sign = 1.0 if self.metric.better == "higher" else -1.0
        name = self.metric.name
        return sign * (self.outcome.values(name, of) - self.outcome.values(name, than))

    def interval(self, values: np.ndarray) -> Interval:
        """The corrected interval of the mean of something that each fold has, shape (folds,)."""
        return score_interval(values, *sizes(self.outcome.done))

    @cached_property
    def gain(self) -> Interval:
        """How much better than the baseline, on test rows."""
        return self.interval(self.better_by("scores", "baseline"))

    @cached_property
    def gap(self) -> Interval:
        """How much better on the training rows than on test rows."""
        return self.interval(self.better_by("fitted_scores", "scores"))

    @cached_property
    def test_rows(self) -> Pooled | None:
        """What was predicted for each row that was left out, the first time it was."""
        return pooled(self.outcome.done, once=True)

    @cached_property
    def residuals(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Predictions and residuals (true - predicted) of test rows, each shape (m,).

        None where a mean is not what is predicted.
        """
        names = [metric.name for metric in self.outcome.judge.metrics()]
        test, y = self.test_rows, self.dataset.y
        if test is None or y is None or "rmse" not in names:
            return None
        predicted = test.predictions if test.predictions.ndim == 1 else test.predictions[:, 0]
        return predicted, y[test.rows] - predicted

    @cached_property
    def leaks(self) -> tuple[Leak, ...]:
        """The columns of which each alone tells the target, where the score is that good."""
        dataset, (name, least) = self.dataset, SUSPICIOUS.get(self.task, ("", 0.0))
        names = [column.name for column in dataset.columns][:MOST_COLUMNS]
        if not name or dataset.target is None or dataset.truth is not None or len(names) < 2:
            return ()  # drawn by a recipe, or without its only column nothing is left
        if not self.outcome.mean(name) >= least:
            return ()
        find = class_leaks if self.task == "classification" else number_leaks
        return tuple(find(dataset.table, names, dataset.table.column(dataset.target)))

    def without(self, variables: list[str]) -> Run:
        """The run that does not learn from these columns of the table."""
        roles = dict(self.run.data.roles) | dict.fromkeys(variables, "ignore")
        return replace(self.run, data=replace(self.run.data, roles=tuple(roles.items())))

    def with_method(self, **values: Any) -> Run:
        """The run with other settings of its method."""
        return replace(self.run, method=replace(self.run.method, **values))


def small(p: float) -> str:
    """The p-value of a test in a sentence, where only its size matters."""
    return "p < 0.001" if p < 0.001 else p_value(p)
