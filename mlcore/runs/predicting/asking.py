"""A model asked about new rows, those among them that it can say something of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.table import Table
from mlcore.evaluation.conformal.own_intervals import OwnIntervals, own_intervals_of
from mlcore.evaluation.judge import Judge
from mlcore.evaluation.scoring import Case, Rows, aligned
from mlcore.runs.saved import Model, Told
from mlcore.spine.errors import MlcoreError


class Answer(NamedTuple):
    """What a model says of m new rows, NaN in those that it can say nothing of."""

    usable: np.ndarray  # (m,) bool
    values: np.ndarray | None = None  # (m,) or (m, q)
    probabilities: np.ndarray | None = None  # (m, K) of the classes of the data
    outputs: dict[str, Any] = {}  # noqa: RUF012  # by name, (m,) each; never written to
    told: Told | None = None  # of the usable rows alone
    own_intervals: OwnIntervals | None = None  # how far off it may be


def asked(model: Model, table: Table, levels: Sequence[float] = ()) -> Answer:
    """What a model says of the rows of a table with its columns.

    With `levels` also its own intervals of these coverages, where it has some.
    """
    usable = usable_rows(model, table)
    if not usable.any():
        return Answer(usable)
    told = model.told_of(table if usable.all() else table.take(usable))
    P = told.probabilities
    if P is not None:
        fit: Any = model.fit
        P = aligned(P, fit.classes, len(model.classes))
    values = None if told.predictions is None else told.predictions.astype(np.float64)
    outputs = {name: _spread(usable, column) for name, column in model.named(told).items()}
    own = own_intervals_of(model.fit, told.rows, levels) if levels else None
    own = None if own is None else own.spread_over(usable)
    return Answer(usable, _spread(usable, values), _spread(usable, P), outputs, told, own)


def usable_rows(model: Model, table: Table) -> np.ndarray:
    """The rows of which nothing is missing where the method gets them, (m,) bool.

    All of them for a method that takes missing values.
    """
    read = model.reading(table)
    raw = read.rows_of(table)
    lacks = np.asarray(np.isnan(raw).any(axis=1))
    if not lacks.any() or model.run.method.takes_missing():
        return np.ones(len(raw), dtype=bool)
    try:
        return np.asarray(np.isfinite(read.rows(raw)).all(axis=1))
    except MlcoreError:  # a step that takes no missing values says so
        return ~lacks


def scored(judge: Judge, case: Case, model: Model, table: Table, answer: Answer, truth: Any) -> Any:
    """Every measure that judges any rows, of the new ones whose truth, (m,), is known.

    `case` is the fit with the rows that it learned from. {} where there is nothing to judge.
    """
    told, known = answer.told, answer.usable & ~np.isnan(truth)
    if told is None or not known.any():
        return {}
    order, options = model._sequences_of(table.take(known))
    rows, y = told.rows[known[answer.usable]][order], truth[known][order]
    if model.classes:
        y = y.astype(np.int64)
    return judge.of_rows.scored(case.on(Rows(rows, y, None, options.get("lengths")))).scores


def _spread(usable: np.ndarray, values: Any) -> Any:
    """Values of the usable rows at their places among all m; None stays None."""
    if values is None or usable.all():
        return values
    values = np.asarray(values)
    is_number = values.dtype.kind in "fiub"
    kind: Any = np.float64 if is_number else object
    every = np.full((len(usable), *values.shape[1:]), np.nan if is_number else None, dtype=kind)
    every[usable] = values
    return every
