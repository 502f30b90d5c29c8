"""The map of the best level to bank at, and what every level is worth at one place of it."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.lab import picture, plot
from figures.theme import LIGHT, SEQUENTIAL, class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.banking import Levels
from mlcore.spine.wording import count, listed, rough


def pictures(b: Levels) -> tuple[View, ...]:
    """The map, then one place of it."""
    return (
        picture("Best level", b, draw, reading, table, note="click to look at a place"),
        picture("Value of each level", b, draw_values, values_reading, values_table,
                note=f"discount {b.gamma:g}, right answers {b.p:g}"),
    )  # fmt: skip


def draw(b: Levels) -> go.Figure:
    """A colour a level; the ring is where the settings are."""
    n = len(b.values)
    heat = go.Heatmap(
        x=b.axis, y=b.axis, z=b.levels, zmin=1, zmax=n, colorscale=SEQUENTIAL, hoverinfo="skip",
        colorbar={"title": {"text": "level"}, "tickvals": list(range(1, n + 1))},
    )  # fmt: skip
    x, y = (part.ravel() for part in np.meshgrid(b.axis, b.axis))
    places = go.Scatter(
        x=x, y=y, mode="markers", marker={"size": 8, "opacity": 0.0, "symbol": "square"},
        text=[count(int(level), "answer") for level in b.levels.ravel()],
        hovertemplate="bank after %{text}<br>click to look<extra></extra>",
    )  # fmt: skip
    here = go.Scatter(
        x=[b.gamma], y=[b.p], mode="markers", hoverinfo="skip",
        marker={"size": 14, "color": "white", "line": {"width": 3, "color": LIGHT.text}},
    )  # fmt: skip
    traces = (heat, here, numbered(places, np.arange(len(x))))
    return plot(*traces, x="Discount", y="Probability of a right answer")


def reading(b: Levels) -> str:
    """The level here, and those that are nowhere best."""
    text = f"Here it is best to bank after {count(b.best, 'right answer')}."
    return (
        f"{text} Levels that are best nowhere on the map: {listed(b.never)}." if b.never else text
    )


def table(b: Levels) -> tuple[TableColumn, ...]:
    """One line a place."""
    n = len(b.axis)
    return (
        TableColumn("probability of a right answer", np.repeat(b.axis, n)),
        TableColumn("discount", np.tile(b.axis, n)),
        TableColumn("best level", b.levels.ravel()),
    )


def draw_values(b: Levels) -> go.Figure:
    """A bar a level; the best in the second colour."""
    levels = np.arange(1, len(b.values) + 1)
    colors = [class_color(int(level == b.best)) for level in levels]
    bars = go.Bar(x=levels, y=b.values, marker_color=colors)
    fig = plot(bars, x="Bank after so many right answers", y="Value of the start")
    return fig.update_xaxes(tickvals=levels)


def values_reading(b: Levels) -> str:
    """The best level and the next one."""
    order = np.argsort(-b.values)
    first, second = int(order[0]), int(order[1])
    return (
        f"Banking after {first + 1} is worth {rough(float(b.values[first]))}, after {second + 1} "
        f"{rough(float(b.values[second]))}."
    )


def values_table(b: Levels) -> tuple[TableColumn, ...]:
    """One line a level."""
    levels = np.arange(1, len(b.values) + 1)
    return TableColumn("level", levels), TableColumn("value of the start", b.values)
