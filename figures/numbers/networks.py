"""What each unit of a network says on the plane, and its strongest connections."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.projections import Projection, class_projection, of_columns
from figures.options import Offered, Values
from mlcore.data.dataset import Dataset
from mlcore.neural.capabilities import HasLayers
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.wording import count, percent, rough

MOST_UNITS = (
    10  # of a layer that are drawn; of more the nine with the largest weights to the next layer
)
MOST_LISTED = 300  # units in a list to choose from
COARSE = 20  # cells along an axis of a unit's picture


class Shown(NamedTuple):
    """The units of one layer that are drawn."""

    title: str  # Inputs, Layer 1 ... Output
    units: np.ndarray  # (u,) which of them, ascending
    names: tuple[str, ...]  # (u,)
    size: int  # how many there are


class Bundle(NamedTuple):
    """The connections between the units drawn of two layers, which are counted from the inputs."""

    below: int
    above: int
    weights: np.ndarray  # (u above, u below)


class Diagram(NamedTuple):
    """A network as it stands: which units are drawn, what they say, how they are connected."""

    layers: tuple[Shown, ...]
    tiles: tuple[np.ndarray, ...]  # a layer each, (u, b, a) from -1 to 1
    bundles: tuple[Bundle, ...]  # of each layer with the next, then those that skip some
    offsets: tuple[np.ndarray, ...]  # (u,) of all layers but the inputs
    cells: np.ndarray  # (b * a, q) prepared rows of the cells of a tile
    shape: tuple[int, int]  # (b, a)
    axes: tuple[str, ...]  # across and up
    n_weights: int
    n_classes: int  # 0 for a quantity
    how: str  # what the plane shows, as sentences
    silent: Unit | None = None  # the one that is set to 0
    without: str = ""  # what that changes, as a sentence
    numbers: tuple[int, ...] = ()  # of the units drawn, all layers after another; 0: not hidden


class Unit(NamedTuple):
    """A unit of a hidden layer."""

    layer: int  # from 0
    place: int  # in its layer, from 0

    @property
    def name(self) -> str:
        """As the picture calls it."""
        return f"layer {self.layer + 1}, unit {self.place + 1}"


def hidden_units(layers: Any) -> tuple[Unit, ...]:
    """The units of all hidden layers, in their order."""
    return tuple(
        Unit(k, j) for k, layer in enumerate(layers[:-1]) for j in range(len(layer.offsets))
    )


def every_unit(offered: Offered) -> Values:
    """The hidden units to choose from, by number from 1; None is none."""
    fit: Any = offered.get("fit")
    units = hidden_units(fit.layers)[:MOST_LISTED] if can(fit, HasLayers) else ()
    return {None: "none"} | {k + 1: unit.name for k, unit in enumerate(units)}


def one_unit(offered: Offered) -> Values:
    """The hidden units by number from 1; None is that with the largest outgoing weights."""
    every = dict(every_unit(offered) or {})
    return every | {None: "with the largest outgoing weights"} if len(every) > 1 else {}


def diagram(
    dataset: Dataset, whole: Whole, x: str = "", y: str = "", silent: int | None = None
) -> Diagram:
    """The fitted network on the plane of two columns; the hidden unit `silent`, from 1, says 0."""
    fit: Any = whole.fit
    unit = None if silent is None else hidden_units(fit.layers)[silent - 1]
    cells, shape, shown = _coarse(plane_of(dataset, whole, x, y))
    inputs = tuple(column.name for column in whole.prepared.columns)
    layers = _chosen(fit, inputs)
    axes = tuple(a.column.name for a in (shown.plane.x, shown.plane.y) if a is not None)
    n_classes = len(dataset.classes) if dataset.task == "classification" else 0
    n_weights = sum(layer.weights.size + layer.offsets.size for layer in fit.layers)
    n_weights += fit.skips.size
    return Diagram(
        layers, *stand(fit, layers, cells, shape, unit), cells, shape, axes, n_weights, n_classes,
        shown.how, unit, _without(dataset, whole, unit), _numbers(fit, layers),
    )  # fmt: skip


def _numbers(fit: Any, layers: tuple[Shown, ...]) -> tuple[int, ...]:
    """By which number, from 1, each unit drawn is chosen; 0 for inputs and outputs."""
    number = {unit: k for k, unit in enumerate(hidden_units(fit.layers), 1)}
    return tuple(
        number.get(Unit(k - 1, int(j)), 0) for k, layer in enumerate(layers) for j in layer.units
    )


def _without(dataset: Dataset, whole: Whole, unit: Unit | None) -> str:
    """What the answers to the fitted rows lose, where a unit is set to 0."""
    if unit is None:
        return ""
    fit: Any = whole.fit
    X = whole.prepared.transform(dataset.X)
    before, after = fit.predict(X), fit.silenced(*unit).predict(X)
    if dataset.task != "classification":
        moved = float(np.abs(after - before).mean())
        return f"With {unit.name} at 0 the answers move by {rough(moved)} on average."
    changed = count(int((before != after).sum()), "fitted row")
    right, still = (percent(float((labels == dataset.y).mean())) for labels in (before, after))
    return (
        f"With {unit.name} at 0 the answer is another for {changed} of {len(X)}: {still} of them "
        f"are right, {right} with it."
    )


def stand(
    fit: Any,
    layers: tuple[Shown, ...],
    cells: np.ndarray,
    shape: tuple[int, int],
    silent: Unit | None = None,
) -> tuple[tuple[np.ndarray, ...], tuple[Bundle, ...], tuple[np.ndarray, ...]]:
    """Tiles, connections and offsets of the units that are drawn, as the fit has them.

    `cells` are prepared rows, shape (b * a, q).
    """
    fit = fit if silent is None else fit.silenced(*silent)
    *hidden, outputs = fit.values(cells)
    tiles = [_spread(cells.T), *(_between_ends(values, fit.ends) for values in hidden)]
    if silent is not None:
        tiles[silent.layer + 1][silent.place] = 0.0
    tiles.append(fit.between_ends(outputs))
    chosen = [layer.units for layer in layers]
    drawn = tuple(
        tile[units].reshape(-1, *shape) for tile, units in zip(tiles, chosen, strict=True)
    )
    bundles = [Bundle(k, k + 1, layer.weights) for k, layer in enumerate(fit.layers)]
    if fit.skips.size:
        bundles.append(Bundle(0, len(fit.layers), fit.skips))
    between = tuple(
        Bundle(below, above, W[np.ix_(chosen[above], chosen[below])]) for below, above, W in bundles
    )
    offsets = tuple(
        layer.offsets[units] for layer, units in zip(fit.layers, chosen[1:], strict=True)
    )
    return drawn, between, offsets


def plane_of(dataset: Dataset, whole: Whole, x: str, y: str) -> Projection:
    """The plane on which units are drawn: of two columns, or in which classes lie far apart."""
    if dataset.task == "classification":
        return class_projection(dataset, whole, x, y)
    return of_columns(dataset, whole.prepared, x, y)


def _coarse(shown: Projection) -> tuple[np.ndarray, tuple[int, int], Projection]:
    """Some of the cells of a plane, evenly spaced, and how many lie up and across."""
    up, across = (_some(n) for n in shown.plane.shape)
    cells = shown.cells.reshape(*shown.plane.shape, -1)[np.ix_(up, across)]
    return cells.reshape(-1, cells.shape[-1]), (len(up), len(across)), shown


def _some(n: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, COARSE)).round().astype(np.int64))


def _chosen(fit: Any, inputs: tuple[str, ...]) -> tuple[Shown, ...]:
    """Of each layer the units with the largest outgoing weights; of the outputs the first."""
    shown, layers = [], fit.layers
    for k, layer in enumerate(layers):
        heard = np.abs(layer.weights).sum(axis=0)
        if k == 0 and fit.skips.size:
            heard = heard + np.abs(fit.skips).sum(axis=0)
        names = inputs if k == 0 else tuple(f"unit {j + 1}" for j in range(len(heard)))
        shown.append(_layer("Inputs" if k == 0 else f"Layer {k}", heard, names))
    last = len(layers[-1].offsets)
    names = tuple(f"output {j + 1}" for j in range(last)) if last > 1 else ("output",)
    return (*shown, _layer("Output", -np.arange(last, dtype=float), names))


def _layer(title: str, heard: np.ndarray, names: tuple[str, ...]) -> Shown:
    n = len(heard)
    units = np.arange(n)
    if n > MOST_UNITS:
        units = np.sort(np.argsort(-heard, kind="stable")[: MOST_UNITS - 1])
    return Shown(title, units, tuple(names[j] for j in units), n)


def _between_ends(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Activations, shape (h, m), from -1 to 1; where they have no end, by their largest size."""
    low, high = ends
    if np.isfinite([low, high]).all():
        return (values - (low + high) / 2) / ((high - low) / 2)
    return values / np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)


def _spread(columns: np.ndarray) -> np.ndarray:
    """Columns, shape (q, m), each from -1 at its least to 1 at its largest; 0 for a constant."""
    low, high = columns.min(axis=1, keepdims=True), columns.max(axis=1, keepdims=True)
    half = np.maximum((high - low) / 2, 1e-300)
    return np.where(high > low, (columns - (low + high) / 2) / half, 0.0)
