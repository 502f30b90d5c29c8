"""The radius of DBSCAN: the groups it makes, groups and noise by radius, the curve of distances."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.clustering.eps_and_noise import EpsAndNoise
from mlcore.spine.wording import count, percent, plural, rough

SMALL = 5  # pixels of a border row
NAMED = 6  # groups in the legend: a small radius makes very many


def pictures(e: EpsAndNoise) -> tuple[View, ...]:
    """Map, curves by radius, distances."""
    return (
        picture("Core, border and noise", e, draw, reading, table),
        picture("Groups and noise by radius", e, draw_radii, radii_reading, radii_table),
        picture(
            "Distance to the m-th nearest row", e, draw_reaches, reaches_reading, reaches_table
        ),
    )


def draw(e: EpsAndNoise) -> go.Figure:
    """Core rows large, border rows small, noise hollow; rings where the order decides."""
    traces = []
    for k in range(-1, int(e.labels.max()) + 1):
        here = e.labels == k
        if here.any():
            size = {} if k < 0 else {"size": np.where(e.core[here], 8, SMALL)}
            name = "noise" if k < 0 else f"group {k + 1}"
            traces.append(
                marks.points(
                    e.X[here, 0], e.X[here, 1], klass=k, name=name, hollow=k < 0, marker=size,
                    showlegend=k < NAMED,
                )
            )  # fmt: skip
    if e.torn.any():
        at = e.X[e.torn]
        traces.append(marks.rings(at[:, 0], at[:, 1], name="near to two groups"))
    fig = plot(*traces, x="Column 1", y="Column 2", showlegend=True)
    return marks.equal_axes(fig).update_layout(height=420)


def reading(e: EpsAndNoise) -> str:
    """How many groups, how much noise, and which rows the order decides about."""
    groups, noise = int(e.labels.max()) + 1, float((e.labels < 0).mean())
    text = f"{count(groups, 'group')}, {percent(noise)} of the rows are noise. "
    torn, moved = int(e.torn.sum()), int(e.moved.sum())
    if not torn:
        return text + "No border row is near to two groups, so their order decides nothing."
    text += f"{count(torn, 'border row')} {plural(torn, 'is', 'are')} near to two groups; "
    text += f"with the rows in reverse {moved} of them {plural(moved, 'changes', 'change')} sides."
    return text


def table(e: EpsAndNoise) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("column 1", e.X[:, 0]),
        TableColumn("column 2", e.X[:, 1]),
        TableColumn("group", ["noise" if k < 0 else str(k + 1) for k in e.labels]),
        TableColumn("core", e.core),
        TableColumn("near to two groups", e.torn),
        TableColumn("changes in reverse", e.moved),
    )


def draw_radii(e: EpsAndNoise) -> go.Figure:
    """Both on one axis: groups as a number, noise in tenths of the rows."""
    groups = line(e.radii, e.groups, 0, "groups")
    noise = line(e.radii, 10.0 * e.noise, 1, "noise, in tenths of the rows")
    fig = plot(groups, noise, x="Radius", y="Number")
    named_line(fig, f"radius {rough(e.eps)}", x=e.eps, is_log=True)
    return fig.update_xaxes(type="log", tickvals=[0.05, 0.1, 0.2, 0.5, 1, 2, 5])


def radii_reading(e: EpsAndNoise) -> str:
    """Where there are two groups, the number that was drawn."""
    two = e.radii[e.groups == 2]
    text = f"At most {count(int(e.groups.max()), 'group')}, at the radius "
    text += f"{rough(float(e.radii[e.groups.argmax()]))}. "
    if not len(two):
        return text + "No radius makes two groups, as many as clouds were drawn."
    share = float(e.noise[e.groups == 2].min())
    return text + (
        f"Two, as many as clouds were drawn, at {len(two)} of {len(e.radii)} radii, the largest "
        f"{rough(float(two[-1]))}, with {percent(share)} noise or more."
    )


def radii_table(e: EpsAndNoise) -> tuple[TableColumn, ...]:
    """One line a radius."""
    return (
        TableColumn("radius", e.radii),
        TableColumn("groups", e.groups),
        TableColumn("share of noise", e.noise),
    )


def draw_reaches(e: EpsAndNoise) -> go.Figure:
    """The falling curve, and the radius across."""
    shares = 100.0 * np.arange(1, len(e.reaches) + 1) / len(e.reaches)
    fig = plot(line(shares, e.reaches, 0, ""), x="Share of the rows, in %", y="Distance")
    named_line(fig, f"radius {rough(e.eps)}", y=e.eps)
    return fig


def reaches_reading(e: EpsAndNoise) -> str:
    """How many rows are core."""
    core = percent(float(e.core.mean()))
    return f"{core} of the rows have {e.enough} within {rough(e.eps)}, themselves among them: core."


def reaches_table(e: EpsAndNoise) -> tuple[TableColumn, ...]:
    """One line a row, the loneliest first."""
    return (TableColumn("distance", e.reaches),)
