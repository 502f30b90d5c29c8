"""A result as one file that anybody can open: live pictures, data, folds, seeds, versions, link."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from figures.options import Look, Options
from figures.standalone import Html, card, cell_text, document, table, tag
from figures.view import Entry, views, views_of_steps, views_on
from figures.views.preparation.selection_stability import pictures_of
from mlcore.data import bundled
from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import interval_of
from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.summary import rows_left_out
from mlcore.preparation.chain import named, trained
from mlcore.preparation.order import unit_remark
from mlcore.runs.carry import Outcome
from mlcore.runs.findings import findings
from mlcore.runs.labels import value_in_words
from mlcore.runs.run import AnyRun, Pipeline
from mlcore.runs.script import script
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.param_kinds import Param
from mlcore.spine.params import counting, params_of

MOST_FOLDS = 200  # in the table of folds; the file of scores has all of them
NO_LOOK = Look()
FIRST_LEVELS = 6  # of a column of names; the others are counted


def of_run(outcome: Outcome, dataset: Dataset, link: str = "", look: Look = NO_LOOK) -> str:
    """The report of a run, as HTML; `link` leads back to it, `look` says how it is looked at."""
    run = outcome.run
    title = f"{run.method.title()} on {dataset.name}"
    return document(
        title,
        *heading(title, run, link),
        _score(outcome),
        picture(views()["fold_dots"], outcome=outcome),
        tag("h2", "Scores"),
        *_scores(outcome),
        *_findings(outcome, dataset),
        tag("h2", "Pictures"),
        *_pictures(outcome, dataset, look),
        *data_card(dataset, run),
        *_preparation(outcome, dataset, look),
        *fold_table(outcome, dataset),
        tag("h2", "Method"),
        *method_card(run.method),
        *repeating(run, outcome.versions),
        mark=run.digest(),
    )


def heading(title: str, run: AnyRun, link: str) -> list[Html]:
    """What it is, where it is from, and the way back."""
    kind = f"{run.title()} {run.short()}, seed {getattr(run, 'seed', 0)}."
    back = tag("a", "Open it in MLScope", href=link) if link.startswith("http") else ""
    return [tag("h1", title), tag("p", kind, " ", back, class_="quiet")]


def _score(outcome: Outcome) -> Html:
    """The first score with its standard deviation, interval, number of folds, and the baseline."""
    metric = outcome.judge.metric()
    spread, interval = outcome.spread(metric.name), interval_of(outcome, metric)
    likely = f"Likely {cell_text(interval.low, spread)} to {cell_text(interval.high, spread)}. "
    folds, left = len(outcome.done), rows_left_out(outcome.done)
    rows = f", n = {left.rows:,}{left.again}" if metric.rows == LEFT_OUT else ""
    stopped = f" of {outcome.planned}" if folds < outcome.planned else ""
    return tag(
        "div",
        tag("p", f"{metric.heading}"),
        tag("p", tag("b", cell_text(outcome.mean(metric.name), spread)),
            f"\u00b1 {cell_text(spread)}, mean \u00b1 sd over {folds}{stopped} folds{rows}; "
            f"{outcome.judge.baseline_name(metric)} "
            f"{cell_text(outcome.mean(metric.name, 'baseline'), spread)}"),
        tag("p", likely if interval.is_known else "", interval.sentence, class_="quiet"),
        tag("p", trained(outcome.whole.prepared.summary()), class_="quiet"),
        tag("p", unit_remark(outcome.run.method, outcome.whole.prepared), class_="quiet"),
        class_="score",
    )  # fmt: skip


def _scores(outcome: Outcome) -> list[Html]:
    """Every measure on the rows that it names, on the fitted rows, and of the baseline."""
    metrics: tuple[Metric, ...] = outcome.judge.metrics()
    intervals = [interval_of(outcome, metric) for metric in metrics]
    columns = {
        "measure": [metric.title for metric in metrics],
        "mean": [outcome.mean(metric.name) for metric in metrics],
        "sd": [outcome.spread(metric.name) for metric in metrics],
        "likely from": [interval.low for interval in intervals],
        "to": [interval.high for interval in intervals],
        "baseline": [outcome.mean(metric.name, "baseline") for metric in metrics],
        "on the training rows": [outcome.mean(metric.name, "fitted_scores") for metric in metrics],
        "what it says": [f"{metric.note} Better is {metric.better}." for metric in metrics],
    }
    return [table(columns)]


def _findings(outcome: Outcome, dataset: Dataset) -> list[Html]:
    """What is worth a look in these numbers, with its source; nothing where nothing is."""
    lines = [
        tag("p", tag("b", f"{finding.title}."), f" {finding.sentence} ",
            tag("span", f"({finding.source})", class_="quiet"))
        for finding in findings(outcome, dataset)
    ]  # fmt: skip
    return [tag("h2", "Worth a look"), *lines] if lines else []


def _pictures(outcome: Outcome, dataset: Dataset, look: Look) -> list[Html]:
    """The pictures that the fit allows, as they are looked at."""
    whole, entries = outcome.whole, views()
    offered = {"dataset": dataset, "outcome": outcome, "whole": whole, "fit": whole.fit}
    offered["axes"] = look.axes
    return [
        picture(entries[name], look.options.get(name), **offered)
        for name in views_on(*outcome.run.method.card.slots, also="report")
        if entries[name].allowed_by(whole.fit) and entries[name].has_axes_in(dataset)
    ]


def picture(entry: Entry, options: Options | None = None, **offered: Any) -> Html:
    """One picture, or the sentence why there is none."""
    try:
        return card(entry.drawn(offered, options))
    except MlcoreError as error:
        return tag("figure", tag("h3", entry.record.title), tag("p", str(error)))


def data_card(dataset: Dataset, run: AnyRun) -> list[Html]:
    """The data card: where it is from, how much of it is used, what each column holds."""
    dropped = f", {dataset.n_dropped:,} not used" if dataset.n_dropped else ""
    size = f"{dataset.n:,} rows used{dropped}; {len(dataset.columns)} columns to learn from"
    named = " and ".join(dataset.target_names) or dataset.target
    target = f"; the target{'s are' if dataset.target_names else ' is'} {named}" if named else ""
    table_columns = [dataset.table.column(name) for name in dataset.table.names]
    columns = {
        "column": [column.name for column in table_columns],
        "kind": [column.kind for column in table_columns],
        "role": [dict(dataset.roles)[column.name] for column in table_columns],
        "missing": [column.missing for column in table_columns],
        "holds": [_holds(column) for column in table_columns],
    }
    parts = [tag("h2", "Data"), *_origin(run), tag("p", f"{size}{target}.")]
    parts += [tag("p", note, class_="quiet") for note in dataset.notes]
    parts.append(table(columns))
    if dataset.task == "classification":
        parts.append(picture(views()["class_balance"], dataset=dataset))
    digest = f"SHA-256 of the table: {dataset.table.digest()}"
    return [*parts, tag("p", digest, class_="quiet long")]


def _origin(run: Any) -> list[Html]:
    """Source and licence of a set that comes with MLScope."""
    source = run.data.source
    if source.card.name != "bundled":
        return [tag("p", f"{source.title()}.", class_="quiet")]
    entry = bundled.entry(source.name)
    return [tag("p", f"{entry.title}. {entry.source}. Licence: {entry.licence}.", class_="quiet")]


def _holds(column: Any) -> str:
    """The range of a column of numbers, the levels of a column of names."""
    if column.kind == "text":
        return f"{len(column.levels):,} different texts"
    if column.is_coded:
        more = len(column.levels) - FIRST_LEVELS
        shown = ", ".join(column.levels[:FIRST_LEVELS])
        return f"{shown} and {more} more" if more > 0 else shown
    known = [row for row, value in enumerate(column.values) if value == value]  # not NaN
    if not known:
        return "nothing"
    low, high = (f(known, key=lambda row: column.values[row]) for f in (min, max))
    return f"{column.cell(low)} to {column.cell(high)}"


def _preparation(outcome: Outcome, dataset: Dataset, look: Look) -> list[Html]:
    """The steps with what all rows taught them, and what each fold fitted."""
    steps = zip(outcome.run.preparation, outcome.whole.prepared.summary(), strict=True)
    parts: list[Html] = [tag("h2", "Preparation")]
    if not outcome.run.preparation:
        parts.append(tag("p", "None: the method gets the columns as they are."))
    for step, summary in steps:
        settings = ", ".join(f"{name} {value}" for name, value in _settings(step))
        parts.append(tag("h3", step.title(), tag("small", settings)))
        parts.append(tag("p", summary.note))
        if summary.values:
            names, what, values = zip(*summary.values, strict=True)
            names_text = [named(name, dataset.classes) for name in names]
            learned = {"column": names_text, "what": list(what), "value": list(values)}
            head = tag("summary", "What all rows taught")
            parts.append(tag("details", head, table(learned)))
    prepared = outcome.whole.prepared
    more = (
        *views_on("preparation", also="report"),
        *views_of_steps(prepared),
        *pictures_of(outcome),
    )
    given = {"outcome": outcome, "dataset": dataset, "prepared": prepared, "axes": look.axes}
    return [*parts, *(picture(views()[name], look.options.get(name), **given) for name in more)]


def fold_table(outcome: Outcome, dataset: Dataset) -> list[Html]:
    """How rows are left out, and the scores of every fold."""
    y = dataset.y if dataset.task == "classification" else None
    splitter = outcome.run.evaluation
    manner = splitter.describe(y, dataset.together, dataset.unit)
    notes = splitter.remarks(y, dataset.together, dataset.classes, dataset.unit)
    folds = outcome.folds[:MOST_FOLDS]
    columns: dict[str, list[Any]] = {
        "fold": [fold.k + 1 for fold in folds],
        "test rows": [len(fold.test) for fold in folds],
    }
    for metric in outcome.judge.metrics():
        columns[metric.title] = [fold.scores.get(metric.name) for fold in folds]
    columns["seconds"] = [fold.seconds for fold in folds]
    if any(fold.failure for fold in folds):
        columns["failure"] = [fold.failure for fold in folds]
    if len(folds) < len(outcome.folds):
        notes = (*notes, f"The first {len(folds)} of {len(outcome.folds)} folds.")
    return [
        tag("h2", "Folds"),
        tag("p", f"{manner[:1].upper()}{manner[1:]}."),
        *(tag("p", note, class_="quiet") for note in notes),
        table(columns),
    ]


def method_card(method: Component, label: str = "") -> list[Html]:
    """What a method is, its settings, and who wrote it."""
    inner = method.method if isinstance(method, Pipeline) else method
    about = (inspect.cleandoc(type(inner).__doc__ or "")).partition("\n\n")[0]
    params = params_of(type(inner))
    columns = {
        "setting": [params[name].label or name.replace("_", " ") for name, _ in _settings(inner)],
        "value": [value for _, value in _settings(inner)],
        "meaning": [params[name].doc for name, _ in _settings(inner)],
    }
    own = [steps_list(method.preparation)] if isinstance(method, Pipeline) else []
    reference = tag("p", f"Reference: {inner.card.paper}.") if inner.card.paper else Html("")
    return [tag("h3", label or inner.title()), tag("p", about), *own, table(columns), reference]


def steps_list(preparation: Iterable[Component]) -> Html:
    """The steps of a preparation with their settings, in a line."""
    steps = "; then ".join(_whole(step) for step in preparation)
    return tag("p", f"Prepared by: {steps or 'nothing'}.")


def _settings(it: Component) -> list[tuple[str, str]]:
    """Every setting that counts with its value in words; a part with its own in brackets."""
    return [(name, _worded(param, getattr(it, name))) for name, param in counting(it).items()]


def _worded(param: Param, value: Any) -> str:
    if isinstance(value, Component):
        return _whole(value)
    if isinstance(value, tuple):
        return ", ".join(_worded(param, item) for item in value)
    return value_in_words(param, value)


def _whole(it: Component) -> str:
    """A component with all its settings in brackets."""
    inner = ", ".join(f"{name} {text}" for name, text in _settings(it))
    return f"{it.title()} ({inner})" if inner else it.title()


def repeating(run: AnyRun, versions: Iterable[tuple[str, str]]) -> list[Html]:
    """What repeats it: digest, seed, versions, program."""
    columns = {"name": ["run", "seed"], "value": [run.digest(), str(getattr(run, "seed", 0))]}
    for name, version in versions:
        columns["name"].append(name)
        columns["value"].append(version)
    return [
        tag("h2", "To repeat it"),
        table(columns),
        tag("p", "This program gives the same numbers to the last bit with the same versions and "
            "number of threads. It needs the mlcore package."),
        tag("pre", script(run)),
    ]  # fmt: skip
