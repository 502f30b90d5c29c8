"""Paths to the modes: the way of each seed up the density, over the rows by cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT, center_marks, dated, points_of
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
from mlcore.spine.capabilities_of_groups import HasPaths
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, rough

SEEDS = "seeds"


class ClimbingPaths(NamedTuple):
    """Ways in a plane."""

    shown: Projection
    cloud: Cloud
    ways: np.ndarray  # (s, t, 2)
    modes: np.ndarray  # (k, 2)
    lengths: np.ndarray  # (s,) of the ways, in units of the method's columns


@view(
    "climbing_paths",
    title="Paths to the modes",
    asks=(HasPaths, HasLabels),
    on="clustering report compare",
    order=125,
    synonyms=("hill climbing", "mode seeking", "trajectories"),
)
def climbing_paths(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Where each seed started, hollow, and how it climbed to its mode.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(c, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> ClimbingPaths:
    """The ways as they fall on the plane. Raises DataError if its axes are no straight lines."""
    shown = spread_projection(dataset, whole, x, y)
    fit: Any = whole.fit
    ways, modes = _placed(shown, fit.paths), shown.place(fit.centers)
    if modes is None:
        raise DataError(
            "The axes of this picture are no straight lines through the prepared rows, so a way "
            "has no place in it. Choose columns that are only shifted and scaled."
        )
    labels = whole.labels(dataset.X)
    names = tuple(f"cluster {k + 1}" for k in range(len(modes)))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, labels, names))
    lengths = np.sqrt((np.diff(fit.paths, axis=1) ** 2).sum(axis=2)).sum(axis=1)
    return ClimbingPaths(shown, cloud, ways, modes, lengths)


def _placed(shown: Projection, paths: np.ndarray) -> np.ndarray:
    """Paths, shape (s, t, p), in the picture: (s, t, 2)."""
    at = shown.place(paths.reshape(-1, paths.shape[2]))
    return np.empty((0, 0, 2)) if at is None else at.reshape(*paths.shape[:2], 2)


def draw(c: ClimbingPaths) -> go.Figure:
    """Rows small behind, ways in grey, where the seeds are, and the modes on top."""
    kinds = kinds_of(c.shown.plane)
    rows = points_of(c.cloud, kinds=kinds, no_class=NOISE)
    for trace in rows:
        if not c.cloud.is_crowded:
            trace.marker.size = 5
        trace.opacity = 0.55
    x, y = in_one_line(c.ways)
    line = go.Scatter(
        x=dated(x, kinds[0]), y=dated(y, kinds[1]), mode="lines", uid=CURVE, name="ways",
        line={"color": LIGHT.text, "width": 1.2}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    fig = figure(*rows, line, _marks(c.ways[:, 0], kinds, "starts"), height=HEIGHT)
    fig.add_trace(_marks(c.ways[:, -1], kinds, SEEDS).update(uid=SEEDS))
    at = dated(c.modes[:, 0], kinds[0]), dated(c.modes[:, 1], kinds[1])
    texts = [f"mode of cluster {k + 1}" for k in range(len(c.modes))]
    fig.add_trace(center_marks(*at, "modes", texts))
    fig = on_plane(fig.update_layout(showlegend=True), c.shown)
    return fig.update_xaxes(constrain="range")


def _marks(at: np.ndarray, kinds: tuple[str, str], name: str) -> go.Scatter:
    is_start = name == "starts"
    return go.Scatter(
        x=dated(at[:, 0], kinds[0]), y=dated(at[:, 1], kinds[1]), mode="markers", name=name,
        hoverinfo="skip",
        marker={
            "symbol": "circle-open" if is_start else "circle", "size": 7 if is_start else 5,
            "color": LIGHT.text,
        },
    )  # fmt: skip


def step(c: ClimbingPaths, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a move changes: the ways get longer, and the seeds stand at their ends."""
    fit: Any = whole.fit
    ways = _placed(c.shown, fit.paths)
    x, y = in_one_line(ways)
    now = ways[:, -1]
    return {at[CURVE]: {"x": x, "y": y}, at[SEEDS]: {"x": now[:, 0], "y": now[:, 1]}}


def reading(c: ClimbingPaths) -> str:
    """How many seeds reached how many modes, and how far they went."""
    seeds, moves = len(c.ways), c.ways.shape[1] - 1
    modes = count(len(c.modes), "mode")
    text = f"{count(seeds, 'seed')} climb to {modes} in at most {count(moves, 'move')}; the "
    text += f"longest way is {rough(float(c.lengths.max(initial=0.0)))} long. {c.shown.how}"
    return text.strip()


def table(c: ClimbingPaths) -> tuple[TableColumn, ...]:
    """One line a seed."""
    return (
        TableColumn("seed", np.arange(1, len(c.ways) + 1)),
        TableColumn("start across", c.ways[:, 0, 0]),
        TableColumn("start up", c.ways[:, 0, 1]),
        TableColumn("end across", c.ways[:, -1, 0]),
        TableColumn("end up", c.ways[:, -1, 1]),
        TableColumn("length", c.lengths),
    )
