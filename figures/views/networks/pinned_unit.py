"""One hidden unit: what it says at every place of the plane, or along a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CELLS, CURVE, HEIGHT, color_bar, dated, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.networks import Unit, hidden_units, one_unit, plane_of
from figures.numbers.projections import Projection
from figures.options import ANY_AXES, Axes, Options, among
from figures.recording import Changes
from figures.theme import DIVERGING, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.neural.capabilities import HasHiddenUnits
from mlcore.runs.carry import Whole
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough


@dataclass(frozen=True, kw_only=True)
class PinnedOptions(Options):
    """Which unit is looked at."""

    unit: int | None = among(
        integer(
            None, low=1, soft=(1, 99), or_none="with the largest outgoing weights", label="Unit",
            doc="The hidden unit that is drawn; a click on it under Network chooses it too.",
        ),
        one_unit,
    )  # fmt: skip


class Pinned(NamedTuple):
    """What a unit says in a plane, or along an axis, and of the rows."""

    unit: Unit
    shown: Projection
    cloud: Cloud
    z: np.ndarray  # (b, a)
    of_rows: np.ndarray  # (n,)
    middle: float  # of all that it can say
    heard: np.ndarray  # (h,) its weights to the units above
    is_last: bool  # whether these are the outputs


@view(
    "pinned_unit",
    title="One unit",
    asks=HasHiddenUnits,
    options=PinnedOptions,
    on="neural classification regression report",
    order=57,
    sources=("cs2:mlp",),
    synonyms=("activation of a unit", "activation map", "neuron", "hidden unit"),
)
def pinned_unit(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: PinnedOptions
) -> View:
    """The activation of a hidden unit over the plane of the rows, with the rows on it.

    White is the middle of what it can say, or 0 where that has no end; the dashed line is where
    it says that.
    """
    n = numbers(dataset, whole, options.unit, axes)
    note = f"{n.unit.name}, {fitted_on(dataset, whole)}"
    return joined(n, draw, reading, table, note=note, rows=n.cloud.rows, step=step)


def numbers(
    dataset: Dataset, whole: Whole, number: int | None = None, axes: Axes = ANY_AXES
) -> Pinned:
    """What the unit of a number from 1 says; without one, that with the largest weights upwards."""
    fit: Any = whole.fit
    unit = Unit(*fit.strongest) if number is None else hidden_units(fit.layers)[number - 1]
    shown = plane_of(dataset, whole, axes.x, axes.y)
    of_rows = fit.values(whole.prepared.transform(dataset.X))[unit.layer][unit.place]
    ends = np.array(fit.ends)
    return Pinned(
        unit, shown, cloud_of(dataset, shown.x, shown.y), _activation(fit, unit, shown), of_rows,
        float(ends.mean()) if np.isfinite(ends).all() else 0.0,
        fit.layers[unit.layer + 1].weights[:, unit.place], unit.layer == fit.strongest[0],
    )  # fmt: skip


def _activation(fit: Any, unit: Unit, shown: Projection) -> np.ndarray:
    """What a unit says in the cells of a plane, shape (b, a)."""
    return fit.values(shown.cells)[unit.layer][unit.place].reshape(shown.plane.shape)


def draw(n: Pinned) -> go.Figure:
    """Colour behind, rows on top; of a single column a curve over its rows."""
    up = n.shown.plane.y
    if up is None:
        return _curve(n)
    kinds = kinds_of(n.shown.plane)
    place = {"x": dated(n.shown.plane.x.cells, kinds[0]), "y": dated(up.cells, kinds[1])}
    far = float(np.abs(n.z - n.middle).max()) or 1.0  # of a unit that says the same everywhere
    z = n.z.astype(np.float32)
    heat = go.Heatmap(
        z=z, zmin=n.middle - far, zmax=n.middle + far, colorscale=DIVERGING, uid=CELLS,
        colorbar=color_bar("activation"), hovertemplate="%{z:+.3f}<extra></extra>", **place,
    )  # fmt: skip
    level = go.Contour(
        z=z, contours={"start": n.middle, "end": n.middle, "size": 1, "coloring": "none"},
        line={"color": LIGHT.text, "width": 1.5, "dash": "dash"}, hoverinfo="skip",
        showscale=False, showlegend=False, uid=MIDDLE, **place,
    )  # fmt: skip
    rows = points_of(n.cloud._replace(value=None), kinds=kinds)
    for trace in rows:
        if not n.cloud.is_crowded:
            trace.marker.size = 5
    has_names = bool(n.cloud.names)
    return on_plane(figure(heat, level, *rows, height=HEIGHT, showlegend=has_names), n.shown)


MIDDLE = "middle"


def _curve(n: Pinned) -> go.Figure:
    kind = kinds_of(n.shown.plane)[0]
    line = go.Scatter(
        x=dated(n.shown.plane.x.cells, kind), y=n.z[0], mode="lines", uid=CURVE, showlegend=False,
        line={"color": LIGHT.accent}, hovertemplate="%{x}<br>%{y:+.3f}<extra></extra>",
    )  # fmt: skip
    low, high = float(n.z.min()), float(n.z.max())
    marker = {"symbol": "line-ns", "size": 10, "line": {"width": 1, "color": LIGHT.quiet}}
    rows = go.Scatter(
        x=dated(n.cloud.x, kind), y=np.full(n.cloud.n, low), mode="markers", marker=marker,
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    room = 0.05 * ((high - low) or 1.0)
    fig = on_plane(figure(line, rows, height=HEIGHT), n.shown)
    return fig.update_yaxes(
        visible=True, title={"text": "activation"}, range=[low - room, high + room]
    )


def step(n: Pinned, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: what the unit says; colours keep the scale of the last."""
    z = _activation(whole.fit, n.unit, n.shown)
    if CURVE in at:
        return {at[CURVE]: {"y": z[0]}}
    return {at[name]: {"z": z.astype(np.float32)} for name in (CELLS, MIDDLE)}


def reading(n: Pinned) -> str:
    """Whether it tells rows apart at all, and how strongly it counts above."""
    low, high = float(n.of_rows.min()), float(n.of_rows.max())
    text = f"Layer {n.unit.layer + 1}, unit {n.unit.place + 1} says {rough(low)} to {rough(high)} "
    text += "on the rows"
    if high > low:
        above = int((n.of_rows > n.middle).sum())
        text += f", more than {rough(n.middle)} for {count(above, 'row')} of {len(n.of_rows):,}"
    else:
        text += ": the same for all, so it tells none from another"
    j = int(np.abs(n.heard).argmax())
    above_it = count(len(n.heard), "output" if n.is_last else "unit")
    text += f". It feeds {above_it} above with weights up to {n.heard[j]:+.2f}."
    return f"{text} {n.shown.how}".strip()


def table(n: Pinned) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        TableColumn("row", n.cloud.rows + 1),
        TableColumn("activation", n.of_rows[n.shown.here]),
    )
