"""The graph of neighbours that a map was made of, drawn on the map."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.ways import in_one_line
from figures.drawing.words import fitted_on
from figures.recording import Changes
from figures.theme import LIGHT, faded
from figures.view import TableColumn, View, joined, view
from figures.views.reduction import embedding_scatter as scatter
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Transforms
from mlcore.spine.capabilities_of_groups import HasGraph
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural

MOST_EDGES = 6_000  # more lines hide the rows, and weigh on the browser
EDGES = ("edges", "long edges")  # lines of the picture
LONG = 3.0  # medians beyond which an edge may lead from one sheet to another


class MapGraph(NamedTuple):
    """Rows on a map, and the edges between them."""

    embedding: scatter.Embedding
    edges: np.ndarray  # (e, 2) rows of the data set
    lengths: np.ndarray  # (e,) in the columns as prepared
    stretched: np.ndarray  # (e,) lengths in the map
    drawn: np.ndarray  # positions of the edges that are drawn
    ends: np.ndarray  # (d, 2, 2) of the drawn edges: end, axis
    rows: np.ndarray  # (n,) numbers in the table

    @property
    def long(self) -> np.ndarray:
        """Which edges are long in the columns, (e,)."""
        return _is_long(self.lengths)

    @property
    def torn(self) -> np.ndarray:
        """Which edges are long in the map, (e,)."""
        return _is_long(self.stretched)


def _is_long(lengths: np.ndarray) -> np.ndarray:
    return lengths > LONG * float(np.median(lengths)) if len(lengths) else lengths > 0


@view(
    "map_graph",
    title="Neighbours on the map",
    asks=(HasGraph, Transforms),
    options=scatter.TwoCoordinates,
    on="reduction report",
    order=230,
    share=2,  # it shows the same rows as the map beside it
    sources=("prac:knn_graph", "prac:isomap_diagnostics"),
    synonyms=("neighbourhood graph", "nearest neighbour graph", "short circuit edges"),
)
def map_graph(dataset: Dataset, whole: Whole, *, options: scatter.TwoCoordinates) -> View:
    """The edges between neighbours; those that may be short cuts stand out."""
    g = numbers(dataset, whole, first=options.first - 1, second=options.second - 1)
    return joined(g, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole, *, first: int = 0, second: int = 1) -> MapGraph:
    """Edges with their lengths before and after; all long ones are drawn, others thinned evenly."""
    fit: Any = whole.fit
    if whole.prepared.rows is not None:
        raise DataError(
            "A step gave the method other rows than those of the table, so its graph has no place "
            "in this picture. Remove that step to see it."
        )
    e = scatter.numbers(dataset, whole, first=first, second=second)
    edges, X = np.asarray(fit.edges), whole.prepared.transform(dataset.X)
    Z = fit.transform(X)
    lengths, stretched = (
        np.linalg.norm(rows[edges[:, 0]] - rows[edges[:, 1]], axis=1) for rows in (X, Z)
    )
    long = _is_long(lengths)
    plain = np.flatnonzero(~long)
    room = min(len(plain), max(MOST_EDGES - int(long.sum()), 0))
    kept = plain[np.linspace(0, len(plain) - 1, room).astype(np.int64)] if room else plain[:0]
    drawn = np.sort(np.concatenate([np.flatnonzero(long)[:MOST_EDGES], kept]))
    ends = _ends(Z, e, dataset, edges[drawn])
    return MapGraph(e, edges, lengths, stretched, drawn, ends, dataset.rows)


def _ends(Z: np.ndarray, e: scatter.Embedding, dataset: Dataset, edges: np.ndarray) -> np.ndarray:
    """Where edges are drawn, (d, 2, 2): end, axis; level where heights only keep rows apart."""
    ends = np.column_stack(scatter.drawn_at(dataset, Z, e.at))[edges]
    if e.q == 1:
        ends[:, 1, 1] = ends[:, 0, 1]
    return ends


def draw(g: MapGraph) -> go.Figure:
    """Lines behind, those that are long in the columns dark, rows on top."""
    fig = scatter.draw(g.embedding)
    long = g.long[g.drawn]
    lines = [_lines(g.ends[own], cross) for cross, own in ((False, ~long), (True, long))]
    rows, behind = list(fig.data), [line for line in lines if line is not None]
    fig.data = ()
    return fig.add_traces([*behind, *rows])


def _lines(ends: np.ndarray, is_long: bool) -> go.Scatter | None:
    """Edges of one kind as one line; NaN parts one from the next."""
    if not len(ends):
        return None
    x, y = in_one_line(ends)
    color = LIGHT.text if is_long else faded(LIGHT.quiet, 0.55)
    return go.Scatter(
        x=x.astype(np.float32), y=y.astype(np.float32), mode="lines",
        line={"color": color, "width": 1.8 if is_long else 0.8}, hoverinfo="skip",
        name="long in the columns", showlegend=is_long, uid=EDGES[is_long],
    )  # fmt: skip


def step(g: MapGraph, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: rows and the ends of their edges go to the coordinates of the step."""
    changes = dict(scatter.step(g.embedding, at, whole, dataset))
    ends = _ends(scatter.coordinates(dataset, whole)[0], g.embedding, dataset, g.edges[g.drawn])
    long = g.long[g.drawn]
    for name, own in zip(EDGES, (~long, long), strict=True):
        if name in at:
            x, y = in_one_line(ends[own])
            changes[at[name]] = {"x": x.astype(np.float32), "y": y.astype(np.float32)}
    return changes


def reading(g: MapGraph) -> str:
    """How many edges, how many may be short cuts, and how many the map tears."""
    n, long, torn = len(g.edges), int(g.long.sum()), int(g.torn.sum())
    text = f"{count(n, 'edge')} between neighbours."
    if long:
        are = plural(long, "is", "are")
        text += (
            f" {long:,} {are} longer in the columns than {LONG:g} medians: where they lead from "
            "one layer to another, the map folds."
        )
    if torn:
        text += (
            f" {torn:,} {plural(torn, 'is', 'are')} longer in the map than {LONG:g} medians there: "
            "it tears or stretches what lay together."
        )
    if not long and not torn:
        text += f" None is longer than {LONG:g} medians, neither in the columns nor in the map."
    if g.embedding.q == 1:
        text += " Heights only keep rows apart: an edge is level, from one row as far as the other."
    if len(g.drawn) < n:
        drawn = len(g.drawn)
        text += f" {count(drawn, 'edge')} of them {plural(drawn, 'is', 'are')} drawn."
    return text


def table(g: MapGraph) -> tuple[TableColumn, ...]:
    """One line an edge that is drawn."""
    edges = g.rows[g.edges[g.drawn]] + 1
    return (
        TableColumn("one row", edges[:, 0]),
        TableColumn("other row", edges[:, 1]),
        TableColumn("length in the columns", g.lengths[g.drawn]),
        TableColumn("length in the map", g.stretched[g.drawn]),
    )
