"""What if: a row with other values, what is then predicted, and how far that is from any row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.changes import (
    ALONE,
    MOST_PAIRED,
    TOGETHER,
    Change,
    Space,
    smallest_changes,
)
from mlcore.evaluation.explaining.nearness import Nearness, distances, nearness, scale_of
from mlcore.evaluation.splits import Split
from mlcore.runs.explaining.model import Model, outputs_of, place_of, position_of
from mlcore.runs.explaining.question import ALL_ROWS, Question
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.params import flag, integer, pairs

MISSING = "missing"  # how a change says that a value is not known
PROFILE_POINTS, MOST_PROFILES = 60, 200  # values of a variable; variables that get a curve
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # that a calendar has, in days since 1970


class Profile(NamedTuple):
    """What is predicted for the row with each value of one variable, the others as they are."""

    grid: np.ndarray  # (G,) rising; empty for a variable of names
    curve: np.ndarray  # (G, K)


class FoldWhatIf(NamedTuple):
    """What one model says of the row before and after the change; more, where it is of all rows."""

    k: int
    at: int  # position of the row
    row: np.ndarray  # (p,) with the changes
    before: np.ndarray  # (K,)
    after: np.ndarray  # (K,)
    left_out: bool  # whether the model had not seen the row
    interval: np.ndarray | None = None  # (2,)
    near: Nearness | None = None
    changes: tuple[Change, ...] = ()
    profiles: tuple[Profile, ...] = ()


class Answer(NamedTuple):
    """What would be predicted, and how far to trust it."""

    row: int  # of the table, from 1
    variables: tuple[Column, ...]  # (p,)
    was: np.ndarray  # (p,) values of the row
    now: np.ndarray  # (p,) with the changes
    outputs: tuple[str, ...]  # (K,)
    is_class: bool
    before: np.ndarray  # (K,) by the model of all rows
    after: np.ndarray  # (K,)
    interval: np.ndarray | None  # (2,) of a quantity
    of_folds: np.ndarray  # (folds, K) after the change, by the models of the folds
    unseen: np.ndarray | None  # (K,) before the change, by a model that left the row out
    truth: str
    near: Nearness | None
    near_rows: np.ndarray  # (k,) rows of the table, from 1
    near_values: np.ndarray  # (k, p)
    near_truths: tuple[str, ...]  # (k,)
    changes: tuple[Change, ...]
    step: float  # for a quantity: how far a change must move the prediction
    profiles: tuple[Profile, ...]  # (p,) by the model of all rows; empty for very many variables

    @property
    def is_changed(self) -> np.ndarray:
        """Which values differ from those of the row, shape (p,)."""
        both = np.isnan(self.was) & np.isnan(self.now)
        return (self.was != self.now) & ~both


@enter(Card("what_if", "What if", ("question",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class WhatIf(Question):
    """What would be predicted if this row had other values?

    The model of all rows answers, those of the folds say how sure that is, and the distance to the
    nearest training rows whether anything like it was ever seen. The smallest change of one or two
    values that decides otherwise is searched inside the range of the training rows.
    """

    row: int = integer(1, low=1, soft=(1, 1000), doc="The row of the table, counted from 1.")
    changes: tuple = pairs(doc="Its other values, by column: a number, a name, or missing.")
    search: bool = flag(
        True, label="Smallest change", doc="Whether the smallest change that decides otherwise is "
        "searched."
    )  # fmt: skip

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """That of all rows, and those of the folds."""
        self.changed(dataset)  # refuses what is no row and no value
        return (ALL_ROWS, *range(len(splits)))

    def changed(self, dataset: Dataset) -> np.ndarray:
        """The row with its other values, (p,). Raises DataError for a value that is none."""
        return changed(dataset, self.row, self.changes)

    def answer(self, model: Model, k: int) -> FoldWhatIf:
        """Both predictions, and what is around them where the model is of all rows."""
        dataset, at = model.dataset, place_of(model.dataset, self.row)
        now = self.changed(dataset)
        before, after = model.outputs(np.stack([dataset.X[at], now]))
        reply = FoldWhatIf(k, at, now, before, after, at not in model.split.train)
        if k != ALL_ROWS:
            return reply
        scale = scale_of(dataset.X, names_of(dataset))
        rng = random.generator(model.run.seed, "typical rows")
        return reply._replace(
            interval=model.interval(now),
            near=nearness(now, dataset.X, scale, rng, itself=at) if dataset.n > 1 else None,
            changes=self._changes(model, now, after, scale) if self.search else (),
            profiles=_profiles(model, now),
        )

    def _changes(self, model: Model, now: np.ndarray, after: np.ndarray, scale: Any) -> Any:
        kinds = np.array([c.kind in ("count", "ordinal", "binary") for c in model.dataset.columns])
        step = step_of(model.dataset)

        def pull(rows: np.ndarray) -> np.ndarray:
            return np.abs(model.outputs(rows) - after).max(axis=1) if len(rows) else np.empty(0)

        def differs(rows: np.ndarray) -> np.ndarray:
            if model.dataset.classes:
                return model.decisions(rows) != decided
            return np.abs(model.outputs(rows)[:, 0] - after[0]) >= step

        decided = model.decisions(now[None])[0]
        return smallest_changes(now, Space(model.dataset.X, scale, kinds), differs, pull)

    def joined(self, answers: Sequence[FoldWhatIf], dataset: Dataset) -> Answer | None:
        """What the models say together; None before the model of all rows has answered."""
        whole = next((one for one in answers if one.k == ALL_ROWS), None)
        if whole is None:
            return None
        folds = [one for one in answers if one.k != ALL_ROWS]
        truths = next(iter(dataset.answers().values()))
        near = whole.near.nearest if whole.near else np.empty(0, dtype=np.int64)
        names = outputs_of(dataset)
        return Answer(
            row=self.row,
            variables=dataset.columns,
            was=dataset.X[whole.at],
            now=whole.row,
            outputs=names[: len(whole.after)],
            is_class=bool(dataset.classes),
            before=whole.before,
            after=whole.after,
            interval=whole.interval,
            of_folds=np.array([one.after for one in folds]).reshape(-1, len(whole.after)),
            unseen=next((one.before for one in folds if one.left_out), None),
            truth=_in_words(truths[whole.at]),
            near=whole.near,
            near_rows=dataset.rows[near] + 1,
            near_values=dataset.X[near],
            near_truths=tuple(_in_words(truths[i]) for i in near),
            changes=whole.changes,
            step=step_of(dataset),
            profiles=whole.profiles,
        )

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Two a model, and the grids of the search."""
        p = len(dataset.columns)
        pairs_tried = min(p, MOST_PAIRED) * (min(p, MOST_PAIRED) - 1) / 2
        curves = p * PROFILE_POINTS if p <= MOST_PROFILES else 0
        return 2.0 * n_folds + curves + self.search * (2 * p * ALONE + pairs_tried * TOGETHER**2)

    def about(self) -> str:
        """With the row."""
        return f"what if row {self.row} were different" if self.changes else f"row {self.row}"


