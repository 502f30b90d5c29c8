"""Parallel coordinates: a line a row over all columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import dash_of, row_texts, value_text
from figures.drawing.words import drawn_of
from figures.names import cut
from figures.numbers.planes import CODED, between_share
from figures.numbers.sampled import drawn_rows, sampled
from figures.numbers.target import target_of
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import count

HEIGHT = 380
MOST_COLUMNS = 12
LETTERS = 18  # of the name of a column, and of a level at its end
MOST_ROWS = 500  # more lines than this are a solid block


class Parallel(NamedTuple):
    """Rows over columns, each column stretched to 0 ... 1."""

    columns: tuple[Column, ...]  # (c,)
    low: np.ndarray  # (c,) what is drawn at the bottom
    high: np.ndarray  # (c,) and at the top
    heights: np.ndarray  # (m, c) NaN is missing
    rows: np.ndarray  # (m,)
    klass: np.ndarray  # (m,)
    classes: tuple[str, ...]
    separating: tuple[float, ...]  # (c,) share of the variance between the classes
    n: int
    n_columns: int


@view(
    "parallel_coordinates",
    title="Parallel coordinates",
    on="data",
    order=40,
    synonyms=("parallel plot",),
)
def parallel_coordinates(dataset: Dataset) -> View:
    """A line a row over the columns, each stretched from its smallest to its largest value."""
    p = numbers(dataset)
    return joined(p, draw, reading, table, note=drawn_of(len(p.rows), p.n), rows=p.rows)


def numbers(dataset: Dataset) -> Parallel:
    """The first 12 columns, no texts; of more than 500 rows as many drawn at random."""
    at = [j for j, column in enumerate(dataset.columns) if column.kind != "text"][:MOST_COLUMNS]
    if len(at) < 2:
        raise DataError("Parallel coordinates need two columns; the data has fewer.")
    rows, columns = drawn_rows(dataset.n, MOST_ROWS), tuple(dataset.columns[j] for j in at)
    X = dataset.X[:, at]
    ends = [_ends(column, x) for column, x in zip(columns, X.T, strict=True)]
    low, high = (np.array(v) for v in zip(*ends, strict=True))
    heights = (X[rows] - low) / np.where(high > low, high - low, 1.0)
    klass = np.zeros(len(rows), dtype=np.int64)
    shares: tuple[float, ...] = ()
    if dataset.task == "classification":
        klass, some = target_of(dataset)[rows], sampled(dataset)
        shares = tuple(between_share(some.X[:, j], target_of(some)) for j in at)
    return Parallel(
        columns, low, high, heights, dataset.rows[rows], klass, dataset.classes,
        shares, dataset.n, len(dataset.columns),
    )  # fmt: skip


def _ends(column: Column, values: np.ndarray) -> tuple[float, float]:
    if column.kind in CODED and column.levels:
        return 0.0, max(len(column.levels) - 1.0, 1.0)
    seen = values[np.isfinite(values)]
    return (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)


def draw(p: Parallel) -> go.Figure:
    """Lines faint, so that bundles show; the ends of each column stand below and above it."""
    c = len(p.columns)
    fig = figure(
        height=HEIGHT,
        xaxis={
            "tickvals": list(range(c)),
            "ticktext": [cut(column.name, LETTERS) for column in p.columns],
            "range": [-0.3, c - 0.7],
            "showgrid": False,
            "ticks": "",
        },
        yaxis={"visible": False, "range": [-0.1, 1.1]},
        showlegend=bool(p.classes),
    )
    for j in range(c):
        _column_line(fig, p, j)
    for k in range(max(len(p.classes), 1)):
        own = p.klass == k
        if own.any():
            fig.add_trace(_lines(p, own, k))
    return fig


def _column_line(fig: go.Figure, p: Parallel, j: int) -> None:
    style = {"color": LIGHT.hairline, "width": 1.5}
    fig.add_shape(type="line", x0=j, x1=j, y0=0, y1=1, line=style, layer="below")
    for y, value, anchor in ((0, p.low[j], "top"), (1, p.high[j], "bottom")):
        text = cut(value_text(p.columns[j], float(value)), LETTERS)
        fig.add_annotation(x=j, y=y, text=text, yanchor=anchor)


def _lines(p: Parallel, own: np.ndarray, k: int) -> Any:
    """All lines of a class in one trace; an empty place parts one row from the next."""
    heights = p.heights[own]
    m, c = heights.shape
    y = np.column_stack([heights, np.full(m, np.nan)]).ravel().astype(np.float32)
    x = np.tile(np.append(np.arange(c), c - 1), m)
    strength = float(np.clip(40 / np.sqrt(max(len(p.rows), 1)) / 5, 0.2, 0.7))
    trace = go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name=p.classes[k] if p.classes else "rows",
        line={"color": faded(class_color(k), strength), "width": 1, "dash": dash_of(k)},
        marker={"size": 3, "color": class_color(k), "line": {"width": 0}},
        text=np.repeat(row_texts(p.rows[own]), c + 1),
        hovertemplate="%{text}<extra></extra>",
    )
    return marks.numbered(trace, np.repeat(p.rows[own], c + 1))


def reading(p: Parallel) -> str:
    """How many rows are drawn, and which column parts the classes best."""
    text = f"{count(len(p.rows), 'row')} over {count(len(p.columns), 'column')}."
    if len(p.columns) < p.n_columns:
        text += f" The first {len(p.columns)} of {p.n_columns} columns are drawn."
    if p.separating:
        best = int(np.argmax(p.separating))
        text += f" The classes lie furthest apart in {p.columns[best].name}."
    return text


def table(p: Parallel) -> tuple[TableColumn, ...]:
    """One line a row, in the units of the data."""
    X = p.low + p.heights * np.where(p.high > p.low, p.high - p.low, 1.0)
    columns = (TableColumn(c.name, X[:, j]) for j, c in enumerate(p.columns))
    return (TableColumn("row", p.rows + 1), *columns)
