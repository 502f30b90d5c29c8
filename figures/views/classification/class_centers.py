"""The mean of each class in the plane, with the rows and the ways between the means."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, center_marks, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of, seen
from figures.numbers.projections import Projection, class_projection
from figures.options import ANY_AXES, Axes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasClassMeans
from mlcore.spine.errors import DataError

MOST_WAYS = 5  # classes whose means are joined; ways between more of them are a thicket


class ClassCenters(NamedTuple):
    """Means of classes, and rows, in a plane."""

    shown: Projection
    cloud: Cloud
    classes: tuple[str, ...]  # (K,)
    means: np.ndarray  # (K, 2) in the plane
    distances: np.ndarray  # (K, K) between the means, in prepared coordinates, all columns


@view(
    "class_centers",
    title="Means of the classes",
    asks=HasClassMeans,
    on="classification report compare",
    order=118,
    synonyms=("centroids", "class means", "prototypes"),
    sources=("epfl:nearest_mean",),
)
def class_centers(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """The mean of each class among the rows, and the ways between two means with their middle.

    Axes are two columns; of more than eight columns, unless two are named, the plane is shown in
    which the classes lie farthest apart.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> ClassCenters:
    """The means as they fall on the plane, and how far they lie apart."""
    shown = class_projection(dataset, whole, x, y)
    fit = whole.fit
    means = shown.place(fit.means)
    if means is None:
        raise DataError(
            "The axes of this picture are no straight lines through the prepared rows, so a mean "
            "has no place in it. Choose columns that are only shifted and scaled."
        )
    distances = np.linalg.norm(fit.means[:, None] - fit.means, axis=2)
    classes = tuple(dataset.classes[int(code)] for code in fit.classes)
    cloud = seen(cloud_of(dataset, shown.x, shown.y))
    return ClassCenters(shown, cloud, classes, means, distances)


def draw(c: ClassCenters) -> go.Figure:
    """Rows behind, ways between the means, means on top."""
    rows = mixed_points(c.cloud, kinds=kinds_of(c.shown.plane))
    fig = figure(*rows, *_ways(c), height=HEIGHT)
    texts = [f"mean of {name}" for name in c.classes]
    fig.add_trace(center_marks(c.means[:, 0], c.means[:, 1], "means", texts))
    return on_plane(fig.update_layout(showlegend=True), c.shown)


def _ways(c: ClassCenters) -> list[go.Scatter]:
    """From mean to mean, with a mark in the middle."""
    if len(c.classes) > MOST_WAYS:
        return []
    pairs = np.array(list(combinations(range(len(c.classes)), 2)))
    ends = c.means[pairs]  # (pairs, 2, 2)
    middle = ends.mean(axis=1, keepdims=True)
    gap = np.full_like(middle, np.nan)
    line = np.concatenate([ends[:, :1], middle, ends[:, 1:], gap], axis=1)
    return [
        go.Scatter(
            x=line[:, :, 0].ravel(),
            y=line[:, :, 1].ravel(),
            mode="lines+markers",
            name="middle of two means",
            line={"color": LIGHT.quiet, "width": 1, "dash": "dot"},
            marker={"symbol": "line-ns-open", "size": [0, 9, 0, 0] * len(pairs)},
            hoverinfo="skip",
        )
    ]


def reading(c: ClassCenters) -> str:
    """Which two means lie nearest to each other."""
    pairs = list(combinations(range(len(c.classes)), 2))
    i, j = min(pairs, key=lambda pair: c.distances[pair])
    text = f"The means of {c.classes[i]} and {c.classes[j]} lie {c.distances[i, j]:.3g} apart"
    text += ", nearer than any other two" if len(pairs) > 1 else ""
    return f"{text} (prepared columns, all of them). {c.shown.how}".strip()


def table(c: ClassCenters) -> tuple[TableColumn, ...]:
    """One line a class."""
    apart = (TableColumn(f"to {name}", c.distances[:, k]) for k, name in enumerate(c.classes))
    return (
        TableColumn("class", c.classes),
        TableColumn("mean across", c.means[:, 0]),
        TableColumn("mean up", c.means[:, 1]),
        *apart,
    )
