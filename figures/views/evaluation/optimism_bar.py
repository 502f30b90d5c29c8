"""How much better a choice looked inside than it is on test rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty, named_line
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.metrics.metric import LEFT_OUT, Metric
from mlcore.evaluation.summary import summary
from mlcore.runs.tuning.tuned import Tuned, settings
from mlcore.spine.wording import count, number

ROW, ROOM = 34, 120  # pixels a fold, and around them
INSIDE = "best inside"


class Optimism(NamedTuple):
    """The two scores of every outer fold."""

    metric: Metric
    folds: np.ndarray  # (k,) from 1
    inner: np.ndarray  # (k,) best inner score
    outer: np.ndarray  # (k,) score of that choice in the outer fold
    chosen: tuple[str, ...]  # (k,) settings
    overall: str  # settings that all rows choose; empty before that is done
    optimism: float  # mean of what the inner score promised too much
    baseline: float
    planned: int


@view(
    "optimism_bar",
    title="Optimism of tuning",
    sources=("cs1:nested_cv", "prac:nested_selection"),
    synonyms=("nested cross-validation",),
)
def optimism_bar(tuned: Tuned) -> View:
    """Best inner score, hollow, and the score of that choice outside, solid, in every fold."""
    return joined(
        numbers(tuned), draw, reading, table, note="inner folds choose, outer folds score"
    )


def numbers(tuned: Tuned) -> Optimism:
    """Of the outer folds that have a score."""
    done = tuned.scored
    baselines = [s.fold.baseline.get(tuned.metric.name, np.nan) for s in done if s.fold]
    overall = tuned.overall
    return Optimism(
        tuned.metric,
        np.array([s.stage + 1 for s in done], dtype=np.int64),
        tuned.inner,
        tuned.outer,
        tuple(settings(tuned.candidates[s.best]) for s in done),
        "" if overall is None else settings(tuned.candidates[overall.best]),
        tuned.optimism,
        summary(baselines).mean,
        tuned.planned,
    )


def draw(o: Optimism) -> go.Figure:
    """A line a fold from the promise to what came of it."""
    if not len(o.folds):
        return empty("No outer fold is done yet.", ROOM + ROW)
    names = [f"fold {k}" for k in o.folds]
    x = np.column_stack([o.inner, o.outer, np.full(len(names), np.nan)]).ravel()
    y = [name for name in names for _ in range(3)]
    hover = "%{y}<br>%{x:.5~r}<br>%{text}<extra>%{fullData.name}</extra>"
    hollow = {"symbol": "circle-open", "size": 12, "color": class_color(1), "line": {"width": 2}}
    solid = {"symbol": "circle", "size": 12, "color": class_color(0)}
    fig = figure(
        go.Scatter(x=x, y=y, mode="lines", line={"color": LIGHT.quiet, "width": 1.5},
                   hoverinfo="skip", showlegend=False),
        go.Scatter(x=o.inner, y=names, mode="markers", marker=hollow, name=INSIDE,
                   text=o.chosen, hovertemplate=hover),
        go.Scatter(x=o.outer, y=names, mode="markers", marker=solid, name=_outside(o),
                   text=o.chosen, hovertemplate=hover),
        height=ROOM + ROW * len(names),
        xaxis={"title": {"text": o.metric.title}},
        yaxis={"autorange": "reversed", "showgrid": False},
        showlegend=True,
    )  # fmt: skip
    outside = summary(o.outer)
    named_line(fig, f"mean {number(outside.mean)}", x=outside.mean)
    return fig.update_layout(margin_t=60)


def _outside(o: Optimism) -> str:
    """Where the choice is scored: a metric that names other rows sees none of those left out."""
    return f"on {o.metric.on}" if o.metric.rows == LEFT_OUT else "in the outer folds"


def reading(o: Optimism) -> str:
    """Both means, the optimism, and whether the folds agree."""
    if not len(o.folds):
        return "No outer fold is done yet."
    inner, outer = summary(o.inner).mean, summary(o.outer).mean
    text = f"The choice promised {o.metric.title} {number(inner)} inside and reaches "
    text += f"{number(outer)} {_outside(o)}"
    text += f", a mean over {count(len(o.folds), 'outer fold')}; "
    text += f"the baseline reaches {number(o.baseline)}. "
    text += _verdict(o)
    if len(o.folds) == 1:
        return text
    kinds = len(set(o.chosen))
    agree = "All folds chose the same settings." if kinds == 1 else (
        f"The folds chose {kinds} different settings."
    )  # fmt: skip
    return f"{text} {agree}"


def _verdict(o: Optimism) -> str:
    if o.optimism > 0:
        return f"The inner score was too good by {number(o.optimism)}."
    return "The inner score was not too good here."


def table(o: Optimism) -> tuple[TableColumn, ...]:
    """One line an outer fold."""
    sign = 1 if o.metric.better == "higher" else -1
    return (
        TableColumn("fold", o.folds),
        TableColumn("settings chosen", o.chosen),
        TableColumn(f"{o.metric.name} of the best inside", o.inner),
        TableColumn(f"{o.metric.name} {_outside(o)}", o.outer),
        TableColumn("optimism", sign * (o.inner - o.outer)),
    )
