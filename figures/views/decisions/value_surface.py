"""What states that are vectors are worth, over two of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.actions import OF_ACTIONS
from figures.drawing.traces import HEIGHT, color_bar
from figures.numbers.paths import CELLS, Slice, coordinate, on_axes, slice_of, together
from figures.options import Options
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import INK, RIM, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasPaths, ScoresStates
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import choice
from mlcore.spine.wording import count, rough

PAST, NOW = "past", "now"  # traces by name
TANGLED = 25.0  # widths of itself: a longer way crosses itself so often that it covers its place


@dataclass(frozen=True, kw_only=True)
class SurfaceOptions(Options):
    """What may be chosen of the picture."""

    shows: str = choice(
        "value",
        "value",
        "action",
        label="Shows",
        doc="What a state is worth, or what is best there.",
    )
    x: int | None = coordinate("Across", "horizontal")
    y: int | None = coordinate("Up", "vertical")


class Surface(NamedTuple):
    """What the states of a slice are worth, and the greedy episode across it."""

    plane: Slice
    values: np.ndarray  # (c, c), y by x; NaN where nothing near was ever met
    actions: np.ndarray  # (c, c), y by x; -1 there
    action_names: tuple[str, ...]
    path: np.ndarray  # (t, 2) of the greedy episode, in these coordinates; NaN where it wraps
    moments: np.ndarray  # (moves + 1,) positions of its states in the path
    worth: np.ndarray  # (moves + 1,) values of its states
    shows: str

    @property
    def moves(self) -> int:
        """Moves of the greedy episode."""
        return len(self.moments) - 1


@view(
    "value_surface",
    title="Value function",
    asks=(ScoresStates, HasPaths),
    options=SurfaceOptions,
    on="continuous_states",
    order=20,
    share=2,
    sources=("cs2:linear_value",),
    synonyms=("cost-to-go", "policy map"),
)
def value_surface(trial: TrialOutcome, which: int = 0, *, options: SurfaceOptions) -> View:
    """What a method takes states to be worth, and the way of a greedy episode through them."""
    row = trial.results[which]
    s = numbers(trial, which, options)
    same = together(trial, which, int(row.fits[0].paths.after[-1]))
    return joined(
        s, draw, reading, table, note=f"{row.label}, {s.plane.note}",
        player=lambda: recording(s, same),
    )  # fmt: skip


def numbers(trial: TrialOutcome, which: int, options: SurfaceOptions) -> Surface:
    """Of the first replicate."""
    world: ContinuousWorld = trial.world
    fit = trial.results[which].fits[0]
    plane = slice_of(world, fit.visits, options.x, options.y)
    values = plane.spread(fit.state_values(plane.states))
    actions = np.where(plane.met, fit.predict(plane.states).reshape(CELLS, CELLS), -1)
    length = int(fit.paths.lengths[-1])
    states = fit.paths.states[-1, : length + 1]
    path, moments = _parted(states, world)
    return Surface(
        plane, values, actions, world.action_names,
        on_axes(plane, world, path), moments, fit.state_values(states), options.shows,
    )  # fmt: skip


def _parted(states: np.ndarray, world: ContinuousWorld) -> tuple[np.ndarray, np.ndarray]:
    """The states, (T + 1, d), with a gap wherever a coordinate begins anew at its other end.

    And the positions of the states in what comes of it, (T + 1,).
    """
    half = (world.highs - world.lows) / 2
    is_turned = ((np.abs(np.diff(states, axis=0)) > half) & world.wraps).any(axis=1)
    parted = np.insert(states, np.flatnonzero(is_turned) + 1, np.nan, axis=0)
    return parted, np.arange(len(states)) + np.concatenate([[0], np.cumsum(is_turned)])


def draw(s: Surface) -> go.Figure:
    """Colour for the value, or for the action; the way of the greedy episode over it."""
    fig = empty_plane(s.plane).update_layout(showlegend=s.shows == "action")
    if s.shows == "action":
        _add_actions(fig, s)
    else:
        fig.add_trace(values_of(s.plane, s.values))
    common: dict[str, Any] = {"x": s.path[:, 0], "y": s.path[:, 1], "mode": "lines"}
    common |= {"hoverinfo": "skip", "showlegend": False}
    fine = 0.4 if _length(s.path) > TANGLED else 1.0  # else the values below it cannot be seen
    fig.add_scatter(line={"color": RIM, "width": 5 * fine}, **common)
    dots = {"color": INK, "width": 1.5 * fine, "dash": "dot"}
    fig.add_scatter(line=dots, **common)
    fig.add_scatter(line={"color": INK, "width": 2.5 * fine}, uid=PAST, **common)
    marker = {"size": 10, "color": INK, "line": {"color": RIM, "width": 2}}
    return fig.add_scatter(
        x=s.path[-1:, 0], y=s.path[-1:, 1], mode="markers", marker=marker, showlegend=False,
        uid=NOW, hovertemplate="greedy episode<extra></extra>",
    )  # fmt: skip


def _length(path: np.ndarray) -> float:
    """The length of a way, (T + 1, 2), where both axes are as long as it is wide."""
    wide = np.nanmax(path, axis=0) - np.nanmin(path, axis=0)
    moves = np.diff(path, axis=0) / np.where(wide > 0, wide, 1.0)
    return float(np.nansum(np.hypot(*moves.T)))


def empty_plane(plane: Slice) -> go.Figure:
    """The axes of a slice, from end to end of its coordinates."""
    axes = {
        name: {"title": {"text": what.capitalize()}, "range": [at[0], at[-1]]}
        for name, what, at in zip(("xaxis", "yaxis"), plane.names, (plane.x, plane.y), strict=True)
    }
    return figure(height=HEIGHT, **axes)


def values_of(plane: Slice, values: np.ndarray) -> go.Heatmap:
    """Colour for the value of each cell, shape (CELLS, CELLS)."""
    return go.Heatmap(
        x=plane.x, y=plane.y, z=values.astype(np.float32), colorscale=SEQUENTIAL,
        colorbar=color_bar("value"), hoverongaps=False,
        hovertemplate=f"{plane.names[0]} %{{x:.4~g}}<br>{plane.names[1]} %{{y:.4~g}}<br>"
        "value %{z:.4~g}<extra></extra>",
    )  # fmt: skip


def recording(s: Surface, follows: str) -> Recording:
    """A frame a moment: what was gone through is solid, what comes is dotted."""
    at = traces_by_name(draw(s))

    def frame(t: int) -> Changes:
        k = int(s.moments[t])
        return {
            at[PAST]: {"x": s.path[: k + 1, 0], "y": s.path[: k + 1, 1]},
            at[NOW]: {"x": s.path[k : k + 1, 0], "y": s.path[k : k + 1, 1]},
        }

    moments = range(s.moves + 1)
    return Recording(
        frames=[frame(t) for t in moments],
        objective=s.worth,
        sentences=[_sentence(s, t) for t in moments],
        steps=np.arange(1, s.moves + 2),
        label="value",
        follows=follows,
    )


def _sentence(s: Surface, t: int) -> str:
    x, y = s.path[s.moments[t]]
    at = f"{s.plane.names[0]} {rough(float(x))}, {s.plane.names[1]} {rough(float(y))}"
    if t == s.moves:
        return f"The end of the episode: {at}."
    still = count(s.moves - t, "move")
    return f"Move {t + 1}: {at}, thought to be worth {rough(float(s.worth[t]))}; {still} to come."


def _add_actions(fig: go.Figure, s: Surface) -> None:
    """The best action of each state, by colour, with a legend."""
    colors = OF_ACTIONS[len(s.action_names)]
    n = len(colors)
    scale = [(at, color) for k, color in enumerate(colors) for at in (k / n, (k + 1) / n)]
    fig.add_heatmap(
        x=s.plane.x, y=s.plane.y, z=np.where(s.actions < 0, np.nan, s.actions).astype(np.float32),
        zmin=-0.5, zmax=n - 0.5, colorscale=scale, showscale=False, opacity=0.55,
        hoverinfo="skip",
    )  # fmt: skip
    for name, color in zip(s.action_names, colors, strict=True):
        marker = {"color": color, "size": 10, "symbol": "square"}
        fig.add_scatter(x=[None], y=[None], mode="markers", name=name, marker=marker)


def reading(s: Surface) -> str:
    """Where it is worth most and least, or how the actions share the states."""
    met = s.actions >= 0
    if not met.any():
        return "No state was met yet."
    if s.shows == "action":
        shares = [(s.actions[met] == a).mean() for a in range(len(s.action_names))]
        listed = ", ".join(
            f"{name} in {100 * share:.0f} %"
            for name, share in zip(s.action_names, shares, strict=True)
        )
        return f"Of the states that were met, the best action is {listed}."
    best, worst = s.plane.ends(s.values)
    return (
        f"It is worth most, {best}, and least, {worst}. The line is a greedy episode of "
        f"{count(s.moves, 'move')}."
    )


def table(s: Surface) -> tuple[TableColumn, ...]:
    """One line a cell where a state was met."""
    row, column = np.nonzero(s.actions >= 0)
    return (
        TableColumn(s.plane.names[0], s.plane.x[column]),
        TableColumn(s.plane.names[1], s.plane.y[row]),
        TableColumn("value", s.values[row, column]),
        TableColumn("action", tuple(s.action_names[a] for a in s.actions[row, column])),
    )