def _profiles(model: Model, now: np.ndarray) -> tuple[Profile, ...]:
    """One a variable, over the range of the training rows and the value that the row has now."""
    dataset = model.dataset
    if len(dataset.columns) > MOST_PROFILES:
        return ()
    grids = [_profile_grid(dataset, j, now[j]) for j in range(len(now))]
    rows = np.repeat(now[None], sum(map(len, grids)), axis=0)
    at = np.repeat(np.arange(len(now)), [len(grid) for grid in grids])
    rows[np.arange(len(rows)), at] = np.concatenate(grids)
    answers = model.outputs(rows) if len(rows) else np.empty((0, 0))
    ends = np.cumsum([len(grid) for grid in grids])[:-1]
    return tuple(map(Profile, grids, np.split(answers, ends)))


def _profile_grid(dataset: Dataset, j: int, now: float) -> np.ndarray:
    known = dataset.X[~np.isnan(dataset.X[:, j]), j]
    if dataset.columns[j].levels or not len(known):
        return np.empty(0)
    is_whole = bool((known == np.round(known)).all())
    points = _even_values(float(known.min()), float(known.max()), is_whole)
    return np.unique(np.append(points, now if np.isfinite(now) else points[:1]))


def _even_values(low: float, high: float, is_whole: bool) -> np.ndarray:
    """Both ends and the multiples of 1, 2 or 5 times a power of ten between them, (<= 60,).

    People set them, so they are numbers that people write; whole where the rows are.
    """
    step = (high - low) / (PROFILE_POINTS - 4)
    if not 0 < step < np.inf:
        return np.array([low, high])
    power = int(np.floor(np.log10(step)))
    step = next(k * 10.0**power for k in (1, 2, 5, 10) if k * 10.0**power >= step)
    if is_whole and step < 1:
        step, power = 1.0, 0
    inner = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    inner = np.round(inner, max(-power, 0))
    return np.concatenate([[low], inner[(low < inner) & (inner < high)], [high]])


