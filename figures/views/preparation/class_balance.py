"""How many rows each class has, and how many of them a method learns from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.words import selects
from figures.numbers.sampled import sampled
from figures.numbers.target import target_of
from figures.theme import class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import BalancesClasses
from mlcore.preparation.chain import Prepared
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, listed, percent, rough, spaced

ROW = 34  # pixels a bar
ROOM = 60
UNEVEN = 3.0  # times as many rows in the largest class from which on a warning is due
ALIKE = 0.05  # off one: a weight that corrects nothing worth saying
BEFORE = 0.45  # strength of the bars of the data where those learned from stand beside them


class Balance(NamedTuple):
    """Rows by class."""

    classes: tuple[str, ...]
    counts: np.ndarray  # (K,)
    rows: tuple[np.ndarray, ...]  # (K) row numbers of the table, of the rows in all pictures
    target: str
    learned: np.ndarray | None = None  # (K,) rows learned from, where they are others
    learned_rows: tuple[np.ndarray, ...] = ()  # (K) of the row numbers, those that these came from

    @property
    def weights(self) -> np.ndarray:
        """Share in the data over share among the rows learned from, shape (K,); inf where none."""
        assert self.learned is not None
        shares = self.counts / self.counts.sum() * self.learned.sum()
        return np.divide(
            shares, self.learned, out=np.full(len(shares), np.inf), where=self.learned > 0
        )


@view(
    "class_balance",
    title="Class balance",
    of_step=BalancesClasses,
    on="data",
    order=60,
    synonyms=("class distribution", "class frequencies", "imbalance"),
)
def class_balance(dataset: Dataset, prepared: Prepared | None = None) -> View:
    """Rows of each class of the target, and their share; beside them those learned from."""
    b = numbers(dataset, prepared)
    return joined(b, draw, reading, table, note=count(dataset.n, "row") + selects(dataset.n))


def numbers(dataset: Dataset, prepared: Prepared | None = None) -> Balance:
    """Counts by class; DataError without classes."""
    if dataset.task != "classification":
        raise DataError("There are no classes to count; choose a target that holds names.")
    codes, k = target_of(dataset), len(dataset.classes)
    some = sampled(dataset)  # to select a million rows by a click would help nobody
    rows = tuple(some.rows[some.y == c] for c in range(k))
    balance = Balance(dataset.classes, np.bincount(codes, minlength=k), rows, dataset.target or "")
    if prepared is None or prepared.rows is None:
        return balance
    learned = np.bincount(codes[prepared.rows], minlength=k)
    used = dataset.rows[np.unique(prepared.rows)]
    return balance._replace(
        learned=learned, learned_rows=tuple(own[np.isin(own, used)] for own in rows)
    )


def draw(b: Balance) -> go.Figure:
    """A bar a class in its colour; faint where the bar of the rows learned from is below it."""
    colors = [class_color(k) for k in range(len(b.classes))]
    bars = [_bars(b, b.counts, b.rows, colors, "")]
    if b.learned is not None:
        pale = [faded(color, BEFORE) for color in colors]
        bars = [
            _bars(b, b.counts, b.rows, pale, "in the data: "),
            _bars(b, b.learned, b.learned_rows, colors, "learned from: "),
        ]
    return figure(
        *bars,
        height=ROOM + ROW * len(bars) * max(len(b.classes), 2),
        xaxis={"title": {"text": "Rows"}, "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": "", "type": "category"},
        showlegend=False,
    )


def _bars(
    b: Balance, counts: np.ndarray, rows: tuple[np.ndarray, ...], colors: list[str], head: str
) -> go.Bar:
    total = max(int(counts.sum()), 1)
    bars = go.Bar(
        x=counts,
        y=list(b.classes),
        orientation="h",
        marker_color=colors,
        text=[f"{head}{spaced(int(n))} ({percent(n / total)})" for n in counts],
        textposition="auto",
        hovertemplate="%{y}<br>%{text}<extra></extra>",
    )
    return marks.numbered(bars, [own.tolist() for own in rows])


def reading(b: Balance) -> str:
    """The largest and the smallest class, and what other rows to learn from do."""
    return _of_data(b) if b.learned is None else f"{_of_data(b)} {_of_learned(b)}"


def _of_data(b: Balance) -> str:
    large, small = int(b.counts.argmax()), int(b.counts.argmin())
    total = int(b.counts.sum())
    if len(b.classes) == 1:
        return f"Every row of {b.target} is {b.classes[0]}: there is nothing to tell apart."
    if b.counts[large] == b.counts[small]:
        return f"{len(b.classes)} classes of {b.target} with {b.counts[large]:,} rows each."
    text = (
        f"{len(b.classes)} classes of {b.target}: {b.classes[large]} has "
        f"{percent(b.counts[large] / total)} of the rows, {b.classes[small]} "
        f"{percent(b.counts[small] / total)}."
    )
    if b.counts[large] >= UNEVEN * b.counts[small] and b.learned is None:
        share = rough(b.counts[large] / total)
        text += f" They differ in size: always saying {b.classes[large]} is right at a rate of "
        text += f"{share}, so look at balanced accuracy too."
    return text


def _of_learned(b: Balance) -> str:
    """How many rows are learned from, and what that does to probabilities."""
    assert b.learned is not None
    low, high = int(b.learned.min()), int(b.learned.max())
    each = f"{low}" if low == high else f"{low} to {high}"
    text = f"The method learns from {count(int(b.learned.sum()), 'row')}, {each} of a class"
    if np.abs(b.weights - 1).max() < ALIKE:
        return f"{text}: the shares of the classes hardly change."
    weights = [f"{name} by {rough(float(w))}" for name, w in zip(b.classes, b.weights, strict=True)]
    return (
        f"{text}, and its probabilities are for those shares. For the shares of the data, multiply "
        f"that of {listed(weights)}, and divide by their sum."
    )


def table(b: Balance) -> tuple[TableColumn, ...]:
    """One line a class."""
    columns = (
        TableColumn(b.target, b.classes),
        TableColumn("rows", b.counts),
        TableColumn("share", b.counts / max(int(b.counts.sum()), 1)),
    )
    if b.learned is None:
        return columns
    return (
        *columns,
        TableColumn("rows learned from", b.learned),
        TableColumn("weight of its probability", b.weights),
    )
