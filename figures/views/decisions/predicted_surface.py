"""What vectors are predicted to be worth under a given policy, over two of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, color_bar
from figures.numbers.paths import (
    CELLS,
    chosen_coordinates,
    coordinate,
    met_near,
    other_names,
    states_across,
)
from figures.numbers.trials import one_of
from figures.options import Options
from figures.recording import Changes
from figures.theme import INK, RIM, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import JudgesPolicy
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import rough

MAP = "map"  # the trace that steps change


@dataclass(frozen=True, kw_only=True)
class PlaneOptions(Options):
    """What may be chosen of the picture."""

    x: int | None = coordinate("Across", "horizontal")
    y: int | None = coordinate("Up", "vertical")


class Predicted(NamedTuple):
    """A slice through the states; every other coordinate is 0, the middle of its range."""

    names: tuple[str, str]  # of the coordinates across and up
    others: tuple[str, ...]  # names of the coordinates that are held
    x: np.ndarray  # (c,)
    y: np.ndarray  # (c,)
    states: np.ndarray  # (c^2, d) of the slice, y by x
    met: np.ndarray  # (c, c) whether anything near was ever met
    values: np.ndarray  # (c, c), y by x; NaN where nothing was
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
    elsewhere = f"; {' and '.join(p.others)} 0" if p.others else ""
    note = f"{one_of(row)}, empty: never met{elsewhere}"
    return joined(p, draw, reading, table, note=note, step=changes)


def numbers(trial: TrialOutcome, which: int, options: PlaneOptions) -> Predicted:
    """Of the first replicate."""
    world: ContinuousWorld = trial.world
    fit = trial.results[which].fits[0]
    i, j = chosen_coordinates(world, options.x, options.y)
    x, y, states = states_across(world, i, j)
    met = met_near(fit.visits, i, j, world.d)
    values = np.where(met, fit.state_values(states).reshape(CELLS, CELLS), np.nan)
    names = (world.state_names[i], world.state_names[j])
    judged = np.clip(fit.judged, world.lows, world.highs)[:, [i, j]]
    return Predicted(names, other_names(world, i, j), x, y, states, met, values, judged)


def draw(p: Predicted) -> go.Figure:
    """Colour for the value; a mark a state that is judged."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": p.names[0].capitalize()}, "range": [p.x[0], p.x[-1]]},
        yaxis={"title": {"text": p.names[1].capitalize()}, "range": [p.y[0], p.y[-1]]},
        showlegend=True,
    )
    fig.add_heatmap(
        x=p.x, y=p.y, z=p.values.astype(np.float32), colorscale=SEQUENTIAL, uid=MAP,
        colorbar=color_bar("value"), hoverongaps=False,
        hovertemplate=f"{p.names[0]} %{{x:.4~g}}<br>{p.names[1]} %{{y:.4~g}}<br>"
        "value %{z:.4~g}<extra></extra>",
    )  # fmt: skip
    marker: dict[str, Any] = {"size": 6, "color": INK}
    marker["line"] = {"color": RIM, "width": 1}
    return fig.add_scatter(
        x=p.judged[:, 0], y=p.judged[:, 1], mode="markers", name="judged state", marker=marker,
        hoverinfo="skip",
    )  # fmt: skip


def reading(p: Predicted) -> str:
    """Where it is worth most and least."""
    if not p.met.any():
        return "No state of this slice was met yet."
    best, worst = (
        np.unravel_index(of(p.values), p.values.shape) for of in (np.nanargmax, np.nanargmin)
    )
    return (
        f"Under this policy it is predicted to be worth most, {rough(float(p.values[best]))}, at "
        f"{_where(p, best)}, and least, {rough(float(p.values[worst]))}, at {_where(p, worst)}."
    )


def _where(p: Predicted, cell: Any) -> str:
    return (
        f"{p.names[0]} {rough(float(p.x[cell[1]]))} and {p.names[1]} {rough(float(p.y[cell[0]]))}"
    )


def table(p: Predicted) -> tuple[TableColumn, ...]:
    """One line a place where a state was met."""
    row, column = np.nonzero(p.met)
    return (
        TableColumn(p.names[0], p.x[column]),
        TableColumn(p.names[1], p.y[row]),
        TableColumn("predicted value", p.values[row, column]),
    )


def changes(drawn: Predicted, at: dict[str, int], state: Any, world: Any) -> Changes:
    """The values after some episodes."""
    values = state.learned.of(drawn.states).reshape(CELLS, CELLS)
    return {at[MAP]: {"z": np.where(drawn.met, values, np.nan).astype(np.float32)}}
