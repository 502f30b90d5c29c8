"""How far around its winner a map learns: the neighbourhood over the lattice, as it shrinks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from plotly.colors import sample_colorscale

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.drawing.words import fitted_on
from figures.theme import SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasNeighbourhood
from mlcore.spine.wording import percent, rough, spaced

HEIGHT = 340
MOMENTS = 5  # of the run: its start, its end, and three between
POINTS = 201  # of a curve
HALF = 0.5  # of the pull on the winner
DARK, LIGHT = 0.25, 0.75  # ends of the colour scale that stand out from either background


class NeighbourhoodCurve(NamedTuple):
    """The share of the pull by distance on the lattice, at some moments."""

    steps: np.ndarray  # (t,) of the run, rising
    apart: np.ndarray  # (d,) distances on the lattice, rising from 0
    pulls: np.ndarray  # (t, d)
    halves: np.ndarray  # (t,) the longest of these distances that gets half of the pull


@view(
    "neighbourhood_curve",
    title="Neighbourhood",
    asks=HasNeighbourhood,
    on="clustering report",
    order=139,
    sources=("mi2:som_neighbourhood", "cs1:som_h_gaussian", "epfl:som_h_gauss"),
    synonyms=("neighbourhood function", "neighborhood kernel", "lateral interaction"),
)
def neighbourhood_curve(dataset: Dataset, whole: Whole) -> View:
    """How much of the pull on the winner reaches a unit, by their distance, as the map learns."""
    c = numbers(whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(whole: Whole) -> NeighbourhoodCurve:
    """The neighbourhood at evenly spaced moments, up to the width of the lattice."""
    fit: Any = whole.fit
    steps = np.asarray(fit.shown)
    steps = np.unique(steps[np.linspace(0, len(steps) - 1, MOMENTS).round().astype(int)])
    apart = np.linspace(0.0, max(float(fit.lattice.width), 1.0), POINTS)
    pulls = fit.pulls(apart, steps)
    reach = (pulls >= HALF) * apart
    return NeighbourhoodCurve(steps, apart, pulls, reach.max(axis=1))


def draw(c: NeighbourhoodCurve) -> go.Figure:
    """A curve a moment, from dark to light as the run goes on."""
    shades = sample_colorscale(SEQUENTIAL, np.linspace(DARK, LIGHT, len(c.steps)).tolist())
    curves = [
        go.Scatter(
            x=c.apart, y=pull, mode="lines", name=_moment(c, k),
            line={"color": shade, "dash": dash_of(k), "width": 2.5},
            hovertemplate=f"{_moment(c, k)}<br>%{{y:.3f}} of the pull, "
            "%{x:.2f} from the winner<extra></extra>",
        )
        for k, (pull, shade) in enumerate(zip(c.pulls, shades, strict=True))
    ]  # fmt: skip
    return figure(
        *curves,
        height=HEIGHT,
        xaxis={"title": {"text": "Distance from the winner on the lattice"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Share of its pull"}, "range": [0, 1.05]},
        showlegend=True,
    )


def _moment(c: NeighbourhoodCurve, k: int) -> str:
    return "start" if c.steps[k] == 0 else f"step {spaced(int(c.steps[k]))}"


def reading(c: NeighbourhoodCurve) -> str:
    """How far half of the pull reaches, first and last, and what the next unit gets at the end."""
    first, last = float(c.halves[0]), float(c.halves[-1])
    beside = float(np.interp(1.0, c.apart, c.pulls[-1]))
    return (
        f"Half of the pull reaches {_far(first)} at the start and {_far(last)} at the end, when "
        f"a unit one step from the winner gets {percent(beside)} of it."
    )


def _far(reach: float) -> str:
    return "the winner alone" if reach == 0.0 else f"{rough(reach)} steps of the lattice"


def table(c: NeighbourhoodCurve) -> tuple[TableColumn, ...]:
    """One line a distance, a column a moment."""
    moments = (TableColumn(_moment(c, k), pull) for k, pull in enumerate(c.pulls))
    return TableColumn("distance on the lattice", c.apart), *moments
