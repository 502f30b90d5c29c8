"""The lattice of a map in the plane of the data: unfolded, folded or shrunk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.lattices import unit_names
from figures.drawing.traces import CENTERS, CURVE, HEIGHT, dated, points_of
from figures.drawing.ways import in_one_line
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural

MOST_CROSSED = 5_000  # edges of which crossings are counted


class MapMesh(NamedTuple):
    """Units and edges of a map in a plane."""

    shown: Projection
    cloud: Cloud
    lattice: Any
    edges: np.ndarray  # (e, 2)
    units: np.ndarray  # (K, 2)
    hits: np.ndarray  # (K,)
    crossings: int  # pairs of edges that cross in this plane; -1: not counted


@view(
    "map_mesh",
    title="Map in the data",
    asks=HasLattice,
    on="clustering reduction report compare",
    order=118,
    sources=("mi2:som_online", "cs1:som", "cs2:som_two_stage", "cs2:som_dead_units"),
    synonyms=("lattice of a self-organising map", "codebook", "wire mesh"),
)
def map_mesh(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """The prototypes where they lie, joined as their units are; those that won no row are hollow.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    m = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(m, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> MapMesh:
    """Units as they fall on the plane. Raises DataError if its axes are no straight lines."""
    shown = spread_projection(dataset, whole, x, y)
    fit: Any = whole.fit
    units = shown.place(fit.centers)
    if units is None:
        raise DataError(
            "The axes of this picture are no straight lines through the prepared rows, so the map "
            "has no place in it. Choose columns that are only shifted and scaled."
        )
    edges = fit.lattice.edges()
    crossed = crossings(units, edges) if len(edges) <= MOST_CROSSED else -1
    cloud = cloud_of(dataset, shown.x, shown.y)
    return MapMesh(shown, cloud, fit.lattice, edges, units, fit.hits, crossed)


def crossings(at: np.ndarray, edges: np.ndarray) -> int:
    """Pairs of edges, shape (e, 2), without a common end that cross, for ends at (K, 2)."""
    start, way = at[edges[:, 0]], at[edges[:, 1]] - at[edges[:, 0]]
    n_crossings = 0
    for k in range(len(edges) - 1):
        others = slice(k + 1, None)
        gap = start[others] - start[k]
        area = _cross(way[k], way[others])
        with np.errstate(divide="ignore", invalid="ignore"):  # parallel edges do not cross
            along, other = _cross(gap, way[others]) / area, _cross(gap, way[k]) / area
        inside = (along > 0) & (along < 1) & (other > 0) & (other < 1)
        shares = (edges[others] == edges[k, 0]) | (edges[others] == edges[k, 1])
        n_crossings += int((inside & ~shares.any(axis=1)).sum())
    return n_crossings


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def draw(m: MapMesh) -> go.Figure:
    """Rows faint behind, edges, and units on top."""
    kinds = kinds_of(m.shown.plane)
    rows = points_of(m.cloud, kinds=kinds)
    for trace in rows:
        if not m.cloud.is_crowded:
            trace.marker.size = 4
        trace.opacity = 0.45
        if not m.cloud.names:
            trace.marker.color = LIGHT.quiet
    x, y = in_one_line(m.units[m.edges])
    mesh = go.Scatter(
        x=dated(x, kinds[0]), y=dated(y, kinds[1]), mode="lines", uid=CURVE, name="edges",
        line={"color": LIGHT.text, "width": 1.2}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    units = go.Scatter(
        x=dated(m.units[:, 0], kinds[0]), y=dated(m.units[:, 1], kinds[1]), mode="markers",
        uid=CENTERS, name="units", text=_texts(m), hovertemplate="%{text}<extra></extra>",
        marker={
            "size": 7 if len(m.units) <= 144 else 5,
            "color": CLASS_COLORS[1],
            "symbol": _symbols(m.hits),
            "line": {"width": 1, "color": CLASS_COLORS[1]},
        },
        showlegend=False,
    )  # fmt: skip
    fig = figure(*rows, mesh, units, height=HEIGHT, showlegend=bool(m.cloud.names))
    return on_plane(fig, m.shown)


def _symbols(hits: np.ndarray) -> list[str]:
    return ["circle" if n else "circle-open" for n in hits]


def _texts(m: MapMesh) -> list[str]:
    names = unit_names(m.lattice)
    return [f"{name}: {count(int(n), 'row')}" for name, n in zip(names, m.hits, strict=True)]


def step(m: MapMesh, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: where units and edges are, and which units won rows."""
    fit: Any = whole.fit
    units = np.asarray(m.shown.place(fit.centers))
    x, y = in_one_line(units[m.edges])
    moved = {"x": units[:, 0], "y": units[:, 1], "marker.symbol": _symbols(fit.hits)}
    return {at[CURVE]: {"x": x, "y": y}, at[CENTERS]: moved}


def reading(m: MapMesh) -> str:
    """Folds, dead units, and what plane is shown."""
    dead = int((m.hits == 0).sum())
    text = f"{count(len(m.units), 'unit')}, {dead} of them dead: nearest to no row."
    return f"{text} {m.shown.how}".strip() + _folds(m)


def _folds(m: MapMesh) -> str:
    """What crossing edges say; in a plane through more columns they need not be folds."""
    if m.crossings < 0 or m.shown.plane.y is None:
        return ""
    if m.crossings == 0:
        return (
            " No edges cross in it." if m.shown.how else " No edges cross: the map lies unfolded."
        )
    text = f" {count(m.crossings, 'pair')} of edges {plural(m.crossings, 'crosses', 'cross')}"
    if m.shown.how:
        return f"{text} in this plane, by folds or because the map leaves the plane."
    return f"{text}: the map is folded there."


def table(m: MapMesh) -> tuple[TableColumn, ...]:
    """One line a unit."""
    return (
        TableColumn("unit", unit_names(m.lattice)),
        TableColumn("across", m.units[:, 0]),
        TableColumn("up", m.units[:, 1]),
        TableColumn("rows", m.hits),
    )
