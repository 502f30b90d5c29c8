"""How rows are spread along one coordinate, by class, beside a normal curve of that spread."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.histograms import BINS, density_bars, normal_curve
from figures.drawing.traces import HEIGHT
from figures.drawing.words import fitted_on
from figures.options import Options, among
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.reduction.embedding_scatter import coordinates, numbered_coordinates
from mlcore.data.dataset import Dataset
from mlcore.reduction.capabilities import HasSources
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Transforms
from mlcore.spine.capabilities_of_groups import HasGraph, HasLattice
from mlcore.spine.params import integer
from mlcore.spine.wording import fixed, listed

SURE = 1.96  # standard errors that chance seldom passes


@dataclass(frozen=True, kw_only=True)
class HistogramOptions(Options):
    """The coordinate that is drawn."""

    coordinate: int = among(
        integer(1, low=1, soft=(1, 10), label="Coordinate", doc="Along which rows are counted."),
        numbered_coordinates,
    )


class Histogram(NamedTuple):
    """The rows along one coordinate."""

    name: str
    values: np.ndarray  # (n,)
    edges: np.ndarray  # (b + 1,)
    heights: np.ndarray  # (K, b) density of all rows, the part of each class; K is 1 without
    classes: tuple[str, ...]  # (K,) that have rows; none where there are none
    codes: tuple[int, ...]  # (K,) their positions among the classes of the data
    skewness: float  # NaN where all values are one
    excess: float  # kurtosis beyond that of a normal distribution, alike

    @property
    def spread(self) -> float:
        """The standard deviation of the rows."""
        return float(self.values.std())


@view(
    "projection_histogram",
    title="Rows along a coordinate",
    asks=Transforms,
    # A map of units or of neighbours has no direction; sources have this beside their course.
    unless=(HasLattice, HasGraph, HasSources),
    options=HistogramOptions,
    on="reduction report",
    order=227,
    sources=("epfl:ica_density_recovery",),
    synonyms=("projection", "density of a component", "normality", "skewness", "kurtosis"),
)
def projection_histogram(dataset: Dataset, whole: Whole, *, options: HistogramOptions) -> View:
    """How often rows have which value of a coordinate, and the normal density of their spread.

    Bars of classes stand on one another. Two humps, or tails that are longer than those of the
    curve, are what a variance alone does not tell.
    """
    h = numbers(dataset, whole, options.coordinate - 1)
    return joined(h, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, k: int = 0) -> Histogram:
    """Coordinate k, counted from 0, of all rows."""
    Z, names = coordinates(dataset, whole)
    values = Z[:, k]
    edges = np.histogram_bin_edges(values, min(BINS, max(int(sqrt(len(values))), 1)))
    codes: tuple[int, ...] = ()
    members = [values]
    if dataset.classes and dataset.y is not None:
        codes = tuple(int(c) for c in np.unique(dataset.y) if c >= 0)
        members = [values[dataset.y == c] for c in codes]
    area = sum(map(len, members)) * np.diff(edges)
    heights = np.array([np.histogram(own, edges)[0] / area for own in members])
    classes = tuple(dataset.classes[c] for c in codes)
    return Histogram(names[k], values, edges, heights, classes, codes, *_moments(values))


def _moments(values: np.ndarray) -> tuple[float, float]:
    """Skewness and excess kurtosis of n values."""
    spread = float(values.std())
    if not spread > 0:
        return float("nan"), float("nan")
    z = (values - values.mean()) / spread
    return float((z**3).mean()), float((z**4).mean()) - 3.0


def draw(h: Histogram) -> go.Figure:
    """Bars by class, and the normal curve over them."""
    fig = figure(
        height=HEIGHT, xaxis={"title": {"text": h.name}}, yaxis={"title": {"text": "Density"}},
        showlegend=True, barmode="stack", bargap=0.0,
    )  # fmt: skip
    if not h.classes:
        fig.add_trace(density_bars(h.heights[0], h.edges, LIGHT.accent, "rows"))
    for name, code, heights in zip(h.classes, h.codes, h.heights, strict=False):
        fig.add_trace(density_bars(heights, h.edges, class_color(code), name))
    if h.spread > 0:
        fig.add_trace(normal_curve(float(h.values.mean()), h.spread))
    return fig


def reading(h: Histogram) -> str:
    """By skewness and kurtosis, whether chance explains what differs from normal."""
    if not np.isfinite(h.skewness):
        return f"All rows have the same value of {h.name}."
    n = len(h.values)
    numbers = f"skewness {fixed(h.skewness)}, excess kurtosis {fixed(h.excess)}"
    ways = [
        way
        for way, is_so in (
            ("leans to one side", abs(h.skewness) > SURE * sqrt(6 / n)),
            ("has longer tails", h.excess > SURE * sqrt(24 / n)),
            ("is flatter, or has several humps", h.excess < -SURE * sqrt(24 / n)),
        )
        if is_so
    ]
    if not ways:
        return f"{h.name} is no farther from normal than chance: {numbers}."
    return f"{h.name} {listed(ways)}, more than normal rows would by chance: {numbers}."


def table(h: Histogram) -> tuple[TableColumn, ...]:
    """One line a bin."""
    ends = (TableColumn("from", h.edges[:-1]), TableColumn("to", h.edges[1:]))
    names = [f"density, {c}" for c in h.classes] or ["density"]
    return (*ends, *(TableColumn(n, v) for n, v in zip(names, h.heights, strict=True)))
