"""A process in blocks beside the whole and a mixture: curves, distances, parts and the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.bands import between
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, SEQUENTIAL
from figures.view import TableColumn, View
from mlcore.labs.kernels.gp_block_lab import PLACES, Blocks
from mlcore.spine.wording import count, percent, rough

WHOLE = [PLACES[0] - 2, PLACES[-1] + 2]  # of the axis of places
ROOM = 0.6  # of the spread of the targets, above and below all of them
SAME = 1e-9  # distances below it are rounding
BLOCKS, MIXTURE = 1, 3  # colours of the curves


def pictures(b: Blocks) -> tuple[View, ...]:
    """The curves first; then how far they are apart, what each block adds, what is left of K."""
    m = count(len(b.parts), "block")
    return (
        picture("Three curves", b, draw, reading, table, note=m),
        picture("Distance from the whole process", b, draw_apart, apart_reading, apart_table),
        picture("What each block adds", b, draw_parts, parts_reading, parts_table, note=m),
        picture("Matrix that is left", b, draw_kept, kept_reading, kept_table),
    )


def draw(b: Blocks) -> go.Figure:
    """The band of the whole, three curves, the truth and the rows; cuts between blocks."""
    truth = go.Scatter(
        x=PLACES, y=b.truth, mode="lines", name="truth", line={"color": LIGHT.quiet, "dash": "dot"}
    )
    whole = go.Scatter(
        x=PLACES, y=b.whole, mode="lines", name="whole process",
        line={"color": LIGHT.accent, "width": 2.5},
    )  # fmt: skip
    fig = plot(
        between(PLACES, b.whole - 2 * b.deviation, b.whole + 2 * b.deviation, "band"),
        truth,
        whole,
        line(PLACES, b.blocked, BLOCKS, "blocks"),
        line(PLACES, b.mixture, MIXTURE, "mixture"),
        _rows(b),
        x="Place",
        y="Target",
    )
    every = np.concatenate([b.y, b.whole, b.truth])
    room = ROOM * float(np.ptp(every))
    fig.update_yaxes(range=[every.min() - room, every.max() + room]).update_layout(height=400)
    return _cuts(fig, b)


def _rows(b: Blocks) -> Any:
    """The rows, of no class."""
    return marks.points(
        b.x, b.y, klass=-1, name="rows",
        marker={"size": 6, "color": LIGHT.text, "symbol": "circle", "opacity": 0.75},
    )  # fmt: skip


def _cuts(fig: go.Figure, b: Blocks) -> go.Figure:
    """Thin lines half-way between the last row of a block and the first of the next."""
    for i in np.flatnonzero(np.diff(b.block)):
        place = float(b.x[i] + b.x[i + 1]) / 2
        marks.across(fig, x=place, line={"color": LIGHT.quiet, "width": 1})
    return fig.update_xaxes(range=WHOLE)


def reading(b: Blocks) -> str:
    """How far the two lie from the whole, near the rows and elsewhere."""
    mixture = f"the mixture of {count(b.n_gaussians, 'Gaussian')}"
    text = f"Within half a width of a row {_away(b, b.is_near, mixture)}"
    if not b.is_near.all():
        text += f"; elsewhere {_away(b, ~b.is_near, 'the mixture')}"
    return f"{text}. {'Thin lines part the blocks.' if len(b.parts) > 1 else ''}".strip()


def _away(b: Blocks, where: np.ndarray, mixture: str) -> str:
    """Mean distances at some places, as a clause."""
    blocks, mixed = (
        float(np.abs(curve - b.whole)[where].mean()) for curve in (b.blocked, b.mixture)
    )
    if blocks < SAME:
        return f"the blocks are the whole process, and {mixture} lies {rough(mixed)} from it"
    return (
        f"the blocks lie {rough(blocks)} from the whole process on average and {mixture} "
        f"{rough(mixed)}"
    )


def table(b: Blocks) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", b.truth),
        TableColumn("whole process", b.whole),
        TableColumn("standard deviation", b.deviation),
        TableColumn("blocks", b.blocked),
        TableColumn("mixture", b.mixture),
    )


def draw_apart(b: Blocks) -> go.Figure:
    """Two lines from zero; a tick for each row."""
    fig = plot(
        line(PLACES, np.abs(b.blocked - b.whole), BLOCKS, "blocks"),
        line(PLACES, np.abs(b.mixture - b.whole), MIXTURE, "mixture"),
        go.Scatter(
            x=b.x, y=np.zeros_like(b.x), mode="markers", name="rows",
            marker={"symbol": "line-ns-open", "size": 9, "color": LIGHT.text},
            hovertemplate="row at %{x:.4~g}<extra></extra>",
        ),
        x="Place",
        y="Distance from the whole process",
    )  # fmt: skip
    return _cuts(fig, b)


def apart_reading(b: Blocks) -> str:
    """Where each is farthest."""
    blocks, mixture = (np.abs(curve - b.whole) for curve in (b.blocked, b.mixture))
    text = f"The mixture lies farthest from it {_farthest(mixture)}; "
    if blocks.max() < SAME:
        return text + "the blocks lie on it everywhere."
    return text + f"the blocks {_farthest(blocks)}."


def _farthest(apart: np.ndarray) -> str:
    return f"at {PLACES[int(apart.argmax())]:g}, by {rough(float(apart.max()))}"


def apart_table(b: Blocks) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("blocks", np.abs(b.blocked - b.whole)),
        TableColumn("mixture", np.abs(b.mixture - b.whole)),
    )


def draw_parts(b: Blocks) -> go.Figure:
    """A line a block, and their sum."""
    total = go.Scatter(
        x=PLACES, y=b.blocked, mode="lines", name="sum", line={"color": LIGHT.quiet, "dash": "dot"}
    )
    parts = [line(PLACES, part, k, f"block {k + 1}") for k, part in enumerate(b.parts)]
    return _cuts(plot(total, *parts, x="Place", y="Part of the curve"), b)


def parts_reading(b: Blocks) -> str:
    """How far a block reaches, and how many overlap where most do."""
    reach = np.abs(b.parts) > 0.05 * max(float(np.abs(b.blocked).max()), 1e-300)
    most = int(reach.sum(axis=0).argmax())
    many = int(reach[:, most].sum())
    return (
        f"On average a block adds more than a twentieth of the largest value at "
        f"{rough(float(reach.sum(axis=1).mean()))} of {len(PLACES)} places. Most add to the sum "
        f"at {PLACES[most]:g}: {count(many, 'block')}."
    )


def parts_table(b: Blocks) -> tuple[TableColumn, ...]:
    """One line a place."""
    parts = (TableColumn(f"block {k + 1}", part) for k, part in enumerate(b.parts))
    return (TableColumn("place", PLACES), TableColumn("sum", b.blocked), *parts)


def draw_kept(b: Blocks) -> go.Figure:
    """Row 1 at the top, rows from left to right."""
    n = np.arange(1, len(b.x) + 1)
    cells = go.Heatmap(
        x=n, y=n, z=b.kept.astype(np.float32), zmin=0.0, zmax=1.0, colorscale=SEQUENTIAL,
        colorbar={"thickness": 12},
        hovertemplate="rows %{y} and %{x}: %{z:.3~g}<extra></extra>",
    )  # fmt: skip
    fig = plot(cells, x="Row, from left to right", y="Row").update_layout(height=420)
    return fig.update_yaxes(autorange="reversed", scaleanchor="x").update_xaxes(constrain="domain")


def kept_reading(b: Blocks) -> str:
    """How much is left, and whether it is a covariance."""
    zeros = percent(float((b.kept == 0).mean()))
    text = (
        f"{zeros} of the entries are zero; the others hold {percent(b.share)} of the sum of "
        "squares of the whole matrix. "
    )
    if b.is_covariance:
        return text + "What is left is a covariance: no eigenvalue is below zero."
    text += f"What is left is no covariance: its least eigenvalue is {rough(b.least)}"
    if b.least + b.noise <= 0:
        return f"{text}, which the noise variance of {rough(b.noise)} does not make up for."
    return f"{text}; with the noise variance of {rough(b.noise)} the equations have a solution yet."


def kept_table(b: Blocks) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("row", np.arange(1, len(b.x) + 1)),
        TableColumn("place", b.x),
        TableColumn("target", b.y),
        TableColumn("block", b.block + 1),
        TableColumn("rows that count as alike", (b.kept > 0).sum(axis=1)),
    )
