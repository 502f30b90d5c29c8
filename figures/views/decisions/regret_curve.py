"""Regret over the rounds of a bandit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.trials import (
    ReplicateCurve,
    is_lopsided,
    replicate_curve,
    with_interval,
)
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasRegret
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import listed, rough, spaced

FITS = 1.5  # times the largest mean regret: a bound above that would leave the picture


class Regrets(NamedTuple):
    """Regret of every strategy, of pulling at random, and what theory says of it."""

    curves: tuple[ReplicateCurve, ...]
    random: float  # regret of pulling at random, at the end
    change_points: tuple[int, ...]  # the rounds after which the means of the arms are others
    slope: float  # of regret against ln n, in the long run; 0 where none is known
    bounds: tuple[tuple[str, np.ndarray], ...]  # strategies with a bound, and it, (m,)


@view(
    "regret_curve",
    title="Regret",
    asks=HasRegret,
    on="bandit contexts",
    order=10,
    share=5,
    sources=("cs2:regret",),
    synonyms=("cumulative regret", "multi-armed bandit"),
)
def regret_curve(trial: TrialOutcome) -> View:
    """What each strategy lost, in expectation, against always pulling the best arm."""
    r = numbers(trial)
    return joined(r, draw, reading, table, note=what_bands_are(r.curves))


def numbers(trial: TrialOutcome) -> Regrets:
    """Curves of the strategies of a trial that have a replicate."""
    rows = [row for row in trial.results if row.fits]
    world = trial.world
    bounds = [
        (row.label, bound)
        for row in rows
        if (bound := row.method.regret_bound(world, row.fits[0].rounds)) is not None
    ]
    return Regrets(
        tuple(replicate_curve(row, "rounds", "regret") for row in rows),
        float(trial.baseline.scores.mean()),
        world.change_points(int(rows[0].fits[0].rounds[-1])),
        world.slope(),
        tuple(bounds),
    )


def draw(r: Regrets) -> go.Figure:
    """A line a strategy; grey lines are theory."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Round"}},
        yaxis={"title": {"text": "Regret (reward lost)"}, "range": [_bottom(r), _top(r)]},
        showlegend=True,
    )
    for k, c in enumerate(r.curves):
        fig.add_traces(curve_traces(c, k))
    rounds = r.curves[0].x
    style = {"color": LIGHT.quiet, "width": 1.5}
    if r.slope:
        fig.add_scatter(
            x=rounds, y=r.slope * np.log(rounds), mode="lines", line=style | {"dash": "dot"},
            name="asymptotic slope",
            hovertemplate="in the long run %{y:.4~g}<extra>curves may lie below it</extra>",
        )  # fmt: skip
    for change in r.change_points:
        named_line(fig, "the means change", x=change)
    top = max(c.end for c in r.curves)
    for label, bound in r.bounds:
        if bound[-1] <= FITS * top:
            fig.add_scatter(x=rounds, y=bound, mode="lines", line=style, name=f"bound of {label}")
    return fig


def _top(r: Regrets) -> float:
    """The end of the axis: one replicate in twenty may leave it, or all others would be flat."""
    ends = [max(float(np.quantile(c.each[:, -1], 0.95)), c.end) for c in r.curves]
    return 1.15 * max(ends) or 1.0


def _bottom(r: Regrets) -> float:
    """0, or below the mean of who earns more than the best arm alone."""
    return 1.15 * min(0.0, *(float(c.mean.min()) for c in r.curves))


def reading(r: Regrets) -> str:
    """Who loses least, how that compares with chance, the bound, and what a mean may hide."""
    order = sorted(r.curves, key=lambda c: c.end)
    best = order[0]
    n = int(best.x[-1])
    text = f"After {spaced(n)} rounds {best.label} has lost least, {_end(best)}"
    if len(order) > 1:
        text += ", before " + listed(f"{c.label} ({_end(c)})" for c in order[1:])
    text += f"; pulling at random loses {rough(r.random)}."
    for label, bound in r.bounds[:1]:
        text += f" Theory bounds the expected regret of {label} by {rough(bound[-1])}."
    odd = [c for c in r.curves if is_lopsided(c.each[:, -1], float(c.half[-1]))]
    if odd:
        median = float(np.median(odd[0].each[:, -1]))
        text += (
            f" The mean of {odd[0].label} misleads: half of its replicates lose at "
            f"most {rough(median)}."
        )
    return text


def _end(c: ReplicateCurve) -> str:
    return with_interval(c.end, float(c.half[-1]))


def table(r: Regrets) -> tuple[TableColumn, ...]:
    """One line a round that was noted."""
    return curve_columns("round", r.curves, "regret")
