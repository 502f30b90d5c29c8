"""One sequence: what was seen, the two paths of states, and how sure each row is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.sequences import column_at, every_column, every_sequence, sequences_of
from figures.options import Options, among
from figures.recording import Changes
from figures.theme import LIGHT, class_color, class_symbol, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.spine.fit import Column
from mlcore.spine.params import column, integer
from mlcore.spine.wording import count

HEIGHT = 470
MOST = 2000  # rows that are drawn
LINES = 5  # of text that the axis of the states has room for
SEEN, PATH, STATES, SHARE = "seen", "path", "states", "share"


class Opened(NamedTuple):
    """One sequence of T rows and N states."""

    name: str
    at: int  # which of the sequences, from 0
    X: np.ndarray  # (T, p)
    column: Column
    values: np.ndarray  # (T,) of that column
    path: np.ndarray  # (T,)
    states: np.ndarray  # (T,)
    posterior: np.ndarray  # (T, N)
    scores: tuple[float, float]  # joint log-probability of the path, and of the states
    length: int  # before it was cut
    state_names: tuple[str, ...]  # (N,)


@dataclass(frozen=True, kw_only=True)
class OpenedOptions(Options):
    """Which sequence is looked at."""

    sequence: int | None = among(
        integer(None, low=1, soft=(1, 12), or_none="the first", label="Sequence",
                doc="The sequence that is opened."),
        every_sequence,
    )  # fmt: skip
    column: str | None = among(
        column(None, or_none="the first", label="Column", doc="The column that is drawn."),
        every_column,
    )  # fmt: skip


@view(
    "opened_sequence",
    title="Likeliest path and likeliest states",
    asks=HasHiddenStates,
    options=OpenedOptions,
    on="sequences report",
    order=70,
    share=2,
    sources=("epfl:hmm_xi_gamma", "epfl:hmm_posterior_decode"),
    synonyms=("posterior decoding", "smoothed probabilities", "forward-backward"),
)
def opened_sequence(dataset: Dataset, whole: Whole, *, options: OpenedOptions) -> View:
    """What one sequence shows in the colours of its path, both paths, and the posterior below."""
    o = numbers(dataset, whole, (options.sequence or 1) - 1, options.column)
    note = f"{o.name}, {count(o.length, 'row')}" + (f", the first {MOST:,}" * (o.length > MOST))
    return joined(o, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, k: int = 0, name: str | None = None) -> Opened:
    """One sequence, decoded by itself."""
    fit: Any = whole.fit
    every = sequences_of(dataset, whole)
    X, j = every.X[every.span(k)][:MOST], column_at(fit.columns, name)
    decoded = fit.decoded(X)
    return Opened(
        every.names[k], k, X, fit.columns[j], X[:, j],
        decoded.likeliest_path, decoded.likeliest_states, decoded.posterior,
        (float(decoded.path_scores[0]), float(decoded.states_scores[0])), int(every.lengths[k]),
        fit.state_names,
    )  # fmt: skip


def draw(o: Opened) -> go.Figure:
    """Three pictures on one axis of rows."""
    N = o.posterior.shape[1]
    told = range(0, N, -(-N // LINES))
    ticks = {}
    if o.column.levels:
        ticks = {"tickvals": list(range(len(o.column.levels))), "ticktext": o.column.levels}
    return figure(
        _line(o), *_marks(o), *_paths(o), *_shares(o),
        height=HEIGHT,
        showlegend=True,
        hovermode="x",
        xaxis={"title": {"text": "Row of the sequence"}, "anchor": "y3", "showgrid": False},
        yaxis={"title": {"text": o.column.name}, "domain": [0.56, 1.0]} | ticks,
        yaxis2={"title": {"text": "State"}, "domain": [0.31, 0.5], "tickvals": list(told),
                "ticktext": [str(k + 1) for k in told], "range": [-0.4, N - 0.6]},
        yaxis3={"title": {"text": "Posterior"}, "domain": [0.0, 0.25], "range": [0, 1],
                "tickvals": [0, 0.5, 1]},
    )  # fmt: skip


def _rows(o: Opened) -> np.ndarray:
    return np.arange(1, len(o.values) + 1)


def _line(o: Opened) -> go.Scatter:
    return go.Scatter(
        x=_rows(o), y=o.values, mode="lines", showlegend=False, hoverinfo="skip",
        line={"color": LIGHT.hairline, "width": 1},
    )  # fmt: skip


def _marks(o: Opened) -> list[go.Scatter]:
    """The rows of each state of the path."""
    return [
        go.Scatter(
            x=_rows(o), y=np.where(o.path == k, o.values, np.nan), mode="markers",
            name=o.state_names[k], uid=f"{SEEN} {k}", legendgroup=f"state {k + 1}",
            marker={"color": class_color(k), "symbol": class_symbol(k), "size": 6},
            hovertemplate="%{y}<extra></extra>",
        )
        for k in range(o.posterior.shape[1])
    ]  # fmt: skip


def _paths(o: Opened) -> tuple[go.Scatter, go.Scatter]:
    more: dict[str, Any] = {"x": _rows(o), "mode": "lines", "yaxis": "y2"}
    return (
        go.Scatter(
            y=o.path, name="likeliest path", uid=PATH, hoverinfo="skip",
            line={"color": LIGHT.text, "width": 2.5, "shape": "hvh"}, **more,
        ),
        go.Scatter(
            y=o.states, name="likeliest states", uid=STATES, hoverinfo="skip",
            line={"color": class_color(1), "width": 1.5, "shape": "hvh", "dash": "dot"}, **more,
        ),
    )  # fmt: skip


def _shares(o: Opened) -> list[go.Scatter]:
    """The posterior of the states as areas that sum to 1."""
    return [
        go.Scatter(
            x=_rows(o), y=o.posterior[:, k], mode="lines", stackgroup="posterior", yaxis="y3",
            name=o.state_names[k], legendgroup=f"state {k + 1}", showlegend=False,
            uid=f"{SHARE} {k}", line={"width": 0}, fillcolor=faded(class_color(k), 0.65),
            hovertemplate=f"{o.state_names[k]}: %{{y:.1%}}<extra></extra>",
        )
        for k in range(o.posterior.shape[1])
    ]  # fmt: skip


def step(o: Opened, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: both paths and the posterior."""
    fit: Any = whole.fit
    decoded = fit.decoded(o.X)
    path, states = decoded.likeliest_path, decoded.likeliest_states
    changes: Changes = {at[PATH]: {"y": path}, at[STATES]: {"y": states}}
    for k in range(o.posterior.shape[1]):
        changes[at[f"{SEEN} {k}"]] = {"y": np.where(path == k, o.values, np.nan)}
        changes[at[f"{SHARE} {k}"]] = {"y": decoded.posterior[:, k]}
    return changes


def reading(o: Opened) -> str:
    """Where the paths differ, and how likely each is."""
    differ, moves = int((o.path != o.states).sum()), int((np.diff(o.path) != 0).sum())
    text = f"The path changes its state {count(moves, 'time')}. "
    path, states = o.scores
    if not differ:
        return text + f"Both paths are the same, of joint log-probability {path:.2f}."
    text += f"The two differ at {count(differ, 'row')}. Joint log-probability: "
    text += f"{path:.2f} of the likeliest path, "
    if np.isneginf(states):
        return text + "minus infinity of the likeliest states: the chain cannot walk so."
    return text + f"{states:.2f} of the likeliest states, which need not be a path at all."


def table(o: Opened) -> tuple[TableColumn, ...]:
    """One line a row."""
    shares = (
        TableColumn(f"P({name})", p) for name, p in zip(o.state_names, o.posterior.T, strict=True)
    )
    levels = np.array(o.column.levels, dtype=object)
    values = levels[o.values.astype(np.int64)] if o.column.levels else o.values
    return (
        TableColumn("row", _rows(o)),
        TableColumn(o.column.name, values),
        TableColumn("likeliest path", o.path + 1),
        TableColumn("likeliest state", o.states + 1),
        *shares,
    )
