"""An episode of a policy on the map of its world, move by move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.numbers.episodes import EXITS, Walk, sentence, walk
from figures.numbers.grids import GridMap
from figures.numbers.trials import one_of
from figures.options import Options
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import LIGHT, faded
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasPolicy
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough

TRAIL = 60  # moves that stay in sight
UNDER = 0.32  # of a cell: how far below or above the word of an end the agent stands
AGENT, WAY, SIGNS = "agent", "way", "signs"


@dataclass(frozen=True, kw_only=True)
class EpisodeOptions(Options):
    """What may be chosen of the picture."""

    episode: int = integer(
        1, low=1, high=999, soft=(1, 12), label="Episode",
        doc="Another number is another start and other luck; all methods share them.",
    )  # fmt: skip


@view(
    "policy_episode",
    title="An episode of the policy",
    asks=HasPolicy,
    options=EpisodeOptions,
    on="mdp",
    order=22,
    sources=("epfl:rl_agent_env",),
    synonyms=("learned behaviour", "animation", "rollout", "render"),
)
def policy_episode(trial: TrialOutcome, which: int = 0, *, options: EpisodeOptions) -> View:
    """The agent on its map under the final policy; the player moves it."""
    row = trial.results[which]
    w = walk(trial, which, options.episode)
    note = f"{one_of(row)}, episode {options.episode}"
    return joined(w, draw, reading, table, note=note, player=lambda: recording(w))


def draw(w: Walk) -> go.Figure:
    """The map as it is at the end, with the way that led there and the policy behind it."""
    g = w.maps[w.shown[-1]]
    cells = grids.heat(g, np.zeros(len(g.cells)), grids.COUNTS, 0.0, 1.0, "")
    cells.update(showscale=False)
    x, y = _places(w, g)
    way = go.Scatter(
        x=x[-TRAIL:], y=y[-TRAIL:], mode="lines", uid=WAY, hoverinfo="skip",
        line={"color": faded(LIGHT.accent, 0.5), "width": 5},
    )  # fmt: skip
    agent = go.Scatter(
        x=x[-1:], y=y[-1:], mode="markers", uid=AGENT, hoverinfo="skip",
        marker={"size": _size(g), "color": LIGHT.accent, "line": {"color": LIGHT.halo, "width": 2}},
    )  # fmt: skip
    # Signs change from map to map: here they are words of this picture.
    words = grids.words(g, _arrows(g))
    words.update(textfont={"color": LIGHT.quiet})
    places = grids.places(g, list(g.names))
    return grids.base(g._replace(signs=()), cells, words, way, agent, _signs(g), places)


def _size(g: GridMap) -> int:
    return 22 if g.shape[1] <= grids.FEW else 14 if g.shape[1] < grids.MANY else 10


def _places(w: Walk, g: GridMap) -> tuple[np.ndarray, np.ndarray]:
    """Where the agent is at each moment, (T + 1,) each; lower in its cell where words are above.

    Beside the word of an end: over it if the way comes from above, so that it crosses no word.
    """
    low = grids.LOW if g.signs else 0.0
    is_named = np.array([letter in EXITS for letter in g.letters])[w.cells]
    x, y = w.cells % g.shape[1], w.cells // g.shape[1]
    beside = np.where(np.diff(y, prepend=y[:1]) > 0, -UNDER, UNDER)
    return x, y + np.where(is_named, beside, low)


def _signs(g: GridMap) -> go.Scatter:
    cells = np.array([sign.cell for sign in g.signs], dtype=np.int64)
    return go.Scatter(
        x=cells % g.shape[1], y=cells // g.shape[1] - grids.HIGH, mode="text", uid=SIGNS,
        text=_sign_texts(g), textfont={"color": LIGHT.text, "size": 10}, hoverinfo="skip",
        cliponaxis=False,
    )  # fmt: skip


def _arrows(g: GridMap) -> list[str]:
    """The policy, as large as in the maps of values where there is room."""
    is_small = g.shape[1] > grids.FEW
    return [a if is_small or len(a) > 2 else f"<span style='font-size:18px'>{a}</span>"
            for a in g.actions]  # fmt: skip


def _sign_texts(g: GridMap) -> list[str]:
    return [f"<b>{sign.text}</b>" if sign.is_strong else sign.text for sign in g.signs]


def recording(w: Walk) -> Recording:
    """A frame a moment: the agent and its way, and policy and signs of the map that it sees."""
    at = traces_by_name(draw(w))
    x, y = _places(w, w.maps[0])
    texts = [(_arrows(g), _sign_texts(g), grids.everywhere(g, list(g.names))) for g in w.maps]

    def frame(t: int) -> Changes:
        first = max(0, t + 1 - TRAIL)
        changes: dict[int, dict[str, Any]] = {
            at[WAY]: {"x": x[first : t + 1], "y": y[first : t + 1]},
            at[AGENT]: {"x": x[t : t + 1], "y": y[t : t + 1]},
        }
        if len(w.maps) > 1:
            actions, signs, names = texts[w.shown[t]]
            changes |= {
                at[grids.ARROWS]: {"text": actions},
                at[SIGNS]: {"text": signs},
                at[grids.PLACES]: {"text": names},
            }
        return changes

    moments = range(w.n + 1)
    return Recording(
        frames=[frame(t) for t in moments],
        objective=w.earned,
        sentences=[sentence(w, t) for t in moments],
        steps=np.arange(1, w.n + 2),
        label="sum of rewards",
    )


def reading(w: Walk) -> str:
    """What the episode earned, beside the mean of all."""
    end = "ends" if w.episode.is_over else "is cut by the time limit"
    text = f"The episode {end} after {count(w.n, 'move')}; its rewards sum up to "
    text += f"{rough(float(w.earned[-1]))}"
    if abs(w.discounted - w.earned[-1]) > 1e-9:
        text += f", discounted to {rough(w.discounted)}"
    return f"{text}. The mean of all episodes of this policy is {rough(w.mean)}."


def table(w: Walk) -> tuple[TableColumn, ...]:
    """One line a move."""
    return (
        TableColumn("move", np.arange(1, w.n + 1)),
        TableColumn("state", w.states[:-1]),
        TableColumn("action", w.done),
        TableColumn("next state", w.states[1:]),
        TableColumn("probability", w.episode.chances),
        TableColumn("reward", w.episode.rewards),
    )
