"""How far a learned model is from the world, over the episodes."""

from __future__ import annotations

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicate_curve
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasModel
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import listed, rough, spaced

Curves = tuple[ReplicateCurve, ...]


@view(
    "model_error",
    title="Error of the model",
    asks=HasModel,
    options=CurveOptions,
    on="mdp",
    order=44,
    sources=("cs2:rmax",),
    synonyms=("total variation", "transition probabilities"),
)
def model_error(trial: TrialOutcome, *, options: CurveOptions) -> View:
    """Mean total variation distance of learned and true probabilities of what follows."""
    curves = tuple(map(options.shown, numbers(trial)))
    return joined(curves, draw, reading, table, note=what_bands_are(curves, lines=False))


def numbers(trial: TrialOutcome) -> Curves:
    """A curve for each method that learns a model."""
    rows = [row for row in trial.results if row.can(HasModel)]
    return tuple(replicate_curve(row, "episodes", "model_errors") for row in rows)


def draw(curves: Curves) -> go.Figure:
    """Lines over the episodes, down to 0 where the model is the world."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Episode"}},
        yaxis={"title": {"text": "Distance of probabilities"}, "rangemode": "tozero"},
        showlegend=True,
    )
    for k, c in enumerate(curves):
        fig.add_traces(curve_traces(c, k, lines=False))
    return fig


def reading(curves: Curves) -> str:
    """The error at the end."""
    ends = listed(f"{rough(c.end)} ({c.label})" for c in curves)
    return (
        f"After {spaced(int(curves[0].x[-1]))} episodes the distance is {ends} in the mean over "
        "the actions of all states that can be reached; an action that was never taken counts 1."
    )


def table(curves: Curves) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    return curve_columns("episode", curves, "distance of probabilities")
