"""How far learned values are from the exact ones, over the episodes."""

from __future__ import annotations

from typing import NamedTuple

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicate_curve
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasValueErrors
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, listed, rough

HEIGHT = 320


class Errors(NamedTuple):
    """The largest error of a value, by episode."""

    curves: tuple[ReplicateCurve, ...]
    unreachable: int  # states that no policy comes to: they do not count


@view(
    "value_error",
    title="Value error",
    asks=HasValueErrors,
    options=CurveOptions,
    on="mdp",
    order=50,
    sources=("epfl:rl_td",),
)
def value_error(trial: TrialOutcome, *, options: CurveOptions) -> View:
    """The largest difference between a learned and the exact value of a state."""
    e = numbers(trial)
    e = e._replace(curves=tuple(map(options.shown, e.curves)))
    return joined(e, draw, reading, table, note=what_bands_are(e.curves))


def numbers(trial: TrialOutcome) -> Errors:
    """Curves of the learners of a trial."""
    rows = [row for row in trial.results if row.can(HasValueErrors)]
    return Errors(
        tuple(replicate_curve(row, "episodes", "errors") for row in rows),
        int((~trial.world.reachable).sum()),
    )


def draw(e: Errors) -> go.Figure:
    """Lines from the error of the empty table downwards."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Episode"}},
        yaxis={"title": {"text": "Largest error"}, "rangemode": "tozero"},
        showlegend=True,
    )
    for k, c in enumerate(e.curves):
        fig.add_traces(curve_traces(c, k))
    return fig


def reading(e: Errors) -> str:
    """The error at the end, and which states do not count."""
    ends = listed(f"{rough(c.end)} ({c.label})" for c in e.curves)
    text = (
        f"At the end the value that is farthest off is off by {ends} in the {e.curves[0].of_all}."
    )
    if e.unreachable:
        text += f" {count(e.unreachable, 'state')} that cannot be reached do not count."
    return text


def table(e: Errors) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    return curve_columns("episode", e.curves, "largest error")
