"""How large the weights of each layer are: the share of them within each bin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.words import fitted_on
from figures.recording import Changes
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.networks.layer_gradients import DASHES
from mlcore.data.dataset import Dataset
from mlcore.neural.capabilities import HasLayers
from mlcore.runs.carry import Whole
from mlcore.spine.wording import listed, percent, rough

HEIGHT = 320
FEWEST, MOST = 9, 41  # bins; always an odd number, so that the one in the middle is about 0


class WeightShares(NamedTuple):
    """The weights of all layers, without offsets, in the same bins."""

    edges: np.ndarray  # (B + 1,)
    shares: np.ndarray  # (L, B) of the weights of a layer
    sizes: np.ndarray  # (L,) root mean squares
    names: tuple[str, ...]  # (L,)

    @property
    def middles(self) -> np.ndarray:
        """The middle of each bin, (B,)."""
        return (self.edges[1:] + self.edges[:-1]) / 2


@view(
    "weight_histogram",
    title="Sizes of the weights",
    asks=HasLayers,
    on="neural classification regression report",
    order=207,
    sources=("cs2:mlp",),
    synonyms=("histogram of weights", "weight distribution", "weight decay", "dead units"),
)
def weight_histogram(dataset: Dataset, whole: Whole) -> View:
    """For each layer, how many of its weights are how large; offsets are left out.

    Weights that gather at 0 hardly count; a few far out decide alone.
    """
    n = numbers(whole)
    return joined(n, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(whole: Whole) -> WeightShares:
    """The shares of a fitted network, in bins up to its largest weight."""
    by_layer = _weights(whole.fit)
    far = max(float(np.abs(W).max()) for W in by_layer) or 1.0
    most = max(len(W) for W in by_layer)
    bins = 2 * int(np.clip(np.sqrt(most), FEWEST // 2, MOST // 2)) + 1
    edges = np.linspace(-far, far, bins + 1)
    names = (*(f"layer {k + 1}" for k in range(len(by_layer) - 1)), "output")
    sizes = np.array([np.sqrt((W**2).mean()) for W in by_layer])
    return WeightShares(edges, _shares(by_layer, edges), sizes, names)


def _weights(fit: Any) -> list[np.ndarray]:
    """The weights of each layer, (w,); those that skip the hidden layers belong to the output."""
    *below, last = [W.ravel() for W, _ in fit.layers]
    return [*below, np.concatenate([last, fit.skips.ravel()])]


def _shares(by_layer: list[np.ndarray], edges: np.ndarray) -> np.ndarray:
    """The share of each layer in each bin, (L, B); what lies beyond counts in the last ones."""
    inside = (np.clip(W, edges[0], edges[-1]) for W in by_layer)
    return np.array([np.histogram(W, edges)[0] / len(W) for W in inside])


def draw(n: WeightShares) -> go.Figure:
    """A line of steps a layer."""
    lines = [
        go.Scatter(
            x=n.middles, y=n.shares[k], name=name, mode="lines", uid=name,
            line={"color": class_color(k), "width": 2, "dash": DASHES[k], "shape": "hvh"},
            hovertemplate=f"about %{{x:+.2~g}}<br>%{{y:.1%}} of {name}<extra></extra>",
        )
        for k, name in enumerate(n.names)
    ]  # fmt: skip
    return figure(
        *lines,
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": "Weight"}, "range": [n.edges[0], n.edges[-1]]},
        yaxis={"title": {"text": "Share of the layer"}, "tickformat": ".0%", "rangemode": "tozero"},
    )


def step(n: WeightShares, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the shares; bins stay those of the last."""
    now = _shares(_weights(whole.fit), n.edges)
    return {at[name]: {"y": shares} for name, shares in zip(n.names, now, strict=True)}


def reading(n: WeightShares) -> str:
    """The usual size in each layer, and how many weights hardly count."""
    if not n.sizes.any():
        return "All weights are 0."
    each = [f"{rough(size)} in {_the(name)}" for name, size in zip(n.names, n.sizes, strict=True)]
    middle = n.shares.shape[1] // 2
    k = int(n.shares[:, middle].argmax())
    text, below = f"The root mean square is {listed(each)}. ", rough(float(n.edges[middle + 1]))
    if not n.shares[k, middle]:
        return f"{text}No weight is below {below} in size."
    return (
        f"{text}{_the(n.names[k]).capitalize()} has most about 0: "
        f"{percent(float(n.shares[k, middle]))} of its weights are below {below} in size."
    )


def _the(name: str) -> str:
    return "the output" if name == "output" else name


def table(n: WeightShares) -> tuple[TableColumn, ...]:
    """One line a bin."""
    return (
        TableColumn("from", n.edges[:-1]),
        TableColumn("to", n.edges[1:]),
        *(TableColumn(name, shares) for name, shares in zip(n.names, n.shares, strict=True)),
    )
