"""What each class is taken to look like in one column: its density times how common it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, dash_of, dated, empty, named_axis, named_line, value_text
from figures.drawing.words import fitted_on
from figures.numbers.planes import Axis, axis, pair, ranking, span
from figures.numbers.projections import straight_way
from figures.numbers.sampled import drawn_rows
from figures.options import ANY_AXES, Axes
from figures.theme import CLASS_COLORS, band, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import GivesMarginals
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, listed, percent

POINTS = 400  # of a curve
MOST_ROWS = 500  # of a class that are drawn below the curves
MOST_CUTS = 6  # places that are named in the picture and in the sentence
NAME_ROOM = 0.12  # of the axis, that the name of a place takes
# Of the highest curve: all strokes together, less than one tick, and at most those of a class.
STROKES, STROKE = 0.15, 0.03
NO_COLUMN = (
    "No column reaches the method as it is, or only shifted and scaled, and varies within classes, "
    "so there is none along which a density could be drawn."
)


class ClassDensities(NamedTuple):
    """Curves of the classes along one column of the data."""

    on: Axis | None  # None where no column reaches the method straight
    at: np.ndarray  # (g,) places on it, or codes of its levels
    classes: tuple[str, ...]  # (K,)
    codes: np.ndarray  # (K,) their positions among the classes of the data
    heights: np.ndarray  # (g, K) prior times density a unit of the column, or times frequency
    cuts: np.ndarray  # (c,) where another class becomes the likeliest
    x: np.ndarray  # (n,) values of the rows, NaN where missing
    klass: np.ndarray  # (n,)
    wrong: float  # share of these rows whose class is not the likeliest by this column alone
    others: int  # columns beside it


@view(
    "class_densities",
    title="Densities of the classes",
    asks=GivesMarginals,
    on="classification report compare",
    order=119,
    sources=("epfl:bayes_gauss_diag", "s841:naive_bayes_gaussian"),
    synonyms=("class-conditional density", "marginals", "likelihood times prior", "bell curves"),
)
def class_densities(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Prior times density of each class along one column, with the rows below.

    The other columns are integrated out: the highest curve is what this column alone says.
    """
    d = numbers(dataset, whole, x=axes.x)
    return joined(d, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, *, x: str = "") -> ClassDensities:
    """The curves along column x; by default along that which says most about the class."""
    fit: Any = whole.fit
    names = tuple(dataset.classes[int(code)] for code in fit.classes)
    first = [pair(dataset, x)[0]] if x else []
    for j in [*first, *ranking(dataset)]:
        on = axis(dataset, j)
        way = straight_way(dataset, whole.prepared, on)
        if way is not None and _varies(fit, way[0]):
            return _along(dataset, fit, on, way, names)
    nothing = np.empty(0)
    return ClassDensities(
        None, nothing, names, fit.classes, np.empty((0, len(names))), nothing, nothing,
        np.empty(0, dtype=np.int64), np.nan, 0,
    )  # fmt: skip


def _varies(fit: Any, column: int) -> bool:
    """Whether there are densities of a prepared column: within classes it may not vary."""
    return bool(np.isfinite(fit.log_marginals(column, np.zeros(1))).any())


def _along(
    dataset: Dataset, fit: Any, on: Axis, way: tuple[int, float, float], names: tuple[str, ...]
) -> ClassDensities:
    column, scale, shift = way
    x, y = dataset.X[:, on.at], np.asarray(dataset.y)
    at = on.cells if on.column.levels else np.linspace(*span(x), POINTS)

    def heights(values: np.ndarray) -> np.ndarray:
        prepared = (values - shift) / scale
        with np.errstate(under="ignore"):
            if on.column.levels:  # codes, which the way there may have left by rounding
                return np.exp(fit.log_marginals(column, np.rint(prepared)))
            # One of the prepared units is |scale| units of the column.
            return np.exp(fit.log_marginals(column, prepared)) / abs(scale)

    curves = heights(at)
    best = curves.argmax(axis=1)
    changes = np.flatnonzero(np.diff(best)) if not on.column.levels else np.empty(0, dtype=int)
    seen = np.isfinite(x) & (y >= 0)
    by_it = fit.classes[heights(x[seen]).argmax(axis=1)]
    wrong = float(np.mean(by_it != y[seen])) if seen.any() else np.nan
    return ClassDensities(
        on, at, names, fit.classes, curves, (at[changes] + at[changes + 1]) / 2, x, y, wrong,
        len(dataset.columns) - 1,
    )  # fmt: skip


