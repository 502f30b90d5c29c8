"""The kinds of run: what there is to know of each beside its settings, one record a kind.

Whoever meets a run of any kind asks its record (`kind_of`), never its class, so a new kind is a
class in `ENTRIES`, a module that carries it out, and a record here. `service.kinds` and
`ui.runs.kinds` hold what their layers know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.data import bundled
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.data.upload import uploaded
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs import (
    carry,
    carry_comparison,
    carry_count,
    carry_explanation,
    carry_lab,
    carry_prediction,
    carry_redrawing,
    carry_trial,
    carry_tuning,
    cost,
    fingerprint,
)
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.parts import numbers_of, planned
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.fingerprint import Fingerprint
from mlcore.runs.labels import described
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.redrawing import redrawn
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import AnyRun, Comparison, LabRun, Run, Trial
from mlcore.runs.tuning.cost import estimate as estimate_tuning
from mlcore.runs.tuning.tuned import Tuned
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import ParamError
from mlcore.spine.wording import count

FEW_REPLICATES, LEAST_BUDGET = 3, 20  # of a smaller trial
Uploads = Mapping[str, Table] | None  # uploaded tables, by digest
Scores = list[tuple[str, Metric, np.ndarray]]


class Cost(NamedTuple):
    """What carrying out a run will take."""

    seconds: float
    size: float  # bytes
    consists_of: str  # of what it consists
    kept: float = 0.0  # bytes of its outcome, as far as they grow with its parts


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of run. `datasets` are those of the data that a run names, as far as usable."""

    name: str  # in the registry
    carry_out: Callable[..., Any]  # (run, uploads): yields parts as they end, returns the outcome
    carried_out: Callable[[Any, Uploads], Any]  # the outcome at once
    so_far: Callable[[Any, Sequence[Any], Uploads], Any]  # of a run and its events; None before any
    report: Callable[[Any], str]  # an outcome in full precision
    fingerprint: Callable[[Any], Fingerprint]  # an outcome as numbers that can be compared
    scores: Callable[[Any], Scores]  # (method, measure, values) of an outcome; one method is ""
    cost: Callable[[Any, Sequence[Dataset]], Cost]  # DataError where folds do not fit the rows
    smaller: Callable[[Any], Any | None]  # the same with a design that costs less, if there is one
    why_not: Callable[[Any, Sequence[Dataset]], str | None]  # it cannot be carried out, a sentence
    data: Callable[[Any], tuple[Any, ...]]  # the data that a run names; the first must be usable
    about: Callable[[Any], Hashable]  # pictures of runs about the same may stand for each other
    on: Callable[[Any], str]  # what it is carried out on, for people
    title: Callable[[Any], str]  # what is fitted or tried, in a few words
    line: Callable[[Any], str]  # the same with the settings that are not their defaults
    has_something: Callable[[Any], bool] = lambda outcome: True  # an outcome so far, to show
    unit: str = ""  # in which progress is counted
    in_parts: bool = True  # they may be shared out, and it can go on where it was stopped
    filled: tuple[str, ...] = ()  # settings that a page fills in where a link is silent on them

    @property
    def module(self) -> str:
        """Where a program finds `carried_out` and `report`."""
        return self.carried_out.__module__


def kind_of(run: AnyRun) -> Kind:
    """What there is to know of the kind of a run. Raises ParamError if it is of no kind."""
    name = run.card.name
    if name not in KINDS:
        raise ParamError(f"{run.title()} is no kind of run; there are {', '.join(KINDS)}.")
    return KINDS[name]


def _data(run: Any) -> tuple[Any, ...]:
    return (run.data,)


def _about_data(run: Any) -> Hashable:
    return run.data


def _on_data(run: Any) -> str:
    """The name of its table, if it has one."""
    source = run.data.source
    name = source.card.name
    if name == "bundled":
        return bundled.entry(source.name).title
    return source.name if uploaded(source) else source.title()


def _fewer_folds(run: Any) -> Any | None:
    """The same run, comparison or tuning with fewer folds."""
    evaluation = run.evaluation.smaller()
    return None if evaluation is None else replace(run, evaluation=evaluation)


