"""The score header: a dot a fold, their mean and standard deviation, and the baseline."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.left_out import note_of
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.carry import Outcome
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import unknown
from mlcore.spine.wording import count, deviation, in_sentence, number

HEIGHT = 120
UNSEEN = 5e-4  # of the mean
NAMED = 1  # levels above the dots for the name of the baseline
DOT = 10  # pixels
ACROSS = 60  # dots side by side that fill the axis, which decides who stands on whom
MARGIN = 0.08  # of the range, beyond the outermost mark


class FoldDots(NamedTuple):
    """One score of every fold that has it."""

    metric: Metric
    folds: np.ndarray  # (k,) from 1
    values: np.ndarray  # (k,) on the rows that the metric names
    fitted: np.ndarray  # (k,) on the training rows; NaN where the metric names its own
    baselines: np.ndarray  # (k,) of the baseline, on the same rows as `values`
    level: np.ndarray  # (k,) from 0: how many dots stand below this one
    mean: float
    spread: float  # standard deviation, divisor k - 1; NaN for one fold
    baseline: float
    baseline_title: str
    planned: int
    failed: int
    low: float
    high: float


@view(
    "fold_dots",
    title="Score",
    sources=("epfl:cv_std_overfit", "epfl:baseline_compare"),
    synonyms=("cross-validation scores",),
)
def fold_dots(outcome: Outcome, metric: str = "") -> View:
    """One dot a fold on the axis of the score, with mean, standard deviation and baseline."""
    s = numbers(outcome, metric)
    note = note_of(outcome, s.metric)
    return joined(s, draw, reading, table, note=note)


def numbers(outcome: Outcome, metric: str = "") -> FoldDots:
    """The score called `metric` (the first of the scoring, where empty) of every fold."""
    measure = _metric(outcome, metric)
    name = measure.name
    values = outcome.values(name)
    known = np.isfinite(values)
    baseline = outcome.mean(name, "baseline")
    low, high = _range(values[known], baseline)
    return FoldDots(
        metric=measure,
        folds=np.array([fold.k + 1 for fold in outcome.done])[known],
        values=values[known],
        fitted=outcome.values(name, "fitted_scores")[known],
        baselines=outcome.values(name, "baseline")[known],
        level=stacked(values[known], (high - low) / ACROSS),
        mean=outcome.mean(name),
        spread=outcome.spread(name),
        baseline=baseline,
        baseline_title=outcome.judge.baseline_name(measure),
        planned=outcome.planned,
        failed=len(outcome.folds) - len(outcome.done),
        low=low,
        high=high,
    )


def _metric(outcome: Outcome, name: str) -> Metric:
    measures = {m.name: m for m in outcome.judge.metrics()}
    if name and name not in measures:
        raise ParamError(unknown(name, measures, "score of this run"))
    return measures[name or next(iter(measures))]


def stacked(values: np.ndarray, width: float) -> np.ndarray:
    """The level of each dot when dots closer than `width` stand on one another, shape (k,)."""
    level = np.zeros(len(values), dtype=np.int64)
    tops: list[float] = []  # the last value placed on each level
    for i in np.argsort(values, kind="stable"):
        level[i] = next((j for j, v in enumerate(tops) if values[i] - v >= width), len(tops))
        tops[level[i] : level[i] + 1] = [float(values[i])]
    return level


def _range(values: np.ndarray, baseline: float) -> tuple[float, float]:
    shown = np.append(values, baseline)
    shown = shown[np.isfinite(shown)]
    if len(shown) == 0:
        return 0.0, 1.0
    wide = np.ptp(shown) or max(abs(shown[0]), 1.0) * 0.2
    return float(shown.min() - MARGIN * wide), float(shown.max() + MARGIN * wide)


def draw(s: FoldDots) -> go.Figure:
    """Dots from the axis upwards; the box is one standard deviation to either side."""
    top = max(int(s.level.max(initial=0)) + 1, 4)
    fig = figure(
        height=HEIGHT,
        xaxis={"range": [s.low, s.high], "showgrid": False, "nticks": 8},
        yaxis={"range": [-0.7, top + NAMED], "visible": False, "fixedrange": True},
        showlegend=False,
    )
    if np.isfinite(s.spread):
        box = {"y0": -0.6, "y1": top - 0.3, "line_width": 0, "layer": "below"}
        fill = faded(LIGHT.accent, 0.13)
        fig.add_shape(x0=s.mean - s.spread, x1=s.mean + s.spread, fillcolor=fill, **box)
    if np.isfinite(s.mean):
        _upright(fig, s.mean, top, {"color": LIGHT.accent, "width": 2.5})
    if np.isfinite(s.baseline):
        _baseline(fig, s, top)
    return fig.add_trace(_dots(s))


def _dots(s: FoldDots) -> go.Scatter:
    size = DOT if s.level.max(initial=0) < 4 else 6
    marker = {"symbol": "circle-open", "size": size, "color": LIGHT.accent, "line": {"width": 1.8}}
    return go.Scatter(
        x=s.values,
        y=s.level,
        mode="markers",
        marker=marker,
        text=[f"fold {k}" for k in s.folds],
        hovertemplate=f"%{{text}}<br>{s.metric.title} %{{x:.4~g}}<extra></extra>",
    )


def _baseline(fig: go.Figure, s: FoldDots, top: int) -> None:
    style = {"color": LIGHT.quiet, "width": 1.8, "dash": "dot"}
    _upright(fig, s.baseline, top + NAMED, style)
    is_left = s.baseline < (s.low + s.high) / 2  # the name goes where there is room for it
    fig.add_annotation(
        x=s.baseline,
        y=top + NAMED,  # above box and mean, which it may cross
        text=f"{in_sentence(s.baseline_title)} {number(_seen(s))}",
        xanchor="left" if is_left else "right",
        yanchor="top",
        xshift=6 if is_left else -6,
    )


def _seen(s: FoldDots) -> float:
    """The baseline, or 0 where nobody could tell them apart beside the mean."""
    return s.baseline if abs(s.baseline) > UNSEEN * abs(s.mean) else 0.0


def _upright(fig: go.Figure, x: float, top: int, style: dict[str, Any]) -> None:
    fig.add_shape(type="line", x0=x, x1=x, y0=-0.7, y1=top, line=style)


def reading(s: FoldDots) -> str:
    """Mean, spread and number of folds, then the baseline."""
    if not len(s.values):
        return f"{s.metric.title} is defined in no fold."
    left = f"{s.metric.heading} is {number(s.mean)}"
    if np.isfinite(s.spread):
        left += f" with a standard deviation of {deviation(s.spread, s.mean)}"
    left += f" over {count(len(s.values), 'fold')}."
    if s.failed:
        left += f" {count(s.failed, 'fold')} failed."
    return left + _against_baseline(s)


def _against_baseline(s: FoldDots) -> str:
    if not np.isfinite(s.baseline):
        return ""
    gain = s.values - s.baselines if s.metric.better == "higher" else s.baselines - s.values
    better = int((gain > 0).sum())
    who = in_sentence(s.baseline_title)
    return (
        f" The baseline, {who}, reaches {number(_seen(s))} and is beaten in {better} of "
        f"{len(s.values)}."
    )


def table(s: FoldDots) -> tuple[TableColumn, ...]:
    """One line a fold."""
    return (
        TableColumn("fold", s.folds),
        TableColumn(f"{s.metric.name}", s.values),
        TableColumn(f"{s.metric.name} on the training rows", s.fitted),
        TableColumn(f"{s.metric.name} of the baseline", s.baselines),
    )
