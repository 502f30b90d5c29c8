"""The network: each unit as a small picture of what it says on the plane, weights as lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.marks import mark_of, numbered
from figures.drawing.traces import CELLS
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.networks import Bundle, Diagram, Shown, diagram, every_unit, stand
from figures.options import ANY_AXES, Axes, Options, among
from figures.recording import Changes
from figures.theme import DIVERGING, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.neural.capabilities import HasLayers
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasNotes
from mlcore.spine.params import integer
from mlcore.spine.wording import count, listed

WIDTH, TILE = 760.0, 42.0  # pixels: of the picture, about, and of a unit
ROW, HEAD, LEAST = 50, 84, 330  # pixels: a unit with its gap, the heads, the whole
OUTPUT = 2.2  # times as large as other units
HALF = 100  # steps from 0 to the deepest colour
WIDTHS = (0.6, 1.4, 2.6, 4.2, 6.2)  # of lines, by size of the weight within its layer
SIGNS = ((-1, "negative"), (1, "positive"))
# With three or more classes no colour of a class: nothing there is for one of two.
OF_MANY = ((0.0, "#7A5AA6"), (0.5, LIGHT.background), (1.0, "#8C7A1F"))
LONGEST = 12  # letters of the name of a column
LETTER, BESIDE = 6.2, 12.0  # pixels: of a letter, about; of a tile and a gap beside a name
BELOW = 24  # pixels under the lowest unit for how many are not drawn
CROWDED = 5  # layers, above which a phone has no room for the word beside a number of units
PAST = 0.8  # of a unit's room under the lowest for the lines that lead past the hidden layers


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(Options):
    """What may be chosen of the picture."""

    silent: int | None = among(
        integer(
            None, low=1, soft=(1, 99), or_none="none", label="Set to zero",
            doc="A hidden unit that says nothing, to see what the network answers without it.",
        ),
        every_unit,
    )  # fmt: skip


@view(
    "network_diagram",
    title="Network",
    asks=HasLayers,
    on="neural classification regression report compare",
    options=NetworkOptions,
    order=55,
    share=2,
    sources=("cs2:mlp", "epfl:mlp_backprop"),
    synonyms=("network graph", "architecture", "neurons", "hidden units", "playground"),
)
def network_diagram(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: NetworkOptions
) -> View:
    """Every unit with its activation on the plane of the rows, and a line for each weight.

    Of more than ten units of a layer the nine are drawn that have the largest weights to the next
    layer. A line is as wide as its weight is large within its layer; skip connections lead
    past the hidden layers below them.
    """
    d = diagram(dataset, whole, axes.x, axes.y, options.silent)
    marks = tuple([mark_of(dataset, "unit", k)] if k else [] for k in d.numbers)
    note = fitted_on(dataset, whole)
    note += f"; {d.silent.name} set to zero" if d.silent else ""
    told = partial(reading, notes=whole.fit.notes if can(whole.fit, HasNotes) else ())
    return joined(d, partial(draw, marks=marks), told, table, note=note, step=step)


def draw(d: Diagram, marks: tuple[list[int], ...]) -> go.Figure:
    """Lines behind, a tile a unit in front, heads above; by its mark a click tells a unit."""
    n = _most(d)
    deep = PAST * any(map(_is_skip, d.bundles))
    height = max(HEAD + round(ROW * (n + deep)), LEAST)
    fig = figure(
        *_lines(d),
        *(tile for k in range(len(d.layers)) for tile in _tiles(d, k, height)),
        _frames(d),
        numbered(_hover(d), marks),
        height=height,
        # In pixels: of a picture as narrow as a phone a share would leave no room for the names.
        margin={"l": _beside(d), "r": 8, "t": 52, "b": BELOW},
        showlegend=False,
        xaxis={"visible": False, "range": [-0.2, len(d.layers) - 0.45], "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True,
               "range": [-n / 2 - 0.1 - deep, n / 2 + 0.1]},
    )  # fmt: skip
    for k, layer in enumerate(d.layers):
        _write(fig, k, layer, len(d.layers) > CROWDED, _half_width(d, k))
    return fig


def _most(d: Diagram) -> int:
    """How many units the longest layer shows."""
    return max(len(layer.units) for layer in d.layers)


def _is_skip(bundle: Bundle) -> bool:
    return bundle.above > bundle.below + 1


def _beside(d: Diagram) -> float:
    """How many pixels the names of the inputs take at the left."""
    longest = max(len(cut(name, LONGEST)) for name in d.layers[0].names)
    return BESIDE + LETTER * longest


def _heights(layer: Shown) -> np.ndarray:
    """How high each unit stands, (u,), the first on top, all about 0."""
    u = len(layer.units)
    return (u - 1) / 2 - np.arange(u, dtype=np.float64)


def _half_width(d: Diagram, k: int) -> float:
    """Half of a tile across, in layers."""
    wide = TILE / WIDTH * len(d.layers) / 2
    return wide * (OUTPUT if _is_lone(d, k) else 1.0)


def _is_lone(d: Diagram, k: int) -> bool:
    return k == len(d.layers) - 1 and len(d.layers[k].units) == 1


def _half_height(d: Diagram, k: int) -> float:
    """Half of a tile up and down, in units."""
    return TILE / ROW / 2 * (OUTPUT if _is_lone(d, k) else 1.0)


def _frames(d: Diagram) -> go.Scatter:
    """A thin line about every tile: a unit that says 0 everywhere is there as well."""
    corners = np.array([[-1, 1, 1, -1, -1, np.nan], [-1, -1, 1, 1, -1, np.nan]])
    x, y = np.hstack([
        np.array([[k], [up]]) + corners * np.array([[_half_width(d, k)], [_half_height(d, k)]])
        for k, layer in enumerate(d.layers) for up in _heights(layer)
    ])  # fmt: skip
    line = {"color": LIGHT.quiet, "width": 0.8}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", uid="frames")


def _tiles(d: Diagram, k: int, height: int) -> list[go.Heatmap]:
    """The units of a layer."""
    half, (b, a) = _half_width(d, k), d.shape
    up = _half_height(d, k)
    scale = OF_MANY if d.n_classes > 2 else DIVERGING
    return [
        go.Heatmap(
            z=_levels(d.tiles[k][j]), x0=k - half + half / a, dx=2 * half / a,
            y0=y - up + up / b, dy=2 * up / b, zmin=-HALF, zmax=HALF, colorscale=scale,
            showscale=False, hoverinfo="skip", uid=_uid(d, k, j),
        )
        for j, y in enumerate(_heights(d.layers[k]))
    ]  # fmt: skip


def _uid(d: Diagram, k: int, j: int) -> str:
    return CELLS if k == len(d.layers) - 1 and j == 0 else f"unit {k} {j}"


def _levels(tile: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(tile, -1.0, 1.0) * HALF).astype(np.int8)


def _lines(d: Diagram) -> list[go.Scatter]:
    """A trace for each sign and width, its lines one after the other."""
    at, traces = _connections(d), []
    colors = {-1: _ends(d)[0], 1: _ends(d)[1]}
    for sign, name in SIGNS:
        for k, width in enumerate(WIDTHS):
            x, y = at[sign, k]
            traces.append(
                go.Scatter(
                    x=x, y=y, mode="lines", hoverinfo="skip", opacity=0.55, uid=f"{name} {k}",
                    line={"color": colors[sign], "width": width, "shape": "spline"},
                    name=f"{name} weight",
                )
            )  # fmt: skip
    return traces


def _ends(d: Diagram) -> tuple[str, str]:
    scale = OF_MANY if d.n_classes > 2 else DIVERGING
    return scale[0][1], scale[-1][1]


def _connections(d: Diagram) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Places of the lines by sign and width, some places a line, the last of them a gap."""
    parts: dict[tuple[int, int], list[np.ndarray]] = {
        (sign, k): [] for sign, _ in SIGNS for k in range(len(WIDTHS))
    }
    for bundle in d.bundles:
        strength = np.abs(bundle.weights) / _largest(d, bundle.above)
        width = np.minimum((strength * len(WIDTHS)).astype(np.int64), len(WIDTHS) - 1)
        for (i, j), w in np.ndenumerate(bundle.weights):
            if w != 0:
                parts[int(np.sign(w)), int(width[i, j])].append(_line(d, bundle, i, j))
    nothing = np.full((2, 1), np.nan)
    places = {at: np.hstack(some or [nothing]).astype(np.float32) for at, some in parts.items()}
    return {at: (xy[0], xy[1]) for at, xy in places.items()}


