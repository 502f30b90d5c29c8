"""Distances that no points have: their eigenvalues, and two maps with the edges of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.marks import across, equal_axes
from figures.lab import picture, plot
from figures.theme import CLASS_COLORS, LIGHT
from figures.view import TableColumn, View
from mlcore.evaluation.map_moves import procrustes
from mlcore.labs.reduction.impossible_distances import Impossible
from mlcore.spine.wording import count, percent, rough

NONE = 1e-6  # a constant or a stress below it is rounding


def pictures(d: Impossible) -> tuple[View, ...]:
    """The eigenvalues, then the maps."""
    return (
        picture("Eigenvalues", d, draw, reading, table, note="of the centred squared distances"),
        picture("In the plane", d, draw_maps, reading_maps, table_maps, note="edges as lines"),
    )


def draw(d: Impossible) -> go.Figure:
    """A bar an eigenvalue; negative ones in the colour of a warning."""
    colors = [CLASS_COLORS[1] if value < 0 else CLASS_COLORS[0] for value in d.values]
    bars = go.Bar(
        x=np.arange(1, len(d.values) + 1), y=d.values, marker={"color": colors},
        hovertemplate="eigenvalue %{x}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    fig = plot(bars, x="Eigenvalue", y="Size")
    fig.update_xaxes(dtick=1 if len(d.values) <= 16 else None, showgrid=False)
    return across(fig, y=0, line={"color": LIGHT.quiet, "width": 1})


def draw_maps(d: Impossible) -> go.Figure:
    """Both maps over each other, the second turned and moved onto the first."""
    onto = procrustes(d.descended, d.classical)
    laid = (d.descended - onto.start) @ onto.rotation + onto.end  # as large as it is
    fig = plot(
        *_map(d, d.classical, "classical scaling", 0, "solid"),
        *_map(d, laid, "least stress", 1, "dot"),
        x="Coordinate 1",
        y="Coordinate 2",
    )
    return equal_axes(fig).update_xaxes(constrain="range").update_yaxes(constrain="range")


def _map(d: Impossible, Y: np.ndarray, name: str, k: int, dash: str) -> tuple[Any, ...]:
    """The edges as one line with gaps, and the nodes."""
    gap = np.full((len(d.edges), 1, 2), np.nan)
    ways = np.concatenate([Y[d.edges], gap], axis=1).reshape(-1, 2)
    color = CLASS_COLORS[k]
    marker = {"color": color, "size": 9, "symbol": ("circle", "diamond")[k]}
    texts = [f"node {node + 1}" for node in range(len(Y))]
    return (
        go.Scatter(x=ways[:, 0], y=ways[:, 1], mode="lines", hoverinfo="skip", legendgroup=name,
                   line={"color": color, "dash": dash, "width": 1.5}),
        go.Scatter(x=Y[:, 0], y=Y[:, 1], mode="markers", name=name, marker=marker, text=texts,
                   legendgroup=name, hovertemplate="%{text}<extra>%{fullData.name}</extra>"),
    )  # fmt: skip


def reading(d: Impossible) -> str:
    """Whether points have these distances, and what would have to be added."""
    directions = count(int((d.values > 0).sum()), "direction")
    if not d.negative:
        return f"No eigenvalue is negative: points lie like this, in {directions}."
    below = count(int((d.values < 0).sum()), "eigenvalue is", "eigenvalues are")
    return (
        f"{below} negative, {percent(d.negative)} of all by size: no points of any space have "
        f"these distances. With {rough(d.constant)} added to each way of the graph they would."
    )


def reading_maps(d: Impossible) -> str:
    """How far both maps are from the distances."""
    classical, least = d.stresses
    if max(d.stresses) < NONE:
        return "Both maps have just these distances."
    return (
        f"Distances in the plane are off by {percent(classical)} by classical scaling and by "
        f"{percent(least)} by least stress, root of squared errors over squared distances."
    )


def table(d: Impossible) -> tuple[TableColumn, ...]:
    """One line an eigenvalue."""
    at = np.arange(1, len(d.values) + 1)
    return TableColumn("eigenvalue", at), TableColumn("size", d.values)


def table_maps(d: Impossible) -> tuple[TableColumn, ...]:
    """One line a pair of nodes: its distance, and that in both maps."""
    one, other = np.triu_indices(len(d.D), 1)
    apart = [np.linalg.norm(Y[one] - Y[other], axis=1) for Y in (d.classical, d.descended)]
    return (
        TableColumn("node", one + 1),
        TableColumn("other node", other + 1),
        TableColumn("distance", d.D[one, other]),
        TableColumn("by classical scaling", apart[0]),
        TableColumn("by least stress", apart[1]),
    )
