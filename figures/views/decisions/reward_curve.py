"""What learners have earned in all, over their moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicated
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasGains
from mlcore.runs.carry_trial import MethodResult, TrialOutcome
from mlcore.spine.wording import listed, rough, spaced

POINTS = 120  # of a curve


class Gains(NamedTuple):
    """The sum of all rewards by move."""

    curves: tuple[ReplicateCurve, ...]
    change: int  # moves after which the world changes; 0: it never does

    @property
    def is_one_line(self) -> bool:
        """Whether every move of everybody earned the same."""
        first = self.curves[0]
        straight = first.end / first.x[-1] * first.x
        return all(np.allclose(c.each, straight) for c in self.curves)


@view(
    "reward_curve",
    title="Reward by move",
    asks=HasGains,
    options=CurveOptions,
    on="mdp",
    order=35,
    sources=("cs2:q_learning",),
    synonyms=("cumulative reward", "changing world", "nonstationary"),
)
def reward_curve(trial: TrialOutcome, *, options: CurveOptions) -> View:
    """The sum of all rewards, without discount, over the moves of all episodes."""
    g = numbers(trial)
    g = g._replace(curves=tuple(map(options.shown, g.curves)))
    return joined(g, draw, reading, table, note=what_bands_are(g.curves, lines=False))


def numbers(trial: TrialOutcome) -> Gains:
    """Curves of the learners of a trial, up to the move at which the first of them ended."""
    rows = [row for row in trial.results if row.can(HasGains)]
    end = min(fit.moves[-1] for row in rows for fit in row.fits)
    x = np.unique(np.linspace(0, end, POINTS).round())
    return Gains(tuple(_curve(row, x) for row in rows), trial.world.change[1])


def _curve(row: MethodResult, x: np.ndarray) -> ReplicateCurve:
    # Between two notes rewards are taken to come evenly: there are about sixty.
    each = np.array([np.interp(x, np.append(0, f.moves), np.append(0, f.gained)) for f in row.fits])
    return replicated(row.label, x, each)


def draw(g: Gains) -> go.Figure:
    """A line a method: the steeper, the more a move earns."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Move"}},
        yaxis={"title": {"text": "Sum of rewards"}},
        showlegend=True,
    )
    for k, c in enumerate(g.curves):
        fig.add_traces(curve_traces(c, k, lines=False))
    if 0 < g.change < g.curves[0].x[-1]:
        named_line(fig, "the world changes", x=g.change)
    return fig


def reading(g: Gains) -> str:
    """What each has earned where the first of them ended, and how fast since a change."""
    end = g.curves[0].x[-1]
    if g.is_one_line:
        return (
            f"Every move earns {rough(g.curves[0].end / end)}, so all lines are one. How many "
            "moves an episode takes is what differs: see the learning curve."
        )
    sums = listed(f"{rough(c.end)} ({c.label})" for c in g.curves)
    text = (
        f"After {spaced(int(end))} moves the rewards sum up to {sums} in the {g.curves[0].of_all}."
    )
    if not 0 < g.change < end:
        return text
    since = listed(f"{rough(_since(c, g.change))} ({c.label})" for c in g.curves)
    return f"{text} Since the world changed 100 moves earn {since}."


def _since(c: ReplicateCurve, change: int) -> float:
    """What 100 moves earn after the change."""
    before = float(np.interp(change, c.x, c.line))
    return 100 * (c.end - before) / (c.x[-1] - change)


def table(g: Gains) -> tuple[TableColumn, ...]:
    """One line a move that is drawn."""
    return curve_columns("move", g.curves, "sum of rewards")
