"""How far a mean may be off: the bound beside the exact probability, and a hundred intervals."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.hoeffding import Hoeffding
from mlcore.spine.wording import percent, rough


def pictures(h: Hoeffding) -> tuple[View, ...]:
    """The tail, then the intervals."""
    return (
        picture("Probability that the mean is off", h, draw, reading, table),
        picture(
            "A hundred intervals", h, draw_intervals, intervals_reading, intervals_table,
            note=f"mean plus and minus {rough(h.radius)}",
        ),
    )  # fmt: skip


def draw(h: Hoeffding) -> go.Figure:
    """The exact probability falls in steps: a mean of n rewards has n + 1 values."""
    exact = line(h.off, h.exact, 0, "exact probability")
    exact.update(line_shape="hv")
    fig = plot(exact, line(h.off, h.bound, 1, "bound"), x="Off by more than", y="Probability")
    return named_line(fig, "half of an interval", x=h.radius) if h.radius <= h.off[-1] else fig


def reading(h: Hoeffding) -> str:
    """The bound against the truth at the radius of the intervals."""
    probability = float(np.interp(h.radius, h.off, h.exact))
    return (
        f"The bound allows the mean to be off by more than {rough(h.radius)} with a probability of "
        f"{percent(h.delta)}; the exact probability is about {percent(probability)}."
    )


def table(h: Hoeffding) -> tuple[TableColumn, ...]:
    """One line a distance."""
    return (
        TableColumn("off by more than", h.off),
        TableColumn("exact probability", h.exact),
        TableColumn("bound", h.bound),
    )


def draw_intervals(h: Hoeffding) -> go.Figure:
    """Those that miss are orange, and have diamonds."""
    traces = []
    for k, (name, own) in enumerate((("holds p", h.is_hit), ("misses", ~h.is_hit))):
        at = np.flatnonzero(own)
        if len(at):
            traces.append(
                go.Scatter(
                    x=at + 1, y=h.means[at], mode="markers", name=name,
                    marker={"color": class_color(k), "symbol": ("circle", "diamond")[k], "size": 5},
                    error_y={"type": "constant", "value": h.radius, "width": 0, "thickness": 1.5},
                )
            )  # fmt: skip
    fig = plot(*traces, x="Arm pulled n times", y="Mean reward", legend_title_text="")
    return named_line(fig, "p", y=h.p)


def intervals_reading(h: Hoeffding) -> str:
    """How many miss, here and in all that were simulated."""
    missed = int((~h.is_hit).sum())
    return (
        f"{missed} of {len(h.is_hit)} intervals miss; of 5000 that were simulated "
        f"{percent(h.coverage)} hold p, where {percent(1 - h.delta)} are promised."
    )


def intervals_table(h: Hoeffding) -> tuple[TableColumn, ...]:
    """One line an interval."""
    return (
        TableColumn("mean", h.means),
        TableColumn("low", h.means - h.radius),
        TableColumn("high", h.means + h.radius),
        TableColumn("holds p", h.is_hit),
    )
