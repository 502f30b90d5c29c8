"""The Gaussian of each class as ellipses on the plane, with the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, center_marks, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of, seen
from figures.numbers.projections import Projection
from figures.options import ANY_AXES, Axes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from figures.views.clustering.ellipse_map import (
    ellipse,
    fallen,
    gaussian_plane,
    outlines,
    straight_means,
)
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasClasses, HasComponents


class ClassEllipses(NamedTuple):
    """Gaussians of classes, and rows, in a plane."""

    shown: Projection
    cloud: Cloud
    classes: tuple[str, ...]  # (K,)
    shares: np.ndarray  # (K,)
    means: np.ndarray  # (K, 2) in the plane
    covariances: np.ndarray  # (K, 2, 2) in the plane
    outlines: tuple[np.ndarray, ...]  # K of them, (m, 2); NaN parts one ellipse from the next


@view(
    "class_ellipses",
    title="Gaussians of the classes",
    asks=(HasClasses, HasComponents),
    on="classification report compare",
    order=120,
    synonyms=("covariance ellipses", "class densities"),
    sources=("epfl:bayes_gauss_full", "s841:qda"),
)
def class_ellipses(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Each class as the ellipses of one and two standard deviations of its Gaussian.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    e = numbers(dataset, whole, x=axes.x, y=axes.y)
    return joined(e, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> ClassEllipses:
    """The Gaussians as they fall on the plane, and the rows."""
    shown = gaussian_plane(dataset, whole, x, y)
    fit = whole.fit
    means = straight_means(shown, fit)
    return ClassEllipses(
        shown,
        seen(cloud_of(dataset, shown.x, shown.y)),
        tuple(dataset.classes[int(code)] for code in fit.classes),
        fit.weights,
        means,
        fallen(shown, fit),
        tuple(outlines(shown, fit)),
    )


def draw(e: ClassEllipses) -> go.Figure:
    """Rows behind, ellipses in the colours of their classes, means on top."""
    rows = mixed_points(e.cloud, kinds=kinds_of(e.shown.plane))
    codes = [e.cloud.names.index(name) for name in e.classes]
    fig = figure(*rows, *map(ellipse, codes, e.outlines), height=HEIGHT)
    texts = [f"mean of {name}, share {w:.3g}" for name, w in zip(e.classes, e.shares, strict=True)]
    fig.add_trace(center_marks(e.means[:, 0], e.means[:, 1], "means", texts))
    return on_plane(fig.update_layout(showlegend=True), e.shown)


def reading(e: ClassEllipses) -> str:
    """Which class is the widest in the plane, and by how much."""
    areas = np.sqrt(np.maximum(np.linalg.det(e.covariances), 0.0))
    wide, narrow = int(areas.argmax()), int(areas.argmin())
    text = "The ellipses are one and two standard deviations wide."
    if areas[narrow] > 0 and areas[wide] < 1.05 * areas[narrow]:
        text += " They cover equal areas in every class."
    elif areas[narrow] > 0:
        text += (
            f" Those of {e.classes[wide]} cover the largest area, "
            f"{areas[wide] / areas[narrow]:.2g} times that of {e.classes[narrow]}."
        )
    return f"{text} {e.shown.how}".strip()


def table(e: ClassEllipses) -> tuple[TableColumn, ...]:
    """One line a class."""
    return (
        TableColumn("class", e.classes),
        TableColumn("share", e.shares),
        TableColumn("mean across", e.means[:, 0]),
        TableColumn("mean up", e.means[:, 1]),
        TableColumn("sd across", np.sqrt(np.maximum(e.covariances[:, 0, 0], 0.0))),
        TableColumn("sd up", np.sqrt(np.maximum(e.covariances[:, 1, 1], 0.0))),
        TableColumn("covariance", e.covariances[:, 0, 1]),
    )
