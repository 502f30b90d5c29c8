"""Results as tables that leave the browser: what is in them, and their CSV."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.data.table import ColumnData
from mlcore.data.writing import csv_text
from mlcore.evaluation.metrics.metric import LEFT_OUT
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import KEPT
from mlcore.runs.carry import FoldResult, Outcome
from mlcore.runs.carry_explanation import ExplanationOutcome
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.counting.counted import Counted
from mlcore.runs.labels import group_names, groups_or_verdicts
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.redrawing.redrawn import RESIDUAL, STAYING, Redrawn
from mlcore.runs.saved import threshold_name
from mlcore.runs.tuning.tuned import ALL_ROWS, Tuned, settings
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels, JudgesRows, Transforms
from mlcore.spine.novelty import verdicts

WHOLE = 2**53  # from here on not every whole number is one of a column


def csv(frame: pd.DataFrame) -> str:
    """The table as CSV."""
    return csv_text({name: frame[name].to_numpy() for name in frame.columns})


def scores(outcome: Outcome) -> pd.DataFrame:
    """A line a fold: every score, of those on test rows that on training rows, and baselines."""
    lines = []
    for fold in outcome.folds:
        line: dict[str, Any] = {"fold": fold.k + 1, "rows": len(fold.test)}
        for metric in outcome.judge.metrics():
            line[metric.name] = fold.scores.get(metric.name)
            if metric.rows == LEFT_OUT:
                line[f"{metric.name} on the training rows"] = fold.fitted_scores.get(metric.name)
            line[f"{metric.name} of the baseline"] = fold.baseline.get(metric.name)
        lines.append(line | {"seconds": fold.seconds, "failure": fold.failure})
    return pd.DataFrame(lines)


def predicts(outcome: Outcome) -> bool:
    """Whether some fold predicted the rows that it left out."""
    return any(fold.predictions is not None for fold in outcome.done)


def predictions(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """A line a prediction on a row left out, with the truth and the probabilities."""
    done = [fold for fold in outcome.done if fold.predictions is not None]
    return pd.concat([_predicted(fold, dataset, outcome) for fold in done]).sort_values(
        ["row", "fold"]
    )


def _predicted(fold: FoldResult, dataset: Dataset, outcome: Outcome) -> pd.DataFrame:
    columns: dict[str, Any] = {"row": dataset.rows[fold.test] + 1, "fold": fold.k + 1}
    predicted = fold.predictions
    assert predicted is not None  # of others there is no table
    answers = dataset.answers()
    learned = list(answers) if predicted.ndim == 2 else list(answers)[:1]
    columns |= {f"true {name}": answers[name][fold.test] for name in learned}
    if predicted.ndim == 2:
        columns |= {f"predicted {name}": predicted[:, k] for k, name in enumerate(learned)}
    else:
        columns["predicted"] = _in_words(predicted, dataset, outcome)
    if fold.probabilities is not None:
        for k, name in enumerate(dataset.classes):
            columns[f"probability of {name}"] = fold.probabilities[:, k]
    return pd.DataFrame(columns)


def _in_words(predicted: np.ndarray, dataset: Dataset, outcome: Outcome) -> np.ndarray:
    """Predictions as people read them: classes, quantities, groups or verdicts, (m,)."""
    task = outcome.run.method.card.task
    if task == "classification":
        return _named(predicted, dataset)
    return np.asarray(predicted) if task else groups_or_verdicts(outcome.whole.fit, predicted)[1]


def _named(codes: np.ndarray, dataset: Dataset) -> np.ndarray:
    return np.array(dataset.classes, dtype=object)[codes.astype(int)]


def prepared(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """Every row as the method sees it, prepared by what all rows taught.

    Where a step made other rows to learn from, with how many of them came from each.
    """
    made = outcome.whole.prepared
    Z = made.transform(dataset.X)
    values = {column.name: Z[:, j] for j, column in enumerate(made.columns)}
    if made.rows is not None:
        values["times learned from"] = np.bincount(made.rows, minlength=dataset.n)
    return _rows(dataset, values)


def has_coordinates(outcome: Outcome) -> bool:
    """Whether the method gives rows new coordinates."""
    return isinstance(outcome.whole.fit, Transforms)


def transformed(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """Every row in the coordinates that the method made of all rows."""
    fit = outcome.whole.fit
    Z = fit.transform(outcome.whole.prepared.transform(dataset.X))
    return _rows(dataset, {column.name: Z[:, j] for j, column in enumerate(fit.out_columns)})


def has_groups(outcome: Outcome) -> bool:
    """Whether the method parts the rows into groups."""
    return isinstance(outcome.whole.fit, HasLabels)


def groups(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """The group of every row, numbered as on the page; noise is in none."""
    return _rows(dataset, {"group": group_names(outcome.whole.labels(dataset.X))})


def has_verdicts(outcome: Outcome) -> bool:
    """Whether the method says which rows are usual."""
    return can(outcome.whole.fit, JudgesRows)


def judged(outcome: Outcome, dataset: Dataset) -> pd.DataFrame:
    """The score of every row, and on which side of the threshold it lies, by all rows."""
    fit, Z = outcome.whole.fit, outcome.whole.prepared.transform(dataset.X)
    scores, sides = fit.usualness(Z), verdicts(fit.predict(Z))
    return _rows(dataset, {fit.score_name: scores, "verdict": sides})


def _rows(dataset: Dataset, values: dict[str, np.ndarray]) -> pd.DataFrame:
    """A line a row, numbered as in the table, with its target if there is one."""
    columns: dict[str, Any] = {"row": dataset.rows + 1} | dataset.answers()
    return pd.DataFrame(
        columns | {k if k not in columns else f"{k} (2)": v for k, v in values.items()}
    )


def chooses(outcome: Outcome) -> bool:
    """Whether a step of the preparation chooses variables."""
    return bool(_kept(outcome.whole.prepared.summary()))


def chosen(outcome: Outcome) -> pd.DataFrame:
    """A line a variable: 1 where all rows, or a fold, keep it, and 0 where they leave it out."""
    every = _kept(outcome.whole.prepared.summary())
    by_fold = {f"fold {fold.k + 1}": _kept(fold.summary) for fold in outcome.done}
    names = list(dict.fromkeys([*every, *(name for kept in by_fold.values() for name in kept)]))
    columns = {"all rows": every} | by_fold
    marks = {
        title: [int(kept.get(name, False)) for name in names] for title, kept in columns.items()
    }
    return pd.DataFrame({"variable": names} | marks)


def _kept(summary: Iterable[StepSummary]) -> dict[str, bool]:
    """Every variable that was up for choice; kept if all steps that chose kept it."""
    kept_by_name: dict[str, bool] = {}
    for step in summary:
        for variable, what, value in step.values:
            if what == KEPT:
                kept_by_name[variable] = kept_by_name.get(variable, True) and bool(value)
    return kept_by_name


def replicates(outcome: TrialOutcome) -> pd.DataFrame:
    """A line a replicate of a method, and one a failure."""
    metric = outcome.metric
    lines = [
        {"method": row.label, "replicate": r + 1, metric.name: score, "failure": ""}
        for row in outcome.rows
        for r, score in enumerate(row.scores)
    ]
    lines += [
        {"method": row.label, "replicate": None, metric.name: None, "failure": reason}
        for row in outcome.rows
        for reason in row.failures
    ]
    return pd.DataFrame(lines)


def criteria(counted: Counted) -> pd.DataFrame:
    """A line a number of clusters and a criterion: its value, spread, and whether it is said."""
    return pd.DataFrame(
        {
            "clusters": k,
            "criterion": each.criterion.name,
            "value": value,
            "spread": spread,
            "said": int(k in each.says),
        }
        for each in counted.opinions
        for k, value, spread in zip(counted.numbers, each.values, each.spread, strict=True)
    )


def maps(redrawn: Redrawn) -> pd.DataFrame:
    """A line a map that was drawn again: how far its rows lie off, and which neighbours stay."""
    return pd.DataFrame(
        {
            "map": [part.k + 1 for part in redrawn.again],
            "rows": [int(part.drawn.sum()) for part in redrawn.again],
            RESIDUAL.name: redrawn.residuals,
            STAYING.name: redrawn.staying,
        }
    )


def moved(redrawn: Redrawn, dataset: Dataset) -> pd.DataFrame:
    """A line a row: its place in the map of all rows, and how far it moves in the others."""
    first = redrawn.first
    places = {} if first is None else {f"coordinate_{k + 1}": z for k, z in enumerate(first.T)}
    rows = dataset.rows[redrawn.rows] + 1
    return pd.DataFrame({"row": rows, **places, "way_over_spread": redrawn.ways})


def new_rows(outcome: Predicted) -> pd.DataFrame:
    """A line a new row: every column as it was brought, then what the model says of it."""
    columns: dict[str, Any] = {c.name: _as_brought(c) for c in outcome.matching.brought.columns}
    told = dict(outcome.outputs)
    if outcome.sets is not None:
        names = np.array(outcome.classes, dtype=object)
        told[f"labels at {outcome.run.coverage:g}"] = [" or ".join(names[s]) for s in outcome.sets]
    if outcome.uncut is not None:
        told[threshold_name(outcome.classes)] = [outcome.run.cut] * outcome.new.n_rows
    if outcome.ends is not None:
        told |= {"interval from": outcome.ends[:, 0], "interval to": outcome.ends[:, 1]}
    flags = outcome.flags()
    told["to know"] = ["; ".join(flags.get(row, ())) for row in range(outcome.new.n_rows)]
    return pd.DataFrame(
        columns | {k if k not in columns else f"{k} (2)": v for k, v in told.items()}
    )


def _as_brought(column: ColumnData) -> Any:
    """The m cells of a column: words and dates as texts, whole numbers without a point."""
    if column.is_coded or column.kind == "datetime":
        return column.texts()
    known = column.values[~np.isnan(column.values)]
    if not np.array_equal(known, np.rint(known)) or (np.abs(known) >= WHOLE).any():
        return column.values
    return pd.array([None if np.isnan(v) else int(v) for v in column.values], dtype="object")


def candidates(tuned: Tuned) -> pd.DataFrame:
    """A line a candidate and a stage: its score on the inner folds, and whether it was chosen."""
    ends = [*tuned.stages, *([tuned.overall] if tuned.overall else [])]
    best = {end.stage: end.best for end in ends}
    return pd.DataFrame(
        {
            "searched on": "all rows" if it.stage == ALL_ROWS else f"without fold {it.stage + 1}",
            "candidate": it.candidate + 1,
            "settings": settings(tuned.candidates[it.candidate]),
            **{f"inner fold {k + 1}": score for k, score in enumerate(it.scores)},
            "chosen": int(best.get(it.stage) == it.candidate),
            "failure": it.failure,
        }
        for it in tuned.judged
    )


def tuned_scores(tuned: Tuned) -> pd.DataFrame:
    """A line an outer fold: the settings it chose, their inner score, and that on its own rows."""
    return pd.DataFrame(
        {
            "fold": stage.stage + 1,
            "settings": settings(tuned.candidates[stage.best]),
            f"best inner {tuned.metric.name}": stage.means[stage.best],
            **(dict(stage.fold.scores) if stage.fold else {}),
            "failure": stage.fold.failure if stage.fold else "",
        }
        for stage in tuned.stages
    )


def explained(outcome: ExplanationOutcome, dataset: Dataset, picture: str) -> pd.DataFrame:
    """The numbers beside a picture of an explanation."""
    drawn = views()[picture].drawn({"explanation": outcome, "dataset": dataset})
    return pd.DataFrame({column.name: list(column.values) for column in drawn.table})


def row_curves(outcome: ExplanationOutcome, dataset: Dataset) -> pd.DataFrame:
    """A line a row left out and value of the variable: what its fold's model then predicts."""
    effects = outcome.joined
    m, n_values, _ = effects.curves.shape
    levels = np.array(effects.variable.levels, dtype=object)
    grid = levels[effects.grid.astype(int)] if len(levels) else effects.grid
    columns: dict[str, Any] = {
        "row": np.repeat(dataset.rows[effects.rows] + 1, n_values),
        "fold": np.repeat(effects.folds, n_values),
        effects.variable.name: np.tile(grid, m),
    }
    predicted = {name: effects.curves[:, :, k].ravel() for k, name in enumerate(effects.outputs)}
    return pd.DataFrame(columns | {f"prediction {name}": v for name, v in predicted.items()})


