"""The value of a softmax policy over a plane of its preferences, and exact ways up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, color_bar, empty, line
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.theme import INK, RIM, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.capabilities import HasActionChances
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.policy_gradients import (
    exact_policy_gradient,
    natural_policy_gradient,
    policy_objective,
)
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough

SIDE, STEPS = 15, 16  # points of the surface along each side, and steps of each way
REACH = (-0.25, 1.5), (-0.75, 0.75)  # of the plane, in units of the way that was learned
MOST_STATES = 100  # each point is a solve of that size
NOW = "now"  # trace by name
Gradient = Callable[[FiniteMDP, np.ndarray], np.ndarray]
WAYS: dict[str, Gradient] = {
    "gradient": exact_policy_gradient,
    "natural gradient": natural_policy_gradient,
}
LEAST = 1e-12  # of a preference: below it nothing was learned


class Objective(NamedTuple):
    """J, the value of the start without time limit, on the plane of two directions.

    Both are preferences, (S, A), without their mean over the actions. Across goes the way from
    equal preferences to the learned ones, up what else is steepest at its beginning; the plane has
    coordinates in units of the former's length.
    """

    directions: np.ndarray  # (2, S, A)
    x: np.ndarray  # (SIDE,)
    y: np.ndarray  # (SIDE,)
    surface: np.ndarray  # (SIDE, SIDE) rows by y
    ways: np.ndarray  # (2, STEPS + 1, 2) from equal preferences, as seen on the plane
    heights: np.ndarray  # (2, STEPS + 1) J on them, wherever they go
    learned: float
    best: float
    why: str = ""  # there is none


@view(
    "objective_surface",
    title="Objective of the policy",
    asks=HasActionChances,
    on="mdp",
    order=43,
    sources=("cs2:policy_gradient_exact", "cs2:opt_natural_gradient"),
    synonyms=("loss landscape of a policy", "policy gradient surface", "expected return"),
)
def objective_surface(trial: TrialOutcome, which: int = 0) -> View:
    """What policies between and beside the first and the learned one are worth, exactly."""
    row = trial.results[which]
    o = numbers(trial.world, row.fits[0].preferences)
    return joined(o, draw, reading, table, note=one_of(row), step=changes)


def numbers(world: FiniteMDP, preferences: np.ndarray) -> Objective:
    """Of learned preferences, shape (S, A)."""
    learned = _centred(preferences)
    size = float(np.linalg.norm(learned))
    if why := _why_not(world, size):
        none = np.empty(0)
        return Objective(learned[None], none, none, none, none, none, np.nan, np.nan, why)
    start = np.zeros_like(learned)
    up = _centred(exact_policy_gradient(world, start))
    up = up - learned * float((up * learned).sum()) / size**2
    up *= size / max(float(np.linalg.norm(up)), LEAST)
    directions = np.stack([learned, up])
    x, y = (np.linspace(*ends, SIDE) for ends in REACH)
    surface = [[policy_objective(world, a * learned + b * up) for a in x] for b in y]
    climbed = [_climbed(world, gradient, size / STEPS) for gradient in WAYS.values()]
    return Objective(
        directions, x, y, np.array(surface), np.array([_seen(directions, way) for way in climbed]),
        np.array([[policy_objective(world, at) for at in way] for way in climbed]),
        policy_objective(world, learned), world.best,
    )  # fmt: skip


def _why_not(world: FiniteMDP, size: float) -> str:
    if world.unsolvable:
        return world.unsolvable
    if world.n_states > MOST_STATES:
        return (
            f"The surface is computed for at most {MOST_STATES} states; the {world.name} has "
            f"{world.n_states}."
        )
    return "" if size > LEAST else "Nothing was learned: all preferences are equal."


def _centred(preferences: np.ndarray) -> np.ndarray:
    """Without what all actions of a state share, which changes no probability."""
    return preferences - preferences.mean(axis=1, keepdims=True)


def _climbed(world: FiniteMDP, gradient: Gradient, step: float) -> np.ndarray:
    """Preferences after exact steps of one length, (STEPS + 1, S, A)."""
    way = [np.zeros((world.n_states, world.n_actions))]
    for _ in range(STEPS):
        ahead = _centred(gradient(world, way[-1]))
        way.append(way[-1] + ahead * step / max(float(np.linalg.norm(ahead)), LEAST))
    return np.array(way)


def _seen(directions: np.ndarray, preferences: np.ndarray) -> np.ndarray:
    """Where preferences, (m, S, A), stand on the plane, (m, 2)."""
    size = float((directions[0] ** 2).sum())
    return np.einsum("msa,dsa->md", preferences, directions) / size


def draw(o: Objective) -> go.Figure:
    """Lighter is better; both ways begin where all actions are equally likely."""
    if o.why:
        return empty(o.why)
    traces = [
        line(way[:, 0], way[:, 1], k + 1, name, hoverinfo="name").update(line_width=4)
        for k, (name, way) in enumerate(zip(WAYS, o.ways, strict=True))
    ]
    heat = go.Contour(
        x=o.x, y=o.y, z=o.surface, colorscale=SEQUENTIAL, ncontours=16,
        contours={"coloring": "heatmap"}, line={"width": 1}, colorbar=color_bar("J"),
        hovertemplate="J %{z:.4~g}<extra></extra>",
    )  # fmt: skip
    now = go.Scatter(
        x=[1.0], y=[0.0], mode="markers", uid=NOW, name="learned", hoverinfo="name",
        marker={"size": 14, "color": RIM, "line": {"width": 3, "color": INK}},
    )  # fmt: skip
    fig = figure(
        heat, *traces, now, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "From equal preferences (0) to the learned ones (1)"}},
        yaxis={"title": {"text": "Steepest beside it"}},
    )  # fmt: skip
    return fig.update_xaxes(range=REACH[0]).update_yaxes(range=REACH[1])


def reading(o: Objective) -> str:
    """What the learned policy is worth, and how far exact steps come on as long a way."""
    if o.why:
        return o.why
    plain, natural = (float(own[-1]) for own in o.heights)
    return (
        f"The learned policy is worth {rough(o.learned)}, actions at random "
        f"{rough(float(o.heights[0, 0]))}, the best policy {rough(o.best)}. "
        f"{count(STEPS, 'exact step')} on a way as long lead to {rough(plain)} along the gradient "
        f"and to {rough(natural)} along the natural one."
    )


def table(o: Objective) -> tuple[TableColumn, ...]:
    """One line a point."""
    n = len(o.x)
    return (
        TableColumn("along what was learned", np.tile(o.x, n)),
        TableColumn("steepest beside it", np.repeat(o.y, n)),
        TableColumn("J", o.surface.ravel()),
    )


def changes(drawn: Objective, at: dict[str, int], state: PolicyState, world: FiniteMDP) -> Changes:
    """Where the policy of a step stands on the plane."""
    if drawn.why or state.chances is None:
        return {}
    logs = _centred(np.log(np.maximum(state.chances, 1e-300)))
    x, y = _seen(drawn.directions, logs[None])[0]
    return {at[NOW]: {"x": np.array([x]), "y": np.array([y])}}