def changed(dataset: Dataset, row: int, changes: Sequence[tuple[str, str]]) -> np.ndarray:
    """A row of the table, from 1, with other values, (p,).

    Raises DataError for a value that is none, and for a column that is not learned from.
    """
    values = dataset.X[place_of(dataset, row)].copy()
    for name, text in changes:
        at = position_of(dataset, name)
        values[at] = value_of(dataset.columns[at], text)
    return values


def as_changes(dataset: Dataset, values: np.ndarray) -> tuple[int, tuple[tuple[str, str], ...]]:
    """A row that is not in the table, (p,), by that which is nearest, from 1, and what differs."""
    far = distances(values, dataset.X, scale_of(dataset.X, names_of(dataset)))
    at = int(far.argmin())
    before = dataset.X[at]
    differ = (values != before) & ~(np.isnan(values) & np.isnan(before))
    changes = tuple(
        (column.name, text_of(column, value))
        for column, value, is_new in zip(dataset.columns, values, differ, strict=True)
        if is_new
    )
    return int(dataset.rows[at]) + 1, changes


def names_of(dataset: Dataset) -> np.ndarray:
    """Which variables hold names without an order, (p,)."""
    return np.array([c.kind in ("nominal", "text", "binary") for c in dataset.columns])


def value_of(column: Column, text: str) -> float:
    """A value as a change writes it. Raises DataError if the column cannot hold it."""
    text = text.strip()
    if text == MISSING:
        return np.nan
    if column.levels:
        if text not in column.levels:
            raise DataError(
                f"{column.name} has no level {text!r}; choose one of "
                f"{', '.join(column.levels[:8])}."
            )
        return float(column.levels.index(text))
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DataError(f"{column.name} holds numbers; got {text!r}. Give a number, or {MISSING}.")
    if column.kind == "datetime" and not FIRST_DAY <= value <= LAST_DAY:
        raise DataError(
            f"{column.name} holds dates, as days since 1970 ({FIRST_DAY:,} to {LAST_DAY:,}, the "
            f"years 1 to 9999); got {text}. Give such a number, or {MISSING}."
        )
    return value


def text_of(column: Column, value: float) -> str:
    """A value as a change writes it."""
    if np.isnan(value):
        return MISSING
    return column.levels[int(value)] if column.levels else repr(float(value))


def step_of(dataset: Dataset) -> float:
    """How far a change must move a predicted quantity to count: a standard deviation of it."""
    return 0.0 if dataset.classes or dataset.y is None else float(np.std(dataset.y))


def _in_words(truth: Any) -> str:
    return truth if isinstance(truth, str) else f"{truth:.4g}"