def compared_scores(outcome: ComparisonOutcome) -> pd.DataFrame:
    """A line a method, fold and measure of a comparison, on each of its data sets."""
    lines = []
    for name, entrants in zip(outcome.names, outcome.sets, strict=True):
        for entrant in entrants:
            head = {"data set": name, "method": entrant.label}
            if entrant.outcome is not None:
                lines += [head | line for line in _flat(entrant.outcome)]
            if entrant.failure:
                lines.append(head | {"failure": entrant.failure})
    return pd.DataFrame(lines)


def _flat(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            "fold": fold.k + 1,
            "rows": len(fold.test),
            "metric": metric.name,
            "score": fold.scores.get(metric.name),
            "on the training rows": fold.fitted_scores.get(metric.name),
            "of the baseline": fold.baseline.get(metric.name),
            "failure": fold.failure,
        }
        for fold in outcome.folds
        for metric in outcome.judge.metrics()
    ]


def compared_predictions(outcome: ComparisonOutcome, dataset: Dataset) -> pd.DataFrame:
    """The predictions of every method of a comparison on the test rows, one below the other."""
    parts = []
    for entrant in outcome.entrants:
        if entrant.outcome is not None and predicts(entrant.outcome):
            table = predictions(entrant.outcome, dataset)
            table.insert(0, "method", entrant.label)
            parts.append(table)
    return pd.concat(parts)