def _largest(d: Diagram, above: int) -> float:
    """The size of the largest weight that is drawn of a layer."""
    sizes = [np.abs(bundle.weights).max() for bundle in d.bundles if bundle.above == above]
    return max(float(max(sizes)), 1e-300)


def _line(d: Diagram, bundle: Bundle, i: int, j: int) -> np.ndarray:
    """Places of the line from unit j to unit i above, shape (2, t); below all that it skips."""
    k, up = bundle.below, bundle.above
    low, high = _heights(d.layers[k])[j], _heights(d.layers[up])[i]
    left, right = k + _half_width(d, k), up - _half_width(d, up)
    if not _is_skip(bundle):
        third = (right - left) / 3
        x = [left, left + third, right - third, right, np.nan]
        return np.array([x, [low, low, high, high, np.nan]])
    floor = -_most(d) / 2 - PAST * (j + 1) / (bundle.weights.shape[1] + 1)
    bend = (1 - 2 * _half_width(d, k)) / 3
    x = [left, left + bend, left + 2 * bend, right - 2 * bend, right - bend, right, np.nan]
    return np.array([x, [low, (low + floor) / 2, floor, floor, (high + floor) / 2, high, np.nan]])


def _hover(d: Diagram) -> go.Scatter:
    """A mark that is not seen on every unit, to say what it gets."""
    x = np.concatenate([np.full(len(layer.units), k) for k, layer in enumerate(d.layers)])
    y = np.concatenate([_heights(layer) for layer in d.layers])
    return go.Scatter(
        x=x, y=y, mode="markers", marker={"size": 30, "opacity": 0, "symbol": "square"},
        text=_texts(d), hovertemplate="%{text}<extra></extra>", showlegend=False, uid="texts",
    )  # fmt: skip


