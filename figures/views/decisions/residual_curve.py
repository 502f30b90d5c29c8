"""How the changes of a planner shrink, by iteration, beside what the discount promises."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, dash_of
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import NotesChanges
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, listed, rough

FEW = 30  # iterations whose points are marked


class Changes(NamedTuple):
    """The largest change of a value in each iteration."""

    labels: tuple[str, ...]
    each: tuple[np.ndarray, ...]  # (k,) of every plan
    promised: np.ndarray  # (n,) the largest first change times gamma^k, of the longest; or (0,)
    gamma: float
    exact: tuple[bool, ...]  # whether a plan ended at the best values themselves


@view(
    "residual_curve",
    title="Change by iteration",
    asks=NotesChanges,
    on="mdp",
    order=26,
    sources=("cs2:value_iteration",),
    synonyms=("Bellman residual", "contraction", "convergence of value iteration"),
)
def residual_curve(trial: TrialOutcome) -> View:
    """The largest change of a value in each iteration, on a logarithmic axis."""
    c = numbers(trial)
    return joined(c, draw, reading, table, note=f"discount {c.gamma:g}")


def numbers(trial: TrialOutcome) -> Changes:
    """Of all plans of a trial: every replicate of a plan is the same."""
    rows = [row for row in trial.results if row.can(NotesChanges)]
    each = tuple(row.fits[0].changes for row in rows)
    gamma, longest = trial.world.gamma, max(map(len, each))
    promised = max(changes[0] for changes in each) * gamma ** np.arange(longest)
    return Changes(
        tuple(row.label for row in rows),
        each,
        promised if gamma < 1 else np.zeros(0),
        gamma,
        tuple(row.fits[0].is_exact for row in rows),
    )


def draw(c: Changes) -> go.Figure:
    """Straight lines are changes by an even factor; nothing is drawn where nothing changed."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Iteration"}},
        yaxis={"title": {"text": "Largest change"}, "type": "log", "exponentformat": "power"},
        showlegend=True,
    )
    if len(c.promised):
        line = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
        fig.add_scatter(
            x=_numbered(c.promised), y=_drawn(c.promised, c), mode="lines", line=line,
            name="first change · γᵏ", hovertemplate="%{y:.3~g}<extra>%{x}</extra>",
        )  # fmt: skip
    for k, (label, changes) in enumerate(zip(c.labels, c.each, strict=True)):
        fig.add_scatter(
            x=_numbered(changes), y=_drawn(changes, c), name=label,
            mode="lines+markers" if len(changes) <= FEW else "lines",
            line={"color": CLASS_COLORS[k % len(CLASS_COLORS)], "dash": dash_of(k), "width": 2.5},
            hovertemplate=f"{label} %{{y:.3~g}}<extra>%{{x}}</extra>",
        )  # fmt: skip
    return fig


def _numbered(changes: np.ndarray) -> np.ndarray:
    return np.arange(1, len(changes) + 1)


def _drawn(changes: np.ndarray, c: Changes) -> np.ndarray:
    """NaN where there is nothing on a logarithmic axis: no change, or below all of the plans."""
    least = min(float(own[own > 0].min(initial=np.inf)) for own in c.each)
    return np.where(changes >= min(least, 1.0) / 10, changes, np.nan)


def reading(c: Changes) -> str:
    """How many iterations there were, and whether the changes shrank faster than promised."""
    ends = "; ".join(
        f"{label}: {count(len(own), 'iteration')}, {_last(own, is_exact)}"
        for label, own, is_exact in zip(c.labels, c.each, c.exact, strict=True)
    )
    if not len(c.promised):
        return f"{ends}. Without a discount nothing promises that changes shrink by a factor."
    return (
        f"{ends}. A sweep leaves at most {rough(c.gamma)}, the discount, of the change before it; "
        f"what falls below the dotted line is faster.{_faster(c)}"
    )


def _last(changes: np.ndarray, is_exact: bool) -> str:
    """How a plan ended: a last change of any size may lead to values that nothing improves."""
    text = f"last change {rough(float(changes[-1]))}"
    return f"{text}, and then no action can be improved" if is_exact else text


def _faster(c: Changes) -> str:
    """By what factor each long curve of sweeps fell in the mean: nothing is promised of others."""
    slow = [
        (label, own[own > 0])
        for label, own, is_exact in zip(c.labels, c.each, c.exact, strict=True)
        if not is_exact
    ]
    factors = [
        f"{rough(float((own[-1] / own[0]) ** (1 / (len(own) - 1))))} ({label})"
        for label, own in slow
        if len(own) > 2
    ]
    return f" In the mean a change was {listed(factors)} of the one before." if factors else ""


def table(c: Changes) -> tuple[TableColumn, ...]:
    """One line an iteration; NaN after the last of a plan."""
    n = max(map(len, c.each))
    padded = (np.append(own, np.full(n - len(own), np.nan)) for own in c.each)
    columns = (TableColumn(f"change, {la}", v) for la, v in zip(c.labels, padded, strict=True))
    promised = (TableColumn("first change by the discount", c.promised),) if len(c.promised) else ()
    return (TableColumn("iteration", np.arange(1, n + 1)), *columns, *promised)
