"""Paths of the centers: where each started, and how rows moved it, over the rows by cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CENTERS, CURVE, HEIGHT, center_marks, dated, points_of
from figures.drawing.ways import in_one_line
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasCenterPaths
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural, rough

LATE = 0.1  # share of the run over which the last way is measured


class CenterPaths(NamedTuple):
    """Ways of the centers in a plane."""

    shown: Projection
    cloud: Cloud
    ways: np.ndarray  # (k, t, 2)
    lengths: np.ndarray  # (k,) of the ways, in units of the method's columns
    late: np.ndarray  # (k,) of their last tenth
    n_shown: int  # rows shown, repeats counted


@view(
    "center_paths",
    title="Paths of the centers",
    asks=(HasCenterPaths, HasLabels),
    on="clustering report compare",
    order=130,
    sources=("cs2:kmeans_online", "mi2:kmeans_online"),
    synonyms=("prototype trajectories", "trajectories of the centers"),
)
def center_paths(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Where each center started, hollow, how it went, and where it stands now.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> CenterPaths:
    """The ways as they fall on the plane. Raises DataError if its axes are no straight lines."""
    shown = spread_projection(dataset, whole, x, y)
    fit: Any = whole.fit
    k, t, p = fit.center_paths.shape
    at = shown.place(fit.center_paths.reshape(-1, p))
    if at is None:
        raise DataError(
            "The axes of this picture are no straight lines through the prepared rows, so a way "
            "has no place in it. Choose columns that are only shifted and scaled."
        )
    labels = whole.labels(dataset.X)
    cloud = seen(
        Cloud(shown.x, shown.y, dataset.rows, labels, tuple(f"cluster {j + 1}" for j in range(k)))
    )
    moves = np.sqrt((np.diff(fit.center_paths, axis=1) ** 2).sum(axis=2))
    last = max(int(LATE * (t - 1)), 1)
    return CenterPaths(
        shown, cloud, at.reshape(k, t, 2), moves.sum(axis=1), moves[:, -last:].sum(axis=1),
        int(fit.shown[-1]),
    )  # fmt: skip


def draw(c: CenterPaths) -> go.Figure:
    """Rows small behind, ways over them, starts hollow, and the centers on top."""
    kinds = kinds_of(c.shown.plane)
    rows = points_of(c.cloud, kinds=kinds, no_class=NOISE)
    for trace in rows:
        if not c.cloud.is_crowded:
            trace.marker.size = 5
        trace.opacity = 0.45
    x, y = in_one_line(c.ways)
    line = go.Scatter(
        x=dated(x, kinds[0]), y=dated(y, kinds[1]), mode="lines", uid=CURVE, name="ways",
        line={"color": LIGHT.text, "width": 1.4}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    starts = go.Scatter(
        x=dated(c.ways[:, 0, 0], kinds[0]), y=dated(c.ways[:, 0, 1], kinds[1]), mode="markers",
        name="starts", hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 9, "color": LIGHT.text, "line": {"width": 2}},
    )  # fmt: skip
    at = dated(c.ways[:, -1, 0], kinds[0]), dated(c.ways[:, -1, 1], kinds[1])
    texts = [f"center of cluster {k + 1}" for k in range(len(c.ways))]
    fig = figure(*rows, line, starts, center_marks(*at, "centers", texts), height=HEIGHT)
    return on_plane(fig.update_layout(showlegend=True), c.shown)


def step(c: CenterPaths, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the ways get longer, and the centers stand at their ends."""
    fit: Any = whole.fit
    x, y = in_one_line(c.ways[:, : fit.reached])
    now = c.ways[:, fit.reached - 1]
    return {at[CURVE]: {"x": x, "y": y}, at[CENTERS]: {"x": now[:, 0], "y": now[:, 1]}}


def reading(c: CenterPaths) -> str:
    """How far the centers went, and whether they still move."""
    k, length, late = len(c.ways), rough(float(c.lengths.max())), rough(float(c.late.max()))
    way = plural(k, "the way of the center is", f"the longest way of {k} centers is")
    text = f"{count(c.n_shown, 'row')} {plural(c.n_shown, 'was', 'were')} shown, repeats counted; "
    text += f"{way} {length} long, {late} of it{plural(k, '', ' at most')} in the last tenth of "
    text += "the run."
    return f"{text} {c.shown.how}".strip()


def table(c: CenterPaths) -> tuple[TableColumn, ...]:
    """One line a center."""
    return (
        TableColumn("center", np.arange(1, len(c.ways) + 1)),
        TableColumn("start across", c.ways[:, 0, 0]),
        TableColumn("start up", c.ways[:, 0, 1]),
        TableColumn("end across", c.ways[:, -1, 0]),
        TableColumn("end up", c.ways[:, -1, 1]),
        TableColumn("length", c.lengths),
        TableColumn("length of the last tenth", c.late),
    )
