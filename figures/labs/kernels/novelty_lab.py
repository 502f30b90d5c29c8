"""A one-class region with its rows, and the shares outside over nu."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.kernels.novelty_lab import NEW, Region
from mlcore.spine.wording import count, percent, plural

FAINT = 0.5  # strength of the region, which says nothing of a probability


def pictures(r: Region) -> tuple[View, ...]:
    """The region first."""
    return (
        picture("Region of usual rows", r, draw, reading, table,
                note=f"nu {r.nu:g}, {count(len(r.X), 'row')}"),
        picture("Shares outside over nu", r, draw_shares, shares_reading, shares_table,
                note=count(2 * NEW, "new row")),
    )  # fmt: skip


def draw(r: Region) -> go.Figure:
    """The region in the third colour, its border, the rows, and rings around those outside."""
    inside = np.where(r.scores >= 0, 2, -1)
    border = go.Contour(
        x=r.places, y=r.places, z=r.scores, showscale=False, hoverinfo="skip",
        contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
        line={"color": LIGHT.text, "width": 2},
    )  # fmt: skip
    fig = plot(
        marks.regions(r.places, r.places, inside, np.full(inside.shape, FAINT)),
        border,
        *_rows(r),
        marks.rings(*r.X[r.outside].T, name="outside"),
        x="x1",
        y="x2",
    )
    return marks.equal_axes(fig).update_layout(height=420)


def _rows(r: Region) -> list[Any]:
    kinds = ((~r.is_odd, 0, "usual rows"), (r.is_odd, 1, "unusual rows"))
    return [
        marks.points(*r.X[own].T, klass=k, name=name, marker={"size": 6})
        for own, k, name in kinds
        if own.any()
    ]


def reading(r: Region) -> str:
    """How many are outside, and how many carry the border."""
    out, n = int(r.outside.sum()), len(r.X)
    text = (
        f"{out} of {n} learned rows {plural(out, 'lies', 'lie')} outside, {len(r.support)} carry "
        f"the border; nu of all, {r.nu * n:.4g} rows, lies between."
    )
    if not r.is_odd.any():
        return text
    caught = int((r.outside & r.is_odd).sum())
    return f"{text} Of {int(r.is_odd.sum())} unusual rows among them {caught} lie outside."


def table(r: Region) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("x1", r.X[:, 0]),
        TableColumn("x2", r.X[:, 1]),
        TableColumn("unusual", r.is_odd),
        TableColumn("outside", r.outside),
        TableColumn("carries the border", np.isin(np.arange(len(r.X)), r.support)),
    )


def draw_shares(r: Region) -> go.Figure:
    """Four shares and the diagonal."""
    diagonal = go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", name="nu", hoverinfo="skip",
        line={"color": LIGHT.quiet, "dash": "dot"},
    )  # fmt: skip
    fig = plot(
        diagonal,
        line(r.shares, r.learned, 0, "learned, outside"),
        line(r.shares, r.carrying, 3, "on the border"),
        line(r.shares, r.usual, 1, "false alarms"),
        line(r.shares, r.unusual, 2, "noticed"),
        x="nu",
        y="Share",
    )
    named_line(fig, "here", x=r.nu)
    ends = [0, max(float(r.shares[-1]), r.nu) + 0.02]
    return fig.update_yaxes(tickformat=".0%", range=[0, 1.02]).update_xaxes(range=ends)


def shares_reading(r: Region) -> str:
    """The two kinds of alarms at the nearest nu of the curve."""
    at = int(np.abs(r.shares - r.nu).argmin())
    return (
        f"At nu {r.shares[at]:g}, {percent(float(r.usual[at]))} of new usual rows raise a false "
        f"alarm and {percent(float(r.unusual[at]))} of rows from the whole square are noticed; "
        f"{percent(float(r.learned[at]))} of the learned rows lie outside."
    )


def shares_table(r: Region) -> tuple[TableColumn, ...]:
    """One line a nu."""
    return (
        TableColumn("nu", r.shares),
        TableColumn("learned, outside", r.learned),
        TableColumn("carry the border", r.carrying),
        TableColumn("new usual, outside", r.usual),
        TableColumn("unusual, outside", r.unusual),
    )
