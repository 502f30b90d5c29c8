"""What comes after the last row of a sequence: intervals of numbers, probabilities of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.numbers.sequences import column_at, sequences_of
from figures.recording import Changes
from figures.theme import LIGHT, band, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.sequences import emissions
from figures.views.sequences.opened_sequence import OpenedOptions
from mlcore.data.dataset import Dataset
from mlcore.gaussians.quantiles import mixture_quantiles
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.sequences.chains import long_run_shares, steps_ahead
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent, rough

HEIGHT = 380
PAST = 60  # rows that are drawn before those to come
SHARES = np.array([0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975])
COLOR = class_color(0)


class Forecast(NamedTuple):
    """Rows that come after a sequence of T rows, in one column."""

    sequence: str
    k: int  # which of the sequences
    column: str
    levels: tuple[str, ...]  # of a column of names, else empty
    past: np.ndarray  # (t,) the last values seen
    length: int  # T
    states: np.ndarray  # (h + 1, N) probabilities, of the last row and those to come
    ahead: np.ndarray  # (h, 7) quantiles, or (h, L) probabilities of the levels
    long_run: np.ndarray  # (7,) or (L,) of a row far ahead
    state_names: tuple[str, ...]
    place: int  # of the column among those of the fit


@dataclass(frozen=True, kw_only=True)
class ForecastOptions(OpenedOptions):
    """Of which sequence and column, and how far."""

    steps: int = integer(20, low=1, high=200, soft=(5, 60), label="Rows", doc="Rows ahead.")


@view(
    "forecast_fan",
    title="What comes next",
    asks=HasHiddenStates,
    options=ForecastOptions,
    on="sequences report",
    order=83,
    sources=("epfl:hmm_predict",),
    synonyms=("forecast", "fan chart", "prediction interval of a sequence", "predictive quantiles"),
)
def forecast_fan(dataset: Dataset, whole: Whole, *, options: ForecastOptions) -> View:
    """Where the next rows lie, beside the last value and what holds far ahead."""
    f = numbers(dataset, whole, (options.sequence or 1) - 1, options.column, options.steps)
    return joined(
        f,
        draw,
        reading,
        table,
        note=f"after {f.sequence}, as the method sees the column",
        step=step,
    )


def numbers(
    dataset: Dataset, whole: Whole, k: int = 0, name: str | None = None, steps: int = 20
) -> Forecast:
    """The states of the last row, moved ahead, and what they show in one column."""
    fit: Any = whole.fit
    every, j = sequences_of(dataset, whole), column_at(fit.columns, name)
    X = every.X[every.span(k)]
    shows = emissions.numbers(dataset, whole, name)
    states = steps_ahead(fit.decoded(X).posterior[-1], fit.transitions, steps)
    far = long_run_shares(states[0], fit.transitions)
    shown = _shown(shows, np.vstack([states[1:], far]))
    return Forecast(
        every.names[k], k, fit.columns[j].name, shows.column.levels, X[-PAST:, j], len(X), states,
        shown[:-1], shown[-1], fit.state_names, j,
    )  # fmt: skip


def _shown(shows: emissions.Emissions, states: np.ndarray) -> np.ndarray:
    """What is seen under probabilities of the states, (h, N): quantiles, or shares of levels."""
    if shows.column.levels:
        return states @ shows.frequencies
    inside, means, deviations = shows.parts
    weights = (states[:, :, None] * inside).reshape(len(states), -1)
    return mixture_quantiles(weights, means.ravel(), deviations.ravel(), SHARES)


def draw(f: Forecast) -> go.Figure:
    """A fan, or a line a level; dotted what holds far ahead."""
    traces = _levels(f) if f.levels else _fan(f)
    name = {"range": [0, 1.02]} if f.levels else {}
    return figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Row of the sequence"}, "zeroline": False},
        yaxis={"title": {"text": "Probability" if f.levels else f.column}, "zeroline": False}
        | name,
    )  # fmt: skip


def _coming(f: Forecast) -> np.ndarray:
    return f.length + np.arange(1, len(f.ahead) + 1)


def _fan(f: Forecast) -> list[go.Scatter]:
    x, middle = _coming(f), len(SHARES) // 2
    before = np.arange(f.length - len(f.past), f.length) + 1
    bands = [
        go.Scatter(
            x=np.concatenate([x, x[::-1]]), y=_around(f.ahead, i), fill="toself", mode="lines",
            fillcolor=band(COLOR), line={"width": 0}, hoverinfo="skip", uid=f"band {i}",
            name="50, 80 and 95 %", legendgroup="bands", showlegend=i == 0,
        )
        for i in range(middle)
    ]  # fmt: skip
    ends = x[[0, -1]]
    return [
        *bands,
        go.Scatter(x=before, y=f.past, mode="lines+markers", name="seen",
                   line={"color": LIGHT.quiet, "width": 1}, marker={"size": 4}),
        go.Scatter(x=x, y=f.ahead[:, middle], mode="lines", name="half lie below", uid="middle",
                   line={"color": COLOR, "width": 2}, customdata=f.ahead[:, [0, -1]],
                   hovertemplate="row %{x}: %{y:.4~g}<br>95 % in %{customdata[0]:.4~g} to "
                   "%{customdata[1]:.4~g}<extra></extra>"),
        go.Scatter(x=ends, y=np.repeat(f.past[-1], 2), mode="lines", name="the last value",
                   line={"color": LIGHT.text, "width": 1, "dash": "dash"}),
        *(
            go.Scatter(x=ends, y=np.repeat(f.long_run[i], 2), mode="lines", uid=f"far {i}",
                       name="95 % far ahead", legendgroup="far", showlegend=i == 0,
                       line={"color": LIGHT.text, "width": 1, "dash": "dot"})
            for i in (0, len(SHARES) - 1)
        ),
    ]  # fmt: skip


def _around(ahead: np.ndarray, i: int) -> np.ndarray:
    return np.concatenate([ahead[:, i], ahead[::-1, -1 - i]])


def _levels(f: Forecast) -> list[go.Scatter]:
    return [
        go.Scatter(x=_coming(f), y=f.ahead[:, i], mode="lines", name=level, uid=f"level {i}",
                   line={"color": class_color(i), "width": 2, "dash": dash_of(i)})
        for i, level in enumerate(f.levels)
    ]  # fmt: skip


def step(f: Forecast, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the fan and what holds far ahead, or the line of each level."""
    name = whole.fit.columns[f.place].name
    now = numbers(dataset, whole, f.k, name, len(f.ahead))
    if f.levels:
        return {at[f"level {i}"]: {"y": now.ahead[:, i]} for i in range(len(f.levels))}
    middle = len(SHARES) // 2
    changes: Changes = {at[f"band {i}"]: {"y": _around(now.ahead, i)} for i in range(middle)}
    ends = {at[f"far {i}"]: {"y": np.repeat(now.long_run[i], 2)} for i in (0, len(SHARES) - 1)}
    return changes | ends | {at["middle"]: {"y": now.ahead[:, middle]}}


