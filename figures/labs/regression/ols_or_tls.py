"""Noise on both axes: one table with both lines, and the slopes of many."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.regression.ols_or_tls import Lines
from mlcore.spine.wording import rough

WAYS = ("least squares", "total least squares")


def pictures(v: Lines) -> tuple[View, ...]:
    """One table, then all of them."""
    return (
        picture("One table and its lines", v, draw, reading, table),
        picture("Slopes of a hundred tables", v, draw_slopes, slopes_reading, slopes_table),
    )


def draw(v: Lines) -> go.Figure:
    """Both lines go through the mean; the true one through the origin."""
    ends = np.array([v.x.min(), v.x.max()])
    fitted = [
        line(ends, v.y.mean() + slope * (ends - v.x.mean()), k, name)
        for k, (slope, name) in enumerate(zip((v.ols, v.tls), WAYS, strict=True))
        if np.isfinite(slope)
    ]
    style = {"color": LIGHT.text, "dash": "dot"}
    truth = go.Scatter(x=ends, y=v.slope * ends, mode="lines", name="truth", line=style)
    rows = marks.points(v.x, v.y, klass=-1, name="rows")
    fig = plot(rows, *fitted, truth, x="x as measured", y="y as measured")
    low, high = float(v.y.min()), float(v.y.max())
    return fig.update_yaxes(range=[low - 0.1 * (high - low), high + 0.1 * (high - low)])


def reading(v: Lines) -> str:
    """Both slopes beside the true one."""
    return (
        f"Least squares finds the slope {rough(v.ols)}, total least squares {rough(v.tls)}; the "
        f"truth is {rough(v.slope)}."
    )


def table(v: Lines) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (TableColumn("x", v.x), TableColumn("y", v.y))


def draw_slopes(v: Lines) -> go.Figure:
    """A dot a table."""
    fig = plot(x="", y="Slope")
    for k, (name, slopes) in enumerate(zip(WAYS, (v.ols_slopes, v.tls_slopes), strict=True)):
        x = k + np.linspace(-0.25, 0.25, len(slopes))
        fig.add_trace(marks.points(x, slopes, klass=k, name=name))
    named_line(fig, "truth", y=v.slope)
    fig.update_xaxes(tickvals=[0, 1], ticktext=WAYS, range=[-0.5, 1.5], showgrid=False)
    # A table whose line stands upright has a slope beyond all bounds: the others stay readable.
    low, high = np.nanquantile(
        np.concatenate([v.ols_slopes, v.tls_slopes, [v.slope]]), [0.01, 0.99]
    )
    room = 0.3 * (high - low) + 0.1
    return fig.update_yaxes(range=[low - room, high + room])


def slopes_reading(v: Lines) -> str:
    """Medians, beside what theory says of least squares."""
    tls = float(np.nanmedian(v.tls_slopes)) if np.isfinite(v.tls_slopes).any() else float("nan")
    return (
        f"The median slope is {rough(float(np.median(v.ols_slopes)))} by least squares, where "
        f"theory says {rough(v.expected)}, and {rough(tls)} by total least squares."
    )


def slopes_table(v: Lines) -> tuple[TableColumn, ...]:
    """One line a table."""
    return (TableColumn(WAYS[0], v.ols_slopes), TableColumn(WAYS[1], v.tls_slopes))