def _texts(d: Diagram) -> list[str]:
    """What each unit is, and which inputs count most."""
    texts = list(d.layers[0].names)
    for k, layer in enumerate(d.layers[1:]):
        names, W = _heard(d, k + 1)
        for j, name in enumerate(layer.names):
            w = W[j]
            most = np.argsort(-np.abs(w), kind="stable")[:3]
            heard = listed([f"{names[i]} ({w[i]:+.2f})" for i in most])
            where = name if layer.title == "Output" else f"{layer.title}, {name}"
            if d.silent and (k, layer.units[j]) == d.silent:
                where += ", set to zero"
            texts.append(f"{where}: offset {d.offsets[k][j]:+.2f}<br>largest weights from {heard}")
    return texts


def _heard(d: Diagram, above: int) -> tuple[list[str], np.ndarray]:
    """To whom the units of a layer listen, (m,) names, and with what weights, (u, m)."""
    bundles = [bundle for bundle in d.bundles if bundle.above == above]
    names = [name for bundle in bundles for name in d.layers[bundle.below].names]
    return names, np.hstack([bundle.weights for bundle in bundles])


def _write(fig: go.Figure, k: int, layer: Shown, is_crowded: bool, half: float) -> None:
    """The head of a layer, how many of it are not drawn, and the names of the inputs.

    `half` is half of a tile across: on a phone it is fewer pixels, and a name stands beside it.
    """
    unit = "column" if k == 0 else "output" if layer.title == "Output" else "unit"
    size = str(layer.size) if is_crowded else count(layer.size, unit)
    fig.add_annotation(
        x=k, y=1.0, yref="paper", yshift=44, showarrow=False, yanchor="top",
        text=f"<b>{layer.title}</b><br>{size}",
        font={"size": 11 if is_crowded else 12, "color": LIGHT.text},
    )  # fmt: skip
    if hidden := layer.size - len(layer.units):
        fig.add_annotation(
            x=k, y=float(_heights(layer)[-1]) - 0.5, yanchor="top", showarrow=False,
            text=f"+ {hidden} more", font={"size": 11, "color": LIGHT.quiet},
        )  # fmt: skip
    if k == 0:
        for name, y in zip(layer.names, _heights(layer), strict=True):
            fig.add_annotation(
                x=k - half, xshift=-4, y=float(y), xanchor="right", showarrow=False,
                text=cut(name, LONGEST), font={"size": 11, "color": LIGHT.quiet},
            )  # fmt: skip


