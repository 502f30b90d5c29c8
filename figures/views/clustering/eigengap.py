"""Eigenvalues of a graph: how many groups it falls into, and after which the gap is largest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.capabilities_of_groups import HasGraphSpectrum
from mlcore.spine.wording import count, rough

HEIGHT = 320
ZERO = 1e-8  # below it an eigenvalue is that of a part without any edge to the others


class Eigengap(NamedTuple):
    """The least eigenvalues, and what they say."""

    values: np.ndarray  # (m,)
    asked: int  # groups that the fit was asked for
    widest: int  # groups before the widest gap
    parts: int  # eigenvalues of 0


@view(
    "eigengap",
    title="Eigenvalues of the graph",
    asks=HasGraphSpectrum,
    on="clustering report compare",
    order=216,
    synonyms=("eigengap heuristic", "spectral gap", "number of clusters"),
)
def eigengap(fit: HasGraphSpectrum) -> View:
    """The least eigenvalues of the Laplacian: K groups show as K small ones, then a gap."""
    return joined(numbers(fit), draw, reading, table, note="on the training rows")


def numbers(fit: HasGraphSpectrum) -> Eigengap:
    """The eigenvalues of a fit."""
    values = np.asarray(fit.eigenvalues)
    widest = int(np.diff(values).argmax()) + 1 if len(values) > 1 else 1
    return Eigengap(values, fit.coordinates.shape[1], widest, int((values < ZERO).sum()))


def draw(e: Eigengap) -> go.Figure:
    """A mark an eigenvalue, those of the groups filled, and a line in the gap after them."""
    k = np.arange(1, len(e.values) + 1)
    colors = [LIGHT.accent if each <= e.asked else faded(LIGHT.quiet, 0.45) for each in k]
    marks = go.Scatter(
        x=k, y=e.values, mode="lines+markers", line={"color": LIGHT.hairline, "width": 1.5},
        marker={"color": colors, "size": 10}, showlegend=False,
        hovertemplate="eigenvalue %{x}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    top = float(e.values.max()) or 1.0
    fig = figure(
        marks,
        height=HEIGHT,
        xaxis={"title": {"text": "Number"}, "dtick": 1, "range": [0.5, len(k) + 0.5]},
        yaxis={"title": {"text": "Eigenvalue"}, "range": [-0.06 * top, 1.1 * top]},
    )
    fig.update_layout(margin_t=28)
    return named_line(fig, f"K = {e.asked}", x=e.asked + 0.5)


def reading(e: Eigengap) -> str:
    """How many parts the graph has; if it has one, after how many eigenvalues the gap is widest."""
    if len(e.values) < 2:
        return "One row has one eigenvalue."
    asked = "as many groups as were asked for"
    if e.parts > 1:  # certain, and what is inside of a part is another question
        same = f", {asked}" if e.parts == e.asked else ""
        return f"{e.parts} eigenvalues are 0: the graph falls into so many parts{same}."
    gap = rough(float(np.diff(e.values)[e.widest - 1]))
    hint = f"a hint, no proof, for {count(e.widest, 'group')}"
    return (
        f"The widest gap, {gap}, comes after {count(e.widest, 'eigenvalue')}: "
        f"{asked if e.widest == e.asked else hint}."
    )


def table(e: Eigengap) -> tuple[TableColumn, ...]:
    """One line an eigenvalue."""
    return (
        TableColumn("number", np.arange(1, len(e.values) + 1)),
        TableColumn("eigenvalue", e.values),
        TableColumn("gap to the next", np.append(np.diff(e.values), np.nan)),
    )
