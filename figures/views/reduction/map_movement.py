"""Where each row of a map comes to lie when the map is drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import equal_axes
from figures.drawing.traces import points_of
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.sampled import drawn_rows
from figures.options import Offered, Options, Values, among
from figures.theme import LIGHT, class_color, faded, faint_marks, figure
from figures.view import TableColumn, View, joined, view
from figures.views.reduction.embedding_scatter import strips
from mlcore.data.dataset import Dataset
from mlcore.runs.redrawing.map_stability import (
    coordinates_compared,
    refits_drawn,
    what_changes,
)
from mlcore.runs.redrawing.redrawn import Redrawn
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import count, listed, percent

HEIGHT = 480
MOST_MARKED = 250  # rows with an ellipse or lines: more hide one another
CORNERS = 20  # of an ellipse
FEWEST = 3  # places that an ellipse is made of
STILL = 1e-4  # of the spread of the map: what no picture shows
FARTHEST = 3  # rows that the sentence names


def _coordinates(offered: Offered) -> Values:
    """The coordinates that are compared, from 1."""
    there: Redrawn | None = offered.get("redrawn")
    q = there.run.coordinates if there is not None else 2  # as many as are compared unasked
    return {k: f"coordinate {k}" for k in range(1, q + 1)}


@dataclass(frozen=True, kw_only=True)
class MovementOptions(Options):
    """How the map is drawn again, so that the address says the whole of it, and what is shown."""

    again: str = what_changes()
    refits: int = refits_drawn()
    coordinates: int = coordinates_compared()
    show: str = choice(
        "ellipses", "ellipses", "lines", "places", label="Shown of each row",
        doc="One standard deviation of its places, a line to each of them, or the places.",
    )  # fmt: skip
    first: int = among(
        integer(1, low=1, soft=(1, 10), label="Across", doc="Coordinate on the horizontal axis."),
        _coordinates,
    )
    second: int = among(
        integer(2, low=1, soft=(1, 10), label="Up", doc="Coordinate on the vertical axis."),
        _coordinates,
    )


class Movement(NamedTuple):
    """The map of all rows, and where its rows lie in the others."""

    cloud: Cloud
    names: tuple[str, str]  # of the coordinates; the second is "" where there is one
    ways: np.ndarray  # (m,) how far each row moves, over the spread of the map
    places: np.ndarray  # (b, m, 2) NaN where a map has no place for a row
    marked: np.ndarray  # positions of the rows that are drawn with their places
    show: str


@view(
    "map_movement",
    title="How far rows move",
    options=MovementOptions,
    sources=("mi2:clustering_robustness",),
    synonyms=(
        "stability of a map", "Procrustes", "uncertainty of an embedding", "bootstrap ellipses",
        "is my t-SNE real",
    ),
)  # fmt: skip
def map_movement(dataset: Dataset, redrawn: Redrawn, *, options: MovementOptions) -> View:
    """The map of all rows, with the places of each row in the maps that were drawn again.

    Each other map is turned, scaled and moved to lie on it as well as can be. Small ellipses are
    places that can be trusted; rows whose ellipse is wide lie where they do by chance.
    """
    m = numbers(dataset, redrawn, options)
    maps = count(len(redrawn.again), "map")
    source = "resamples" if redrawn.run.again == "resamples" else "other starts"
    note = f"all rows, and {maps} from {source} laid on it"
    return joined(m, draw, reading, table, note=note, rows=m.cloud.rows)


def numbers(dataset: Dataset, redrawn: Redrawn, options: MovementOptions) -> Movement:
    """Two coordinates of every map. Raises DataError before a second map is there."""
    first = redrawn.first
    if first is None or not redrawn.again:
        why = redrawn.failure or "Wait for the next, or draw more."
        raise DataError(f"There is no second map to lay on that of all rows. {why}")
    q = first.shape[1]
    across, up = options.first - 1, options.second - 1
    x, y = np.full(dataset.n, np.nan), np.full(dataset.n, np.nan)
    x[redrawn.rows] = first[:, across]
    heights = first[:, up] if q > 1 else strips(dataset)[redrawn.rows]
    y[redrawn.rows] = heights
    # A single coordinate is drawn as a strip a class, in which rows move sideways alone.
    flat = np.broadcast_to(heights, redrawn.laid.shape[:2])
    vertical = redrawn.laid[:, :, up] if q > 1 else flat
    places = np.stack([redrawn.laid[:, :, across], vertical], axis=2)
    marked = drawn_rows(len(redrawn.rows), MOST_MARKED)
    names = (f"coordinate {across + 1}", f"coordinate {up + 1}" if q > 1 else "")
    return Movement(cloud_of(dataset, x, y), names, redrawn.ways, places, marked, options.show)


def draw(m: Movement) -> go.Figure:
    """Equal axes, the places below the points."""
    texts = [
        f"moves by {way:.2f} of the spread" if np.isfinite(way) else "in no other map"
        for way in m.ways
    ]
    fig = figure(
        *_marked(m),
        *points_of(m.cloud, texts=texts),
        height=HEIGHT,
        xaxis={"title": {"text": m.names[0]}},
        yaxis={"title": {"text": m.names[1]}},
        showlegend=bool(m.cloud.names),
    )
    if not m.names[1]:
        return fig.update_yaxes(visible=False)
    return equal_axes(fig).update_xaxes(constrain="range").update_yaxes(constrain="range")


def _marked(m: Movement) -> list[Any]:
    """A trace a class: ellipses, lines or places of its rows that are marked."""
    made = {"ellipses": _ellipses, "lines": _lines, "places": _places}[m.show]
    traces = []
    for k in np.unique(m.cloud.klass[m.marked]):
        own = m.marked[m.cloud.klass[m.marked] == k]
        color = class_color(int(k)) if m.cloud.names else LIGHT.quiet
        group = m.cloud.names[k] if m.cloud.names and k >= 0 else ""
        traces.append(made(m, own, color).update(legendgroup=group, showlegend=False))
    return traces


def _ellipses(m: Movement, own: np.ndarray, color: str) -> go.Scatter:
    """One standard deviation of the places of each row, about their mean."""
    angles = np.linspace(0, 2 * np.pi, CORNERS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [ring for i in own if (ring := _ellipse(m.places[:, i], circle)) is not None]
    return _outlined(rings, color, fill="toself", fillcolor=faded(color, 0.16))


def _ellipse(places: np.ndarray, circle: np.ndarray) -> np.ndarray | None:
    """Corners of an ellipse, (c, 2); None for too few places."""
    places = places[np.isfinite(places).all(axis=1)]
    if len(places) < FEWEST:
        return None
    values, vectors = np.linalg.eigh(np.cov(places.T))
    return places.mean(axis=0) + (circle * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _lines(m: Movement, own: np.ndarray, color: str) -> go.Scatter:
    """From the place of each row to each of its others."""
    here = np.column_stack([m.cloud.x, m.cloud.y])
    ways = [
        np.vstack([here[i], place])
        for i in own
        for place in m.places[:, i]
        if np.isfinite(place).all()
    ]
    return _outlined(ways, color)


def _outlined(paths: list[np.ndarray], color: str, **more: Any) -> go.Scatter:
    """Paths in one trace, with a gap after each."""
    gap = np.full((1, 2), np.nan)
    points = np.vstack([part for path in paths for part in (path, gap)] or [gap])
    line = {"width": 0.8, "color": faded(color, 0.55)}
    return go.Scatter(
        x=points[:, 0], y=points[:, 1], mode="lines", line=line, hoverinfo="skip", **more
    )


def _places(m: Movement, own: np.ndarray, color: str) -> go.Scatter:
    """A small mark a place."""
    places = m.places[:, own].reshape(-1, 2)
    marker = faint_marks(3, 0.5, color=color)
    return go.Scatter(x=places[:, 0], y=places[:, 1], mode="markers", marker=marker,
                      hoverinfo="skip")  # fmt: skip


def reading(m: Movement) -> str:
    """How far the rows move, and which of them farthest."""
    there = np.flatnonzero(np.isfinite(m.ways))
    typical = float(np.median(m.ways[there]))
    farthest = there[np.argsort(-m.ways[there], kind="stable")[:FARTHEST]]
    rows = listed([str(row + 1) for row in m.cloud.rows[farthest]], most=FARTHEST)
    most = float(m.ways[farthest[0]])
    text = (
        "No row moves by as much as 0.01 % of the spread of the map."
        if most < STILL
        else f"Half of the rows move by at most {percent(typical)} of the spread of the map; rows "
        f"{rows} move farthest, up to {percent(most)}."
    )
    if len(m.marked) < m.cloud.n:
        text += f" The places of {len(m.marked)} of {count(m.cloud.n, 'row')} are drawn."
    return text


def table(m: Movement) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    columns = [TableColumn("row", m.cloud.rows + 1), TableColumn(m.names[0], m.cloud.x)]
    if m.names[1]:
        columns.append(TableColumn(m.names[1], m.cloud.y))
    return (*columns, TableColumn("way over spread", m.ways))
