"""What each hidden state shows: densities over the rows, or frequencies of names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.numbers.sequences import column_at, every_column, sequences_of
from figures.options import Options, among
from figures.recording import Changes
from figures.theme import LIGHT, band, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.sequences.emissions import sizes_of
from mlcore.spine.fit import Column
from mlcore.spine.params import column
from mlcore.spine.wording import listed, percent, rough

HEIGHT = 360
GRID, BARS = 241, 40


class Emissions(NamedTuple):
    """One column in N states."""

    names: tuple[str, ...]  # (N,)
    column: Column
    values: np.ndarray  # (n,)
    shares: np.ndarray  # (N,) of the rows
    means: np.ndarray  # (N,) of a column of numbers
    deviations: np.ndarray  # (N,)
    parts: np.ndarray  # (3, N, M) weights, means and deviations of its components
    frequencies: np.ndarray  # (N, L) of a column of names
    place: int = 0  # of the column among those of the fit


@dataclass(frozen=True, kw_only=True)
class EmissionOptions(Options):
    """Which column is looked at."""

    column: str | None = among(
        column(None, or_none="the first", label="Column", doc="The column that is drawn."),
        every_column,
    )  # fmt: skip


@view(
    "emissions",
    title="What each state shows",
    asks=HasHiddenStates,
    options=EmissionOptions,
    on="sequences report",
    order=80,
    sources=("epfl:hmm_gaussian", "epfl:hmm_discrete"),
    synonyms=("emission densities", "emission probabilities", "observation model"),
)
def emissions(dataset: Dataset, whole: Whole, *, options: EmissionOptions) -> View:
    """The density of each state, as high as its share of the rows; of names their frequencies."""
    e = numbers(dataset, whole, options.column)
    return joined(e, draw, reading, table, note="as the method sees the column", step=step)


def numbers(dataset: Dataset, whole: Whole, name: str | None = None) -> Emissions:
    """One column of a fit."""
    fit: Any = whole.fit
    j = column_at(fit.columns, name)
    return _of(fit, j, sequences_of(dataset, whole).X[:, j])._replace(place=j)


def _of(fit: Any, j: int, values: np.ndarray) -> Emissions:
    shares, shown = fit.memberships.mean(axis=0), fit.shown
    sizes, column = sizes_of(fit.columns, fit.pairs), fit.columns[j]
    before = int(((sizes[:j] > 0) == (sizes[j] > 0)).sum())
    if sizes[j]:
        levels = column.levels or _values_of(column, fit.pairs[j, : sizes[j]])
        nothing, frequencies = np.empty(0), shown.frequencies[before]
        return Emissions(
            fit.state_names,
            replace(column, levels=levels),
            values,
            shares,
            nothing,
            nothing,
            nothing,
            frequencies,
        )
    means, deviations = (
        shown.parted(table[:, before]) for table in (shown.means, np.sqrt(shown.variances))
    )
    parts = np.array([shown.weights, means, deviations])
    whole = shown.state_means[:, before], np.sqrt(shown.state_variances[:, before])
    return Emissions(fit.state_names, column, values, shares, *whole, parts, np.empty((0, 0)))


def _values_of(column: Column, values: np.ndarray) -> tuple[str, ...]:
    """Words for the one or two values, rising, of a column; that of a level says whether a row has
    it, whatever scaling made of no and yes."""
    level = column.name.removeprefix(f"{column.source}=")
    if len(values) == 2 and column.source and level != column.name:
        return f"not {level}", level
    return tuple(rough(float(value)) for value in values)


def draw(e: Emissions) -> go.Figure:
    """Densities over a histogram, or bars."""
    return _bars(e) if e.column.levels else _densities(e)


def _grid(e: Emissions) -> np.ndarray:
    low, high = float(e.values.min()), float(e.values.max())
    room = 0.08 * (high - low)
    return np.linspace(low - room, high + room, GRID)


def _curves(e: Emissions, grid: np.ndarray) -> np.ndarray:
    """Densities by their shares, (N, GRID): means over small cells, so that none is missed."""
    half = (grid[1] - grid[0]) / 2
    weights, means, deviations = e.parts[..., None]
    low, high = ((grid + side * half - means) / deviations for side in (-1, 1))
    density = (weights * (ndtr(high) - ndtr(low))).sum(axis=1)
    return e.shares[:, None] * density / (2 * half)


def _densities(e: Emissions) -> go.Figure:
    grid = _grid(e)
    curves = _curves(e, grid)
    heights, edges = np.histogram(e.values, bins=BARS, density=True)
    rows = go.Bar(
        x=(edges[:-1] + edges[1:]) / 2, y=heights, width=np.diff(edges), name="rows",
        marker={"color": faded(LIGHT.quiet, 0.25)}, hoverinfo="skip",
    )  # fmt: skip
    states = [
        go.Scatter(
            x=grid,
            y=curve,
            name=e.names[k],
            mode="lines",
            fill="tozeroy",
            uid=f"state {k}",
            fillcolor=band(class_color(k)),
            line={"color": class_color(k), "width": 2, "dash": dash_of(k)},
            hovertemplate=f"{e.names[k]}<br>%{{x:.4~g}}: %{{y:.3~g}}<extra></extra>",
        )
        for k, curve in enumerate(curves)
    ]
    total = go.Scatter(
        x=grid, y=curves.sum(axis=0), name="sum", mode="lines", uid="sum", hoverinfo="skip",
        line={"color": LIGHT.text, "width": 1.2},
    )  # fmt: skip
    return figure(
        rows, *states, total, height=HEIGHT, showlegend=True, bargap=0,
        xaxis={"title": {"text": e.column.name}},
        yaxis={"title": {"text": "Density"}, "rangemode": "tozero"},
    )  # fmt: skip


def _bars(e: Emissions) -> go.Figure:
    bars = [
        go.Bar(
            x=list(e.column.levels), y=table, name=e.names[k], uid=f"state {k}",
            marker={"color": class_color(k)},
            hovertemplate=f"{e.names[k]}: %{{x}} %{{y:.3f}}<extra></extra>",
        )
        for k, table in enumerate(e.frequencies)
    ]  # fmt: skip
    return figure(
        *bars, height=HEIGHT, showlegend=True, barmode="group", bargap=0.3,
        xaxis={"title": {"text": e.column.name}, "type": "category"},
        yaxis={"title": {"text": "Frequency in the state"}, "rangemode": "tozero"},
    )  # fmt: skip


def step(e: Emissions, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: every curve, or every bar."""
    fit: Any = whole.fit
    now = _of(fit, e.place, e.values)
    if e.column.levels:
        return {at[f"state {k}"]: {"y": table} for k, table in enumerate(now.frequencies)}
    curves = _curves(now, _grid(e))
    changes: Changes = {at[f"state {k}"]: {"y": curve} for k, curve in enumerate(curves)}
    return changes | {at["sum"]: {"y": curves.sum(axis=0)}}


def reading(e: Emissions) -> str:
    """Each state in a few words."""
    N = len(e.shares)
    if e.column.levels:
        most = [int(table.argmax()) for table in e.frequencies]
        parts = [
            f"{e.names[k]} shows {e.column.levels[j]} most, {percent(float(e.frequencies[k, j]))}"
            for k, j in enumerate(most)
        ]
    else:
        parts = [
            f"{e.names[k]} is about {rough(float(e.means[k]))} ± {rough(float(e.deviations[k]))}"
            f" in {percent(float(e.shares[k]))} of the rows"
            for k in range(N)
        ]
    text = listed(parts)
    return f"{text[:1].upper()}{text[1:]}."


def table(e: Emissions) -> tuple[TableColumn, ...]:
    """One line a state."""
    states = TableColumn("state", e.names)
    shares = TableColumn("share of rows", e.shares)
    if e.column.levels:
        own = zip(e.column.levels, e.frequencies.T, strict=True)
        return (states, shares, *(TableColumn(name, values) for name, values in own))
    return states, shares, TableColumn("mean", e.means), TableColumn("deviation", e.deviations)
