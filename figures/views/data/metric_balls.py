"""The balls of a distance: places equally far from a center."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT
from figures.theme import CLASS_COLORS, LIGHT, faint_marks, figure
from figures.view import TableColumn, View, joined, view
from mlcore.labs.data.norms import Norms
from mlcore.spine.wording import percent, rough

LEVELS = 8


@view(
    "metric_balls",
    title="Unit balls of the metric",
    sources=("epfl:dist_minkowski", "epfl:dist_mahalanobis", "epfl:cosine_similarity"),
)
def metric_balls(balls: Norms) -> View:
    """Lines of equal distance from the first center, over the rows that a distance learns from."""
    return joined(balls, draw, reading, table, note=balls.metric)


def draw(n: Norms) -> go.Figure:
    """A ball is what such a line encloses."""
    lines = go.Contour(
        x=n.places, y=n.places, z=n.away, ncontours=LEVELS, showscale=False,
        contours={"coloring": "none", "showlabels": True, "labelfont": {"color": LIGHT.text}},
        line={"width": 2, "color": CLASS_COLORS[0]},
    )  # fmt: skip
    rows = marks.points(*n.rows.T, klass=-1, name="rows", marker=faint_marks(4, 0.5))
    fig = figure(lines, rows, center(n.centers[:1]), height=HEIGHT, showlegend=False)
    return on_square(fig, n)


def center(at: np.ndarray) -> go.Scatter:
    """Crosses at centers, shape (k, 2)."""
    mark = {"color": LIGHT.text, "symbol": "x", "size": 12}
    return go.Scatter(x=at[:, 0], y=at[:, 1], mode="markers", marker=mark, name="center")


def on_square(fig: go.Figure, n: Norms) -> go.Figure:
    """The square of the lab with equal axes. Changes and returns `fig`."""
    ends = [float(n.places[0]), float(n.places[-1])]
    fig.update_xaxes(range=ends, title={"text": "Column 1"})
    return marks.equal_axes(fig.update_yaxes(range=ends, title={"text": "Column 2"}))


def reading(n: Norms) -> str:
    """How much of the square is nearer than half of the farthest place."""
    half = float((n.away <= n.away.max() / 2).mean())
    return (
        f"The farthest place of the square is {rough(float(n.away.max()))} from the first center; "
        f"the ball of half that radius covers {percent(half)} of the square."
    )


def table(n: Norms) -> tuple[TableColumn, ...]:
    """One line a level: the share of the square within."""
    radii = np.linspace(0, float(n.away.max()), LEVELS + 1)[1:]
    within = np.array([(n.away <= radius).mean() for radius in radii])
    return (TableColumn("radius", radii), TableColumn("share of the square", within))
