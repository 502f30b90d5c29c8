"""A process that is observed by clicks: the band, its width before and after, the evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.bands import between
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import CLASS_COLORS, LIGHT, faded
from figures.view import TableColumn, View
from mlcore.labs.kernels.gp_lab import PLACES, Posterior
from mlcore.spine.wording import count, rough

WHOLE = [PLACES[0] - 2, PLACES[-1] + 2]  # of the axis of places
DEEP = 40.0  # nats below the best that the picture of the evidence reaches
HEIGHTS = 13  # places to click above each other


def pictures(p: Posterior) -> tuple[View, ...]:
    """The band first; the others where something was observed."""
    curves = picture("Curves that are left", p, draw, reading, table, note="click to observe there")
    if not len(p.at):
        return (curves,)
    return (
        curves,
        picture("What the last observation told", p, draw_widths, widths_reading, widths_table),
        picture("Evidence of each width", p, draw_evidence, evidence_reading, evidence_table,
                note=count(len(p.at), "observation")),
    )  # fmt: skip


def draw(p: Posterior) -> go.Figure:
    """Two deviations about the mean, some curves, the truth, and what was observed."""
    low, high = p.mean - 2 * p.deviation, p.mean + 2 * p.deviation
    truth = go.Scatter(
        x=PLACES, y=p.truth, mode="lines", name="truth", line={"color": LIGHT.quiet, "dash": "dot"}
    )
    mean = go.Scatter(
        x=PLACES, y=p.mean, mode="lines", name="mean", line={"color": LIGHT.accent, "width": 2.5}
    )
    outline = between(PLACES, low, high, "band")
    fig = plot(outline, _drawn(p), truth, mean, *_observed(p), x="Place", y="Curve")
    ends = [min(low.min(), p.draws.min()), max(high.max(), p.draws.max())]
    fig.add_trace(_clicks(*ends)).update_layout(height=400)
    return fig.update_xaxes(range=WHOLE)


def _drawn(p: Posterior) -> Any:
    """All drawn functions as one trace with gaps between them."""
    gap = np.full((len(p.draws), 1), np.nan)
    return go.Scatter(
        x=[*PLACES.tolist(), None] * len(p.draws), y=np.hstack([p.draws, gap]).ravel(),
        mode="lines", line={"color": faded(CLASS_COLORS[2], 0.8), "width": 1.2},
        name="drawn", hoverinfo="skip",
    )  # fmt: skip


def _observed(p: Posterior) -> list[Any]:
    if not len(p.at):
        return []
    return [
        marks.points(p.at, p.y, klass=1, name="observed", marker={"size": 9}),
        marks.rings(p.at[-1:], p.y[-1:], name=""),
    ]


def _clicks(low: float, high: float) -> Any:
    """Marks that are not seen, over all of the picture; each stands for its place."""
    x = np.tile(PLACES, HEIGHTS)
    places = go.Scatter(
        x=x, y=np.repeat(np.linspace(low, high, HEIGHTS), len(PLACES)), mode="markers",
        marker={"size": 9, "opacity": 0.0, "symbol": "square"}, showlegend=False,
        hovertemplate="observe at %{x}<extra></extra>",
    )  # fmt: skip
    return marks.numbered(places, x)


def reading(p: Posterior) -> str:
    """How wide the band is, and where widest."""
    if not len(p.at):
        return "Nothing was observed: the curves are those of the kernel, with mean 0 everywhere."
    inside = int((np.abs(p.truth - p.mean) <= 2 * p.deviation).sum())
    return (
        f"{count(len(p.at), 'observation')}. The band, two standard deviations either way, is "
        f"widest at {p.least_sure}, where one is {rough(float(p.deviation.max()))}; the truth lies "
        f"inside at {inside} of {len(PLACES)} places."
    )


def table(p: Posterior) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", p.truth),
        TableColumn("mean", p.mean),
        TableColumn("standard deviation", p.deviation),
    )


def draw_widths(p: Posterior) -> go.Figure:
    """The deviation with and without the last observation, which stands as a line."""
    fig = plot(
        line(PLACES, p.before, 1, "without the last observation"),
        line(PLACES, p.deviation, 0, "with it"),
        x="Place",
        y="Standard deviation of the curve",
    )
    named_line(fig, "last", x=int(p.at[-1]))
    return fig.update_yaxes(rangemode="tozero").update_xaxes(range=WHOLE)


def widths_reading(p: Posterior) -> str:
    """How much it fell there, and whether it rose anywhere."""
    at, rise = int(p.at[-1]), float((p.deviation - p.before).max())
    wider = "nowhere did it widen" if rise < 1e-9 else f"it widened by up to {rough(rise)}"
    return (
        f"Observing at {at} took the standard deviation there from {rough(float(p.before[at]))} to "
        f"{rough(float(p.deviation[at]))}; {wider}."
    )


def widths_table(p: Posterior) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("without the last observation", p.before),
        TableColumn("with it", p.deviation),
    )


def draw_evidence(p: Posterior) -> go.Figure:
    """The sum and its two terms over a log axis; what is far below the best is cut."""
    fig = plot(
        line(p.widths, p.evidence, 0, "log evidence"),
        line(p.widths, p.fit, 1, "fit"),
        line(p.widths, p.complexity, 2, "complexity"),
        x="Width of the kernel",
        y="Nats",
    )
    named_line(fig, "here", x=p.width, is_log=True)
    ends = [
        max(p.evidence.max() - DEEP, p.evidence.min() - 2),
        max(p.fit.max(), p.complexity.max()),
    ]
    return fig.update_xaxes(**marks.log_axis(p.widths)).update_yaxes(range=[ends[0], ends[1] + 2])


def evidence_reading(p: Posterior) -> str:
    """The best width, and what it trades."""
    best = int(p.evidence.argmax())
    return (
        f"The evidence is largest at width {rough(float(p.widths[best]))}. From the narrowest "
        f"kernel to the widest, fit goes from {rough(float(p.fit[0]))} to "
        f"{rough(float(p.fit[-1]))} nats and complexity from {rough(float(p.complexity[0]))} to "
        f"{rough(float(p.complexity[-1]))}."
    )


def evidence_table(p: Posterior) -> tuple[TableColumn, ...]:
    """One line a width."""
    return (
        TableColumn("width", p.widths),
        TableColumn("log evidence", p.evidence),
        TableColumn("fit", p.fit),
        TableColumn("complexity", p.complexity),
    )
