"""The scatter matrix: every two of a few columns against each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT, color_bar, named_axis, points_of, row_texts
from figures.drawing.words import drawn_of
from figures.names import cut
from figures.numbers.clouds import Cloud, seen
from figures.numbers.planes import CODED, ranking
from figures.numbers.sampled import drawn_rows, sampled
from figures.numbers.target import target_of
from figures.theme import SEQUENTIAL, class_color, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import listed

MOST_COLUMNS = 5
MOST_ROWS = 3_000  # marks appear once a panel, so fewer rows than in a single picture
ROW = 150  # pixels a row of panels
LETTERS = 22  # of a name along a panel


class Pairs(NamedTuple):
    """The rows at a few columns."""

    columns: tuple[Column, ...]  # (c,)
    X: np.ndarray  # (m, c)
    rows: np.ndarray  # (m,) row numbers of the table
    klass: np.ndarray  # (m,)
    classes: tuple[str, ...]
    value: np.ndarray | None  # (m,) a target that is a quantity
    target: str
    n: int  # rows of the data set
    n_columns: int


@view(
    "scatter_pairs",
    title="Scatter matrix",
    on="data",
    order=30,
    synonyms=("pair plot", "scatterplot matrix", "SPLOM"),
)
def scatter_pairs(dataset: Dataset, names: tuple[str, ...] = ()) -> View:
    """Every two of the chosen columns against each other, coloured by the target."""
    p = numbers(dataset, names)
    return joined(p, draw, reading, table, note=drawn_of(len(p.rows), p.n), rows=p.rows)


def numbers(dataset: Dataset, names: tuple[str, ...] = ()) -> Pairs:
    """The named columns (else those that say most about the target), at most five."""
    at, n = _positions(sampled(dataset), names), dataset.n
    rows = drawn_rows(n, MOST_ROWS)
    klass, value = np.zeros(len(rows), dtype=np.int64), None
    if dataset.task == "classification":
        klass = target_of(dataset)[rows]
    elif dataset.task == "regression":
        value = target_of(dataset)[rows]
    columns, X, target = (
        tuple(dataset.columns[j] for j in at),
        dataset.X[rows][:, at],
        dataset.target,
    )
    if len(at) == 1 and value is not None and target:
        # A single column stands against the quantity that it is to tell.
        columns, X = (*columns, Column(target)), np.column_stack([X, value])
        value, target = None, None
    return Pairs(
        columns, X, dataset.rows[rows], klass, dataset.classes, value, target or "", n,
        len(dataset.columns),
    )  # fmt: skip


def _positions(dataset: Dataset, names: tuple[str, ...]) -> list[int]:
    known = {c.name: j for j, c in enumerate(dataset.columns)}
    for name in names:
        if name not in known:
            raise DataError(f"There is no column {name!r} to draw; choose another.")
    ranked = ranking(dataset)
    if len(names or ranked) < (1 if dataset.task == "regression" else 2):
        raise DataError("A scatter matrix needs two columns of numbers or names; there are fewer.")
    if names:
        return [known[name] for name in names[:MOST_COLUMNS]]
    numeric = [j for j in ranked if dataset.columns[j].kind not in CODED]
    return sorted((numeric if len(numeric) > 1 else ranked)[:MOST_COLUMNS])


def draw(p: Pairs) -> go.Figure:
    """The lower half alone: the upper one would show the same."""
    if len(p.columns) == 2:
        return _single(p)
    dimensions = [
        {"label": cut(c.name, LETTERS), "values": _small(p.X[:, j])}
        for j, c in enumerate(p.columns)
    ]
    fig = figure(height=max(ROW * len(p.columns), 300), showlegend=bool(p.classes))
    for k in range(max(len(p.classes), 1)):
        own = p.klass == k
        if own.any():
            fig.add_trace(_panels(p, dimensions, own, k))
    return fig


def _single(p: Pairs) -> go.Figure:
    """Two columns have a single panel."""
    cloud = Cloud(p.X[:, 0], p.X[:, 1], p.rows, p.klass, p.classes, p.value, p.target)
    kinds = (p.columns[0].kind, p.columns[1].kind)
    return figure(
        *points_of(seen(cloud), kinds=kinds),
        height=HEIGHT,
        xaxis=named_axis(p.columns[0]),
        yaxis=named_axis(p.columns[1]),
        showlegend=bool(p.classes),
    )


def _panels(p: Pairs, dimensions: list, own: np.ndarray, k: int) -> go.Splom:
    trace = go.Splom(
        dimensions=[d | {"values": d["values"][own]} for d in dimensions],
        name=p.classes[k] if p.classes else "rows",
        diagonal_visible=False,
        showupperhalf=False,
        marker={
            "color": class_color(k),
            "symbol": class_symbol(k),
            "size": 5,
            "line": {"width": 0.4},
        },
        text=row_texts(p.rows[own]),
        hovertemplate="%{text}<br>%{xaxis.title.text} %{x}<br>%{yaxis.title.text} %{y}"
        "<extra></extra>",
    )
    if p.value is not None:
        bar = color_bar(p.target) | {"len": 0.4, "y": 1.0, "yanchor": "top"}
        colors = {"color": _small(p.value[own]), "colorscale": SEQUENTIAL, "colorbar": bar}
        trace.update(marker=colors)
    return marks.numbered(trace, p.rows[own])


def _small(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


def reading(p: Pairs) -> str:
    """Which columns are drawn, and why these."""
    text = f"{listed([c.name for c in p.columns], MOST_COLUMNS)} against each other."
    if p.n_columns > len(p.columns):
        text += f" {len(p.columns)} of {p.n_columns} columns are drawn."
    if p.target:
        text += f" Colour shows {p.target}."
    return text


def table(p: Pairs) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    columns = (TableColumn(c.name, p.X[:, j]) for j, c in enumerate(p.columns))
    return (TableColumn("row", p.rows + 1), *columns)
