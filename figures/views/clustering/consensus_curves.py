"""Monti's curves: the distribution of the consensus for each number of clusters, and its area."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly.colors import sample_colorscale

import figures.graph as go
from figures.drawing.marks import numbered
from figures.drawing.traces import BETWEEN
from figures.graph import make_subplots
from figures.numbers.consensus import ConsensusCurves, drawn_from
from figures.numbers.consensus import consensus_curves as numbers
from figures.theme import LIGHT, NO_TEMPLATE, SEQUENTIAL, faded
from figures.view import TableColumn, View, joined, view
from mlcore.runs.counting.counted import Counted
from mlcore.spine.wording import count, listed, percent

HEIGHT = 400
DARKEST, BRIGHTEST = 0.2, 0.88  # of the scale: its ends are weak on dark and on white
LITTLE = 0.1  # a number of clusters that adds a smaller share of the area adds little
MOST_NAMED = 8  # curves in the legend


@view(
    "consensus_curves",
    title="Distribution of the consensus",
    sources=("mi2:clustering_robustness",),
    synonyms=(
        "consensus CDF", "delta area", "delta K", "Monti", "PAC",
        "proportion of ambiguous clustering", "consensus clustering",
    ),
)  # fmt: skip
def consensus_curves(counted: Counted, here: int | None = None) -> View:
    """The share of pairs of rows that are together in at most so many of the resamples.

    A curve that is flat in the middle belongs to clusters that come again: pairs are always
    together or never. Beside it what each number of clusters adds to the area below its curve.
    """
    return joined(numbers(counted, here), draw, reading, table, note=drawn_from(counted))


def draw(c: ConsensusCurves) -> go.Figure:
    """The curves at the left, dark for few clusters; the delta area at the right."""
    fig: Any = make_subplots(1, 2, column_widths=[0.58, 0.42], horizontal_spacing=BETWEEN)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, margin={"t": 40, "b": 44})
    for trace in _curves(c):
        fig.add_trace(trace, row=1, col=1)
    fig.add_trace(_gains(c), row=1, col=2)
    fig.update_xaxes(title_text="Together in at most so many resamples", tickformat=".0%", col=1)
    fig.update_yaxes(title_text="Share of pairs", range=[0, 1.02], tickformat=".0%", col=1)
    # Whole numbers, in steps for which there is room: on a phone each of them is too many.
    fig.update_xaxes(title_text="Clusters", tickformat="d", nticks=6, showgrid=False, col=2)
    fig.update_yaxes(title_text="Delta area", rangemode="tozero", col=2)
    if c.here is not None and c.here in c.ks:
        fig.add_vrect(
            c.here - 0.4, c.here + 0.4, fillcolor=faded(LIGHT.accent, 0.12), line_width=0,
            layer="below", row=1, col=2,
        )  # fmt: skip
    return fig


def _curves(c: ConsensusCurves) -> list[go.Scatter]:
    """A step a level; the number of clusters now is drawn stronger."""
    shades = sample_colorscale(SEQUENTIAL, list(np.linspace(DARKEST, BRIGHTEST, len(c.ks))))
    return [
        go.Scatter(
            x=c.levels, y=below, mode="lines", name=f"K = {k}",
            line={"color": shade, "width": 3.5 if k == c.here else 1.6},
            showlegend=len(c.ks) <= MOST_NAMED or k in (c.ks[0], c.here, c.ks[-1]),
            hovertemplate=f"{k} clusters<br>%{{y:.1%}} of the pairs are together in at most "
            "%{x:.0%}<extra></extra>",
        )
        for k, below, shade in zip(c.ks, c.below, shades, strict=True)
    ]  # fmt: skip


def _gains(c: ConsensusCurves) -> Any:
    """A mark a number of clusters, which a click takes over like those of the criteria."""
    line = {"color": LIGHT.accent, "width": 1.8}
    marker = {"size": 8, "color": LIGHT.background, "line": {"width": 1.5, "color": LIGHT.accent}}
    trace = go.Scatter(
        x=np.array(c.ks), y=c.gains, mode="lines+markers", line=line, marker=marker,
        showlegend=False,
        hovertemplate="%{x} clusters<br>add %{y:.1%} of the area before<extra></extra>",
    )  # fmt: skip
    return numbered(trace, np.array(c.ks))


def reading(c: ConsensusCurves) -> str:
    """Which numbers leave the fewest pairs in doubt, and which is the last to add much."""
    least = float(c.ambiguous.min())
    surest = [k for k, share in zip(c.ks, c.ambiguous, strict=True) if share <= least + 1e-9]
    named = listed([str(k) for k in surest], most=4)
    text = (
        f"The fewest pairs are neither together nor apart with {named} clusters: {percent(least)} "
        "are together in 10 to 90 % of the resamples."
    )
    much = [k for k, gain in zip(c.ks, c.gains, strict=True) if gain >= LITTLE]
    if much:
        text += (
            f" {count(much[-1], 'cluster')} is the last number to add {percent(LITTLE)} of area."
        )
    return text


def table(c: ConsensusCurves) -> tuple[TableColumn, ...]:
    """One line a number of clusters."""
    return (
        TableColumn("clusters", np.array(c.ks)),
        TableColumn("delta area", c.gains),
        TableColumn("share of ambiguous pairs", c.ambiguous),
    )