def _shorter_trial(run: Trial) -> Trial | None:
    """Fewer replicates; where there are few, fewer steps."""
    if run.replicates > FEW_REPLICATES:
        return replace(run, replicates=max(FEW_REPLICATES, run.replicates // 4))
    return replace(run, budget=run.budget // 4) if run.budget >= 4 * LEAST_BUDGET else None


def _run_cost(run: Run, datasets: Sequence[Dataset]) -> Cost:
    dataset = datasets[0]
    took, size = cost.estimate(run, dataset)
    fits = count(len(carry.splits_of(run, dataset)) + 1, "fit")
    contents = ", each after ".join([fits, *cost.announced(run.preparation, dataset)])
    return Cost(took, size, contents, cost.kept(run, dataset))


def _run_scores(outcome: carry.Outcome) -> Scores:
    return [("", metric, outcome.values(metric.name)) for metric in outcome.judge.metrics()]


def _comparison_cost(run: Comparison, datasets: Sequence[Dataset]) -> Cost:
    took, size = carry_comparison.estimate(run, datasets[0], datasets[1:])
    fits = carry_comparison.planned(run, datasets[0], datasets[1:])
    kept = carry_comparison.kept(run, datasets[0], datasets[1:])
    return Cost(took, size, count(fits, "fit"), kept)


def _comparison_scores(outcome: carry_comparison.ComparisonOutcome) -> Scores:
    return [
        (entrant.label, metric, values)
        for entrant in outcome.scored
        if entrant.outcome is not None
        for _, metric, values in _run_scores(entrant.outcome)
    ]


def _trial_cost(run: Trial, datasets: Sequence[Dataset]) -> Cost:
    took, size = carry_trial.estimate(run)
    return Cost(took, size, count(carry_trial.planned(run), "attempt"), carry_trial.kept(run))


def _trial_title(run: Trial) -> str:
    return ", ".join(dict.fromkeys(method.label for method in run.methods))


def _lab_cost(run: LabRun, datasets: Sequence[Dataset]) -> Cost:
    return Cost(*carry_lab.estimate(run), "One lab")


def _tuning_cost(run: Tuning, datasets: Sequence[Dataset]) -> Cost:
    preview = estimate_tuning(run, datasets[0])
    return Cost(preview.seconds, preview.size, preview.over(), preview.kept)


def _explanation_cost(run: Explanation, datasets: Sequence[Dataset]) -> Cost:
    took, size = carry_explanation.estimate(run, datasets[0])
    contents = carry_explanation.consists_of(run, datasets[0])
    return Cost(took, size, contents, carry_explanation.kept(run, datasets[0]))


def _tuning_scores(outcome: Tuned) -> Scores:
    return [("", outcome.metric, outcome.outer)]


def _count_cost(run: ClusterCount, datasets: Sequence[Dataset]) -> Cost:
    took, size = carry_count.estimate(run, datasets[0])
    draws = f"{count(len(planned(run)), 'draw')} of rows, each with 1 to {numbers_of(run)[-1]}"
    return Cost(took, size, f"{draws} clusters", carry_count.kept(run, datasets[0]))


def _stability_cost(run: MapStability, datasets: Sequence[Dataset]) -> Cost:
    took, size = carry_redrawing.estimate(run, datasets[0])
    kept = carry_redrawing.kept(run, datasets[0])
    return Cost(took, size, f"{count(run.refits + 1, 'map')}", kept)


def _stability_scores(outcome: redrawn.Redrawn) -> Scores:
    return [("", redrawn.RESIDUAL, outcome.residuals), ("", redrawn.STAYING, outcome.staying)]


def _prediction_cost(run: Prediction, datasets: Sequence[Dataset]) -> Cost:
    return _run_cost(run.run(), datasets)


def _prediction_title(run: Prediction) -> str:
    return f"{run.method.title()}, prediction"


_ALL = (
    Kind(
        name="run",
        carry_out=carry.carry_out,
        carried_out=carry.carried_out,
        so_far=carry.so_far,
        report=carry.report,
        fingerprint=fingerprint.of_run,
        scores=_run_scores,
        cost=_run_cost,
        smaller=_fewer_folds,
        why_not=lambda run, datasets: carry.does_not_apply(run, datasets[0]),
        data=_data,
        about=_about_data,
        on=_on_data,
        title=lambda run: run.method.title(),
        line=lambda run: described(run.method),
        unit="folds",
        filled=("method",),
    ),
    Kind(
        name="comparison",
        carry_out=carry_comparison.carry_out,
        carried_out=carry_comparison.carried_out,
        so_far=carry_comparison.so_far,
        report=carry_comparison.report,
        fingerprint=fingerprint.of_comparison,
        scores=_comparison_scores,
        cost=_comparison_cost,
        smaller=_fewer_folds,
        why_not=lambda run, datasets: carry_comparison.does_not_apply(run, datasets[0]),
        data=lambda run: (run.data, *run.more),
        about=_about_data,
        on=_on_data,
        title=lambda run: count(len(run.methods), "method"),
        line=lambda run: ", ".join(carry_comparison.labels(run)),
        has_something=lambda outcome: bool(outcome.scored),
        unit="fits",
        filled=("methods",),
    ),
    Kind(
        name="tuning",
        carry_out=carry_tuning.carry_out,
        carried_out=carry_tuning.carried_out,
        so_far=carry_tuning.so_far,
        report=carry_tuning.report,
        fingerprint=fingerprint.of_tuning,
        scores=_tuning_scores,
        cost=_tuning_cost,
        smaller=_fewer_folds,
        why_not=lambda run, datasets: carry_tuning.does_not_apply(run, datasets[0]),
        data=_data,
        about=_about_data,
        on=_on_data,
        title=lambda run: f"{run.method.title()}, tuning",
        line=lambda run: f"{described(run.method)}, tuning",
        unit="candidates",
    ),
    Kind(
        name="cluster_count",
        carry_out=carry_count.carry_out,
        carried_out=carry_count.carried_out,
        so_far=carry_count.so_far,
        report=carry_count.report,
        fingerprint=fingerprint.of_count,
        scores=lambda outcome: [],  # numbers of clusters compete, not scores
        cost=_count_cost,
        smaller=carry_count.smaller,
        why_not=lambda run, datasets: carry_count.does_not_apply(run, datasets[0]),
        data=_data,
        about=lambda run: (run.data, run.method.card.name),
        on=_on_data,
        title=lambda run: f"{run.method.title()}, number of clusters",
        line=lambda run: f"{described(run.method)}, 1 to {run.highest} clusters",
        unit="parts",
    ),
    Kind(
        name="map_stability",
        carry_out=carry_redrawing.carry_out,
        carried_out=carry_redrawing.carried_out,
        so_far=carry_redrawing.so_far,
        report=carry_redrawing.report,
        fingerprint=fingerprint.of_maps,
        scores=_stability_scores,
        cost=_stability_cost,
        smaller=carry_redrawing.smaller,
        why_not=lambda run, datasets: carry_redrawing.does_not_apply(run, datasets[0]),
        data=_data,
        about=lambda run: (run.data, run.method.card.name),
        on=_on_data,
        title=lambda run: f"{run.method.title()}, stability",
        line=lambda run: f"{described(run.method)}, {count(run.refits, 'map')} from {run.again}",
        has_something=lambda outcome: bool(outcome.again),
        unit="maps",
    ),
    Kind(
        name="prediction",
        carry_out=carry_prediction.carry_out,
        carried_out=carry_prediction.carried_out,
        so_far=carry_prediction.so_far,
        report=carry_prediction.report,
        fingerprint=fingerprint.of_prediction,
        scores=lambda outcome: _run_scores(outcome.trained),
        cost=_prediction_cost,
        smaller=_fewer_folds,
        why_not=lambda run, datasets: carry_prediction.does_not_apply(run, datasets[0]),
        data=_data,
        about=lambda run: (run.data, run.new),  # rows of another table are other rows
        on=_on_data,
        title=_prediction_title,
        line=lambda run: f"{described(run.method)}, prediction",
        unit="folds",
    ),
    Kind(
        name="explanation",
        carry_out=carry_explanation.carry_out,
        carried_out=carry_explanation.carried_out,
        so_far=carry_explanation.so_far,
        report=carry_explanation.report,
        fingerprint=carry_explanation.fingerprint,
        scores=lambda outcome: [],
        cost=_explanation_cost,
        smaller=_fewer_folds,
        why_not=lambda run, datasets: carry_explanation.does_not_apply(run, datasets[0]),
        data=_data,
        about=lambda run: (run.run(), type(run.question)),
        on=_on_data,
        title=lambda run: f"{run.method.title()}, {run.question.about()}",
        line=lambda run: f"{described(run.method)}, {run.question.about()}",
        has_something=lambda outcome: outcome.joined is not None,
        unit="models",
    ),
    Kind(
        name="trial",
        carry_out=carry_trial.carry_out,
        carried_out=carry_trial.carried_out,
        so_far=carry_trial.so_far,
        report=carry_trial.report,
        fingerprint=fingerprint.of_trial,
        scores=lambda outcome: [(r.label, outcome.metric, r.scores) for r in outcome.results],
        cost=_trial_cost,
        smaller=_shorter_trial,
        why_not=lambda run, datasets: carry_trial.does_not_apply(run),
        data=lambda run: (),
        about=lambda run: type(run.problem),  # an outcome brings its world
        on=lambda run: run.problem.title(),
        title=_trial_title,
        line=lambda run: ", ".join(carry_trial.labels(run.methods)),
        has_something=lambda outcome: any(len(row.scores) for row in outcome.results),
        unit="attempts",
    ),
    Kind(
        name="lab",
        carry_out=carry_lab.carried_out,  # one call
        carried_out=carry_lab.carried_out,
        so_far=carry_lab.so_far,
        report=carry_lab.report,
        fingerprint=fingerprint.of_lab,
        scores=lambda outcome: [],
        cost=_lab_cost,
        smaller=lambda run: None,
        why_not=lambda run, datasets: None,
        data=lambda run: (),
        about=lambda run: type(run.lab),
        on=lambda run: run.lab.title(),
        title=lambda run: run.lab.title(),
        line=lambda run: described(run.lab),
        in_parts=False,
    ),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
