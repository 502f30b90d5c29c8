"""The state some rows ahead: from one state towards the shares of the long run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.options import Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasChain
from mlcore.sequences.chains import long_run_shares, steps_ahead
from mlcore.spine.asking import can
from mlcore.spine.params import integer
from mlcore.spine.wording import percent

HEIGHT = 340
STEPS = 30  # rows ahead at least
MOST_STEPS = 200
MOST_LINES = 8  # states that are drawn: those that become likeliest
NEAR = 0.01  # of a probability: so near to the long run the start is forgotten


class Horizon(NamedTuple):
    """Probabilities of s states after 0 .. h rows."""

    origin: str
    names: tuple[str, ...]  # (s,)
    at: np.ndarray  # (s,) their positions among all
    ahead: np.ndarray  # (h + 1, s)
    long_run: np.ndarray  # (s,)
    forgotten: int | None  # after how many rows all are near the long run; None if never
    k: int  # the state from which it goes, from 0


def _states(offered: Offered) -> Values:
    fit: Any = offered.get("fit")
    if not can(fit, HasChain):
        return {}
    names = fit.state_names
    return {None: names[0]} | {k + 1: name for k, name in enumerate(names) if k}


@dataclass(frozen=True, kw_only=True)
class HorizonOptions(Options):
    """From where it goes."""

    origin: int | None = among(
        integer(None, low=1, soft=(1, 12), or_none="the first", label="From",
                doc="The state of the last row that is seen."),
        _states,
    )  # fmt: skip


@view(
    "horizon_curve",
    title="Some rows ahead",
    asks=HasChain,
    options=HorizonOptions,
    on="sequences report",
    order=85,
    sources=("epfl:hmm_predict", "epfl:markov_chain"),
    synonyms=("n-step prediction", "forecast", "mixing time"),
)
def horizon_curve(whole: Whole, *, options: HorizonOptions) -> View:
    """The probability of each state 0, 1, 2 ... rows after one that is known."""
    h = numbers(whole, (options.origin or 1) - 1)
    return joined(h, draw, reading, table, note=f"from {h.origin}", step=step)


def numbers(whole: Whole, k: int = 0) -> Horizon:
    """Powers of the transition matrix, until the start is forgotten."""
    fit: Any = whole.fit
    ahead = steps_ahead(np.eye(len(fit.start))[k], fit.transitions, MOST_STEPS)
    long_run = long_run_shares(ahead[0], fit.transitions)
    away = np.abs(ahead - long_run).max(axis=1) >= NEAR
    last = int(np.flatnonzero(away)[-1]) if away.any() else -1
    forgotten = last + 1 if last < MOST_STEPS else None
    steps = min(max(STEPS, 2 * (last + 1)), MOST_STEPS)
    at = np.sort(np.argsort(-ahead[: steps + 1].max(axis=0), kind="stable")[:MOST_LINES])
    names = tuple(fit.state_names[i] for i in at)
    return Horizon(
        fit.state_names[k], names, at, ahead[: steps + 1, at], long_run[at], forgotten, k
    )


def draw(h: Horizon) -> go.Figure:
    """A line a state; the long run as short lines at the right."""
    lines = [
        go.Scatter(
            x=np.arange(len(h.ahead)),
            y=h.ahead[:, j],
            name=name,
            mode="lines",
            uid=f"line {j}",
            line={"color": class_color(int(h.at[j])), "width": 2, "dash": dash_of(j)},
            hovertemplate=f"{name}, %{{x}} rows ahead: %{{y:.3f}}<extra></extra>",
        )
        for j, name in enumerate(h.names)
    ]
    x = len(h.ahead) - 1
    ends = go.Scatter(
        x=np.full(len(h.names), x), y=h.long_run, mode="markers", name="in the long run",
        uid="ends", marker={"symbol": "line-ew-open", "size": 16, "color": LIGHT.text},
        hovertemplate="in the long run %{y:.3f}<extra></extra>",
    )  # fmt: skip
    return figure(
        *lines, ends, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Rows ahead"}, "range": [0, x * 1.03]},
        yaxis={"title": {"text": "Probability"}, "range": [0, 1.02]},
    )  # fmt: skip


def step(h: Horizon, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: every line."""
    fit: Any = whole.fit
    first = np.eye(len(fit.start))[h.k]
    ahead = steps_ahead(first, fit.transitions, len(h.ahead) - 1)[:, h.at]
    changes: Changes = {at[f"line {j}"]: {"y": ahead[:, j]} for j in range(len(h.names))}
    return changes | {at["ends"]: {"y": long_run_shares(first, fit.transitions)[h.at]}}


def reading(h: Horizon) -> str:
    """When the start is forgotten, and what is likeliest then."""
    most = int(h.long_run.argmax())
    end = f"{h.names[most]} has most of the long run, {percent(float(h.long_run[most]))}"
    if h.forgotten is None:
        return f"After {MOST_STEPS} rows it still matters where it began; {end}."
    if h.forgotten == 0:
        return f"Where it begins does not matter; {end}."
    rows = "1 row" if h.forgotten == 1 else f"{h.forgotten} rows"
    return f"After {rows} every probability is within 0.01 of the long run; {end}."


def table(h: Horizon) -> tuple[TableColumn, ...]:
    """One line a row ahead."""
    lines = (TableColumn(name, h.ahead[:, j]) for j, name in enumerate(h.names))
    return (TableColumn("rows ahead", np.arange(len(h.ahead))), *lines)
