"""How far a row lies from the training rows, beside how far these lie from each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import empty
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.wording import listed, percent, rough

HEIGHT, BINS = 190, 30
NOTHING = "The model of all rows has not answered yet."
AT_EDGE = 0.2  # of the axis


class NearnessBars(NamedTuple):
    """Mean distances to the five nearest training rows."""

    typical: np.ndarray  # (t,) of training rows, rising
    mean: float  # of this row
    limit: float
    n_near: int
    rows: np.ndarray  # (k,) the nearest rows of the table, from 1
    distances: np.ndarray  # (k,)
    truths: tuple[str, ...]  # (k,)
    variables: tuple[str, ...]  # (p,)
    beyond: np.ndarray  # (p,) whether its value lies outside those of the training rows


@view(
    "nearness",
    title="Nearest training rows",
    on="what_if",
    order=1,
    synonyms=("extrapolation", "novelty of a row"),
)
def nearness(explanation: Any) -> View:
    """The mean distance to the five nearest, in standard deviations."""
    return joined(numbers(explanation), draw, reading, table, note="training rows, in sd")


def numbers(explanation: Any) -> NearnessBars | None:
    """None before the model of all rows has answered."""
    answers = explanation.joined
    if answers is None or answers.near is None:
        return None
    near = answers.near
    return NearnessBars(
        near.typical, near.mean, near.limit, len(near.nearest), answers.near_rows,
        near.distances, answers.near_truths, tuple(c.name for c in answers.variables), near.beyond,
    )  # fmt: skip


def draw(d: NearnessBars | None) -> go.Figure:
    """A histogram of the training rows, the line that 95 % do not pass, and this row."""
    if d is None:
        return empty(NOTHING, HEIGHT)
    bars, edges = np.histogram(d.typical, bins=BINS)
    histogram = go.Bar(
        x=(edges[1:] + edges[:-1]) / 2, y=bars, marker={"color": faded(LIGHT.quiet, 0.45)},
        showlegend=False, hovertemplate="%{y} training rows<extra></extra>",
    )  # fmt: skip
    color = CLASS_COLORS[1] if d.mean > d.limit else LIGHT.accent
    here = go.Scatter(
        x=[d.mean], y=[0], mode="markers", showlegend=False, cliponaxis=False,
        marker={"symbol": "diamond", "size": 13, "color": color},
        hovertemplate="this row %{x:.3~g}<extra></extra>",
    )  # fmt: skip
    fig = figure(
        histogram, here, height=HEIGHT, margin={"t": 26},
        xaxis={"title": {"text": f"Mean distance to the {d.n_near} nearest (sd)"},
               "rangemode": "tozero"},
        yaxis={"visible": False},
    )  # fmt: skip
    across(fig, x=d.limit, line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5})
    # At the left edge half of the words would lie outside the picture: they begin at the line.
    is_left = d.limit < AT_EDGE * max(float(edges[-1]), d.mean)
    place = {
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "left" if is_left else "center",
    }
    return fig.add_annotation(x=d.limit, text="95 % of rows", **place)


def reading(d: NearnessBars | None) -> str:
    """How far it is, and what that means."""
    if d is None:
        return NOTHING
    share = float((d.typical < d.mean).mean())
    far = f"Its {d.n_near} nearest lie {rough(d.mean)} sd away, farther than for {percent(share)} "
    far += "of the training rows."
    if d.mean > d.limit:
        return f"Far from the training rows. {far} {_where(d)}"
    return far


def _where(d: NearnessBars) -> str:
    """Whether a far row lies beyond the training rows, or among them where they are few."""
    if d.beyond.any():
        names = listed(np.array(d.variables)[d.beyond])
        return f"Its value of {names} lies beyond all of theirs: the prediction is extrapolated."
    if len(d.variables) == 1:
        return "It lies between them, where they are few."
    return "Each of its values lies among theirs; together they are rare."


def table(d: NearnessBars | None) -> tuple[TableColumn, ...]:
    """One line a neighbour."""
    if d is None:
        return (TableColumn("row", ()),)
    return (
        TableColumn("row", d.rows),
        TableColumn("is", d.truths),
        TableColumn("distance (sd)", d.distances),
    )
