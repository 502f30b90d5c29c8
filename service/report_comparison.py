"""The report of a comparison: verdict, every fold, differences, and what its methods share."""

from __future__ import annotations

from typing import Any

from figures.standalone import Html, cell_text, document, table, tag
from figures.view import views
from figures.views.comparison.agreement_matrix import clusterings
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.carry import Outcome
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import compare_methods
from service.report import (
    data_card,
    fold_table,
    heading,
    method_card,
    picture,
    repeating,
    steps_list,
)


def of_comparison(outcome: ComparisonOutcome, dataset: Dataset, link: str = "") -> str:
    """The report of a comparison, as HTML; `dataset` is its first."""
    run = outcome.run
    title = f"{len(run.methods)} methods on {', '.join(outcome.names)}"
    first = next((e.outcome for e in outcome.entrants if e.outcome is not None), None)
    return document(
        title,
        *heading(title, run, link),
        *_verdict(outcome),
        tag("h2", "Scores"),
        *_table_of_methods(outcome),
        *_agreement(outcome, dataset),
        *data_card(dataset, run),
        *(fold_table(first, dataset) if first is not None else ()),
        tag("h2", "Methods"),
        steps_list(run.preparation),
        *(part for e in outcome.entrants for part in method_card(e.method, e.label)),
        *repeating(run, outcome.versions),
        mark=run.digest(),
    )


def _verdict(outcome: ComparisonOutcome) -> list[Html]:
    """The finding in words and as intervals."""
    if not outcome.scored:
        return [tag("p", "No method has a score.", class_="verdict")]
    pairs = compare_methods(outcome, against="best")
    beside = filter(None, [pairs.beside_nothing])
    sentences = (tag("li", pair.verdict.sentence) for pair in (*pairs.pairs, *beside))
    dots = picture(views()["method_dots"], comparison=outcome)
    return [
        tag("p", pairs.headline, class_="verdict"),
        dots,
        picture(views()["difference_forest"], pairs=pairs),
        tag("details", tag("summary", "Every verdict in a sentence"), tag("ul", *sentences)),
    ]


def _table_of_methods(outcome: ComparisonOutcome) -> list[Html]:
    """A line a method and data set: mean ± sd of every measure, or the reason of none."""
    if outcome.judge is None:
        return []
    lines = [
        (name, entrant)
        for name, entrants in zip(outcome.names, outcome.sets, strict=True)
        for entrant in entrants
    ]
    columns: dict[str, list[Any]] = {"method": [entrant.label for _, entrant in lines]}
    if len(outcome.sets) > 1:
        columns["data set"] = [name for name, _ in lines]
    for metric in outcome.judge.metrics():
        columns[metric.title] = [_mean(entrant.outcome, metric) for _, entrant in lines]
    columns["folds"] = [len(e.outcome.done) if e.outcome else 0 for _, e in lines]
    columns["remark"] = [entrant.failure for _, entrant in lines]
    return [table(columns)]


def _agreement(outcome: ComparisonOutcome, dataset: Dataset) -> list[Html]:
    """How far the clusterings agree, where there are any."""
    if not clusterings(outcome):
        return []
    return [picture(views()["agreement_matrix"], dataset=dataset, comparison=outcome)]


def _mean(outcome: Outcome | None, metric: Metric) -> str:
    if outcome is None:
        return ""
    spread = outcome.spread(metric.name)
    return f"{cell_text(outcome.mean(metric.name), spread)} \u00b1 {cell_text(spread)}"
