"""How far learned values are from the exact ones, over the episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicate_curve, replicated
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasValueErrors
from mlcore.runs.carry_trial import MethodResult, TrialOutcome
from mlcore.spine.params import choice
from mlcore.spine.wording import count, listed, percent, plural, rough

HEIGHT = 320
LARGEST, RIGHT, LOST = SHOWN = ("largest_error", "best_actions", "value_lost")
AXES = {LARGEST: "Largest error", RIGHT: "States with a best action", LOST: "Value lost"}


@dataclass(frozen=True, kw_only=True)
class ErrorOptions(CurveOptions):
    """What may be chosen of the picture."""

    is_common: ClassVar[bool] = False
    show: str = choice(
        LARGEST, *SHOWN, label="Show",
        doc="The largest error of a value, the share of states whose greedy action is among the "
        "best, or what the greedy policy earns less than the best one.",
    )  # fmt: skip


class Errors(NamedTuple):
    """How far off the learners are, by episode."""

    curves: tuple[ReplicateCurve, ...]
    unreachable: int  # states that no policy comes to: they do not count
    show: str = LARGEST


@view(
    "value_error",
    title="Value error",
    asks=HasValueErrors,
    options=ErrorOptions,
    on="mdp",
    order=50,
    sources=("epfl:rl_td",),
)
def value_error(trial: TrialOutcome, *, options: ErrorOptions) -> View:
    """The largest error of a learned value, the share of best actions, or what they lose."""
    e = numbers(trial, options.show)
    e = e._replace(curves=tuple(map(options.shown, e.curves)))
    return joined(e, draw, reading, table, note=what_bands_are(e.curves))


def numbers(trial: TrialOutcome, show: str = LARGEST) -> Errors:
    """Curves of the learners of a trial."""
    rows, world = [row for row in trial.results if row.can(HasValueErrors)], trial.world
    return Errors(
        tuple(_curve(row, show, world.best) for row in rows),
        int((~world.reachable).sum()),
        show,
    )


def _curve(row: MethodResult, show: str, best: float) -> ReplicateCurve:
    if show == LOST:
        return replicated(row.label, row.fits[0].episodes, best - row.stacked("greedy"))
    return replicate_curve(row, "episodes", {LARGEST: "errors", RIGHT: "right"}[show])


def draw(e: Errors) -> go.Figure:
    """Lines from the error of the empty table downwards; of what is right upwards."""
    share = {"range": [0.0, 1.03], "tickformat": ".0%"} if e.show == RIGHT else {}
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Episode"}},
        yaxis={"title": {"text": AXES[e.show]}, "rangemode": "tozero"} | share,
        showlegend=True,
    )
    for k, c in enumerate(e.curves):
        fig.add_traces(curve_traces(c, k))
    return fig


def reading(e: Errors) -> str:
    """What it is at the end, and which states do not count."""
    words = percent if e.show == RIGHT else rough
    ends = listed(f"{words(c.end)} ({c.label})" for c in e.curves)
    what = {
        LARGEST: f"At the end the value that is farthest off is off by {ends}",
        RIGHT: f"At the end the greedy action is among the best in {ends} of the states",
        LOST: f"At the end the greedy policy earns {ends} less than the best",
    }[e.show]
    text = f"{what} in the {e.curves[0].of_all}."
    if e.unreachable and e.show != LOST:
        does = plural(e.unreachable, "does", "do")
        text += f" {count(e.unreachable, 'state')} that cannot be reached {does} not count."
    return text


def table(e: Errors) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    return curve_columns("episode", e.curves, AXES[e.show].lower())
