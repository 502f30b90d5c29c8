"""What the score of an action is made of: the features that are on, and their weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.paths import together
from figures.recording import Changes, Recording, traces_by_name
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasPaths, LinearInFeatures
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, rough

HEIGHT = 440
MOST = 16  # terms that are drawn
TILES, HERE, BARS = "tiles", "here", "bars"  # traces by name


class Terms(NamedTuple):
    """The features at T + 1 moments of a greedy episode, by the action that scores highest."""

    axes: tuple[str, str]  # names of the coordinates of the plane
    ranges: np.ndarray  # (2, 2) their ends
    at: np.ndarray  # (T + 1, 2)
    boxes: np.ndarray  # (T + 1, tilings, 2, 2) ends of the tiles in the plane; no tilings elsewhere
    terms: np.ndarray  # (T + 1, f) weight times strength of the features, those drawn
    kind: str  # of features: tilings, each with the tile that holds the state, or plain ones
    drawn: np.ndarray  # (f,) which of them are drawn, from 0
    totals: np.ndarray  # (T + 1,) the score: the sum over all that are on
    done: tuple[str, ...]  # (T + 1,) the action, or what else is scored
    n_features: int
    n_active: int

    @property
    def n(self) -> int:
        """Moves."""
        return len(self.at) - 1

    @property
    def names(self) -> tuple[str, ...]:
        """What the features that are drawn are called, (f,)."""
        return tuple(f"{self.kind} {k + 1}" for k in self.drawn)


@view(
    "active_features",
    title="Features of a state",
    asks=(HasPaths, LinearInFeatures),
    on="continuous_states",
    order=40,
    sources=("cs2:linear_value",),
    synonyms=("tile coding", "tilings", "function approximation"),
)
def active_features(trial: TrialOutcome, which: int = 0) -> View:
    """The tiles that hold the state of a greedy episode, and the weights that its score sums up."""
    row = trial.results[which]
    t = numbers(trial, which)
    same = together(trial, which, int(row.fits[0].paths.after[-1]))
    note = f"{row.label}, {row.fits[0].made_by.features.title().lower()}"
    return joined(t, draw, reading, table, note=note, player=lambda: recording(t, same))


def numbers(trial: TrialOutcome, which: int) -> Terms:
    """Of the episode that the first replicate ended with."""
    world: ContinuousWorld = trial.world
    fit = trial.results[which].fits[0]
    encoded, paths, plane = fit.encoded, fit.paths, list(world.plane)
    states = paths.states[-1, : int(paths.lengths[-1]) + 1]
    index, value = encoded.active(states)
    each = fit.weights[:, index] * value  # (R, T + 1, active)
    best = each.sum(axis=2).argmax(axis=0)
    terms = np.take_along_axis(each, best[None, :, None], axis=0)[0]
    totals = terms.sum(axis=1)
    drawn = np.sort(np.argsort(-np.abs(terms).mean(axis=0), kind="stable")[:MOST])
    boxes = np.empty((len(states), 0, 2, 2))
    if encoded.is_tiled:
        drawn = np.arange(min(terms.shape[1], MOST))
        boxes = np.stack(encoded.tiles(states), axis=-1)[:, :, plane]
    kind = "tiling" if encoded.is_tiled else "feature"
    return Terms(
        (world.state_names[plane[0]], world.state_names[plane[1]]),
        np.column_stack([world.lows, world.highs])[plane],
        states[:, plane], boxes, terms[:, drawn], kind, drawn, totals,
        tuple(paths.names[k] for k in best), encoded.n, encoded.n_active,
    )  # fmt: skip


def draw(t: Terms) -> go.Figure:
    """The plane with the tiles around the state, at the end; below it a bar a weight."""
    x, y = _outlines(t, -1)
    here = {"size": 10, "color": LIGHT.text, "line": {"color": LIGHT.halo, "width": 2}}
    size = float(np.abs(t.terms).max()) or 1.0
    return figure(
        go.Scatter(
            x=x, y=y, mode="lines", uid=TILES, hoverinfo="skip",
            fill="toself", fillcolor=faded(LIGHT.accent, 0.12),
            line={"color": faded(LIGHT.accent, 0.7), "width": 1},
        ),
        go.Scatter(
            x=t.at[-1:, 0], y=t.at[-1:, 1], mode="markers", uid=HERE, marker=here,
            hovertemplate=f"{t.axes[0]} %{{x:.4~g}}<br>{t.axes[1]} %{{y:.4~g}}<extra></extra>",
        ),
        go.Bar(
            x=t.names, y=t.terms[-1], uid=BARS, xaxis="x2", yaxis="y2",
            marker={"color": LIGHT.accent}, hovertemplate="%{x}: %{y:.4~g}<extra></extra>",
        ),
        height=HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": t.axes[0].capitalize(), "standoff": 4},
               "range": list(t.ranges[0])},
        yaxis={"title": {"text": t.axes[1].capitalize()}, "range": list(t.ranges[1]),
               "domain": [0.46, 1.0]},
        xaxis2={"anchor": "y2", "showgrid": False, "title": {"text": t.kind.capitalize()},
                "tickvals": t.names, "ticktext": [str(k + 1) for k in t.drawn]},
        yaxis2={"title": {"text": "Weight"}, "domain": [0.0, 0.3],
                "range": [-1.05 * size, 1.05 * size]},
    )  # fmt: skip


def _outlines(t: Terms, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The edges of the tiles at moment k, one after the other with gaps; inside the ranges."""
    ends = np.clip(t.boxes[k], t.ranges[:, :1], t.ranges[:, 1:])  # (tilings, 2, 2)
    gap = np.full((len(ends), 1), np.nan)
    low, high = ends[:, 0, :1], ends[:, 0, 1:]
    x = np.hstack([low, high, high, low, low, gap])
    low, high = ends[:, 1, :1], ends[:, 1, 1:]
    y = np.hstack([low, low, high, high, low, gap])
    return x.ravel(), y.ravel()


