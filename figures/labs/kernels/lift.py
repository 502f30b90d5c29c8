"""Lifted until a plane parts them: the region, the points above it, and errors by dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line, named_upright
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color, class_symbol
from figures.view import TableColumn, View
from mlcore.labs.kernels.lift import LIFTS, NEW, Lifted
from mlcore.spine.wording import listed, percent, rough

COARSE = 4  # every fourth place is enough for a surface
LIFT = {"none": "no lift", "paraboloid": "paraboloid", "random waves": "random waves"}


def pictures(it: Lifted) -> tuple[View, ...]:
    """The plane below, the distances above, and every dimension."""
    note = f"{LIFT[it.lift]}, {it.shown} dimensions"
    return (
        picture("The cut, seen from below", it, draw, reading, table, note=note),
        *_above(it),
        picture("Height above the cut", it, draw_scores, scores_reading, table, note=note),
        picture("Random waves in every dimension", it, draw_curve, curve_reading, curve_table,
                note=f"mean of {LIFTS} lifts, {NEW} new rows"),
    )  # fmt: skip


def _above(it: Lifted) -> tuple[View, ...]:
    """Three dimensions can be shown; two are shown already, and more cannot be."""
    if it.lift != "paraboloid":
        return ()
    return (picture("The points above the plane", it, draw_lifted, lifted_reading, table),)


def draw(it: Lifted) -> go.Figure:
    """Regions as strong as the score is sure."""
    inside = (it.surface > 0).astype(int)
    sure = np.clip(np.abs(it.surface), 0.25, 1.0)
    zero = go.Contour(
        x=it.places, y=it.places, z=it.surface, showscale=False, hoverinfo="skip",
        contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
        line={"color": LIGHT.text, "width": 2},
    )  # fmt: skip
    fig = plot(
        marks.regions(it.places, it.places, inside, sure),
        zero,
        *_points(it, *it.X.T),
        x="x1",
        y="x2",
    )
    return marks.equal_axes(fig).update_layout(height=420)


def _points(it: Lifted, x: np.ndarray, y: np.ndarray) -> list[Any]:
    return [
        marks.points(x[it.y == k], y[it.y == k], klass=k, name=f"class {k}", marker={"size": 11})
        for k in (0, 1)
    ]


def reading(it: Lifted) -> str:
    """Both errors."""
    return (
        f"{percent(it.train)} of the ten points and {percent(it.test)} of {NEW} new rows lie on "
        "the wrong side of the cut."
    )


def table(it: Lifted) -> tuple[TableColumn, ...]:
    """One line a point."""
    return (
        TableColumn("column 1", it.X[:, 0]),
        TableColumn("column 2", it.X[:, 1]),
        TableColumn("class", it.y),
        TableColumn("score", it.scores),
    )


def draw_lifted(it: Lifted) -> go.Figure:
    """The paraboloid, the flat cut, and the points where they are lifted to."""
    x, y = np.meshgrid(it.places[::COARSE], it.places[::COARSE])
    bowl = x**2 + y**2
    w1, w2, w3, b = it.plane
    # A plane that stands upright is no surface above the square; then nothing of it is drawn.
    cut = -(w1 * x + w2 * y + b) / w3 if w3 else np.full_like(x, np.nan)
    cut = np.where((cut >= 0) & (cut <= bowl.max()), cut, np.nan)
    surfaces = [_surface(x, y, bowl, LIGHT.quiet, 0.25), _surface(x, y, cut, class_color(2), 0.6)]
    points = [
        go.Scatter3d(
            x=it.X[it.y == k, 0], y=it.X[it.y == k, 1], z=(it.X[it.y == k] ** 2).sum(axis=1),
            mode="markers", name=f"class {k}",
            marker={"color": class_color(k), "symbol": class_symbol(k), "size": 6},
        )
        for k in (0, 1)
    ]  # fmt: skip
    fig = plot(*surfaces, *points, x="", y="").update_layout(height=420, xaxis=None, yaxis=None)
    fig.update_scenes(
        camera={"eye": {"x": 1.1, "y": -1.5, "z": 0.35}, "center": {"x": 0, "y": 0, "z": -0.1}},
        aspectmode="cube",
        xaxis={"title": {"text": "x1"}},
        yaxis={"title": {"text": "x2"}},
    )
    return named_upright(fig, "x1² + x2²")


def _surface(x: np.ndarray, y: np.ndarray, z: np.ndarray, color: str, strength: float) -> Any:
    """One colour, half transparent."""
    return go.Surface(
        x=x, y=y, z=z, colorscale=[(0.0, color), (1.0, color)], showscale=False, opacity=strength,
        hoverinfo="skip",
    )  # fmt: skip


def lifted_reading(it: Lifted) -> str:
    """The plane in numbers."""
    w1, w2, w3, b = (float(v) for v in it.plane / np.abs(it.plane).max())
    rest = ((w2, " x2"), (w3, " (x1² + x2²)"), (b, ""))
    terms = (f" {'−' if w < 0 else '+'} {rough(abs(w))}{of}" for w, of in rest)
    return f"The cut is where {rough(w1)} x1{''.join(terms)} is zero: flat above, a circle below."


def draw_scores(it: Lifted) -> go.Figure:
    """Score over the distance from the middle; the cut is at zero, the margins at one."""
    fig = plot(
        *_points(it, np.hypot(*it.X.T), it.scores),
        x="Distance from the middle of the square",
        y="Score, in margins",
    )
    return named_line(fig, "the cut", y=0.0)


def scores_reading(it: Lifted) -> str:
    """Which points are nearest to the cut."""
    nearest = np.argsort(np.abs(it.scores))[:3]
    text = listed([rough(float(it.scores[k])) for k in nearest])
    return f"The three points nearest to the cut have scores {text}; class 1 belongs above zero."


def draw_curve(it: Lifted) -> go.Figure:
    """Wrong on the points and on new rows."""
    fig = plot(
        line(it.dimensions, it.train_by_dimension, 0, "on the ten points"),
        line(it.dimensions, it.test_by_dimension, 1, "on new rows"),
        x="Dimensions of the lift",
        y="Share wrong",
    )
    named_line(fig, "chance", y=0.5)
    return fig.update_yaxes(tickformat=".0%", range=[0, 0.62])


def curve_reading(it: Lifted) -> str:
    """From where nothing is wrong, and what new rows say there."""
    perfect = np.flatnonzero(it.train_by_dimension == 0)
    if not len(perfect):
        return "No dimension here parts the ten points in every lift."
    first = int(it.dimensions[perfect[0]])
    test = float(it.test_by_dimension[perfect].mean())
    return (
        f"With {first} random waves every lift parts the ten points. Of new rows {percent(test)} "
        "are wrong where no point is."
    )


def curve_table(it: Lifted) -> tuple[TableColumn, ...]:
    """One line a dimension."""
    return (
        TableColumn("dimensions", it.dimensions),
        TableColumn("wrong points", it.train_by_dimension),
        TableColumn("wrong new rows", it.test_by_dimension),
    )