def step(d: Diagram, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: what the units say, and the weights."""
    tiles, bundles, offsets = stand(whole.fit, d.layers, d.cells, d.shape, d.silent)
    now = d._replace(tiles=tiles, bundles=bundles, offsets=offsets)
    changes: dict[int, dict[str, Any]] = {}
    for (sign, width), (x, y) in _connections(now).items():
        name = dict(SIGNS)[sign]
        changes[at[f"{name} {width}"]] = {"x": x, "y": y}
    for k in range(1, len(d.layers)):
        for j in range(len(d.layers[k].units)):
            changes[at[_uid(d, k, j)]] = {"z": _levels(now.tiles[k][j])}
    changes[at["texts"]] = {"text": _texts(now)}
    return changes


def reading(d: Diagram, notes: tuple[str, ...] = ()) -> str:
    """How large the network is, which connection is the strongest, and the notes of the fit."""
    sizes = " – ".join(str(layer.size) for layer in d.layers)
    text = f"{sizes}: {count(d.n_weights, 'weight')} with the offsets. "
    low, high = ("violet", "olive") if d.n_classes > 2 else ("blue", "orange")
    text += f"{_strongest(d)} Lines and places are {low} below 0 and {high} above, "
    text = f"{d.without} {text}" if d.without else text
    text = f"{text}each unit over {' and '.join(d.axes)}. {d.how}".strip()
    return " ".join([text, *notes])


def _strongest(d: Diagram) -> str:
    """Which of the connections drawn has the largest weight, as a sentence."""
    bundle = max(d.bundles, key=lambda bundle: np.abs(bundle.weights).max())
    k, W = bundle.below, bundle.weights
    i, j = np.unravel_index(int(np.abs(W).argmax()), W.shape)
    w, below, above = W[i, j], d.layers[k], d.layers[bundle.above]
    if w == 0:
        return "All weights are 0."
    of = "" if k == 0 else f" of {below.title.lower()}"
    where = above.names[i]
    if above.title != "Output":
        where += f" of {above.title.lower()}"
    elif above.size == 1:
        where = "the output"
    start = "Of the connections drawn the strongest leads"
    return f"{start} from {below.names[j]}{of} to {where}, {w:+.2f}."


def table(d: Diagram) -> tuple[TableColumn, ...]:
    """One line a connection that is drawn."""
    lines = [
        (
            d.layers[bundle.below].title,
            d.layers[bundle.below].names[j],
            d.layers[bundle.above].title,
            d.layers[bundle.above].names[i],
            w,
        )
        for bundle in d.bundles
        for (i, j), w in np.ndenumerate(bundle.weights)
    ]
    heads = ("from layer", "from", "to layer", "to", "weight")
    return tuple(
        TableColumn(head, tuple(line[c] for line in lines)) for c, head in enumerate(heads)
    )
