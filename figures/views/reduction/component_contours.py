"""Level lines of a coordinate over two columns: where a reduction tells rows apart, where not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import noted
from figures.drawing.traces import CURVE, HEIGHT, dated, located, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.astray import asked
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.projections import Projection, of_columns
from figures.numbers.regions import cells_of
from figures.options import ANY_AXES, Axes, Options, among
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of, on_plane
from figures.views.reduction.embedding_scatter import named, numbered_coordinates
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasAxes, Transforms
from mlcore.spine.capabilities_of_groups import HasGraph, HasLattice
from mlcore.spine.params import integer
from mlcore.spine.wording import percent, plural, rough

N_LEVELS = 9
PLACES = 40  # along a side of the plane that are asked about; Plotly bends lines between them
MOST_ARROWS = 3
REACH = 2.0  # standard deviations of the rows along an axis, the length of its arrow
SCALE = [(0.0, faded(LIGHT.accent, 0.0)), (1.0, faded(LIGHT.accent, 0.35))]
SHORTEST = 0.04  # of the plane, an arrow that has a direction to the eye
AWAY = 10  # pixels from the tip of an arrow to its name


@dataclass(frozen=True, kw_only=True)
class ContourOptions(Options):
    """The coordinate of which lines are drawn."""

    coordinate: int = among(
        integer(1, low=1, soft=(1, 10), label="Coordinate", doc="Whose level lines are drawn."),
        numbered_coordinates,
    )


class Contours(NamedTuple):
    """A coordinate over a plane of two columns, and the axes of the reduction in it."""

    shown: Projection
    cloud: Cloud
    at_rows: np.ndarray  # (n,) the coordinate of every row
    up: np.ndarray  # (b,) places of the plane that were asked about, by number
    across: np.ndarray  # (a,)
    cells: np.ndarray  # (b, a) the coordinate there
    name: str
    arrows: np.ndarray  # (t, 2, 2) the ends of each axis in the plane, from the mean to its tip
    arrow_names: tuple[str, ...]  # (t,)
    told: float = 1.0  # share of the variance of the coordinate that the plane shows


@view(
    "component_contours",
    title="Level lines of a coordinate",
    asks=Transforms,
    unless=(HasLattice, HasGraph),  # which place a row at its nearest units or between neighbours
    options=ContourOptions,
    on="reduction report compare",
    order=226,
    share=2,  # it shows the same rows as the map beside it
    sources=("epfl:kpca", "mi2:kernel_pca", "cs1:kpca_rbf"),
    synonyms=("feature contours", "contour lines", "isolines", "axes in the data", "PCA arrows"),
)
def component_contours(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: ContourOptions
) -> View:
    """The value of one coordinate at every place of the plane of two columns, with the rows.

    Rows on one line cannot be told apart by it. Straight methods have straight lines, and arrows:
    their axes, twice as long as the standard deviation of the rows along them.
    """
    c = numbers(dataset, whole, options.coordinate - 1, x=axes.x, y=axes.y)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole), rows=c.cloud.rows)


def numbers(dataset: Dataset, whole: Whole, k: int = 0, *, x: str = "", y: str = "") -> Contours:
    """Coordinate k, counted from 0, of the cells and of the rows."""
    fit: Any = whole.fit
    shown = of_columns(dataset, whole.prepared, x, y, square=True)
    Z = whole.prepared.transform(dataset.X)
    at_rows = fit.transform(Z)[:, k]
    up, across = _asked(shown)
    places = (up[:, None] * shown.plane.shape[1] + across).ravel()
    cells = fit.transform(shown.cells[places])[:, k].reshape(len(up), len(across))
    cloud, names = cloud_of(dataset, shown.x, shown.y), named(fit)
    arrows = _arrows(fit, shown, Z)
    seen = np.flatnonzero(_can_be_seen(arrows, shown))
    arrow_names = tuple(names[i] for i in seen)
    c = Contours(shown, cloud, at_rows, up, across, cells, names[k], arrows[seen], arrow_names)
    return c._replace(told=_told(c)) if len(dataset.columns) > 2 else c


def _asked(shown: Projection) -> tuple[np.ndarray, np.ndarray]:
    """Which places up and across are asked about, both ends with them: smooth lines need few, and
    each may cost a kernel value for every row."""
    up, across = (
        np.unique(np.linspace(0, n - 1, min(n, PLACES)).round().astype(np.int64))
        for n in shown.plane.shape
    )
    return up, across


def _arrows(fit: Any, shown: Projection, Z: np.ndarray) -> np.ndarray:
    """The first axes of a fit to prepared rows Z, (n, q), as they fall on the plane, (t, 2, 2)."""
    if shown.plane.y is None or not can(fit, HasAxes):
        return np.zeros((0, 2, 2))
    units = fit.axes[:MOST_ARROWS] / np.linalg.norm(fit.axes[:MOST_ARROWS], axis=1)[:, None]
    spreads = np.std((Z - fit.mean) @ units.T, axis=0)
    tips = shown.place(fit.mean + REACH * spreads[:, None] * units)
    start = shown.place(fit.mean[None])
    if tips is None or start is None:
        return np.zeros((0, 2, 2))
    return np.stack([np.broadcast_to(start, tips.shape), tips], axis=1)


def _can_be_seen(arrows: np.ndarray, shown: Projection) -> np.ndarray:
    """Whether an arrow is longer than a dot, (t,): of others the names would lie on one place."""
    if shown.plane.y is None or not len(arrows):
        return np.zeros(len(arrows), dtype=bool)
    sides = np.array([np.ptp(shown.plane.x.cells), np.ptp(shown.plane.y.cells)])
    return np.linalg.norm((arrows[:, 1] - arrows[:, 0]) / sides, axis=1) > SHORTEST


def _told(c: Contours) -> float:
    """Share of the variance of a coordinate that is left when rows are read off their cells."""
    rows = asked(c.shown)
    if not len(rows) or not (total := float(np.var(c.at_rows[rows]))):
        return 1.0
    up, across = cells_of(c.shown.plane, c.shown.x[rows], c.shown.y[rows])
    drawn = c.cells[_nearest(c.up, up), _nearest(c.across, across)]
    return max(1.0 - float(((c.at_rows[rows] - drawn) ** 2).mean()) / total, 0.0)


def _nearest(known: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which of the places that were asked about is nearest to each, (n,)."""
    return np.abs(known[:, None] - places).argmin(axis=0)


