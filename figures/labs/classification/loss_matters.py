"""The loss decides who is alike: the pictures, the three distances, and every blur."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import SHARES
from figures.view import TableColumn, View
from mlcore.data.generators.pictures.altered_pictures import WAYS
from mlcore.labs.classification.loss_matters import LossMatters
from mlcore.spine.wording import rough

NAMES = ("A", "B", "C")
PAIRS = ("A and B", "A and C", "B and C")
LIGHTS = [(1 - at, color) for at, color in reversed(SHARES)]  # a high value is light


def pictures(m: LossMatters) -> tuple[View, ...]:
    """Digits, their distances, and the altered scene."""
    note = f"blur of {rough(m.sigma)} pixels below"
    return (
        picture("Three digits", m, draw, reading, table, note=note),
        picture("Distances at every blur", m, draw_pairs, pairs_reading, pairs_table),
        picture("One scene, altered", m, draw_scenes, scenes_reading, altered_table),
        picture("How far the alterations are", m, draw_altered, altered_reading, altered_table),
    )


def _beside(images: np.ndarray) -> np.ndarray:
    """Images in a row with a gap of one pixel, (h, k (w + 1) - 1)."""
    k, h, w = images.shape
    panels = np.full((h, k, w + 1), np.nan)
    panels[:, :, :w] = images.transpose(1, 0, 2)
    return panels.reshape(h, -1)[:, :-1]


def _grid(cells: np.ndarray, width: int, names: tuple[str, ...], scale: Any) -> go.Figure:
    """Images in a row, their names above, square pixels."""
    heat = go.Heatmap(z=cells.astype(np.float32), colorscale=scale, showscale=False)
    at = (np.arange(len(names)) * (width + 1) + (width - 1) / 2).tolist()
    fig = plot(heat, x="", y="")
    fig.update_xaxes(
        tickvals=at, ticktext=names, side="top", ticks="", showgrid=False, showline=False
    )
    return fig.update_yaxes(
        autorange="reversed", scaleanchor="x", constrain="domain", showgrid=False, showline=False,
        showticklabels=False, ticks="",
    )  # fmt: skip


def draw(m: LossMatters) -> go.Figure:
    """As they are, and below as the blurred distance sees them."""
    top, bottom = _beside(m.digits), _beside(m.blurred)
    # Each row of pictures has its own scale: a blur spreads the same ink over more pixels.
    bottom = bottom / max(float(np.nanmax(bottom)), 1e-300)
    gap = np.full((1, top.shape[1]), np.nan)
    return _grid(np.vstack([top, gap, bottom]), m.digits.shape[2], NAMES, SHARES)


def reading(m: LossMatters) -> str:
    """The distances of the pairs, plain and blurred."""
    plain, after = (", ".join(rough(float(d)) for d in v) for v in (m.plain, m.after))
    return (
        f"Squared distances of A and B, A and C, B and C: {plain} pixel by pixel, {after} after "
        f"the blur. {_verdict(m)}"
    )


def _verdict(m: LossMatters) -> str:
    order = np.argsort(m.after)
    if m.after[order[1]] - m.after[order[0]] < 1e-6 * max(m.after[order[1]], 1e-300):
        return "No pair is the nearest."
    return f"Nearest are {PAIRS[int(order[0])]}."


def table(m: LossMatters) -> tuple[TableColumn, ...]:
    """One line a pair."""
    return (
        TableColumn("pair", PAIRS),
        TableColumn("squared distance", m.plain),
        TableColumn("after the blur", m.after),
    )


def draw_pairs(m: LossMatters) -> go.Figure:
    """In units of the mean of the three, since a blur shrinks them all."""
    curves = [
        line(m.sigmas, values, k, name)
        for k, (name, values) in enumerate(zip(PAIRS, _relative(m.pairs).T, strict=True))
    ]
    fig = plot(*curves, x="Blur in pixels", y="Squared distance / mean of the three")
    return named_line(fig, "here", x=m.sigma)


def _relative(distances: np.ndarray) -> np.ndarray:
    """Over the mean of each line; 1 where all are 0."""
    mean = distances.mean(axis=1, keepdims=True)
    return np.divide(distances, mean, out=np.ones_like(distances), where=mean > 0)


def pairs_reading(m: LossMatters) -> str:
    """How much nearer the twins are at best."""
    twins = _relative(m.pairs)[:, 0]
    best = int(twins.argmin())
    return (
        f"The twins A and B come nearest, {rough(float(twins[best]))} of the mean distance, with a "
        f"blur of {rough(float(m.sigmas[best]))} pixels."
    )


def pairs_table(m: LossMatters) -> tuple[TableColumn, ...]:
    """One line a blur."""
    columns = zip(PAIRS, m.pairs.T, strict=True)
    return (TableColumn("blur", m.sigmas), *(TableColumn(name, v) for name, v in columns))


def draw_scenes(m: LossMatters) -> go.Figure:
    """Low enough for four pictures in a row."""
    fig = _grid(_beside(m.scenes), m.scenes.shape[2], WAYS, LIGHTS)
    return fig.update_layout(height=240)


def scenes_reading(m: LossMatters) -> str:
    """Their common distance."""
    return (
        "Pixel by pixel all three alterations have the squared distance "
        f"{rough(float(m.altered[0, 0]))} from the original."
    )


def draw_altered(m: LossMatters) -> go.Figure:
    """The distance that is left at every blur."""
    curves = [
        line(m.sigmas, values / values[0], k, name)
        for k, (name, values) in enumerate(zip(WAYS[1:], m.altered.T, strict=True))
    ]
    fig = plot(*curves, x="Blur in pixels", y="Squared distance / that without a blur")
    return named_line(fig, "here", x=m.sigma)


def altered_reading(m: LossMatters) -> str:
    """What is left of each at the chosen blur."""
    at = int(np.abs(m.sigmas - m.sigma).argmin())
    left = m.altered[at] / m.altered[0]
    each = [f"{name} {rough(float(v))}" for name, v in zip(WAYS[1:], left, strict=True)]
    return (
        f"With a blur of {rough(float(m.sigmas[at]))} pixels there is left of the squared "
        f"distance: {', '.join(each)}."
    )


def altered_table(m: LossMatters) -> tuple[TableColumn, ...]:
    """One line a blur."""
    columns = zip(WAYS[1:], m.altered.T, strict=True)
    return (TableColumn("blur", m.sigmas), *(TableColumn(name, v) for name, v in columns))
