"""How alike maps are that were drawn again: as a whole, and in who lies next to whom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.redrawing.redrawn import NEIGHBOURS, Redrawn, verdict
from mlcore.spine.errors import DataError

HEIGHT = 480
ABOVE = 28  # pixels above the axes, for a line of words
CORNERS = (
    # Above the axes: a map that comes again has its mark in the corner.
    (0.0, 1.0, "left", "bottom", "the same map"),
    (1.0, 1.0, "right", "bottom", "the same groups elsewhere"),
    (0.98, 0.02, "right", "bottom", "another map"),
)


class Likeness(NamedTuple):
    """Both numbers of each map that was drawn again."""

    names: tuple[str, ...]  # (b,)
    residuals: np.ndarray  # (b,)
    staying: np.ndarray  # (b,)
    verdict: str


@view(
    "map_agreement",
    title="How alike the maps are",
    sources=("mi2:clustering_robustness",),
    synonyms=("Procrustes residual", "disparity", "neighbourhood preservation", "map stability"),
)
def map_agreement(redrawn: Redrawn) -> View:
    """A mark a map: how far its rows lie off, and how many neighbours stay.

    A map of neighbours may keep its groups and put them elsewhere: then neighbours stay and the
    residual is large.
    """
    note = f"each map beside that of all rows; {NEIGHBOURS} neighbours"
    return joined(numbers(redrawn), draw, reading, table, note=note)


def numbers(redrawn: Redrawn) -> Likeness:
    """Of every map that is there. Raises DataError where there is none."""
    if not redrawn.again:
        why = redrawn.failure or "Wait for the next, or draw more."
        raise DataError(f"There is no second map to compare with that of all rows. {why}")
    names = tuple(part.where for part in redrawn.again)
    return Likeness(names, redrawn.residuals, redrawn.staying, verdict(redrawn))


def draw(c: Likeness) -> go.Figure:
    """The corners say what a map there would be."""
    marker = {"size": 11, "color": LIGHT.accent, "opacity": 0.75}
    marks = go.Scatter(
        x=c.residuals, y=c.staying, mode="markers", text=c.names, marker=marker,
        hovertemplate="%{text}<br>residual %{x:.3f}<br>%{y:.0%} of the neighbours stay"
        "<extra></extra>",
    )  # fmt: skip
    fig = figure(marks, height=HEIGHT, showlegend=False)
    fig.update_xaxes(title_text="Procrustes residual", range=[-0.02, 1.02])
    fig.update_yaxes(title_text="Neighbours that stay", range=[-0.02, 1.02], tickformat=".0%")
    for x, y, side, end, text in CORNERS:
        fig.add_annotation(
            x=x, y=y, xref="paper", yref="paper", xanchor=side, yanchor=end, text=text,
            showarrow=False, font={"size": 12, "color": LIGHT.quiet},
        )  # fmt: skip
    return fig.update_layout(margin_t=ABOVE)


def reading(c: Likeness) -> str:
    """Whether the map comes again."""
    return c.verdict


def table(c: Likeness) -> tuple[TableColumn, ...]:
    """One line a map."""
    return (
        TableColumn("map", c.names),
        TableColumn("Procrustes residual", c.residuals),
        TableColumn("neighbours that stay", c.staying),
    )
