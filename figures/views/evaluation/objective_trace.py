"""The objective of an iterative method, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.words import counted_noun, rough
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.iterate import Step

HEIGHT = 300
DECADES = 3.0  # of falling objective above which only a log axis shows the end


class Trace(NamedTuple):
    """Objective by step."""

    k: np.ndarray  # (s,) numbers of the steps, from 1
    objective: np.ndarray  # (s,)
    notes: tuple[str, ...]  # (s,) what changed
    stop: str  # why the last step was the last; empty if it was not
    is_log: bool
    label: str


@view(
    "objective_trace",
    title="Objective by step",
    on="classification svm regression clustering reduction",
    order=260,
    sources=("cs2:kmeans_energy",),
)
def objective_trace(steps: Sequence[Step], label: str = "objective") -> View:
    """What the method minimises or maximises, after every step, and why it stopped."""
    return joined(numbers(steps, label), draw, reading, table, note="on the training rows")


def numbers(steps: Sequence[Step], label: str = "objective") -> Trace:
    """The objective of recorded steps; a log axis where it falls over many decades above zero."""
    objective = np.array([s.objective for s in steps], dtype=np.float64)
    finite = objective[np.isfinite(objective)]
    is_log = len(finite) > 0 and finite.min() > 0 and finite.max() / finite.min() > 10**DECADES
    last = steps[-1].stop if steps else None
    return Trace(
        np.array([s.k + 1 for s in steps], dtype=np.int64),
        objective,
        tuple(s.note for s in steps),
        last.why if last else "",
        bool(is_log),
        label,
    )


def draw(t: Trace) -> go.Figure:
    """A line with a mark a step where there are few."""
    trace = go.Scatter(
        x=t.k,
        y=t.objective,
        mode="lines+markers" if len(t.k) <= 60 else "lines",
        line={"color": LIGHT.accent},
        marker={"size": 5},
        text=t.notes,
        hovertemplate=f"step %{{x}}<br>{t.label} %{{y:.6~g}}<br>%{{text}}<extra></extra>",
    )
    title = t.label[:1].upper() + t.label[1:]
    kind = {"type": "log", "exponentformat": "power"} if t.is_log else {}
    return figure(
        trace,
        height=HEIGHT,
        xaxis={"title": {"text": "Step"}, "tickformat": "d"}
        | ({"dtick": 1} if len(t.k) <= 12 else {}),
        yaxis={"title": {"text": title}} | kind,
        showlegend=False,
    )


def reading(t: Trace) -> str:
    """From where to where, in how many steps, and why it ended."""
    if not len(t.k):
        return "No step was recorded."
    text = f"{t.label[:1].upper()}{t.label[1:]} {rough(t.objective[0])} at the first step, "
    text += f"{rough(t.objective[-1])} after {counted_noun(int(t.k[-1]), 'step')}."
    return f"{text} {t.stop}".strip()


def table(t: Trace) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("step", t.k),
        TableColumn(t.label, t.objective),
        TableColumn("what changed", t.notes),
    )
