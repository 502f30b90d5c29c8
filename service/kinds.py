"""What can be taken away from a run of each kind, one record a kind of `mlcore.runs.kinds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from figures.options import Look
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.runs.carry import Outcome
from mlcore.runs.carry_explanation import ExplanationOutcome
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.counting.counted import Counted
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.redrawing.redrawn import Redrawn
from mlcore.runs.run import AnyRun, Run
from mlcore.runs.tuning.tuned import Tuned
from service import (
    files,
    report,
    report_comparison,
    report_count,
    report_explanation,
    report_maps,
    report_trial,
    tables,
)
from service.files import File

Files = list[File]


def _nothing(*_: Any) -> Files:
    return []


@dataclass(frozen=True, kw_only=True)
class TakenAway:
    """The files of one kind of run, beside those that repeat it, which every kind has."""

    name: str  # of the kind
    stem: Callable[[Any], str]  # how the names of the files of a run begin
    tables: Callable[[Any, Any, str], Files] = _nothing  # of outcome, dataset, stem
    kept: Callable[[Any, Any, str, str, Look], Files] = _nothing  # with link and look: reports
    runs: Callable[[Any], dict[str, Run]] | None = None  # those that a peer can repeat


def files_of(
    run: AnyRun,
    outcome: Any = None,
    dataset: Dataset | None = None,
    link: str = "",
    uploads: Mapping[str, Table] | None = None,
    look: Look = report.NO_LOOK,
) -> Files:
    """Everything that leaves the browser of a run of any kind; without outcome what repeats it.

    `dataset` is the first data of a run that names data, `link` leads back to the run, `held` has
    the tables of this session by digest, `look` says how the pictures of a report are looked at.
    """
    kind = KINDS[run.card.name]
    name = kind.stem(run)
    again = files.again(run, name, uploads)
    if outcome is None:
        return again
    kept = kind.kept(outcome, dataset, name, link, look)
    own = kind.tables(outcome, dataset, name)
    zipped = [files.together(outcome, own, name)] if own else []
    offered = [*own, *zipped, *kept, *again]
    if kind.runs is not None and dataset is not None:
        offered.append(files.peer(run, kind.runs(outcome), dataset, name))
    return offered


_OF_ROWS: tuple[tuple[str, str, Callable[..., bool], Callable[..., pd.DataFrame]], ...] = (
    ("Predictions on test rows", "predictions", tables.predicts, tables.predictions),
    ("Rows in new coordinates", "transformed", tables.has_coordinates, tables.transformed),
    ("Groups of the rows", "groups", tables.has_groups, tables.groups),
    ("Scores of the rows", "usualness", tables.has_verdicts, tables.judged),
    ("Prepared rows", "prepared", lambda _: True, tables.prepared),
)


def _run_tables(outcome: Outcome, dataset: Dataset, name: str) -> Files:
    offered = [files.table("Scores of each fold", f"{name}-scores", tables.scores, outcome)]
    for label, ending, is_there, make in _OF_ROWS:
        if is_there(outcome):
            offered.append(files.table(label, f"{name}-{ending}", make, outcome, dataset))
    if tables.chooses(outcome):
        offered.append(files.table("Chosen variables", f"{name}-variables", tables.chosen, outcome))
    return offered


def _run_kept(outcome: Outcome, dataset: Dataset, name: str, link: str, look: Look) -> Files:
    page = files.report(name, report.of_run, outcome, dataset, link, look)
    return [page, files.model(outcome, dataset, name)]


def _comparison_tables(outcome: ComparisonOutcome, dataset: Dataset, name: str) -> Files:
    make = tables.compared_scores
    offered = [files.table("Scores of every method and fold", f"{name}-scores", make, outcome)]
    if any(e.outcome is not None and tables.predicts(e.outcome) for e in outcome.entrants):
        make, label = tables.compared_predictions, "Predictions of all methods"
        offered.append(files.table(label, f"{name}-predictions", make, outcome, dataset))
    return offered


def _comparison_kept(
    outcome: ComparisonOutcome, dataset: Dataset, name: str, link: str, look: Look
) -> Files:
    offered = [files.report(name, report_comparison.of_comparison, outcome, dataset, link)]
    if any(entrant.outcome for entrant in outcome.entrants):
        offered.append(files.models(outcome, dataset, name))
    return offered


def _compared_runs(outcome: ComparisonOutcome) -> dict[str, Run]:
    runs = outcome.run.runs()
    return {entrant.label: runs[entrant.which] for entrant in outcome.entrants if entrant.outcome}


def _tuning_tables(tuned: Tuned, dataset: Any, name: str) -> Files:
    return [
        files.table("Scores of each outer fold", f"{name}-scores", tables.tuned_scores, tuned),
        files.table("Every candidate", f"{name}-candidates", tables.candidates, tuned),
    ]


def _count_tables(counted: Counted, dataset: Any, name: str) -> Files:
    make = tables.criteria
    return [
        files.table("Every criterion and number of clusters", f"{name}-criteria", make, counted)
    ]


def _count_kept(counted: Counted, dataset: Any, name: str, link: str, look: Look) -> Files:
    return [files.report(name, report_count.of_count, counted, link)]


def _maps_tables(redrawn: Redrawn, dataset: Dataset, name: str) -> Files:
    return [
        files.table("How alike the maps are", f"{name}-maps", tables.maps, redrawn),
        files.table("How far each row moves", f"{name}-rows", tables.moved, redrawn, dataset),
    ]


def _maps_kept(redrawn: Redrawn, dataset: Dataset, name: str, link: str, look: Look) -> Files:
    return [files.report(name, report_maps.of_maps, redrawn, dataset, link, look)]


def _prediction_tables(outcome: Predicted, dataset: Any, name: str) -> Files:
    return [files.table("New rows with their predictions", name, tables.new_rows, outcome)]


def _prediction_kept(
    outcome: Predicted, dataset: Dataset, name: str, link: str, look: Look
) -> Files:
    return [] if outcome.trained is None else [files.model(outcome.trained, dataset, name)]


def _explanation_tables(outcome: ExplanationOutcome, dataset: Dataset, name: str) -> Files:
    question = outcome.run.question
    offered = []
    for picture in report_explanation.pictures_of(outcome):
        label = views()[picture].record.title
        make = tables.explained
        offered.append(files.table(label, f"{name}-{picture}", make, outcome, dataset, picture))
    if question.card.name == "effect" and outcome.joined is not None:
        make = tables.row_curves
        offered.append(files.table("Curves of the rows", f"{name}-curves", make, outcome, dataset))
    return offered


def _explanation_kept(
    outcome: ExplanationOutcome, dataset: Dataset, name: str, link: str, look: Look
) -> Files:
    make = report_explanation.of_explanation
    return [files.report(name, make, outcome, dataset, link, look)]


def _trial_tables(outcome: TrialOutcome, dataset: Any, name: str) -> Files:
    return [files.table("Scores of each replicate", f"{name}-scores", tables.replicates, outcome)]


def _trial_kept(outcome: TrialOutcome, dataset: Any, name: str, link: str, look: Look) -> Files:
    return [files.report(name, report_trial.of_trial, outcome, link)]


_ALL = (
    TakenAway(
        name="run",
        stem=lambda run: f"{run.method.card.name}-{run.short()}",
        tables=_run_tables,
        kept=_run_kept,
        runs=lambda outcome: {outcome.run.method.title(): outcome.run},
    ),
    TakenAway(
        name="comparison",
        stem=lambda run: f"comparison-{run.short()}",
        tables=_comparison_tables,
        kept=_comparison_kept,
        runs=_compared_runs,
    ),
    TakenAway(
        name="tuning",
        stem=lambda run: f"tuning-{run.method.card.name}-{run.short()}",
        tables=_tuning_tables,
    ),
    TakenAway(
        name="cluster_count",
        stem=lambda run: f"clusters-{run.method.card.name}-{run.short()}",
        tables=_count_tables,
        kept=_count_kept,
    ),
    TakenAway(
        name="map_stability",
        stem=lambda run: f"stability-{run.method.card.name}-{run.short()}",
        tables=_maps_tables,
        kept=_maps_kept,
    ),
    TakenAway(
        name="prediction",
        stem=lambda run: f"prediction-{run.method.card.name}-{run.short()}",
        tables=_prediction_tables,
        kept=_prediction_kept,
    ),
    TakenAway(
        name="explanation",
        stem=lambda run: f"{run.question.card.name}-{run.method.card.name}-{run.short()}",
        tables=_explanation_tables,
        kept=_explanation_kept,
    ),
    TakenAway(
        name="trial",
        stem=lambda run: f"trial-{run.short()}",
        tables=_trial_tables,
        kept=_trial_kept,
    ),
    TakenAway(name="lab", stem=lambda run: f"lab-{run.short()}"),
)
KINDS: dict[str, TakenAway] = {kind.name: kind for kind in _ALL}
