"""One judge: everything by which a fit is judged, in the order of its card, the headline first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import lookup


class Baseline(NamedTuple):
    """The simplest thing that could be done, and what is judged beside it."""

    method: Component
    judge: Judge


@dataclass(frozen=True)
class Judge:
    """Several scorings as one: their measures one after the other."""

    scorings: tuple[Scoring, ...]

    def metrics(self) -> tuple[Metric, ...]:
        """What is measured; tables sort by the first."""
        return tuple(metric for scoring in self.scorings for metric in scoring.metrics())

    def metric(self, name: str = "") -> Metric:
        """The measure of this name, or the first. Raises ParamError if there is none."""
        metrics = {metric.name: metric for metric in self.metrics()}
        if name and name not in metrics:
            raise ParamError(
                f"There is no measure {name!r} for this method; choose one of {', '.join(metrics)}."
            )
        return metrics[name or next(iter(metrics))]

    def by(self, metric: Metric) -> Judge:
        """Of the scorings only the one that has this measure: nothing else is computed."""
        return Judge((self._of(metric),))

    def baseline_name(self, metric: Metric) -> str:
        """What the baseline is called beside this measure."""
        return self._of(metric).baseline_name

    def baselines(self, method: Component) -> tuple[Baseline, ...]:
        """The baselines in place of a method, each once."""
        scorings_of: dict[Component, list[Scoring]] = {}
        for scoring in self.scorings:
            scorings_of.setdefault(scoring.baseline_of(method), []).append(scoring)
        return tuple(Baseline(base, Judge(tuple(own))) for base, own in scorings_of.items())

    @property
    def of_rows(self) -> Judge:
        """The scorings that judge by any rows given: on the fitted ones too, for comparison."""
        scorings = (s for s in self.scorings if all(m.rows == LEFT_OUT for m in s.metrics()))
        return Judge(tuple(scorings))

    @property
    def refits(self) -> int:
        """How often a method is fitted anew to be judged."""
        return sum(scoring.refits for scoring in self.scorings)

    def scored(self, case: Case) -> Scored:
        """Every measure of a fit; predictions are those of the first scoring that makes any."""
        results = [scoring.scored(case) for scoring in self.scorings]
        scores = {name: value for result in results for name, value in result.scores.items()}
        predicted = next(
            (result for result in results if result.predictions is not None), Scored({})
        )
        return predicted._replace(scores=scores)

    def score(self, case: Case, metric: Metric) -> float:
        """One measure of a fit; NaN where the rows leave it undefined."""
        return float(self.by(metric).scored(case).scores.get(metric.name, np.nan))

    def _of(self, metric: Metric) -> Scoring:
        return next(scoring for scoring in self.scorings if metric in scoring.metrics())


def judge_by(names: tuple[str, ...]) -> Judge:
    """The judge with the scorings of these names, entries of that slot."""
    # Entries of the slot are scorings.
    return Judge(tuple(lookup("scoring", name)() for name in names))