def recording(t: Terms, follows: str) -> Recording:
    """A frame a moment: the state, its tiles and their weights."""
    at = traces_by_name(draw(t))

    def frame(k: int) -> Changes:
        x, y = _outlines(t, k)
        return {
            at[TILES]: {"x": x, "y": y},
            at[HERE]: {"x": t.at[k : k + 1, 0], "y": t.at[k : k + 1, 1]},
            at[BARS]: {"y": t.terms[k]},
        }

    moments = range(t.n + 1)
    return Recording(
        frames=[frame(k) for k in moments],
        objective=t.totals,
        sentences=[_sentence(t, k) for k in moments],
        steps=np.arange(1, t.n + 2),
        label="score",
        follows=follows,
    )


def _sentence(t: Terms, k: int) -> str:
    total = rough(float(t.totals[k]))
    return f"{t.done[k].capitalize()} scores {total}, the sum over {_on(t)}."


def _on(t: Terms) -> str:
    if t.boxes.shape[1]:
        return f"the tiles of {count(t.n_active, 'tiling')} that hold the state"
    return f"all {count(t.n_active, 'feature')}"


def reading(t: Terms) -> str:
    """What the score at the end of the episode is made of."""
    text = f"At the end of the episode {t.done[-1]} scores {rough(float(t.totals[-1]))}, the sum "
    text += f"over {_on(t)}, of {t.n_features:,} weights an action."
    if t.terms.shape[1] < t.n_active:
        text += f" The bars are {count(t.terms.shape[1], 'term')} of them, the largest in the mean."
    return text


def table(t: Terms) -> tuple[TableColumn, ...]:
    """One line a moment."""
    own = (TableColumn(name, column) for name, column in zip(t.names, t.terms.T, strict=True))
    return (
        TableColumn("move", np.arange(1, t.n + 2)),
        TableColumn(t.axes[0], t.at[:, 0]),
        TableColumn(t.axes[1], t.at[:, 1]),
        TableColumn("action", t.done),
        TableColumn("score", t.totals),
        *own,
    )
