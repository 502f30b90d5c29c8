"""Mistakes of a learner that goes through the rows again and again, pass by pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasMistakes
from mlcore.spine.wording import count, percent

HEIGHT = 300
FEW = 40  # passes that are marked one by one


class Mistakes(NamedTuple):
    """Mistakes by pass."""

    mistakes: np.ndarray  # (T,)
    why: str  # it ended


@view(
    "mistakes",
    title="Mistakes in each pass",
    asks=HasMistakes,
    on="classification report",
    order=158,
    sources=("cs2:perceptron",),
    synonyms=("updates per epoch", "epochs"),
)
def mistakes(fit: Any) -> View:
    """How many rows were wrong when they were met, in each pass over all of them."""
    drawn = Mistakes(fit.mistakes, fit.stop.why if fit.stop else "")
    return joined(drawn, draw, reading, table, note="on the fitted rows, while learning")


def draw(m: Mistakes) -> go.Figure:
    """One line, with marks where there are few passes."""
    trace = go.Scatter(
        x=np.arange(1, len(m.mistakes) + 1),
        y=m.mistakes,
        uid=CURVE,
        mode="lines+markers" if len(m.mistakes) <= FEW else "lines",
        line={"color": LIGHT.accent},
        cliponaxis=False,  # a pass without a mistake ends on the axis
        hovertemplate="pass %{x}<br>%{y} mistakes<extra></extra>",
    )
    return figure(
        trace,
        height=HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": "Pass over the rows"}, "tickformat": "d"},
        yaxis={"title": {"text": "Mistakes"}, "rangemode": "tozero"},
    )


def reading(m: Mistakes) -> str:
    """All mistakes, how many fall into the first pass, and why it ended."""
    total, first = int(m.mistakes.sum()), int(m.mistakes[0])
    text = f"{count(total, 'mistake')} in {count(len(m.mistakes), 'pass', 'passes')}"
    text += f", {percent(first / total)} of them in the first." if total else "."
    return f"{text} {m.why}".strip()


def table(m: Mistakes) -> tuple[TableColumn, ...]:
    """One line a pass."""
    passes = np.arange(1, len(m.mistakes) + 1)
    return TableColumn("pass", passes), TableColumn("mistakes", m.mistakes)
