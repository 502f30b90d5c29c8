"""The graph of the rows: which are joined, in the plane of the data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasGraph
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent

MOST_EDGES = 6_000  # more lines hide the rows, and weigh on the browser
LEVELS = 3  # widths of lines, by how strong edges are


class RowGraph(NamedTuple):
    """Edges between rows in a plane."""

    shown: Projection
    cloud: Cloud
    ends: np.ndarray  # (e, 2, 2) of the drawn edges: end, axis
    strengths: np.ndarray  # (e,) of the drawn edges
    between: np.ndarray  # (e,) whether a drawn edge joins two groups
    edges: np.ndarray  # (e, 2) rows of the table, of the drawn edges
    n_edges: int  # of the graph
    share: float  # of the strength of all edges, that between groups


@view(
    "row_graph",
    title="Graph of the rows",
    asks=(HasGraph, HasLabels),
    on="clustering report compare",
    order=126,
    synonyms=("nearest neighbour graph", "affinity graph", "similarity graph"),
)
def row_graph(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """The edges between the rows, those that lead from one group to another in a warning colour.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    g = numbers(dataset, whole, x=axes.x, y=axes.y)
    return joined(g, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> RowGraph:
    """The edges as they fall on the plane, the strongest if there are many."""
    fit: Any = whole.fit
    if whole.prepared.rows is not None:
        raise DataError(
            "A step gave the method other rows than those of the table, so its graph has no place "
            "in this picture. Remove that step to see it."
        )
    shown = spread_projection(dataset, whole, x, y)
    labels = whole.labels(dataset.X)
    names = tuple(f"cluster {k + 1}" for k in range(int(labels.max(initial=-1)) + 1))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, labels, names))
    between = np.asarray(labels[fit.edges[:, 0]] != labels[fit.edges[:, 1]])
    total = float(fit.strengths.sum())
    share = float(fit.strengths[between].sum()) / total if total else 0.0
    drawn = np.sort(np.argsort(-fit.strengths, kind="stable")[:MOST_EDGES])
    drawn = drawn[shown.here[fit.edges[drawn]].all(axis=1)]
    ends = np.column_stack([shown.x, shown.y])[fit.edges[drawn]]
    rows = dataset.rows[fit.edges[drawn]]
    strengths = fit.strengths[drawn]
    return RowGraph(shown, cloud, ends, strengths, between[drawn], rows, len(between), share)


def draw(g: RowGraph) -> go.Figure:
    """Lines behind, wider where they are stronger, rows by group on top."""
    kinds = kinds_of(g.shown.plane)
    level = np.zeros(len(g.strengths), dtype=np.int64)
    if len(g.strengths) and (width := float(np.ptp(g.strengths))):
        scaled = (g.strengths - g.strengths.min()) / width
        level = np.minimum((scaled * LEVELS).astype(np.int64), LEVELS - 1)
    key = int(level[g.between].min(initial=LEVELS))  # one of the lines stands in the legend
    lines = [
        _lines(g, (level == k) & (g.between == cross), k, cross, key)
        for cross in (False, True)
        for k in range(LEVELS)
    ]
    rows = points_of(g.cloud, kinds=kinds, no_class=NOISE)
    for trace in rows:
        if not g.cloud.is_crowded:
            trace.marker.size = 6
    kept = [line for line in lines if line is not None]
    fig = on_plane(figure(*kept, *rows, height=HEIGHT, showlegend=True), g.shown)
    return fig.update_xaxes(constrain="range")  # a legend of two lines leaves little room


def _lines(
    g: RowGraph, own: np.ndarray, level: int, cross: bool, level_of_key: int
) -> go.Scatter | None:
    """Edges of one width and kind as one line; NaN parts one from the next."""
    if not own.any():
        return None
    gap = np.full((int(own.sum()), 1, 2), np.nan)
    path = np.concatenate([g.ends[own], gap], axis=1).reshape(-1, 2)
    color = LIGHT.text if cross else faded(LIGHT.quiet, 0.55)
    return go.Scatter(
        x=path[:, 0].astype(np.float32), y=path[:, 1].astype(np.float32), mode="lines",
        line={"color": color, "width": 0.7 + 0.6 * level + (0.8 if cross else 0.0)},
        hoverinfo="skip", name="between groups", legendgroup="between",
        showlegend=cross and level == level_of_key,
    )  # fmt: skip


def reading(g: RowGraph) -> str:
    """How many edges, and what share of their strength lies between groups."""
    crossing = int(g.between.sum())
    text = f"{count(g.n_edges, 'edge')}; {percent(g.share)} of their strength "
    text += "leads from one group to another."
    if len(g.ends) < g.n_edges:
        text += f" The {len(g.ends):,} strongest are drawn, {crossing} of them between groups."
    return f"{text} {g.shown.how}".strip()


def table(g: RowGraph) -> tuple[TableColumn, ...]:
    """One line an edge that is drawn."""
    return (
        TableColumn("one row", g.edges[:, 0] + 1),
        TableColumn("other row", g.edges[:, 1] + 1),
        TableColumn("strength", g.strengths),
        TableColumn("between groups", np.where(g.between, "yes", "")),
    )
