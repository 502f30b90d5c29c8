"""The cluster map: rows by cluster, centers, and the cells of the plane."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import (
    CELLS,
    CENTERS,
    HEIGHT,
    MOST_LISTED,
    ROWS,
    center_marks,
    dated,
    located,
    mixed_points,
)
from figures.drawing.words import fitted_on
from figures.numbers.astray import asked, astray, careful
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.numbers.regions import Regions, filled
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of, region_trace
from figures.views.classification.decision_regions import step as step_of_regions
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasCenters, HasLabels, Predicts
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.wording import count, plural


class ClusterMap(NamedTuple):
    """Rows by cluster in a plane."""

    shown: Projection
    cloud: Cloud
    regions: Regions | None  # None where the fit cannot say to what a new row belongs
    centers: np.ndarray | None  # (k, 2)
    classes: np.ndarray | None  # (n,) names of the known classes, for hovering
    n_clusters: int
    labels: np.ndarray  # (n,) of all rows, those too that have no place in the plane
    astray: float  # share of rows in the region of another cluster than their own


@view(
    "cluster_map",
    title="Clusters",
    asks=HasLabels,
    unless=HasLattice,  # there are many more units than colours, and neighbours are alike
    on="clustering report compare",
    order=119,
    synonyms=("cluster plot", "Voronoi cells"),
)
def cluster_map(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Rows by cluster, with the centers and the cells in which new rows would join a cluster.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(c, draw, reading, table, note=note, rows=c.cloud.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> ClusterMap:
    """Places, clusters and cells."""
    shown = spread_projection(dataset, whole, x, y)
    labels = whole.labels(dataset.X)
    centers = whole.fit.centers if can(whole.fit, HasCenters) else None
    k = int(max(labels.max(initial=-1) + 1, 0 if centers is None else len(centers)))
    names = tuple(f"cluster {j + 1}" for j in range(k))
    every = Cloud(shown.x, shown.y, dataset.rows, labels, names)
    here = shown.here
    regions, away = None, 0.0
    if isinstance(whole.fit, Predicts):
        regions = filled(whole.fit, shown.cells, shown.plane, seen(every))
        away = astray(dataset, shown, regions.klass, labels[asked(shown)])
    places = None if centers is None else shown.place(centers)
    known = None
    if dataset.task == "classification":
        known = np.array(dataset.classes)[dataset.y][here]
    return ClusterMap(shown, seen(every), regions, places, known, k, labels, away)


def draw(c: ClusterMap) -> go.Figure:
    """Cells behind, rows by colour and symbol, centers large on top."""
    kinds = kinds_of(c.shown.plane)
    behind = [region_trace(c.shown.plane, c.regions)] if c.regions is not None else []
    fig = figure(
        *behind,
        *mixed_points(c.cloud, texts=_texts(c), no_class=NOISE, kinds=kinds),
        height=HEIGHT,
        showlegend=True,
    )
    if c.centers is not None:
        fig.add_trace(_centers(c.centers, kinds))
    return fill_plane(fig, c.shown)


def _centers(at: np.ndarray, kinds: tuple[str, str]) -> Any:
    x, y = dated(at[:, 0], kinds[0]), dated(at[:, 1], kinds[1])
    trace = center_marks(x, y, "centers", [f"center of cluster {k + 1}" for k in range(len(at))])
    if len(at) > MOST_LISTED:  # large marks would hide the rows
        trace.update(marker={"size": 8, "line": {"width": 1.2}})
    return trace


def _texts(c: ClusterMap) -> list[str]:
    names = [*c.cloud.names, NOISE]
    of = [names[k] for k in c.cloud.klass]
    if c.classes is None:
        return of
    return [f"{cluster}, {known}" for cluster, known in zip(of, c.classes, strict=True)]


def step(c: ClusterMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: labels, centers, and the cells of the plane."""
    changes: dict[int, Any] = {}
    if ROWS in at:
        changes[at[ROWS]] = {"class": whole.labels(dataset.X)[c.shown.here]}
    if CENTERS in at:
        centers = np.asarray(c.shown.place(whole.fit.centers))
        changes[at[CENTERS]] = {"x": centers[:, 0], "y": centers[:, 1]}
    if CELLS in at:
        changes.update(step_of_regions(c, at, whole, dataset))
    return changes


def reading(c: ClusterMap) -> str:
    """Sizes of the clusters, rows of noise, and what plane is shown."""
    sizes = np.bincount(c.labels[c.labels >= 0], minlength=c.n_clusters)
    noise = int((c.labels < 0).sum())
    if c.n_clusters == 0:
        text = "No cluster was found: every row is noise."
    elif c.n_clusters == 1:
        text = f"1 cluster of {count(int(sizes[0]), 'row')}."
    elif sizes.min() == sizes.max():
        text = f"{c.n_clusters} clusters of {count(int(sizes[0]), 'row')} each."
    else:
        between = "and" if c.n_clusters == 2 else "to"
        text = (
            f"{c.n_clusters} clusters of {sizes.min()} {between} {count(int(sizes.max()), 'row')}."
        )
    if noise and c.n_clusters:
        text += f" {count(noise, 'row')} {plural(noise, 'is', 'are')} noise."
    warning = careful(c.astray, "lie in the region of another cluster than their own")
    return f"{text} {c.shown.how}{warning}".strip()


def table(c: ClusterMap) -> tuple[TableColumn, ...]:
    """One line a row of the data; noise has no number."""
    return (
        *located(c.shown.plane, c.cloud),
        TableColumn("cluster", [NOISE if k < 0 else str(k + 1) for k in c.cloud.klass]),
    )
