"""A curve taken apart: what each fitted row adds to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import CURVE, HEIGHT, named_axis
from figures.drawing.words import fitted_on
from figures.options import ANY_AXES, Axes
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.regression import fit_plot
from figures.views.regression.fit_plot import FitPlot
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import GivesContributions
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Predicts
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent, rough

MOST_BUMPS = 40  # rows that are drawn; more are a grey wall
SHARE = 0.5


class Bumps(NamedTuple):
    """The curve of `fit_plot` and the parts that it is the sum of."""

    fit: FitPlot
    parts: np.ndarray  # (g, r) in units of the target, the largest first
    rest: np.ndarray  # (g,) the others together
    intercept: float
    n: int  # rows that add something

    @property
    def cancelled(self) -> float:
        """Of what rows add, the share that others take away, on the mean along the curve."""
        parts = np.abs(self.parts).sum(axis=1) + np.abs(self.rest)
        total = np.abs(self.parts.sum(axis=1) + self.rest)
        return float(1.0 - total.sum() / (parts.sum() or 1.0))


@view(
    "kernel_bumps",
    title="What each row adds",
    asks=(Predicts, GivesContributions),
    on="regression gaussian_process report",
    order=148,
    sources=("prac:krr",),
    synonyms=("representer theorem", "kernel expansion", "dual coefficients"),
)
def kernel_bumps(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """The curve along one column as a sum of bumps, one a fitted row, on the intercept."""
    b = numbers(dataset, whole, x=axes.x)
    return joined(b, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, x: str = "") -> Bumps:
    """The parts along column x. Raises DataError where it has names and no curve."""
    f = fit_plot.numbers(dataset, whole, x=x)
    if f.on.column.levels:
        raise DataError("A curve is taken apart along a quantity; choose such a column as axis.")
    parts = whole.fit.contributions(whole.prepared.transform(f.grid))
    order = np.argsort(-np.abs(parts).max(axis=0), kind="stable")
    shown, others = order[:MOST_BUMPS], order[MOST_BUMPS:]
    n = int((np.abs(parts).max(axis=0) > 0).sum())
    rest = parts[:, others].sum(axis=1)
    return Bumps(f, parts[:, shown], rest, float(whole.fit.intercept), n)


def draw(b: Bumps) -> go.Figure:
    """Bumps thin above and below the intercept, their sum in the accent colour."""
    fig = figure(
        _bumps(b),
        go.Scatter(
            x=b.fit.at,
            y=b.fit.curve,
            mode="lines",
            line={"color": LIGHT.accent, "width": 2.5},
            name="prediction, their sum",
            uid=CURVE,
            hovertemplate="%{x}<br>predicted %{y:.5~g}<extra></extra>",
        ),
        height=HEIGHT,
        xaxis=named_axis(b.fit.on.column),
        yaxis={"title": {"text": b.fit.target}},
        showlegend=True,
    )
    return across(fig, y=b.intercept, line={"color": LIGHT.quiet, "dash": "dot", "width": 1})


def _bumps(b: Bumps) -> go.Scatter:
    """All bumps as one trace, parted by gaps."""
    gap = np.full((1, b.parts.shape[1]), np.nan)
    x = np.append(b.fit.at, np.nan)
    return go.Scatter(
        x=np.tile(x, b.parts.shape[1]),
        y=(b.intercept + np.vstack([b.parts, gap])).T.ravel(),
        mode="lines",
        line={"color": faded(CLASS_COLORS[0], 0.45), "width": 1},
        name="what one row adds",
        hoverinfo="skip",
    )


def reading(b: Bumps) -> str:
    """How many rows add to the curve, the largest part, and how much they take from each other."""
    text = f"{count(b.n, 'row')} {'adds' if b.n == 1 else 'add'} to the curve, on an intercept of "
    text += f"{rough(b.intercept)}"
    text += f", one up to {rough(float(np.abs(b.parts).max(initial=0.0)))} of {b.fit.target}."
    if b.cancelled > SHARE:
        text += f" {percent(b.cancelled)} of what they add, others take away again."
    if len(b.rest) and np.abs(b.rest).max() > 0:
        text += f" The {MOST_BUMPS} largest bumps are drawn."
    return f"{text} {b.fit.fixed}".strip()


def table(b: Bumps) -> tuple[TableColumn, ...]:
    """One line a place of the curve."""
    return (
        TableColumn(b.fit.on.column.name, b.fit.at),
        TableColumn("prediction", b.fit.curve),
        TableColumn("largest bump", np.abs(b.parts).max(axis=1, initial=0.0)),
    )
