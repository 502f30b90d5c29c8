"""Predicted values of the states of a policy, or of its actions, beside the exact ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import PredictsValues
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import rough

FEW = 12  # states whose numbers are all written


class Predicted(NamedTuple):
    """Values of the states that can be reached, in the order of their numbers.

    Or of actions, those of a state beside each other.
    """

    of: str  # state or action
    states: np.ndarray  # (c,)
    names: tuple[str, ...]  # (c,)
    values: np.ndarray  # (c,)
    exact: np.ndarray  # (c,)


@view(
    "predicted_values",
    title="Predicted values",
    asks=PredictsValues,
    on="mdp",
    order=54,
    share=3,
    sources=("epfl:rl_td",),
)
def predicted_values(trial: TrialOutcome, which: int = 0) -> View:
    """What a method takes each state, or action, to be worth under the policy, and the truth."""
    row = trial.results[which]
    return joined(numbers(trial, which), draw, reading, table, note=one_of(row), step=changes)


def numbers(trial: TrialOutcome, which: int = 0) -> Predicted:
    """Of the first replicate."""
    fit, world = trial.results[which].fits[0], trial.world
    names, of = world.state_names, "state"
    if fit.exact.ndim == 2:
        names, of = [f"{a} in {s}" for s in names for a in world.action_names], "action"
    here = np.flatnonzero(np.isfinite(fit.exact))
    named = tuple(names[s] for s in here)
    return Predicted(of, here, named, fit.predicted.ravel()[here], fit.exact.ravel()[here])


def draw(p: Predicted) -> go.Figure:
    """A mark a state; the line is exact."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": f"Number of the {p.of}"}}
        | ({"dtick": 1} if len(p.states) <= FEW else {}),
        yaxis={"title": {"text": "Value"}},
        showlegend=True,
    )
    hover = "%{text}<br>%{y:.4~g}<extra>%{fullData.name}</extra>"
    common: dict[str, Any] = {"x": p.states + 1, "text": p.names, "hovertemplate": hover}
    fig.add_scatter(y=p.exact, mode="lines", name="exact", line={"color": LIGHT.quiet}, **common)
    marker = {"color": CLASS_COLORS[0], "size": 8}
    fig.add_scatter(
        y=p.values, mode="markers+lines", name="predicted", uid=CURVE, marker=marker,
        line={"color": CLASS_COLORS[0], "dash": "dot"}, **common,
    )  # fmt: skip
    return fig


def reading(p: Predicted) -> str:
    """The state that is farthest off."""
    off = np.abs(p.values - p.exact)
    at = int(off.argmax())
    return (
        f"The value that is farthest off is {rough(float(p.values[at]))} for {p.names[at]}, where "
        f"the policy earns {rough(float(p.exact[at]))}; the RMS error is "
        f"{rough(float(np.sqrt((off**2).mean())))}."
    )


def table(p: Predicted) -> tuple[TableColumn, ...]:
    """One line a state."""
    return (
        TableColumn(p.of, p.names),
        TableColumn("predicted value", p.values),
        TableColumn("exact value", p.exact),
    )


def changes(drawn: Predicted, at: dict[str, int], state: Any, world: Any) -> Changes:
    """The predicted values after some episodes."""
    return {at[CURVE]: {"y": state.values.ravel()[drawn.states]}}