def draw(c: Contours) -> go.Figure:
    """Shades and named lines behind, rows on top; over a single column a curve."""
    kinds = kinds_of(c.shown.plane)
    if c.shown.plane.y is None:
        return _curve(c, kinds)
    x = dated(c.shown.plane.x.cells[c.across], kinds[0])
    y = dated(c.shown.plane.y.cells[c.up], kinds[1])
    rows = mixed_points(c.cloud, kinds=kinds)
    for trace in rows:
        if not c.cloud.is_crowded:
            trace.marker.size = 6
    listed = bool(c.cloud.names) or c.cloud.is_crowded
    fig = fill_plane(figure(_lines(c, x, y), *rows, height=HEIGHT, showlegend=listed), c.shown)
    arrows = zip(c.arrows, c.arrow_names, strict=True)
    noted(fig, [part for ends, name in arrows for part in _arrow(ends, name, c.shown)])
    return fig


def levels(c: Contours) -> tuple[float, float]:
    """The lowest and the highest line, between which nearly all rows lie."""
    low, high = np.quantile(c.at_rows, [0.02, 0.98])
    return (float(low), float(high)) if high > low else (float(low), float(low) + 1.0)


def _lines(c: Contours, x: np.ndarray, y: np.ndarray) -> go.Contour:
    low, high = levels(c)
    size = (high - low) / (N_LEVELS - 1)
    lines = {"start": low, "end": high, "size": size, "coloring": "fill", "showlabels": True}
    return go.Contour(
        x=x, y=y, z=c.cells.astype(np.float32), zmin=low, zmax=high, colorscale=SCALE,
        contours=lines | {"labelfont": {"color": LIGHT.text, "size": 11}, "labelformat": ".2~r"},
        line={"width": 1, "color": faded(LIGHT.text, 0.45)}, showscale=False, showlegend=False,
        hovertemplate="%{z:.4~g}<extra></extra>", name=c.name,
    )  # fmt: skip


def _arrow(ends: np.ndarray, name: str, shown: Projection) -> list[dict[str, Any]]:
    """From the mean to the tip, and the name at it, on the side that has room."""
    (ax, ay), (x, y) = ends
    line = {"x": x, "y": y, "ax": ax, "ay": ay, "axref": "x", "ayref": "y", "text": ""}
    head = {"showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": LIGHT.text}
    label = {"x": x, "y": y, "text": name, "showarrow": False, "font": {"color": LIGHT.text}}
    has_room = x < np.mean(shown.plane.x.cells)  # to the right of the tip
    beside = {"xanchor": "left" if has_room else "right", "bgcolor": faded(LIGHT.background, 0.7)}
    return [line | head, label | beside | {"yshift": AWAY * float(np.sign(y - ay))}]


def _curve(c: Contours, kinds: tuple[str, str]) -> go.Figure:
    line = go.Scatter(
        x=dated(c.shown.plane.x.cells[c.across], kinds[0]), y=c.cells[0],
        mode="lines", uid=CURVE,
        line={"color": LIGHT.accent}, showlegend=False,
        hovertemplate="%{x}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    rows = mixed_points(c.cloud._replace(y=c.at_rows[c.shown.here]), kinds=kinds)
    fig = on_plane(figure(line, *rows, height=HEIGHT, showlegend=bool(c.cloud.names)), c.shown)
    return fig.update_yaxes(visible=True, title={"text": c.name}, range=None)


def reading(c: Contours) -> str:
    """What the lines are, between what values they lie, and how much of it the plane shows."""
    low, high = levels(c)
    text = f"Lines of equal {c.name}, from {rough(low)} to {rough(high)}: rows on one line are the "
    text += "same to it."
    if n := len(c.arrows):
        one = f"The arrow is the axis of {c.arrow_names[0]}"
        text += f" {plural(n, one, 'Arrows are axes')}, two standard deviations "
        text += f"of the rows long, as {plural(n, 'it falls', 'they fall')} on this plane."
    if c.told < 1.0:
        text += f" {percent(c.told)} of the variance of {c.name} can be read off these two columns."
    return f"{text} {c.shown.how}".strip()


def table(c: Contours) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return *located(c.shown.plane, c.cloud), TableColumn(c.name, c.at_rows[c.shown.here])
