"""Predicted values of states beside what a policy earned from there on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import JudgesPolicy
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough


class Earned(NamedTuple):
    """States that other episodes of the policy came to."""

    names: tuple[str, ...]  # (d,) of the coordinates
    states: np.ndarray  # (m, d)
    values: np.ndarray  # (m,) predicted
    returns: np.ndarray  # (m,) earned in the mean
    error: float  # root mean square, less the scatter of the returns


@view(
    "earned_returns",
    title="Predicted and earned",
    asks=JudgesPolicy,
    on="continuous_states",
    order=56,
    share=3,
    sources=("epfl:rl_mc",),
    synonyms=("Monte Carlo returns", "calibration of values"),
)
def earned_returns(trial: TrialOutcome, which: int = 0) -> View:
    """What a method takes states, or actions in them, to be worth, and what came of them."""
    row = trial.results[which]
    return joined(numbers(trial, which), draw, reading, table, note=one_of(row), step=changes)


def numbers(trial: TrialOutcome, which: int = 0) -> Earned:
    """Of the first replicate."""
    fit, names = trial.results[which].fits[0], trial.world.state_names
    return Earned(names, fit.judged, fit.predicted, fit.exact, float(fit.rms[-1]))


def draw(e: Earned) -> go.Figure:
    """A mark a state; on the line what was predicted was earned."""
    ends = np.array([min(e.values.min(), e.returns.min()), max(e.values.max(), e.returns.max())])
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Discounted return earned"}},
        yaxis={"title": {"text": "Predicted value"}},
        showlegend=True,
    )
    line = {"color": LIGHT.quiet, "dash": "dot"}
    fig.add_scatter(x=ends, y=ends, mode="lines", name="right", line=line, hoverinfo="skip")
    told = [
        "<br>".join(f"{name} {rough(float(v))}" for name, v in zip(e.names, state, strict=True))
        for state in e.states
    ]
    return fig.add_scatter(
        x=e.returns, y=e.values, mode="markers", name="a state", uid=CURVE, text=told,
        marker={"color": CLASS_COLORS[0], "size": 8},
        hovertemplate="%{text}<br>earned %{x:.4~g}<br>predicted %{y:.4~g}<extra></extra>",
    )  # fmt: skip


def reading(e: Earned) -> str:
    """How far off it is, and to which side."""
    off = float((e.values - e.returns).mean())
    side = "more" if off > 0 else "less"
    return (
        f"Of {count(len(e.values), 'state')} the RMS error is {rough(e.error)}; in the mean "
        f"{rough(abs(off))} {side} is predicted than was earned."
    )


def table(e: Earned) -> tuple[TableColumn, ...]:
    """One line a state."""
    coordinates = (TableColumn(name, e.states[:, k]) for k, name in enumerate(e.names))
    return (
        *coordinates,
        TableColumn("predicted value", e.values),
        TableColumn("return earned", e.returns),
    )


def changes(drawn: Earned, at: dict[str, int], state: Any, world: Any) -> Changes:
    """The predicted values after some episodes."""
    return {at[CURVE]: {"y": state.predicted}}
