"""How many rows each class has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures import marks
from figures.numbers.sampled import sampled
from figures.numbers.target import target_of
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.drawing import counted_noun, percent, rough, spaced
from mlcore.data.dataset import Dataset
from mlcore.errors import DataError

ROW = 34  # pixels a class
ROOM = 60
UNEVEN = 3.0  # times as many rows in the largest class from which on a warning is due


class Balance(NamedTuple):
    """Rows by class."""

    classes: tuple[str, ...]
    counts: np.ndarray  # (K,)
    rows: tuple[np.ndarray, ...]  # (K) row numbers of the table, of the rows in all pictures
    target: str


@view("class_balance", title="Classes")
def class_balance(dataset: Dataset) -> View:
    """Rows of each class of the target, and their share."""
    return joined(numbers(dataset), draw, reading, table, note=counted_noun(dataset.n, "row"))


def numbers(dataset: Dataset) -> Balance:
    """Counts by class; DataError without classes."""
    if dataset.task != "classification":
        raise DataError("There are no classes to count; choose a target that holds names.")
    counts = np.bincount(target_of(dataset), minlength=len(dataset.classes))
    some = sampled(dataset)  # to select a million rows by a click would help nobody
    rows = tuple(some.rows[some.y == c] for c in range(len(dataset.classes)))
    return Balance(dataset.classes, counts, rows, dataset.target or "")


def draw(b: Balance) -> go.Figure:
    """A bar a class in its colour."""
    total = max(int(b.counts.sum()), 1)
    bars = go.Bar(
        x=b.counts,
        y=list(b.classes),
        orientation="h",
        marker_color=[class_color(k) for k in range(len(b.classes))],
        text=[f"{spaced(int(n))} ({percent(n / total)})" for n in b.counts],
        textposition="auto",
        hovertemplate="%{y}<br>%{text}<extra></extra>",
    )
    return figure(
        marks.numbered(bars, [own.tolist() for own in b.rows]),
        height=ROOM + ROW * max(len(b.classes), 2),
        xaxis={"title": {"text": "Rows"}, "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": "", "type": "category"},
        showlegend=False,
    )


def reading(b: Balance) -> str:
    """The largest and the smallest class."""
    large, small = int(b.counts.argmax()), int(b.counts.argmin())
    total = int(b.counts.sum())
    if len(b.classes) == 1:
        return f"Every row of {b.target} is {b.classes[0]}: there is nothing to tell apart."
    if b.counts[large] == b.counts[small]:
        return f"{len(b.classes)} classes of {b.target} with {b.counts[large]} rows each."
    text = (
        f"{len(b.classes)} classes of {b.target}: {b.classes[large]} has "
        f"{percent(b.counts[large] / total)} of the rows, {b.classes[small]} "
        f"{percent(b.counts[small] / total)}."
    )
    if b.counts[large] >= UNEVEN * b.counts[small]:
        share = rough(b.counts[large] / total)
        text += f" They differ in size: always saying {b.classes[large]} is right at a rate of "
        text += f"{share}, so look at balanced accuracy too."
    return text


def table(b: Balance) -> tuple[TableColumn, ...]:
    """One line a class."""
    return (
        TableColumn(b.target, b.classes),
        TableColumn("rows", b.counts),
        TableColumn("share", b.counts / max(int(b.counts.sum()), 1)),
    )
