"""How large the gradient is in each layer, epoch by epoch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.neural.capabilities import HasEpochs
from mlcore.spine.wording import rough

HEIGHT = 320
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")
TAIL = 10  # epochs at the end that are compared
AROUND = 9  # epochs of which a drawn value is the geometric mean: single batches jump


class LayerGradients(NamedTuple):
    """Root mean squares of the gradient."""

    k: np.ndarray  # (t,) numbers of the epochs, from 1
    sizes: np.ndarray  # (t, L)
    smooth: np.ndarray  # (t, L) geometric means of the epochs around each; NaN where all are 0
    names: tuple[str, ...]  # (L,)


@view(
    "layer_gradients",
    title="Gradient by layer",
    asks=HasEpochs,
    on="neural classification regression report",
    order=256,
    sources=("s841:vanishing_gradient_demo",),
    synonyms=("vanishing gradient", "exploding gradient", "gradient norm"),
)
def layer_gradients(fit: Any) -> View:
    """The root mean square of the gradient in each layer, on the last batch of every epoch."""
    n = numbers(fit)
    return joined(
        n, draw, reading, table, note=f"on the last batch of each epoch, mean of {AROUND}"
    )


def numbers(fit: Any) -> LayerGradients:
    """The record of a fit."""
    k, L = fit.gradient_sizes.shape
    names = (*(f"layer {j + 1}" for j in range(L - 1)), "output")
    sizes = fit.gradient_sizes
    return LayerGradients(np.arange(1, k + 1), sizes, _smooth(sizes), names)


def _smooth(sizes: np.ndarray) -> np.ndarray:
    """Geometric means over the epochs around each, of those above 0; (t, L)."""
    logs = np.log(np.where(sizes > 0, sizes, 1.0))
    half, window = AROUND // 2, np.ones(AROUND)
    means = np.empty_like(sizes)
    for j in range(sizes.shape[1]):
        here = (sizes[:, j] > 0).astype(float)
        total = np.convolve(logs[:, j], window)[half : half + len(here)]
        many = np.convolve(here, window)[half : half + len(here)]
        means[:, j] = np.where(many > 0, np.exp(total / np.maximum(many, 1.0)), np.nan)
    return means


def draw(n: LayerGradients) -> go.Figure:
    """A line a layer on a log axis; where all gradients are 0 there is a gap."""
    lines = [
        go.Scatter(
            x=n.k, y=n.smooth[:, j], name=name, mode="lines",
            line={"color": class_color(j), "width": 2, "dash": DASHES[j % len(DASHES)]},
            hovertemplate=f"epoch %{{x}}<br>{name} %{{y:.3~g}}<extra></extra>",
        )
        for j, name in enumerate(n.names)
    ]  # fmt: skip
    return figure(
        *lines,
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": "Epoch"}, "tickformat": "d"},
        yaxis={"title": {"text": "Gradient, root mean square"}} | log_axis(n.sizes),
    )  # fmt: skip


def reading(n: LayerGradients) -> str:
    """Whether the gradient fades on its way back from the output."""
    ends = np.median(n.sizes[-TAIL:], axis=0)
    if len(ends) == 1:
        return f"In the only layer it is {rough(float(ends[0]))} at the end."
    if not ends[-1] > 0:
        return "Nothing comes back from the output: its gradient is 0."
    share = float(ends[0] / ends[-1])
    if share < 0.1:
        word = f"fades on its way back: in layer 1 it is {rough(share)} of that of the output"
    else:
        word = f"does not fade on its way back: in layer 1 it is {rough(share)} times that of the "
        word += "output"
    return f"In the last {min(TAIL, len(n.k))} epochs the gradient {word}."


def table(n: LayerGradients) -> tuple[TableColumn, ...]:
    """One line an epoch."""
    by_layer = [TableColumn(name, n.sizes[:, j]) for j, name in enumerate(n.names)]
    return (TableColumn("epoch", n.k), *by_layer)
