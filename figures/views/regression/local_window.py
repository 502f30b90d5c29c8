"""A local regression at one place: the window, and the polynomial that is fitted in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import CURVE, HEIGHT, named_axis, value_text
from figures.drawing.words import fitted_on
from figures.options import ANY_AXES, Axes, Options
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.regression import fit_plot
from figures.views.regression.fit_plot import FitPlot
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import HasLocalModels
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Predicts
from mlcore.spine.errors import DataError
from mlcore.spine.params import real
from mlcore.spine.wording import count, rough

COUNTS = 0.01  # of the largest weight: rows below it are of no account
DRAWN = 0.05  # the polynomial is drawn as far as rows of this weight reach
SMALL, LARGE = 4.0, 14.0  # sizes of marks, of weight 0 and 1


@dataclass(frozen=True, kw_only=True)
class Place(Options):
    """Where the window stands."""

    place: float = real(
        0.3,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        label="Place",
        doc="Where on the axis the window stands: 0 is its left end, 1 its right.",
    )


class LocalWindow(NamedTuple):
    """The curve of `fit_plot`, the weights of the rows at one place, and the polynomial there."""

    fit: FitPlot
    k: int  # number of the place among those of the curve
    x: np.ndarray  # (n,) fitted rows on the axis
    y: np.ndarray  # (n,)
    rows: np.ndarray  # (n,) their numbers in the table
    weights: np.ndarray  # (n,) the largest 1
    model: np.ndarray  # (g,) the polynomial along the axis; NaN where no row counts


@view(
    "local_window",
    title="The window at one place",
    asks=(Predicts, HasLocalModels),
    options=Place,
    on="regression report",
    order=146,
    sources=("s841:kernel_smoother_locality",),
    synonyms=("kernel weights", "local polynomial", "smoothing window"),
)
def local_window(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: Place) -> View:
    """Rows sized by their weight at one place, and the polynomial that gives the curve there."""
    w = numbers(dataset, whole, x=axes.x, place=options.place)
    note = fitted_on(dataset, whole)
    return joined(w, draw, reading, table, note=note, rows=None)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", place: float = 0.3) -> LocalWindow:
    """The window along column x. Raises DataError where it has names and no places."""
    f = fit_plot.numbers(dataset, whole, x=x)
    if f.on.column.levels:
        raise DataError("A window stands at a place of a quantity; choose such a column as axis.")
    k = round(place * (len(f.at) - 1))
    places = whole.prepared.transform(f.grid)
    at = places[k : k + 1]
    prepared = whole.prepared.transform(dataset.X)
    x_of = dataset.X[:, [c.name for c in dataset.columns].index(f.on.column.name)]
    seen = np.flatnonzero(np.isfinite(x_of))
    weights = whole.fit.window_weights(at, prepared[seen])
    model = whole.fit.local_model(at, places)
    reach = np.abs(x_of[seen] - f.at[k])[weights >= DRAWN].max(initial=0.0)
    model = np.where(np.abs(f.at - f.at[k]) <= reach, model, np.nan)
    y = np.asarray(dataset.y, dtype=np.float64)[seen]
    return LocalWindow(f, k, x_of[seen], y, dataset.rows[seen], weights, model)


def draw(w: LocalWindow) -> go.Figure:
    """Rows as large as they count, the curve faint, the polynomial and its value at the place."""
    f = w.fit
    fig = figure(
        _rows(w),
        go.Scatter(
            x=f.at, y=f.curve, mode="lines", uid=CURVE, name="prediction",
            line={"color": faded(LIGHT.accent, 0.5), "width": 2},
        ),
        go.Scatter(
            x=f.at, y=w.model, mode="lines", name="fitted in the window",
            line={"color": CLASS_COLORS[1], "width": 2.5},
        ),
        go.Scatter(
            x=[f.at[w.k]], y=[f.curve[w.k]], mode="markers", name="value at the place",
            marker={"size": 13, "color": LIGHT.accent, "line": {"width": 2, "color": LIGHT.halo}},
        ),
        height=HEIGHT,
        xaxis=named_axis(f.on.column),
        yaxis={"title": {"text": f.target}},
        showlegend=True,
    )  # fmt: skip
    return across(fig, x=f.at[w.k], line={"color": LIGHT.quiet, "dash": "dot", "width": 1})


def _rows(w: LocalWindow) -> go.Scatter:
    return go.Scatter(
        x=w.x,
        y=w.y,
        mode="markers",
        name="rows, by their weight",
        marker={
            "color": faded(CLASS_COLORS[0], 0.6),
            "size": SMALL + (LARGE - SMALL) * w.weights,
            "line": {"width": 0.5},  # of the halo: by itself blue is hardly seen on dark
        },
        customdata=np.column_stack([w.rows + 1, w.weights]),
        hovertemplate="row %{customdata[0]}<br>weight %{customdata[1]:.3f}<extra></extra>",
    )


def reading(w: LocalWindow) -> str:
    """How many rows decide at the place, how far they lie, and the value there."""
    f, at = w.fit, value_text(w.fit.on.column, w.fit.at[w.k])
    used = w.weights >= COUNTS
    far = float(np.abs(w.x - f.at[w.k])[used].max(initial=0.0))
    text = f"At {f.on.column.name} {at} the prediction is {rough(float(f.curve[w.k]))}. "
    text += f"{count(int(used.sum()), 'row')} of {len(w.x)} count there, the farthest "
    return f"{text}{rough(far)} away on this axis. {f.fixed}".strip()


def table(w: LocalWindow) -> tuple[TableColumn, ...]:
    """One line a row, the weightiest first."""
    order = np.argsort(-w.weights, kind="stable")
    return (
        TableColumn("row", w.rows[order] + 1),
        TableColumn(w.fit.on.column.name, w.x[order]),
        TableColumn(w.fit.target, w.y[order]),
        TableColumn("weight", w.weights[order]),
    )
