"""What vectors are predicted to be worth under a given policy, over two of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.paths import Slice, coordinate, on_axes, slice_of
from figures.numbers.trials import one_of
from figures.options import Options
from figures.recording import Changes
from figures.theme import INK, RIM
from figures.view import TableColumn, View, joined, view
from figures.views.decisions.value_surface import empty_plane, values_of
from mlcore.decisions.capabilities import JudgesPolicy
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.runs.carry_trial import TrialOutcome

MAP = "map"  # the trace that steps change


@dataclass(frozen=True, kw_only=True)
class PlaneOptions(Options):
    """What may be chosen of the picture."""

    x: int | None = coordinate("Across", "horizontal")
    y: int | None = coordinate("Up", "vertical")


class Predicted(NamedTuple):
    """What the states of a slice are predicted to be worth."""

    plane: Slice
    values: np.ndarray  # (c, c), y by x; NaN where nothing was met
    judged: np.ndarray  # (m, 2) states that are judged, in these coordinates


@view(
    "predicted_surface",
    title="Predicted value function",
    asks=JudgesPolicy,
    options=PlaneOptions,
    on="continuous_states",
    order=22,
    share=2,
    sources=("cs2:linear_value",),
    synonyms=("cost-to-go", "policy evaluation"),
)
def predicted_surface(trial: TrialOutcome, which: int = 0, *, options: PlaneOptions) -> View:
    """What states are predicted to be worth under the policy, and which of them are judged."""
    row = trial.results[which]
    p = numbers(trial, which, options)
    note = f"{one_of(row)}, {p.plane.note}"
    return joined(p, draw, reading, table, note=note, step=changes)


def numbers(trial: TrialOutcome, which: int, options: PlaneOptions) -> Predicted:
    """Of the first replicate."""
    world: ContinuousWorld = trial.world
    fit = trial.results[which].fits[0]
    plane = slice_of(world, fit.visits, options.x, options.y)
    values = plane.spread(fit.state_values(plane.states))
    judged = on_axes(plane, world, np.clip(fit.judged, world.lows, world.highs))
    return Predicted(plane, values, judged)


def draw(p: Predicted) -> go.Figure:
    """Colour for the value; a mark a state that is judged."""
    fig = empty_plane(p.plane).add_trace(values_of(p.plane, p.values).update(uid=MAP))
    marker = {"size": 6, "color": INK, "line": {"color": RIM, "width": 1}}
    fig.add_scatter(
        x=p.judged[:, 0], y=p.judged[:, 1], mode="markers", name="judged state", marker=marker,
        hoverinfo="skip",
    )  # fmt: skip
    return fig.update_layout(showlegend=True)


def reading(p: Predicted) -> str:
    """Where it is worth most and least."""
    if not p.plane.met.any():
        return "No state of this slice was met yet."
    best, worst = p.plane.ends(p.values)
    return f"Under this policy it is predicted to be worth most, {best}, and least, {worst}."


def table(p: Predicted) -> tuple[TableColumn, ...]:
    """One line a place where a state was met."""
    row, column = np.nonzero(p.plane.met)
    return (
        TableColumn(p.plane.names[0], p.plane.x[column]),
        TableColumn(p.plane.names[1], p.plane.y[row]),
        TableColumn("predicted value", p.values[row, column]),
    )


def changes(drawn: Predicted, at: dict[str, int], state: Any, world: Any) -> Changes:
    """The values after some episodes."""
    values = drawn.plane.spread(state.learned.of(drawn.plane.states))
    return {at[MAP]: {"z": values.astype(np.float32)}}
