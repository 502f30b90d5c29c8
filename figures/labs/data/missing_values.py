"""Missing values and how to fill them: three moments each way, and the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.graph import make_subplots
from figures.lab import picture, plot
from figures.theme import LIGHT, NO_TEMPLATE, class_color
from figures.view import TableColumn, View
from mlcore.labs.data.missing_values import WAYS, Imputations
from mlcore.spine.wording import fixed, percent, rough

MOMENTS = ("mean", "standard deviation", "correlation")
HEIGHT = 260
LEAST = 0.1  # width of a panel where nothing differs from zero


def pictures(h: Imputations) -> tuple[View, ...]:
    """The moments first, then the rows."""
    n = len(h.x)
    share = percent(float(h.is_missing.mean()))
    note = f"of the column with missing values; {n} rows, {share} of them without a value"
    return (
        picture("What each way finds", h, draw, reading, table, note=note),
        picture(
            "The rows",
            h,
            draw_rows,
            rows_reading,
            rows_table,
            note=f"missing values come {h.mechanism}",
        ),
    )


def _columns(h: Imputations) -> tuple[np.ndarray, ...]:
    return h.means, h.spreads, h.correlations


def draw(h: Imputations) -> go.Figure:
    """A panel for each moment, a bar for each way, a dotted line at the value of all rows."""
    fig: Any = make_subplots(
        1, 3, shared_yaxes=True, horizontal_spacing=0.04,
        subplot_titles=[f"{moment[:1].upper()}{moment[1:]}" for moment in MOMENTS],
    )  # fmt: skip
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False, margin_t=32)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    colors = [LIGHT.quiet, *(class_color(k) for k in range(len(WAYS) - 1))]
    for col, values in enumerate(_columns(h), start=1):
        bars = go.Bar(
            x=values, y=list(WAYS), orientation="h", marker_color=colors,
            text=[fixed(value) for value in values], textposition="auto", cliponaxis=False,
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )  # fmt: skip
        fig.add_trace(bars, row=1, col=col)
        truth = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
        fig.add_vline(x=float(values[0]), line=truth, row=1, col=col)
        ends = [min(float(values.min()), 0.0), max(float(values.max()), 0.0)]
        room = 0.2 * max(ends[1] - ends[0], LEAST)
        fig.update_xaxes(
            range=[ends[0] - room, ends[1] + room], nticks=3, tickangle=0, row=1, col=col
        )
    return fig.update_yaxes(autorange="reversed", showgrid=False, ticks="")


def reading(h: Imputations) -> str:
    """How far each way is off, in its worst moment."""
    off = np.abs(np.array(_columns(h)) - np.array(_columns(h))[:, :1])[:, 1:]
    worst = [MOMENTS[int(k)] for k in off.argmax(axis=0)]
    each = [
        f"{way}: {moment} off by {rough(float(by))}"
        for way, moment, by in zip(WAYS[1:], worst, off.max(axis=0), strict=True)
    ]
    return "Against all values, " + "; ".join(each) + "."


def table(h: Imputations) -> tuple[TableColumn, ...]:
    """One line a way."""
    columns = zip(MOMENTS, _columns(h), strict=True)
    return (TableColumn("way", WAYS), *(TableColumn(name, values) for name, values in columns))


def draw_rows(h: Imputations) -> go.Figure:
    """Rows with a missing value are hollow, where they would be."""
    known = ~h.is_missing
    return plot(
        marks.points(h.x[known], h.y[known], klass=0, name="known"),
        marks.points(h.x[~known], h.y[~known], klass=1, hollow=True, name="missing"),
        x="Column 1",
        y="Column 2",
    )


def rows_reading(h: Imputations) -> str:
    """Where the missing values lie."""
    x, y = float(h.x[h.is_missing].mean()), float(h.y[h.is_missing].mean())
    return (
        f"{int(h.is_missing.sum())} of {len(h.x)} values are missing; the rows that lack one have "
        f"mean {rough(x)} in column 1, and would have {rough(y)} in column 2."
    )


def rows_table(h: Imputations) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("column 1", h.x),
        TableColumn("column 2", h.y),
        TableColumn("missing", h.is_missing),
    )
