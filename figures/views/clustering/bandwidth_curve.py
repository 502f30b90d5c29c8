"""The bandwidth curve: how likely rows that were left out are under each bandwidth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT, named_line
from figures.recording import Changes
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasBandwidth
from mlcore.spine.wording import count, rough

NOW = "now"
SHOWN = 8.0  # nats below the best that are drawn: narrower kernels fall without end


class BandwidthCurve(NamedTuple):
    """Bandwidths, ascending, and what rows left out say of each."""

    bandwidths: np.ndarray  # (g,)
    held_out: np.ndarray  # (g,) mean log-density
    floored: np.ndarray  # (g,) rows without density
    chosen: float


@view(
    "bandwidth_curve",
    title="Bandwidth",
    asks=HasBandwidth,
    on="clustering report",
    order=215,
    sources=("mi2:kde_bandwidth",),
    synonyms=("bandwidth selection", "smoothing"),
)
def bandwidth_curve(whole: Whole) -> View:
    """Mean log-density of rows that were left out against the bandwidth, on a log axis."""
    b = numbers(whole)
    return joined(b, draw, reading, table, note="on rows left out of the fitted ones", step=step)


def numbers(whole: Whole) -> BandwidthCurve:
    """The search of the fit."""
    fit: Any = whole.fit
    return BandwidthCurve(fit.bandwidths, fit.held_out, fit.floored, fit.bandwidth)


def draw(b: BandwidthCurve) -> go.Figure:
    """A line through all that were tried; hollow where rows had no density at all."""
    best = float(b.held_out.max())
    low = max(float(b.held_out.min()), best - SHOWN)
    line = go.Scatter(
        x=b.bandwidths, y=b.held_out, mode="lines+markers",
        line={"color": class_color(0)}, showlegend=False,
        marker={"symbol": ["circle-open" if k else "circle" for k in b.floored], "size": 6},
        text=[f"{count(int(k), 'row')} without density" for k in b.floored],
        hovertemplate="bandwidth %{x:.4~g}<br>%{y:.4~f}<br>%{text}<extra></extra>",
    )  # fmt: skip
    now = go.Scatter(
        x=[b.chosen], y=[best], mode="markers", uid=NOW, showlegend=False, hoverinfo="skip",
        marker={"size": 13, "color": LIGHT.accent, "line": {"width": 2, "color": LIGHT.halo}},
    )  # fmt: skip
    room = 0.08 * ((best - low) or 1.0)
    fig = figure(
        line, now, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Bandwidth, in prepared units"}} | log_axis(b.bandwidths),
        yaxis={"title": {"text": "Mean log-density"}, "range": [low - room, best + room]},
    )  # fmt: skip
    named_line(fig, f"best {rough(b.chosen)}", x=b.chosen, is_log=True)
    return fig.update_layout(margin_t=50)


def step(b: BandwidthCurve, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the mark of the bandwidth that is tried."""
    fit: Any = whole.fit
    h = float(fit.bandwidth)
    value = float(b.held_out[np.abs(np.log(b.bandwidths / h)).argmin()])
    return {at[NOW]: {"x": np.array([h]), "y": np.array([value])}}


def reading(b: BandwidthCurve) -> str:
    """The best, what a tenth of it would cost, and whether it stands at an end."""
    k = int(b.held_out.argmax())
    text = f"Rows left out are likeliest at a bandwidth of {rough(b.chosen)}"
    text += f", with a mean log-density of {rough(float(b.held_out[k]))}."
    if k in (0, len(b.bandwidths) - 1):
        text += " It stands at the end of what was tried: the curve has no top inside."
    if lost := int(b.floored.max()):
        text += f" Under the narrowest, {count(lost, 'row')} had no density at all."
    return text


def table(b: BandwidthCurve) -> tuple[TableColumn, ...]:
    """One line a bandwidth."""
    return (
        TableColumn("bandwidth", b.bandwidths),
        TableColumn("mean log-density", b.held_out),
        TableColumn("rows without density", b.floored),
    )
