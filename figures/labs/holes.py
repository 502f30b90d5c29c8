"""Holes and how to fill them: three moments each way, and the rows."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from figures import marks
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from figures.views.drawing import percent, rough
from mlcore.labs.holes import WAYS, Holes

MOMENTS = ("mean", "spread", "correlation")


def pictures(h: Holes) -> tuple[View, ...]:
    """The moments first, then the rows."""
    n = len(h.x)
    note = f"{n} rows, {percent(float(h.is_missing.mean()))} with a hole"
    return (
        picture("What each way finds", h, draw, reading, table, note=note),
        picture(
            "The rows", h, draw_rows, rows_reading, rows_table, note=f"holes come {h.mechanism}"
        ),
    )


def _columns(h: Holes) -> tuple[np.ndarray, ...]:
    return h.means, h.spreads, h.correlations


def draw(h: Holes) -> go.Figure:
    """A group of bars for each moment, a dashed line at the value of all rows."""
    bars = [
        go.Bar(
            x=MOMENTS,
            y=[values[k] for values in _columns(h)],
            name=way,
            marker={"color": class_color(k - 1) if k else LIGHT.quiet},
        )
        for k, way in enumerate(WAYS)
    ]
    fig = plot(*bars, x="", y="Of the column with holes", barmode="group")
    for k, values in enumerate(_columns(h)):
        style = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
        fig.add_shape(type="line", x0=k - 0.45, x1=k + 0.45, y0=values[0], y1=values[0], line=style)
    return fig


def reading(h: Holes) -> str:
    """How far each way is off, in its worst moment."""
    off = np.abs(np.array(_columns(h)) - np.array(_columns(h))[:, :1])[:, 1:]
    worst = [MOMENTS[int(k)] for k in off.argmax(axis=0)]
    each = [
        f"{way}: {moment} off by {rough(float(by))}"
        for way, moment, by in zip(WAYS[1:], worst, off.max(axis=0), strict=True)
    ]
    return "Against all values, " + "; ".join(each) + "."


def table(h: Holes) -> tuple[TableColumn, ...]:
    """One line a way."""
    found = zip(MOMENTS, _columns(h), strict=True)
    return (TableColumn("way", WAYS), *(TableColumn(name, values) for name, values in found))


def draw_rows(h: Holes) -> go.Figure:
    """Rows with a hole are hollow, where they would be."""
    known = ~h.is_missing
    return plot(
        marks.points(h.x[known], h.y[known], klass=0, name="known"),
        marks.points(h.x[~known], h.y[~known], klass=1, hollow=True, name="missing"),
        x="Column 1",
        y="Column 2",
    )


def rows_reading(h: Holes) -> str:
    """Where the holes lie."""
    x, y = float(h.x[h.is_missing].mean()), float(h.y[h.is_missing].mean())
    return (
        f"{int(h.is_missing.sum())} of {len(h.x)} values are missing; the rows that lack one have "
        f"mean {rough(x)} in column 1, and would have {rough(y)} in column 2."
    )


def rows_table(h: Holes) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("column 1", h.x),
        TableColumn("column 2", h.y),
        TableColumn("missing", h.is_missing),
    )
