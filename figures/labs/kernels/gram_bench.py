"""The width of a kernel: the matrix, and likeness and alignment at every width."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import SEQUENTIAL
from figures.view import TableColumn, View
from mlcore.labs.kernels.gram_bench import Bench
from mlcore.spine.wording import rough


def pictures(b: Bench) -> tuple[View, ...]:
    """The matrix first."""
    return (
        picture("Similarities, rows sorted by class", b, draw, reading, table),
        picture("Every width", b, draw_widths, widths_reading, widths_table),
    )


def draw(b: Bench) -> go.Figure:
    """Row 1 at the top."""
    cells = go.Heatmap(z=b.K.astype(np.float32), colorscale=SEQUENTIAL, colorbar={"thickness": 12})
    fig = plot(cells, x="Row", y="Row").update_layout(height=420)
    return fig.update_yaxes(autorange="reversed", scaleanchor="x").update_xaxes(constrain="domain")


def reading(b: Bench) -> str:
    """Likeness within and between classes, and how many directions there are."""
    same = b.y[:, None] == b.y
    off = ~np.eye(len(b.y), dtype=bool)
    needed = int(np.searchsorted(np.cumsum(b.eigenvalues), 0.95)) + 1
    return (
        f"Two rows of one class are alike by {rough(float(b.K[same & off].mean()))}, of two "
        f"classes by {rough(float(b.K[~same].mean()))}. {needed} of {len(b.y)} eigenvalues hold "
        "95 % of the trace."
    )


def table(b: Bench) -> tuple[TableColumn, ...]:
    """One line an eigenvalue."""
    rank = np.arange(1, len(b.eigenvalues) + 1)
    return (TableColumn("eigenvalue", rank), TableColumn("share of the trace", b.eigenvalues))


def draw_widths(b: Bench) -> go.Figure:
    """Both curves over a log axis."""
    fig = plot(
        line(b.sigmas, b.likeness, 0, "mean likeness of two rows"),
        line(b.sigmas, b.alignments, 1, "alignment with the classes"),
        x="Width of the kernel",
        y="From 0 to 1",
    )
    return named_line(fig, "here", x=b.sigma, is_log=True).update_xaxes(type="log")


def widths_reading(b: Bench) -> str:
    """The best width, and the ends."""
    return (
        f"The alignment is largest, {rough(float(b.alignments.max()))}, at width {rough(b.best)}. "
        f"Two rows are alike by {rough(float(b.likeness[0]))} at the narrowest and "
        f"{rough(float(b.likeness[-1]))} at the widest."
    )


def widths_table(b: Bench) -> tuple[TableColumn, ...]:
    """One line a width."""
    return (
        TableColumn("width", b.sigmas),
        TableColumn("likeness", b.likeness),
        TableColumn("alignment", b.alignments),
    )
