"""Every method of a comparison in every fold: a dot a fold, the same fold joined by a line."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.names import wrapped
from figures.numbers.comparisons import Row, of_best_mean, rows_of
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import BASELINE, metric_of
from mlcore.spine.wording import count, listed, number, plural, rough

ROW, ROOM = 38, 60  # pixels of a method, and of the axis
LONGEST_LABEL = 28  # letters of a line
MOST_LINES = 100  # folds that are joined; more lines would be a grey area


class MethodDots(NamedTuple):
    """One score of every method in every fold."""

    rows: tuple[Row, ...]  # those that have the score, the baseline first, then the best
    folds: np.ndarray  # (J,) from 1, those that every row has
    joined: np.ndarray  # (J, rows)
    firsts: np.ndarray  # (rows,) folds of these in which a method is best, ties shared
    metric: Metric


@view(
    "method_dots",
    title="Scores by fold",
    sources=("epfl:cv_std_overfit",),
    synonyms=("cross-validation scores by fold",),
)
def method_dots(comparison: ComparisonOutcome, metric: str = "") -> View:
    """A dot a fold and method, the same fold joined, with the mean and its interval."""
    m = numbers(comparison, metric)
    note = f"{m.metric.heading}; a line joins the same fold"
    return joined(m, draw, reading, table, note=note)


def numbers(comparison: ComparisonOutcome, metric: str = "") -> MethodDots:
    """The rows with scores, and the folds that all of them have."""
    measure = metric_of(comparison, metric)
    rows = tuple(row for row in rows_of(comparison.entrants, measure) if row.done)
    values = np.array([row.values for row in rows]).T
    common = np.isfinite(values).all(axis=1)
    return MethodDots(
        rows, np.flatnonzero(common) + 1, values[common], _firsts(rows, values[common], measure),
        measure,
    )  # fmt: skip


def _firsts(rows: tuple[Row, ...], values: np.ndarray, metric: Metric) -> np.ndarray:
    """In how many folds each method is the best, shape (rows,); ties are shared."""
    sign = 1 if metric.better == "higher" else -1
    methods = np.array([row.which != BASELINE for row in rows])
    signed = np.where(methods, sign * values, -np.inf)
    best = (signed == signed.max(axis=1, keepdims=True)) & methods
    return (best / np.maximum(best.sum(axis=1, keepdims=True), 1)).sum(axis=0)


def draw(m: MethodDots) -> go.Figure:
    """A row a method; the bar is the interval of the mean."""
    n = len(m.rows)
    fig = figure(
        height=ROOM + ROW * n,
        xaxis={"title": {"text": m.metric.title}},
        yaxis={
            "tickvals": list(range(n)), "range": [n - 0.5, -0.5], "showgrid": False,
            "ticktext": [wrapped(row.label, LONGEST_LABEL) for row in m.rows], "ticks": "",
            "showline": False,
        },
        showlegend=False,
    )  # fmt: skip
    if len(m.folds) <= MOST_LINES:
        fig.add_trace(_lines(m))
    for at, row in enumerate(m.rows):
        fig.add_traces([_dots(row, at, m.metric), _mean(row, at, m.metric)])
    return fig


def _lines(m: MethodDots) -> go.Scatter:
    """One broken line: through all methods, fold after fold; the baseline is no method."""
    first = 1 if m.rows[0].which == BASELINE else 0
    gap = np.full((len(m.folds), 1), np.nan)
    x = np.hstack([m.joined[:, first:], gap]).ravel()
    y = np.tile([*map(float, range(first, len(m.rows))), np.nan], len(m.folds))
    style = {"color": faded(LIGHT.quiet, 0.25), "width": 1}
    return go.Scatter(x=x, y=y, mode="lines", line=style, hoverinfo="skip")


def _dots(row: Row, at: int, metric: Metric) -> go.Scatter:
    known = np.flatnonzero(np.isfinite(row.values))
    marker = {"symbol": "circle-open", "size": 8, "color": _color(row), "line": {"width": 1.4}}
    return go.Scatter(
        x=row.values[known],
        y=np.full(len(known), at),
        mode="markers",
        marker=marker | {"opacity": 0.75},
        name=row.label,
        text=[f"fold {k + 1}" for k in known],
        hovertemplate=f"{row.label}, %{{text}}<br>{metric.title} %{{x:.4~g}}<extra></extra>",
    )


def _mean(row: Row, at: int, metric: Metric) -> go.Scatter:
    known = row.interval.is_known
    error: dict[str, Any] = {"symmetric": False, "color": _color(row), "thickness": 2.5, "width": 6}
    error |= {"array": [row.interval.high - row.mean], "arrayminus": [row.mean - row.interval.low]}
    return go.Scatter(
        x=[row.mean],
        y=[at],
        mode="markers",
        marker={"symbol": "diamond", "size": 11, "color": _color(row)},
        error_x=error if known else None,
        name=f"mean of {row.label}",
        hovertemplate=f"mean of {row.label}<br>{metric.title} %{{x:.4~g}}<extra></extra>",
    )


def _color(row: Row) -> str:
    return LIGHT.quiet if row.which == BASELINE else LIGHT.accent


def reading(m: MethodDots) -> str:
    """The highest mean, and in how many folds that method is the best."""
    methods = [at for at, row in enumerate(m.rows) if row.which != BASELINE]
    best = methods[0]
    row, names = m.rows[best], [each.label for each in of_best_mean(m.rows)]
    text = f"{listed(names)} {plural(len(names), 'has', 'share')} the best mean, "
    text += f"{number(row.mean)}, over {count(row.done, 'fold')}."
    most = max(methods, key=lambda at: m.firsts[at])
    share = f"{rough(float(m.firsts[most]))} of {len(m.folds)}"
    if not len(m.folds):
        return f"{text} No fold has the score of every method."
    if most == best:
        return f"{text} It is first in {share} folds, ties shared."
    return f"{text} {m.rows[most].label} is first most often, in {share} folds, ties shared."


def table(m: MethodDots) -> tuple[TableColumn, ...]:
    """One line a fold that any method has."""
    folds = np.arange(1, max(len(row.values) for row in m.rows) + 1)
    return (TableColumn("fold", folds), *(TableColumn(row.label, row.values) for row in m.rows))
