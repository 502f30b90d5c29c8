"""One tree of an isolation forest: how many cuts it takes at every place of the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, dated, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes, Options
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasPathLengths
from mlcore.runs.carry import Whole
from mlcore.spine.params import integer
from mlcore.spine.wording import rough

SCALE = [(0.0, faded(LIGHT.accent, 0.0)), (1.0, faded(LIGHT.accent, 0.8))]


@dataclass(frozen=True, kw_only=True)
class CutsOptions(Options):
    """Which tree is drawn."""

    tree: int = integer(
        1, low=1, high=5000, soft=(1, 100), label="Tree", doc="Which one, the last at most."
    )


class IsolationCuts(NamedTuple):
    """Path lengths of one tree in a plane."""

    shown: Projection
    cloud: Cloud
    cells: np.ndarray  # (b, a) path length of each cell
    at_rows: np.ndarray  # (n,) of every row
    number: int
    of: int  # how many trees there are


@view(
    "isolation_cuts",
    title="Cuts of a tree",
    asks=HasPathLengths,
    options=CutsOptions,
    on="novelty report",
    order=108,
    synonyms=("isolation tree", "path length"),
)
def isolation_cuts(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: CutsOptions
) -> View:
    """The path length in one tree at every place: where it is short a row is soon alone.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y, number=options.tree)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole), rows=c.cloud.rows)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", number: int = 1
) -> IsolationCuts:
    """The path lengths of the cells and of the rows in the tree of this number."""
    fit: Any = whole.fit
    shown = spread_projection(dataset, whole, x, y)
    cells = fit.path_lengths(shown.cells, number).reshape(shown.plane.shape)
    at_rows = fit.path_lengths(whole.prepared.transform(dataset.X), number)
    nobody = np.zeros(dataset.n, dtype=np.int64)
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, nobody, ()))
    return IsolationCuts(shown, cloud, cells, at_rows, min(number, fit.n_members), fit.n_members)


def draw(c: IsolationCuts) -> go.Figure:
    """Colour behind, the fuller, the longer the path; rows small on top."""
    plane = c.shown.plane
    kinds = kinds_of(plane)
    up = np.zeros(1) if plane.y is None else dated(plane.y.cells, kinds[1])
    heat = go.Heatmap(
        x=dated(plane.x.cells, kinds[0]), y=up, z=c.cells.astype(np.float32), colorscale=SCALE,
        showscale=False, hovertemplate="%{z:.3~g} cuts<extra></extra>",
    )  # fmt: skip
    if plane.y is None:
        heat.update(dy=1.0, y0=0.0, y=None)
    rows = points_of(c.cloud, kinds=kinds)
    for trace in rows:
        trace.update(showlegend=False)
        if not c.cloud.is_crowded:
            trace.marker.size = 4
    return fill_plane(figure(heat, *rows, height=HEIGHT, showlegend=False), c.shown)


def reading(c: IsolationCuts) -> str:
    """The mean path, and the row that is soonest alone."""
    least = int(c.at_rows.argmin())
    rows = c.cloud.rows[int(c.shown.here[:least].sum())] + 1 if c.shown.here[least] else 0
    text = f"Tree {c.number} of {c.of}: a row takes {rough(float(c.at_rows.mean()))} cuts on "
    text += f"average, the fewest {rough(float(c.at_rows[least]))}"
    text += f", row {rows}." if rows else "."
    text += " The stronger the colour of a place, the more cuts it takes."
    return f"{text} {c.shown.how}".strip()


def table(c: IsolationCuts) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        TableColumn("row", c.cloud.rows + 1),
        TableColumn("path length", c.at_rows[c.shown.here]),
    )
