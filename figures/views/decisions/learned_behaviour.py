"""What a learned policy does, move by move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.actions import OF_ACTIONS
from figures.numbers.paths import Played, played_path, sentence, stages, together
from figures.numbers.trials import one_of
from figures.options import Options, among
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasPaths
from mlcore.decisions.continuous.world import Scene
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import integer
from mlcore.spine.wording import count

TRAIL = 34  # moves that stay in sight while it is played
GREEN = CLASS_COLORS[2]


@dataclass(frozen=True, kw_only=True)
class BehaviourOptions(Options):
    """What may be chosen of the picture."""

    after: int | None = among(
        integer(
            None,
            low=1,
            soft=(1, 1000),
            or_none="all of them",
            label="After episodes",
            doc="After how many episodes of learning the greedy policy is shown.",
        ),
        stages,
    )


@view(
    "learned_behaviour",
    title="Learned behaviour",
    asks=HasPaths,
    options=BehaviourOptions,
    on="continuous_states",
    order=10,
    share=3,
    sources=("epfl:rl_agent_env",),
    synonyms=("animation", "rollout", "render", "episode"),
)
def learned_behaviour(trial: TrialOutcome, which: int = 0, *, options: BehaviourOptions) -> View:
    """The world under the greedy policy; the player moves it."""
    row = trial.results[which]
    p = played_path(trial, which, options.after)
    note = f"{one_of(row)}, after {count(p.after, 'episode')}"
    same = together(trial, which, p.after)
    return joined(p, draw, reading, table, note=note, player=lambda: recording(p, same))


def draw(p: Played) -> go.Figure:
    """The ground, the goal, the way with actions by colour, and what moves, at the start."""
    scene = p.scene
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    fig = figure(
        height=360,
        xaxis=plain | {"constrain": "domain"},
        yaxis=plain | {"scaleanchor": "x", "constrain": "domain"},
        showlegend=True,
    )
    fig.add_trace(_corners(scene))
    common: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    fig.add_scatter(
        x=scene.ground[:, 0],
        y=scene.ground[:, 1],
        line={"color": LIGHT.quiet, "width": 2},
        **common,
    )
    if np.isfinite(scene.goal).all():
        line = {"color": GREEN, "width": 3}
        fig.add_scatter(
            x=scene.goal[:, 0], y=scene.goal[:, 1], line=line, name="goal",
            **(common | {"showlegend": True}),
        )  # fmt: skip
    colors = _colors(p)
    for a, name in enumerate(p.action_names):
        if a in p.actions:
            fig.add_scatter(
                x=[None], y=[None], mode="markers", name=name,
                marker={"color": OF_ACTIONS[len(p.action_names)][a], "size": 9},
            )  # fmt: skip
    x, y = _tip(p)
    fig.add_scatter(
        x=x[: p.n], y=y[: p.n], mode="markers", uid="trail", showlegend=False,
        marker={"color": colors, "size": 6, "line": {"width": 0}},
        hovertext=[sentence(p, t) for t in range(p.n)], hoverinfo="text",
    )  # fmt: skip
    with_joints: dict[str, Any] = common | {"mode": "lines+markers"}
    for k, body in enumerate(scene.bodies):
        strong = LIGHT.accent if k == 0 else LIGHT.text
        fig.add_scatter(
            x=body.points[0, :, 0], y=body.points[0, :, 1], uid=f"body {k}",
            **with_joints,
            line={"color": strong, "width": body.width}, name=body.name,
            marker={"size": body.width + 2, "color": strong},
        )  # fmt: skip
    return fig


def _corners(scene: Scene) -> go.Scatter:
    """Two marks that nobody sees: the axes reach as far, whatever moves where."""
    return go.Scatter(
        x=scene.x_range, y=scene.y_range, mode="markers", marker={"size": 1, "opacity": 0.0},
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def _colors(p: Played) -> list[str]:
    """The colour of each action, behind the things that move, (T,)."""
    return [faded(OF_ACTIONS[len(p.action_names)][a], 0.55) for a in p.actions]


def _tip(p: Played) -> tuple[np.ndarray, np.ndarray]:
    """The far end of the last body at each moment: what the trail follows, (T + 1,) each."""
    points = p.scene.bodies[-1].points[:, -1]
    return points[:, 0], points[:, 1]


def recording(p: Played, follows: str = "") -> Recording:
    """A frame a moment: the bodies, and a trail of the last moves."""
    at = traces_by_name(draw(p))
    x, y = _tip(p)
    colors = _colors(p)

    def frame(t: int) -> Changes:
        first = max(0, t - TRAIL)
        changes: dict[int, dict[str, Any]] = {
            at["trail"]: {"x": x[first:t], "y": y[first:t], "marker.color": colors[first:t]}
        }
        for k, body in enumerate(p.scene.bodies):
            changes[at[f"body {k}"]] = {"x": body.points[t, :, 0], "y": body.points[t, :, 1]}
        return changes

    return Recording(
        frames=[frame(t) for t in range(p.n + 1)],
        objective=p.states[:, p.shown],
        sentences=[sentence(p, t) for t in range(p.n + 1)],
        steps=np.arange(1, p.n + 2),
        label=p.state_names[p.shown],
        follows=follows,
    )


def reading(p: Played) -> str:
    """How long the episode lasts, and how long it lasted before."""
    end = "is cut by the time limit" if p.is_cut else "ends"
    text = f"After {count(p.after, 'episode')} of learning the greedy episode {end} after "
    text += f"{count(p.n, 'move')}."
    others = [(after, n) for after, n in p.others if after != p.after]
    if not others:
        return text
    if all(n == p.n for _, n in others):
        so = "So were" if p.is_cut else "So did"
        return (
            f"{text} {so} all that were played with less learning; what they earned is in the "
            "learning curve. The player moves it."
        )
    listed = "; ".join(f"after {count(after, 'episode')} {n}" for after, n in others)
    return f"{text} From the same start: {listed}. The player moves it."


def table(p: Played) -> tuple[TableColumn, ...]:
    """One line a move."""
    return (
        TableColumn("move", np.arange(1, p.n + 1)),
        *(TableColumn(name, p.states[: p.n, i]) for i, name in enumerate(p.state_names)),
        TableColumn("action", p.done),
        *(TableColumn(f"score of {name}", p.scores[:, a]) for a, name in enumerate(p.score_names)),
    )
