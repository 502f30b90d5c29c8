"""Balls and borders of a distance: lines of equal distance, and who is nearest."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.lab import picture, plot
from figures.view import TableColumn, View
from figures.views.data.metric_balls import center, metric_balls, on_square
from mlcore.labs.data.norms import Norms
from mlcore.spine.wording import count, rough

STRAIGHT = 0.5  # cells that steps of the grid make of a straight border


def pictures(n: Norms) -> tuple[View, ...]:
    """The balls, then the regions."""
    return (
        metric_balls(n),
        picture("Which center is nearest", n, draw, reading, table, note=n.metric),
    )


def draw(n: Norms) -> go.Figure:
    """A colour a center."""
    region = marks.regions(n.places, n.places, n.nearest, np.full(n.nearest.shape, 0.8))
    fig = plot(region, center(n.centers), x="Column 1", y="Column 2")
    return on_square(fig, n).update_layout(height=420)


def reading(n: Norms) -> str:
    """How many borders are straight."""
    if not len(n.bent):
        return "No border here is long enough to be judged."
    bent = int((n.bent > STRAIGHT).sum())
    text = f"{bent} of {count(len(n.bent), 'border')} bent; "
    return text + (
        f"the worst strays {rough(float(n.bent.max()))} cells of the picture from a straight line."
    )


def table(n: Norms) -> tuple[TableColumn, ...]:
    """One line a center."""
    shares = np.bincount(n.nearest.ravel(), minlength=len(n.centers)) / n.nearest.size
    return (
        TableColumn("column 1", n.centers[:, 0]),
        TableColumn("column 2", n.centers[:, 1]),
        TableColumn("share of the square", shares),
    )
