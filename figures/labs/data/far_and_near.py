"""Far and near in many columns: contrast by dimension, one histogram, rows to fill the cells."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import SHARE
from figures.view import TableColumn, View
from mlcore.labs.data.far_and_near import FarAndNear
from mlcore.spine.wording import count, percent, rough

BINS = 40


def pictures(f: FarAndNear) -> tuple[View, ...]:
    """The curves first."""
    return (
        picture("How much farther the farthest row is", f, draw, reading, table),
        picture(
            "Distances in one cube", f, draw_histogram, histogram_reading, histogram_table,
            note=f"{f.shown} columns, in units of the diagonal",
        ),
        picture("Rows that fill the cells", f, draw_rows, rows_reading, rows_table),
    )  # fmt: skip


def draw(f: FarAndNear) -> go.Figure:
    """Contrast and relative standard deviation on log axes."""
    fig = plot(
        line(f.dimensions, f.contrast, 0, "(farthest - nearest) / nearest"),
        line(f.dimensions, f.spread, 1, "standard deviation / mean of the distances"),
        x="Columns",
        y="Ratio",
    )
    return fig.update_xaxes(type="log").update_yaxes(type="log")


def reading(f: FarAndNear) -> str:
    """The contrast at a few dimensions."""
    at = {int(d): c for d, c in zip(f.dimensions, f.contrast, strict=True)}
    return (
        f"The farthest row is {rough(at[2])} times farther than the nearest in 2 columns, "
        f"{rough(at[10])} times in 10, {rough(at[100])} in 100 and {rough(at[1000])} in 1000."
    )


def table(f: FarAndNear) -> tuple[TableColumn, ...]:
    """One line a dimension."""
    return (
        TableColumn("columns", f.dimensions),
        TableColumn("contrast", f.contrast),
        TableColumn("standard deviation / mean", f.spread),
    )


def _counts(f: FarAndNear) -> tuple[np.ndarray, np.ndarray]:
    counts, edges = np.histogram(f.distances, bins=BINS, range=(0.0, 1.0))
    return (edges[1:] + edges[:-1]) / 2, counts / counts.sum()


def draw_histogram(f: FarAndNear) -> go.Figure:
    """All distances, from nothing to the diagonal."""
    middles, shares = _counts(f)
    bars = go.Bar(x=middles, y=shares, marker_color=SHARE, name="distances")
    fig = plot(bars, x="Distance / diagonal of the cube", y="Share", bargap=0.02)
    return fig.update_yaxes(tickformat=".0%")


def histogram_reading(f: FarAndNear) -> str:
    """Where the middle of the distances lies."""
    low, high = np.quantile(f.distances, [0.05, 0.95])
    return (
        f"Nine distances in ten lie between {percent(low)} and {percent(high)} of the diagonal, "
        f"in {count(f.shown, 'column')}."
    )


def histogram_table(f: FarAndNear) -> tuple[TableColumn, ...]:
    """One line a bar."""
    middles, shares = _counts(f)
    return (TableColumn("distance / diagonal", middles), TableColumn("share", shares))


def draw_rows(f: FarAndNear) -> go.Figure:
    """The decimal logarithm, which is a straight line of the number of columns."""
    few = f.dimensions <= 20
    curve = line(f.dimensions[few], f.log_rows[few], 0, "rows")
    return plot(curve, x="Columns", y="Rows, as a power of ten")


def rows_reading(f: FarAndNear) -> str:
    """What ten columns take."""
    at = float(f.log_rows[list(f.dimensions).index(10)])
    return (
        f"One row in each of the cells takes ten to the power of {rough(at)} rows in 10 columns; "
        "each column more multiplies that by the same factor."
    )


def rows_table(f: FarAndNear) -> tuple[TableColumn, ...]:
    """One line a dimension."""
    return (TableColumn("columns", f.dimensions), TableColumn("log10 of the rows", f.log_rows))
