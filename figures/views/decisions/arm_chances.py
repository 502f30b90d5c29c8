"""With what probability a strategy draws each arm, over the rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.trials import ReplicateCurve, replicated
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasArmChances
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import percent, spaced


class ArmChances(NamedTuple):
    """The probability of each arm, by round."""

    curves: tuple[ReplicateCurve, ...]  # (K,)
    change_points: tuple[int, ...]  # the rounds after which the means of the arms are others
    best: int  # the arm that is best over all rounds, from 0
    label: str  # of the strategy


@view(
    "arm_chances",
    title="Probability of each arm",
    asks=HasArmChances,
    on="bandit",
    order=30,
    sources=("cs2:bandit_adversarial",),
    synonyms=("exponential weights", "mixed strategy"),
)
def arm_chances(trial: TrialOutcome, which: int = 0) -> View:
    """How likely a strategy is to pull each arm, in the mean over the replicates."""
    a = numbers(trial, which)
    note = f"{a.label}, {what_bands_are(a.curves, lines=False)}"
    return joined(a, draw, reading, table, note=note)


def numbers(trial: TrialOutcome, which: int = 0) -> ArmChances:
    """A curve an arm, of one strategy."""
    row, world = trial.results[which], trial.world
    each, rounds = row.stacked("chances"), row.fits[0].rounds
    curves = tuple(_curve(f"arm {i + 1}", rounds, each[:, :, i]) for i in range(each.shape[2]))
    change_points = world.change_points(int(rounds[-1]))
    return ArmChances(curves, change_points, int(world.means.argmax()), row.label)


def _curve(label: str, rounds: np.ndarray, each: np.ndarray) -> ReplicateCurve:
    return replicated(label, rounds, each)


def draw(a: ArmChances) -> go.Figure:
    """A line an arm; together they are 1 in every round."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Round"}},
        yaxis={"title": {"text": "Probability"}, "range": [0, 1], "tickformat": ".0%"},
        showlegend=True,
    )
    for k, c in enumerate(a.curves):
        fig.add_traces(curve_traces(c, k, lines=False))
    for change in a.change_points:
        named_line(fig, "the means change", x=change)
    return fig


def reading(a: ArmChances) -> str:
    """Which arm is pulled most at the end, and what became of the best one."""
    ends = np.array([c.end for c in a.curves])
    most, n = int(ends.argmax()), int(a.curves[0].x[-1])
    text = f"In round {spaced(n)} arm {most + 1} is pulled with probability {percent(ends[most])}"
    if most == a.best:
        text += ", the arm that is best over all rounds."
    else:
        text += f"; arm {a.best + 1}, which is best over all rounds, with {percent(ends[a.best])}."
    return f"{text} No arm is ever pulled with less than {percent(_least(a))}."


def _least(a: ArmChances) -> float:
    return min(float(c.each.min()) for c in a.curves)


def table(a: ArmChances) -> tuple[TableColumn, ...]:
    """One line a round that was noted."""
    return curve_columns("round", a.curves, "probability")