def reading(f: Forecast) -> str:
    """The next row, the last of those drawn, and what holds far ahead."""
    h = len(f.ahead)
    if f.levels:
        first, last = (int(f.ahead[i].argmax()) for i in (0, -1))
        then = "and" if last == first else f"{f.levels[last]} is"
        return (
            f"{f.levels[first]} is likeliest in the next row ({percent(f.ahead[0, first])}), "
            f"{then} {count(h, 'row')} ahead ({percent(f.ahead[-1, last])}); far ahead it has "
            f"{percent(f.long_run[last])}."
        )
    near, away, far = (_between(q) for q in (f.ahead[0], f.ahead[-1], f.long_run))
    return (
        f"The last value is {rough(float(f.past[-1]))}. The next lies {near} in 95 % of cases, "
        f"{count(h, 'row')} ahead {away}, far ahead {far}, whatever came before."
    )


def _between(q: np.ndarray) -> str:
    return f"from {rough(float(q[0]))} to {rough(float(q[-1]))}"


def table(f: Forecast) -> tuple[TableColumn, ...]:
    """One line a row ahead."""
    heads = f.levels or tuple(f"{100 * share:g} % below" for share in SHARES)
    return (
        TableColumn("rows ahead", np.arange(1, len(f.ahead) + 1)),
        *(TableColumn(head, q) for head, q in zip(heads, f.ahead.T, strict=True)),
        *(
            TableColumn(f"P({name})", p)
            for name, p in zip(f.state_names, f.states[1:].T, strict=True)
        ),
    )
