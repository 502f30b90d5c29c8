"""The objective of an iterative method, or what its steps are followed by, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.capabilities import HasChainDraws
from mlcore.spine.iterate import Step, numbers_of
from mlcore.spine.wording import count, rough, spaced

HEIGHT = 300
COUNTED = 1e9  # what is larger is no count of rows: all numbers beyond 2^53 are whole
DECADES = 3.0  # of falling objective above which only a log axis shows the end


class Trace(NamedTuple):
    """What is followed, by step."""

    k: np.ndarray  # (s,) numbers of the steps, from 1; 0 is the start
    objective: np.ndarray  # (s,)
    held_out: np.ndarray  # (s,) the same on training rows that only judge; NaN without such
    notes: tuple[str, ...]  # (s,) what changed
    stop: str  # why the last step was the last; empty if it was not
    is_log: bool
    label: str


@view(
    "objective_trace",
    title="Progress by step",
    unless=HasChainDraws,
    on="classification svm regression clustering reduction",
    order=260,
    sources=("cs2:kmeans_energy",),
    synonyms=("loss curve", "convergence", "training loss", "objective function"),
)
def objective_trace(steps: Sequence[Step], fit: Any = None) -> View:
    """What the method minimises, maximises or is followed by, after every step; why it stopped."""
    label = "objective" if fit is None else fit.made_by.followed
    return joined(numbers(steps, label), draw, reading, table, note="on the training rows")


def numbers(steps: Sequence[Step], label: str = "objective") -> Trace:
    """The objective of recorded steps; a log axis where it falls over many decades above zero."""
    objective = np.array([s.objective for s in steps], dtype=np.float64)
    held_out = np.array([np.nan if s.held_out is None else s.held_out for s in steps])
    finite = np.concatenate([objective, held_out])
    finite = finite[np.isfinite(finite)]
    is_log = len(finite) > 0 and finite.min() > 0 and finite.max() / finite.min() > 10**DECADES
    last = steps[-1].stop if steps else None
    return Trace(
        numbers_of(steps),
        objective,
        held_out,
        tuple(s.note for s in steps),
        last.why if last else "",
        bool(is_log),
        label,
    )


def draw(t: Trace) -> go.Figure:
    """A line with a mark a step where there are few; another for rows held out."""
    lines = [_line(t, t.label, t.objective, "solid")]
    if is_judged(t):
        lines.append(_line(t, f"{t.label} on held-out rows", t.held_out, "dash"))
    title = t.label[:1].upper() + t.label[1:]
    kind = log_axis(np.append(t.objective, t.held_out)) if t.is_log else {}
    return figure(
        *lines,
        height=HEIGHT,
        xaxis={"title": {"text": "Step"}, "tickformat": "d"}
        | ({"dtick": 1} if len(t.k) and np.ptp(t.k) < 12 else {}),
        yaxis={"title": {"text": title}} | kind,
        showlegend=len(lines) > 1,
    )


def is_judged(t: Trace) -> bool:
    """Whether the steps were judged on rows held out, too."""
    return bool(np.isfinite(t.held_out).any())


def _line(t: Trace, name: str, values: np.ndarray, dash: str) -> go.Scatter:
    return go.Scatter(
        x=t.k,
        y=values,
        name=name,
        mode="lines+markers" if len(t.k) <= 60 else "lines",
        line={"color": LIGHT.accent, "dash": dash},
        marker={"size": 5},
        text=t.notes,
        hovertemplate=f"step %{{x}}<br>{name} %{{y:.6~g}}<br>%{{text}}<extra></extra>",
    )


def reading(t: Trace) -> str:
    """From where to where, in how many steps, and why it ended."""
    if not len(t.k):
        return "No step was recorded."
    there, name = np.flatnonzero(np.isfinite(t.objective)), f"{t.label[:1].upper()}{t.label[1:]}"
    if not len(there):
        return f"{name} undefined at every step. {t.stop}".strip()
    first = "the first step" if t.k[0] else "the start"
    if there[0]:
        first = f"step {t.k[there[0]]}, undefined before"
    counts = t.objective[there]
    whole = bool(((counts >= 0) & (counts < COUNTED) & (counts % 1 == 0)).all())  # not measures
    start, end = (
        spaced(int(value)) if whole and np.isfinite(value) else rough(float(value))
        for value in t.objective[[there[0], -1]]
    )
    text = f"{name} {start} at {first}, {end} after {count(int(t.k[-1]), 'step')}."
    if is_judged(t):
        best = int(np.nanargmin(t.held_out))
        text += (
            f" On the held-out rows it is least, {rough(t.held_out[best])}, at step {t.k[best]}."
        )
    return f"{text} {t.stop}".strip()


def table(t: Trace) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("step", t.k),
        TableColumn(t.label, t.objective),
        *([TableColumn("on held-out rows", t.held_out)] if is_judged(t) else []),
        TableColumn("what changed", t.notes),
    )
