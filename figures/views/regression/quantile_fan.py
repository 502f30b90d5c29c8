"""The quantiles of the target along one column: a fan of lines over the rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE, HEIGHT, dated, named_axis, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.planes import Axis, axis, pair, places, ranking, span, typical
from figures.numbers.target import target_of
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, band, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.quantile_scores import shares_below
from mlcore.runs.carry import Whole
from mlcore.spine.quantiles import GivesQuantiles
from mlcore.spine.wording import percent

POINTS = 200  # of a line


class QuantileFan(NamedTuple):
    """The rows, and a line a quantile."""

    on: Axis
    at: np.ndarray  # (g,) places on the axis
    grid: np.ndarray  # (g, p) rows of the data at these places
    levels: np.ndarray  # (k,) ascending
    lines: np.ndarray  # (g, k)
    cloud: Cloud
    target: str
    below: np.ndarray  # (k,) share of the fitted rows at or below each quantile
    fixed: str  # at what the other columns are held


@view(
    "quantile_fan",
    title="Fan of quantiles",
    asks=GivesQuantiles,
    on="regression report compare",
    order=143,
    synonyms=("prediction interval", "fan chart", "conditional quantiles", "coverage"),
)
def quantile_fan(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Each quantile along one column, over the rows; other columns held at their median."""
    f = numbers(dataset, whole, x=axes.x)
    return joined(f, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "") -> QuantileFan:
    """The lines along column x, by default the one that goes best with the target."""
    fit: Any = whole.fit
    first = pair(dataset, x)[0] if x else ranking(dataset)[0]
    on = axis(dataset, first)
    at = on.cells if on.column.levels else np.linspace(*span(dataset.X[:, first]), POINTS)
    grid = np.tile(typical(dataset.X, dataset.columns), (len(at), 1))
    grid[:, first] = at
    lines = fit.predict_quantiles(whole.prepared.transform(grid))
    truth = np.asarray(whole.prepared.y)
    below = shares_below(truth, fit.predict_quantiles(whole.prepared.X))
    klass = np.zeros(dataset.n, dtype=np.int64)
    cloud = seen(Cloud(places(dataset, on), target_of(dataset), dataset.rows, klass, ()))
    p = len(dataset.columns)
    fixed = "" if p == 1 else f"A slice: the other {p - 1 or ''} columns held at the median."
    return QuantileFan(
        on, at, grid, fit.levels, lines, cloud, dataset.target or "", below,
        fixed.replace("the other 1 columns", "the other column"),
    )  # fmt: skip


def draw(f: QuantileFan) -> go.Figure:
    """Bands between quantiles that lie as far from the median, the lines above, the rows behind."""
    fig = figure(
        *points_of(f.cloud, kinds=(f.on.column.kind, "number")),
        height=HEIGHT,
        xaxis=named_axis(f.on.column),
        yaxis={"title": {"text": f.target}},
        showlegend=False,
    )
    fig.update_traces(marker_opacity=0.6)
    x, k = dated(f.at, f.on.column.kind), len(f.levels)
    if not f.on.column.levels:
        for j in range(k // 2):
            sides = np.concatenate([f.lines[:, k - 1 - j], f.lines[::-1, j]])
            fig.add_trace(_band(np.concatenate([x, x[::-1]]), sides, j))
    for j in range(k):
        fig.add_trace(_line(f, x, j))
    return _named(fig, f, x)


def _band(x: np.ndarray, y: np.ndarray, j: int) -> go.Scatter:
    return go.Scatter(
        x=x, y=y, fill="toself", fillcolor=band(LIGHT.accent), mode="none", hoverinfo="skip",
        uid=f"band {j}",
    )  # fmt: skip


def _line(f: QuantileFan, x: np.ndarray, j: int) -> go.Scatter:
    is_middle = abs(f.levels[j] - 0.5) == np.abs(f.levels - 0.5).min()
    name = f"quantile {f.levels[j]:g}"
    return go.Scatter(
        x=x,
        y=f.lines[:, j],
        mode="markers" if f.on.column.levels else "lines",
        marker={"symbol": "line-ew", "size": 40, "line": {"width": 2, "color": LIGHT.accent}},
        line={"color": LIGHT.accent, "width": 2.5 if is_middle else 1.2},
        name=name,
        uid=f"{CURVE} {j}",
        hovertemplate=f"{name}<br>%{{xaxis.title.text}} %{{x}}<br>%{{y:.5~g}}<extra></extra>",
    )


def _named(fig: go.Figure, f: QuantileFan, x: np.ndarray) -> go.Figure:
    """The outer quantiles and that of the middle by their share, at their ends."""
    k = len(f.levels)
    font = {"color": LIGHT.text, "size": 12}
    for j in sorted({0, int(np.abs(f.levels - 0.5).argmin()), k - 1}):
        fig.add_annotation(
            x=x[-1], y=float(f.lines[-1, j]), text=f"{f.levels[j]:g}", font=font,
            xanchor="left", xshift=6,
        )  # fmt: skip
    return fig.update_layout(margin_r=48)


def step(f: QuantileFan, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: every line, and the bands between them."""
    fit: Any = whole.fit
    lines = fit.predict_quantiles(whole.prepared.transform(f.grid))
    k = lines.shape[1]
    changes: Changes = {at[f"{CURVE} {j}"]: {"y": lines[:, j]} for j in range(k)}
    for j in range(k // 2):
        if (name := f"band {j}") in at:
            changes[at[name]] = {"y": np.concatenate([lines[:, k - 1 - j], lines[::-1, j]])}
    return changes


def reading(f: QuantileFan) -> str:
    """How many rows the outer interval holds, and where it is narrow and wide."""
    if len(f.levels) == 1:
        text = f"{percent(f.below[0])} of the fitted rows lie at or below the line; "
        return f"{text}{percent(f.levels[0])} should. {f.fixed}".strip()
    inside, wanted = f.below[-1] - f.below[0], f.levels[-1] - f.levels[0]
    width = f.lines[:, -1] - f.lines[:, 0]
    text = (
        f"Between the quantiles {f.levels[0]:g} and {f.levels[-1]:g} lie {percent(inside)} of the "
        f"fitted rows; {percent(wanted)} should. "
    )
    if width.min() <= 0:
        text += "Somewhere they meet: planes would cross there. "
    elif width.max() > 1.2 * width.min():
        text += f"The interval is {width.max() / width.min():.1f} times as wide at its widest. "
    return f"{text}{f.fixed}".strip()


def table(f: QuantileFan) -> tuple[TableColumn, ...]:
    """One line a place."""
    at = [f.on.column.levels[int(v)] for v in f.at] if f.on.column.levels else f.at
    lines = (TableColumn(f"quantile {q:g}", f.lines[:, j]) for j, q in enumerate(f.levels))
    return (TableColumn(f.on.column.name, at), *lines)
