"""What a start is worth with so many decisions left, and how many actions change from the last."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, named_line
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasStages
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough


class Stages(NamedTuple):
    """A plan by the number of decisions left."""

    left: np.ndarray  # (H + 1,) 0 ... H
    values: np.ndarray  # (H + 1,) of the start, in the mean over where episodes begin
    changed: np.ndarray  # (H + 1,) actions that differ from those with one decision fewer
    best: float  # the value of the start without a horizon; NaN where that is not known
    label: str


@view(
    "stage_curve",
    title="Value by decisions left",
    asks=HasStages,
    on="mdp",
    order=25,
    sources=("cs2:finite_horizon_dp",),
    synonyms=("finite horizon", "backward induction"),
)
def stage_curve(trial: TrialOutcome, which: int = 0) -> View:
    """The value of the start and the actions that change, for each number of decisions left."""
    s = numbers(trial, which)
    return joined(s, draw, reading, table, note=s.label)


def numbers(trial: TrialOutcome, which: int = 0) -> Stages:
    """Of one plan; with 0 and 1 decisions left nothing was there to change."""
    row, world = trial.results[which], trial.world
    fit = row.fits[0]
    moved = (np.diff(fit.stage_policies, axis=0) != 0).sum(axis=1)
    return Stages(
        np.arange(len(fit.stage_values)),
        fit.stage_values @ world.initial,
        np.concatenate([[0, 0], moved]),
        float("nan") if world.unsolvable else float(world.initial @ world.solution.values),
        row.label,
    )


def draw(s: Stages) -> go.Figure:
    """Above: the value of the start. Below: how many actions change."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Decisions left"}, "anchor": "y2"},
        yaxis={"title": {"text": "Value of the start"}, "domain": [0.42, 1.0]},
        yaxis2={"title": {"text": "Actions changed"}, "domain": [0.0, 0.3], "rangemode": "tozero"},
        showlegend=False,
    )
    line = {"color": CLASS_COLORS[0], "width": 2.5}
    hover = "%{x} decisions left<br>value %{y:.4~g}<extra></extra>"
    fig.add_scatter(x=s.left, y=s.values, mode="lines", line=line, hovertemplate=hover)
    fig.add_bar(
        x=s.left, y=s.changed, yaxis="y2", marker={"color": CLASS_COLORS[1]},
        hovertemplate="%{x} decisions left<br>%{y} actions changed<extra></extra>",
    )  # fmt: skip
    if np.isfinite(s.best):
        named_line(fig, f"without a horizon {rough(s.best)}", y=s.best)
    return fig


def reading(s: Stages) -> str:
    """What the start is worth, and from when on actions stay."""
    n = int(s.left[-1])
    text = f"With {count(n, 'decision')} left the start is worth {rough(float(s.values[-1]))}"
    if np.isfinite(s.best):
        text += f", without a horizon {rough(s.best)}"
    last = int(np.flatnonzero(s.changed).max(initial=0))
    if not last:
        return f"{text}. The actions are the same however many decisions are left."
    return f"{text}. The last action that changes does so with {count(last, 'decision')} left."


def table(s: Stages) -> tuple[TableColumn, ...]:
    """One line a stage."""
    return (
        TableColumn("decisions left", s.left),
        TableColumn("value of the start", s.values),
        TableColumn("actions changed", s.changed),
    )
