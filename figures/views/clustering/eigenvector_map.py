"""Rows in the eigenvectors of their graph: where groups are, if there are any, lie points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud
from figures.options import Offered, Options, Values, among
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasGraphSpectrum
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer
from mlcore.spine.wording import rough


class EigenvectorMap(NamedTuple):
    """Coordinates of the fitted rows in two eigenvectors."""

    cloud: Cloud
    x: int  # number of the eigenvector, from 0
    y: int
    tightness: float  # mean squared distance to the own group's mean by that to the mean of all


def _vectors(offered: Offered) -> Values:
    fit: Any = offered.get("fit")
    if not can(fit, HasGraphSpectrum):
        return {}
    return {k + 1: f"Eigenvector {k + 1}" for k in range(fit.coordinates.shape[1])}


@dataclass(frozen=True, kw_only=True)
class EigenvectorOptions(Options):
    """Which two eigenvectors are the axes."""

    x: int = among(
        integer(1, low=1, soft=(1, 12), label="Across", doc="Number of the eigenvector."), _vectors
    )
    y: int = among(
        integer(2, low=1, soft=(1, 12), label="Up", doc="Number of the eigenvector."), _vectors
    )


@view(
    "eigenvector_map",
    title="Rows in the eigenvectors",
    asks=(HasGraphSpectrum, HasLabels),
    options=EigenvectorOptions,
    on="clustering report compare",
    order=127,
    synonyms=("spectral embedding of the groups",),
)
def eigenvector_map(dataset: Dataset, whole: Whole, *, options: EigenvectorOptions) -> View:
    """The rows as the labels were found: groups that hold together are close to points."""
    e = numbers(dataset, whole, x=options.x - 1, y=options.y - 1)
    return joined(e, draw, reading, table, note=fitted_on(dataset, whole), rows=e.cloud.rows)


def numbers(dataset: Dataset, whole: Whole, *, x: int = 0, y: int = 1) -> EigenvectorMap:
    """Two coordinates of the fitted rows. Raises DataError for a single group."""
    fit: Any = whole.fit
    Z = fit.coordinates
    if Z.shape[1] < 2:
        raise DataError("One group has one eigenvector, which is constant. Ask for more groups.")
    y = min(y, Z.shape[1] - 1)
    source = whole.prepared.rows
    rows = dataset.rows if source is None else dataset.rows[source]
    names = tuple(f"cluster {k + 1}" for k in range(int(fit.labels.max()) + 1))
    within = sum(
        float(((Z[fit.labels == k] - Z[fit.labels == k].mean(axis=0)) ** 2).sum())
        for k in np.unique(fit.labels)
    )
    total = float(((Z - Z.mean(axis=0)) ** 2).sum())
    cloud = Cloud(Z[:, x], Z[:, y], rows, fit.labels, names)
    return EigenvectorMap(cloud, x, y, within / total if total else 0.0)


def draw(e: EigenvectorMap) -> go.Figure:
    """A mark a row, by group."""
    return figure(
        *points_of(e.cloud),
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": f"Eigenvector {e.x + 1}"}},
        yaxis={"title": {"text": f"Eigenvector {e.y + 1}"}},
    )


def reading(e: EigenvectorMap) -> str:
    """How close to points the groups are."""
    return (
        f"{rough(100 * (1 - e.tightness))} % of the squared distances in all coordinates lie "
        "between the groups; at 100 % each group is a point."
    )


def table(e: EigenvectorMap) -> tuple[TableColumn, ...]:
    """One line a fitted row."""
    return (
        TableColumn("row", e.cloud.rows + 1),
        TableColumn(f"eigenvector {e.x + 1}", e.cloud.x),
        TableColumn(f"eigenvector {e.y + 1}, up", e.cloud.y),
        TableColumn("cluster", e.cloud.klass + 1),
    )
