"""How far predicted values are from those of the policy, over the episodes."""

from __future__ import annotations

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicate_curve
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import PredictsValues
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import listed, spaced

Curves = tuple[ReplicateCurve, ...]


@view(
    "prediction_error",
    title="Error of prediction",
    asks=PredictsValues,
    options=CurveOptions,
    on="mdp continuous_states",
    order=52,
    share=3,
    sources=("epfl:rl_td", "cs2:actor_critic"),
    synonyms=("RMS error", "eligibility traces", "critic error"),
)
def prediction_error(trial: TrialOutcome, *, options: CurveOptions) -> View:
    """Root mean square error of all values that can be reached; of vectors, of some of them."""
    curves = tuple(map(options.shown, numbers(trial)))
    return joined(curves, draw, reading, table, note=what_bands_are(curves, lines=False))


def numbers(trial: TrialOutcome) -> Curves:
    """A curve for each method that predicts, or that learns a critic beside its policy."""
    rows = [row for row in trial.results if row.can(PredictsValues)]
    return tuple(replicate_curve(row, "episodes", "rms") for row in rows)


def draw(curves: Curves) -> go.Figure:
    """Lines from the error of the first guess downwards."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Episode"}},
        yaxis={"title": {"text": "RMS error"}, "rangemode": "tozero"},
        showlegend=True,
    )
    for k, c in enumerate(curves):
        fig.add_traces(curve_traces(c, k, lines=False))
    return fig


def reading(curves: Curves) -> str:
    """Who is nearest at the end, and who was nearest over all episodes."""
    order = sorted(curves, key=lambda c: c.end)
    ends = listed(f"{c.end_words} with {c.label}" for c in order)
    text = f"After {spaced(int(curves[0].x[-1]))} episodes the error is {ends}."
    if len(curves) > 1:
        lowest = min(curves, key=lambda c: float(c.line.min()))
        at = int(lowest.line.argmin())
        text += f" {lowest.label} comes nearest, after {spaced(int(lowest.x[at]))} episodes."
    return text


def table(curves: Curves) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    return curve_columns("episode", curves, "RMS error")
