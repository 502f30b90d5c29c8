"""Regret over the rounds of a bandit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.trials import CurveOptions, ReplicateCurve, is_lopsided, replicate_curve
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.bandit import Bandit, minimax_regret
from mlcore.decisions.capabilities import HasRegret
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import flag
from mlcore.spine.wording import listed, rough, spaced

FITS = 1.5  # times the largest mean regret: a bound above that would leave the picture


@dataclass(frozen=True, kw_only=True)
class RegretOptions(CurveOptions):
    """What may be chosen of the picture."""

    is_common: ClassVar[bool] = False
    in_logarithms: bool = flag(
        False, label="Rounds in logarithms",
        doc="Whether ten times the rounds are one step: regret that grows like ln n is straight.",
    )  # fmt: skip


class Regrets(NamedTuple):
    """Regret of every strategy, of pulling at random, and what theory says of it."""

    curves: tuple[ReplicateCurve, ...]
    random: float  # regret of pulling at random, at the end
    change_points: tuple[int, ...]  # the rounds after which the means of the arms are others
    slope: float  # of regret against ln n, in the long run; 0 where none is known
    bounds: tuple[tuple[str, np.ndarray], ...]  # strategies with a bound, and it, (m,)
    unbounded: tuple[str, ...] = ()  # why others have none
    lasting: tuple[tuple[str, float], ...] = ()  # what strategies lose a round, for ever
    most: float = np.inf  # of all that can be lost, in expectation; infinite where not known
    minimax: np.ndarray | None = None  # (m,) what no strategy stays below on every bandit
    in_logarithms: bool = False  # whether rounds are drawn so


@view(
    "regret_curve",
    title="Regret",
    asks=HasRegret,
    options=RegretOptions,
    on="bandit contexts",
    order=10,
    share=5,
    sources=("cs2:regret",),
    synonyms=("cumulative regret", "multi-armed bandit"),
)
def regret_curve(trial: TrialOutcome, *, options: RegretOptions) -> View:
    """What each strategy lost, in expectation, against always pulling the best arm."""
    r = numbers(trial)
    curves = tuple(map(options.shown, r.curves))
    r = r._replace(curves=curves, in_logarithms=options.in_logarithms)
    return joined(r, draw, reading, table, note=what_bands_are(r.curves))


def numbers(trial: TrialOutcome) -> Regrets:
    """Curves of the strategies of a trial that have a replicate."""
    rows = [row for row in trial.results if row.fits]
    world, rounds = trial.world, rows[0].fits[0].rounds
    n = int(rounds[-1])
    bounds = [
        (row.label, bound)
        for row in rows
        if (bound := row.method.regret_bound(world, row.fits[0].rounds)) is not None
    ]
    return Regrets(
        tuple(replicate_curve(row, "rounds", "regret") for row in rows),
        float(trial.baseline.scores.mean()),
        world.change_points(n),
        world.slope(),
        tuple(bounds),
        tuple(dict.fromkeys(why for row in rows if (why := row.method.no_bound(world)))),
        tuple((row.label, loss) for row in rows if (loss := row.method.lasting_loss(world, n))),
        world.most_regret(n),
        _minimax(world, rounds),
    )


def _minimax(world: Bandit, rounds: np.ndarray) -> np.ndarray | None:
    """Where rewards lie between 0 and 1 and nothing is seen before a round, (m,)."""
    is_unit = world.distribution.low >= 0 and world.distribution.high <= 1
    if not is_unit or rounds[-1] < world.n_arms:
        return None
    return minimax_regret(rounds, world.n_arms)


def draw(r: Regrets) -> go.Figure:
    """A line a strategy; grey lines are theory."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Round"}} | ({"type": "log"} if r.in_logarithms else {}),
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
    if r.minimax is not None:
        fig.add_scatter(
            x=rounds, y=r.minimax, mode="lines", line=style | {"dash": "longdash"},
            name="worst bandit, at least",
            hovertemplate="%{y:.4~g}<extra>no strategy stays below on every bandit</extra>",
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
    return 1.15 * min(0.0, *(float(c.line.min()) for c in r.curves))


def reading(r: Regrets) -> str:
    """Who loses least, how that compares with chance, the bound, and what a mean may hide."""
    order = sorted(r.curves, key=lambda c: c.end)
    best = order[0]
    n = int(best.x[-1])
    text = f"After {spaced(n)} rounds {best.label} has lost least, {best.end_words}"
    if len(order) > 1:
        text += ", before " + listed(f"{c.label} with {c.end_words}" for c in order[1:])
    text += f"; pulling at random loses {rough(r.random)}."
    for label, bound in r.bounds[:1]:
        vain = "" if bound[-1] < r.most else ", more than can be lost: that says nothing here"
        text += f" Theory bounds the expected regret of {label} by {rough(bound[-1])}{vain}."
    text += "".join(f" {why}" for why in r.unbounded[:1])
    for label, loss in r.lasting[:1]:
        text += f" {label} goes on losing {rough(loss)} a round, epsilon times the mean gap."
    odd = [c for c in r.curves if is_lopsided(c.each[:, -1], float(c.half[-1]))]
    if odd and not odd[0].is_median:
        median = float(np.median(odd[0].each[:, -1]))
        text += (
            f" The mean of {odd[0].label} misleads: half of its replicates lose at "
            f"most {rough(median)}."
        )
    return text


def table(r: Regrets) -> tuple[TableColumn, ...]:
    """One line a round that was noted."""
    return curve_columns("round", r.curves, "regret")
