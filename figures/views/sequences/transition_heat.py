"""The transition matrix: from which state to which, with what probability."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.names import cut
from figures.recording import Changes
from figures.theme import LIGHT, ON_SHARE, SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasChain
from mlcore.sequences.chains import long_run_shares
from mlcore.spine.wording import percent

MOST = 30  # states that are drawn: those with most of the long run
WRITTEN = 10  # states up to which cells bear their numbers
LONGEST = 18  # letters of a name
MATRIX = "matrix"


class Matrix(NamedTuple):
    """Some states of a chain."""

    names: tuple[str, ...]  # (s,)
    transitions: np.ndarray  # (s, s)
    moves: np.ndarray  # (s, s) how many moves each rests on
    at: np.ndarray  # (s,) their positions among all
    hidden: int  # states that are not drawn


@view(
    "transition_heat",
    title="Transition matrix",
    asks=HasChain,
    on="sequences report compare",
    order=75,
    sources=("epfl:markov_chain",),
    synonyms=("transition probabilities", "stochastic matrix"),
)
def transition_heat(whole: Whole) -> View:
    """The probability of each next state, a line a state, with the moves that it rests on."""
    m = numbers(whole)
    return joined(m, draw, reading, table, note="rows sum to 1", step=step)


def numbers(whole: Whole) -> Matrix:
    """The matrix; of many states those that hold most of the long run, in their order."""
    fit: Any = whole.fit
    at = np.arange(len(fit.start))
    if len(at) > MOST:
        shares = long_run_shares(fit.start, fit.transitions)
        at = np.sort(np.argsort(-shares, kind="stable")[:MOST])
    names = tuple(fit.state_names[k] for k in at)
    own = np.ix_(at, at)
    return Matrix(names, fit.transitions[own], fit.moves[own], at, len(fit.start) - len(at))


def draw(m: Matrix) -> go.Figure:
    """A heat map, read from the left to the top."""
    names, n = [cut(name, LONGEST) for name in m.names], len(m.names)
    ticks = {"tickvals": list(range(n)), "ticktext": names, "showgrid": False, "zeroline": False}
    heat = go.Heatmap(
        z=m.transitions, zmin=0.0, zmax=1.0, colorscale=SHARES, showscale=False, uid=MATRIX,
        customdata=m.moves, xgap=1, ygap=1,
        hovertemplate="from %{y} to %{x}: %{z:.4f}<br>%{customdata:.1f} moves<extra></extra>",
    )  # fmt: skip
    return figure(
        heat, *([_texts(m, dark) for dark in (False, True)] if n <= WRITTEN else []),
        height=min(max(170 + 34 * n, 300), 620),
        showlegend=False,
        xaxis={"title": {"text": "to"}, "side": "bottom"} | ticks,
        yaxis={"title": {"text": "from"}, "autorange": "reversed"} | ticks,
    )  # fmt: skip


def _texts(m: Matrix, dark: bool) -> go.Scatter:
    """The numbers on pale cells, or on dark ones."""
    i, j = np.indices(m.transitions.shape).reshape(2, -1)
    return go.Scatter(
        x=j, y=i, text=_written(m, dark), mode="text", hoverinfo="skip", uid=f"written {dark}",
        textfont={"size": 12, "color": ON_SHARE if dark else LIGHT.text},
    )  # fmt: skip


def _written(m: Matrix, dark: bool) -> list[str]:
    return [f"{p:.2f}" if (p > 0.55) == dark else "" for p in m.transitions.ravel()]


def step(m: Matrix, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: every probability."""
    fit: Any = whole.fit
    own = np.ix_(m.at, m.at)
    now = m._replace(transitions=fit.transitions[own], moves=fit.moves[own])
    changes: Changes = {at[MATRIX]: {"z": now.transitions, "customdata": now.moves}}
    for dark in (False, True):
        if f"written {dark}" in at:
            changes[at[f"written {dark}"]] = {"text": _written(now, dark)}
    return changes


def reading(m: Matrix) -> str:
    """The likeliest move to another state."""
    P = m.transitions.copy()
    np.fill_diagonal(P, -1.0)
    i, j = np.unravel_index(int(P.argmax()), P.shape)
    if P[i, j] <= 0:
        return "No state is ever left."
    text = f"The likeliest move leads from {m.names[i]} to {m.names[j]}, {percent(float(P[i, j]))}"
    text += f", from a count of {m.moves[i, j]:.3g}."
    if m.hidden:
        text += f" The {len(m.names)} states with most of the long run are drawn."
    return text


def table(m: Matrix) -> tuple[TableColumn, ...]:
    """One line a pair of states."""
    i, j = np.indices(m.transitions.shape).reshape(2, -1)
    names = np.array(m.names, dtype=object)
    return (
        TableColumn("from", names[i]),
        TableColumn("to", names[j]),
        TableColumn("probability", m.transitions.ravel()),
        TableColumn("moves", m.moves.ravel()),
    )
