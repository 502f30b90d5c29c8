"""Both actions of the poor state over the discount, and how much later rewards count."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.far_sighted import FarSight, stay_for_ever
from mlcore.spine.wording import percent, rough


def pictures(f: FarSight) -> tuple[View, ...]:
    """The decision, then the weights."""
    return (
        picture("Stay or go", f, draw, reading, table, note="in the poor state"),
        picture("What a later reward counts", f, draw_weights, weights_reading, weights_table,
                note=f"with a discount of {f.gamma:g}"),
    )  # fmt: skip


def _shares(f: FarSight) -> tuple[np.ndarray, ...]:
    """Values a move, (m,) each: times 1 - gamma, so that they stay on the page."""
    unit = 1 - f.gammas
    return f.stay * unit, f.go * unit, stay_for_ever(f.gammas) * unit


def draw(f: FarSight) -> go.Figure:
    """They cross where the discount is a half."""
    stay, goes, ever = _shares(f)
    fig = plot(
        line(f.gammas, stay, 0, "stay once"), line(f.gammas, goes, 1, "go"),
        line(f.gammas, ever, 2, "stay for ever"),
        x="Discount", y="Value times (1 − discount)",
    )  # fmt: skip
    return named_line(fig, "here", x=f.gamma)


def reading(f: FarSight) -> str:
    """What is best here, and what the states are worth."""
    poor, rich = (rough(float(v)) for v in f.values)
    best = "Going" if f.goes else "Staying"
    return (
        f"{best} is best with a discount of {f.gamma:g}: the poor state is worth {poor}, the rich "
        f"one {rich}."
    )


def table(f: FarSight) -> tuple[TableColumn, ...]:
    """One line a discount."""
    return (
        TableColumn("discount", f.gammas),
        TableColumn("value of staying once", f.stay),
        TableColumn("value of going", f.go),
        TableColumn("value of staying for ever", stay_for_ever(f.gammas)),
    )


def draw_weights(f: FarSight) -> go.Figure:
    """A bar a move."""
    bars = go.Bar(
        x=np.arange(1, len(f.weights) + 1), y=f.weights, marker_color=class_color(0)
    )  # fmt: skip
    return plot(bars, x="Move", y="Weight of its reward").update_yaxes(range=[0, 1.05])


def weights_reading(f: FarSight) -> str:
    """All weights together, and what is left beyond the picture."""
    n = len(f.weights)
    return (
        f"All weights sum up to {rough(1 / (1 - f.gamma))}; {percent(f.gamma**n)} of that belongs "
        f"to rewards after move {n}."
    )


def weights_table(f: FarSight) -> tuple[TableColumn, ...]:
    """One line a move."""
    return (
        TableColumn("move", np.arange(1, len(f.weights) + 1)),
        TableColumn("weight", f.weights),
    )