def draw(d: ClassDensities) -> go.Figure:
    """A filled curve a class, or bars of its levels, and a short stroke a row below."""
    if d.on is None:
        return empty(NO_COLUMN)
    fig = figure(height=HEIGHT, showlegend=True, xaxis=named_axis(d.on.column))
    top = float(d.heights.max()) or 1.0
    share = min(STROKE, STROKES / (len(d.classes) + 1))
    for k, (name, code) in enumerate(zip(d.classes, d.codes, strict=True)):
        fig.add_trace(_shape(d, d.on.column, k, name, int(code)))
        if not d.on.column.levels:
            fig.add_trace(_strokes(d, d.on.column, int(code), -share * top * (k + 1), share))
    for cut, is_named in zip(d.cuts[:MOST_CUTS], _apart(d.cuts[:MOST_CUTS], d.at), strict=True):
        text = value_text(d.on.column, cut) if is_named else ""
        named_line(fig, text, x=_one(cut, d.on.column))
    low = 0.0 if d.on.column.levels else -share * top * (len(d.classes) + 1)
    what = "frequency" if d.on.column.levels else "density"
    title = {"text": f"Share of the class times {what}"}
    return fig.update_yaxes(title=title, range=[low, 1.08 * top])


def _apart(cuts: np.ndarray, at: np.ndarray) -> list[bool]:
    """Which places can be named, from the left, without a name on the one before."""
    named, last = [], -np.inf
    for cut in cuts:
        named.append(bool(cut - last >= NAME_ROOM * (at[-1] - at[0])))
        last = cut if named[-1] else last
    return named


def _one(value: float, column: Column) -> Any:
    return dated(np.array([value]), column.kind)[0]


def _shape(d: ClassDensities, column: Column, k: int, name: str, code: int) -> Any:
    color, y = class_color(code), d.heights[:, k]
    if column.levels:
        return go.Bar(x=d.at, y=y, name=name, marker={"color": color},
                      hovertemplate="%{x}<br>%{y:.3~g}<extra>%{fullData.name}</extra>")  # fmt: skip
    return go.Scatter(
        x=dated(d.at, column.kind), y=y, mode="lines", name=name, fill="tozeroy",
        line={"color": color, "width": 2.5, "dash": dash_of(code // len(CLASS_COLORS))},
        fillcolor=band(color),
        hovertemplate="%{x}<br>%{y:.3~g}<extra>%{fullData.name}</extra>",
    )  # fmt: skip


def _strokes(d: ClassDensities, column: Column, code: int, height: float, share: float) -> Any:
    own = d.x[(d.klass == code) & np.isfinite(d.x)]
    own = own[drawn_rows(len(own), MOST_ROWS)]
    look = {"width": 1, "color": class_color(code)}
    marker = {"symbol": "line-ns", "size": 8 * share / STROKE, "line": look}
    return go.Scatter(
        x=dated(own, column.kind), y=np.full(len(own), height), mode="markers", marker=marker,
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def reading(d: ClassDensities) -> str:
    """Where the likeliest class changes, and how far this column alone comes."""
    if d.on is None:
        return NO_COLUMN
    name, column = d.on.column.name, d.on.column
    if column.levels:
        levels = (
            f"{level} ({d.classes[int(k)]})"
            for level, k in zip(column.levels[:MOST_CUTS], d.heights.argmax(axis=1), strict=False)
        )
        text = f"By {name} alone the likeliest class of a level is {listed(levels)}."
    elif not len(d.cuts):
        only = d.classes[int(d.heights[0].argmax())]
        text = f"By {name} alone {only} is the likeliest class everywhere."
    elif len(d.cuts) > MOST_CUTS:
        text = f"By {name} alone the likeliest class changes at {count(len(d.cuts), 'place')}."
    else:
        places = listed(value_text(column, cut) for cut in d.cuts)
        text = f"By {name} alone the likeliest class changes at {places}."
    text += f" That rule would be wrong on {percent(d.wrong)} of the fitted rows."
    if d.others:
        text += f" The method has {count(d.others, 'column')} more to go by."
    return text


def table(d: ClassDensities) -> tuple[TableColumn, ...]:
    """One line a place on the axis."""
    levels = d.on.column.levels if d.on is not None else ()
    name = d.on.column.name if d.on is not None else "column"
    at: Any = tuple(levels) if levels else d.at
    curves = (TableColumn(f"class {n}", d.heights[:, k]) for k, n in enumerate(d.classes))
    return TableColumn(name, at), *curves
