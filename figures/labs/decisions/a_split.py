"""Values after a coin by three ways of least squares, and their error by how fair the coin is."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.a_split import METHODS, Split
from mlcore.spine.wording import listed, rough

STATES = ("before the coin", "good outcome", "bad outcome")


def pictures(s: Split) -> tuple[View, ...]:
    """The values, then the error over all coins."""
    return (
        picture("Values of the states", s, draw, reading, table,
                note=f"good with probability {s.good:g}, discount {s.gamma:g}"),
        picture("Error by the coin", s, draw_errors, errors_reading, errors_table,
                note="mean over the moves"),
    )  # fmt: skip


def draw(s: Split) -> go.Figure:
    """A bar a method beside each other, the truth a line across them."""
    bars = [
        go.Bar(x=STATES, y=own, name=name, marker_color=class_color(k))
        for k, (name, own) in enumerate(zip(METHODS, s.values, strict=True))
    ]
    mark = {"symbol": "line-ew-open", "size": 90, "line": {"width": 3}, "color": LIGHT.text}
    truth = go.Scatter(x=STATES, y=s.true, mode="markers", name="true value", marker=mark)
    fig = plot(*bars, truth, x="State", y="Value", barmode="group")
    return fig.update_yaxes(range=[-0.03, 1.06])


def reading(s: Split) -> str:
    """What each gives to both outcomes, and what it minimises."""
    each = listed(
        f"{name} gives them {rough(float(own[1]))} and {rough(float(own[2]))}"
        for name, own in zip(METHODS[:2], s.values, strict=False)
    )
    return (
        f"The outcomes are worth 1 and 0; {each}. Mean squared temporal difference: "
        f"{rough(float(s.losses[0]))} by LSTD, {rough(float(s.losses[1]))} by the residual."
    )


def table(s: Split) -> tuple[TableColumn, ...]:
    """One line a state."""
    methods = (TableColumn(name, own) for name, own in zip(METHODS, s.values, strict=True))
    return TableColumn("state", STATES), TableColumn("true value", s.true), *methods


def draw_errors(s: Split) -> go.Figure:
    """A line a method; two of them lie on the axis."""
    lines = [
        line(s.coins, own, k, name)
        for k, (name, own) in enumerate(zip(METHODS, s.errors, strict=True))
    ]
    fig = plot(*lines, x="Probability of the good outcome", y="Mean error of a value")
    return named_line(fig, "here", x=s.good)


def errors_reading(s: Split) -> str:
    """The error of the residual here, and where it is largest."""
    own = s.errors[1]
    return (
        f"The residual is off by {rough(float(np.interp(s.good, s.coins, own)))} in the mean here, "
        f"by {rough(float(own.max()))} with a fair coin, and not at all where the outcome is sure."
    )


def errors_table(s: Split) -> tuple[TableColumn, ...]:
    """One line a coin."""
    errors = (TableColumn(f"error, {name}", own) for name, own in zip(METHODS, s.errors))
    return TableColumn("probability of the good outcome", s.coins), *errors
