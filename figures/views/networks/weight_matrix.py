"""The weights of one layer: a row a unit, a column an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.drawing.words import fitted_on
from figures.options import Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import DIVERGING, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.neural.capabilities import HasLayers
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough

LEAST, MOST, ROW = 260, 620, 22  # pixels: of the picture, and of a unit
WEIGHTS = "weights"


def _layers(offered: Offered) -> Values:
    """The layers of a network, from 1."""
    fit = offered["fit"]
    n = len(fit.layers) if can(fit, HasLayers) else 0
    return {k: "output" if k == n else f"layer {k}" for k in range(1, n + 1)}


@dataclass(frozen=True, kw_only=True)
class OneOfLayers(Options):
    """Which layer is drawn."""

    layer: int = among(
        integer(1, low=1, soft=(1, 7), label="Layer", doc="The layer whose weights are drawn."),
        _layers,
    )


class Weights(NamedTuple):
    """The weights of a layer with its offsets."""

    weights: np.ndarray  # (h, m + 1), the offsets last
    units: tuple[str, ...]  # (h,)
    inputs: tuple[str, ...]  # (m + 1,)
    layer: int  # from 0
    title: str


@view(
    "weight_matrix",
    title="Weights",
    asks=HasLayers,
    options=OneOfLayers,
    on="neural classification regression report",
    order=205,
    synonyms=("weight matrix", "coefficients of a network", "filters"),
)
def weight_matrix(dataset: Dataset, whole: Whole, *, options: OneOfLayers) -> View:
    """Every weight of a layer, and the offsets of its units; inputs are the prepared columns."""
    n = numbers(whole, options.layer - 1)
    note = f"{n.title}, {fitted_on(dataset, whole)}"
    return joined(n, draw, reading, table, note=note, step=step)


def numbers(whole: Whole, layer: int) -> Weights:
    """Those of one layer, from 0."""
    layers = whole.fit.layers
    names = [column.name for column in whole.prepared.columns]
    below = names
    if layer:
        below = [f"unit {j + 1}" for j in range(layers[layer].weights.shape[1])]
    is_last = layer == len(layers) - 1
    if is_last and whole.fit.skips.size:
        below = [*below, *names]
    W = _drawn(whole.fit, layer)
    unit, title = ("output", "output") if is_last else ("unit", f"layer {layer + 1}")
    units = tuple(f"{unit} {j + 1}" for j in range(len(W)))
    return Weights(W, units, (*below, "offset"), layer, title)


def _drawn(fit: Any, layer: int) -> np.ndarray:
    """The weights of a layer from 0, of the outputs also those that skip, and offsets: (h, m)."""
    W, b = fit.layers[layer]
    skips = fit.skips if layer == len(fit.layers) - 1 else W[:, :0]
    return np.column_stack([W, skips, b])


def draw(n: Weights) -> go.Figure:
    """A cell a weight, blue below and orange above 0."""
    h = len(n.units)
    far = float(np.abs(n.weights).max()) or 1.0
    heat = go.Heatmap(
        z=n.weights, x=n.inputs, y=n.units, zmin=-far, zmax=far, colorscale=DIVERGING, uid=WEIGHTS,
        colorbar=color_bar("weight"), xgap=1, ygap=1,
        hovertemplate="%{y} from %{x}<br>%{z:+.3f}<extra></extra>",
    )  # fmt: skip
    return figure(
        heat,
        height=min(max(LEAST, 120 + ROW * h), MOST),
        xaxis={"type": "category", "showgrid": False},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
    )


def step(n: Weights, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the weights; colours keep the scale of the last."""
    return {at[WEIGHTS]: {"z": _drawn(whole.fit, n.layer).astype(np.float32)}}


def reading(n: Weights) -> str:
    """How many there are, their usual size, and how many hardly count."""
    W = np.abs(n.weights[:, :-1])
    far = float(W.max())
    text = f"{count(W.size, 'weight')}, of root mean square {rough(float(np.sqrt((W**2).mean())))}"
    if far == 0:
        return f"{text}; all are 0."
    small = int((0.05 * far > W).sum())
    return f"{text}; the largest is {rough(far)}, and {small} are below a twentieth of it."


def table(n: Weights) -> tuple[TableColumn, ...]:
    """One line a weight."""
    m = len(n.inputs)
    return (
        TableColumn("unit", np.repeat(np.array(n.units), m)),
        TableColumn("from", np.tile(np.array(n.inputs), len(n.units))),
        TableColumn("weight", n.weights.ravel()),
    )
