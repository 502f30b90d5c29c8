"""What a method costs, and what it gives for that: score against time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT
from figures.numbers.comparisons import Row, rows_of
from figures.theme import LIGHT, class_color, class_symbol, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import BASELINE, metric_of
from mlcore.spine.errors import DataError
from mlcore.spine.wording import in_sentence, listed, rough


class ScoreTime(NamedTuple):
    """Every method with scores, the fastest first."""

    rows: tuple[Row, ...]  # (k,)
    seconds: np.ndarray  # (k,) of a fold: preparing, fitting and scoring
    scores: np.ndarray  # (k,) means
    is_worth: np.ndarray  # (k,) no faster method is as good
    metric: Metric


@view("score_time", title="Score and time")
def score_time(comparison: ComparisonOutcome, metric: str = "") -> View:
    """The mean score of each method against the time of a fold, and which of them are worth it."""
    s = numbers(comparison, metric)
    note = f"{in_sentence(s.metric.heading)}, against the median time of a fold"
    return joined(s, draw, reading, table, note=note)


def numbers(comparison: ComparisonOutcome, metric: str = "") -> ScoreTime:
    """Times and scores in the order of the times; DataError where no method has both."""
    measure = metric_of(comparison, metric)
    rows = [r for r in rows_of(comparison.entrants, measure) if r.which != BASELINE and r.done]
    if not rows:
        raise DataError(f"No method has a value of {in_sentence(measure.title)}.")
    rows.sort(key=lambda row: row.seconds)
    scores = np.array([row.mean for row in rows])
    return ScoreTime(
        tuple(rows), np.array([row.seconds for row in rows]), scores,
        _worth(scores, measure.better), measure,
    )  # fmt: skip


def _worth(scores: np.ndarray, better: str) -> np.ndarray:
    """Which are better than all that are faster, shape (k,)."""
    gain = scores if better == "higher" else -scores
    before = np.concatenate([[-np.inf], np.maximum.accumulate(gain)[:-1]])
    return gain > before


def draw(s: ScoreTime) -> go.Figure:
    """A step line joins the methods that are worth their time; the others are open."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Seconds of a fold"}} | log_axis(s.seconds),
        yaxis={"title": {"text": s.metric.title}},
        showlegend=True,
    )
    front = np.flatnonzero(s.is_worth)
    line = {"color": faded(LIGHT.quiet, 0.6), "width": 1.5, "dash": "dot", "shape": "hv"}
    fig.add_scatter(
        x=s.seconds[front], y=s.scores[front], mode="lines", line=line, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip
    return fig.add_traces([_mark(s, at) for at in range(len(s.rows))])


def _mark(s: ScoreTime, at: int) -> go.Scatter:
    """One method in a colour and symbol of its own, with the interval of its mean."""
    row, color = s.rows[at], class_color(at)
    ends = row.interval
    error = {"array": [ends.high - ends.mean], "arrayminus": [ends.mean - ends.low]}
    style = {"symmetric": False, "color": faded(color, 0.6), "thickness": 1.5, "width": 0}
    symbol = class_symbol(at)
    return go.Scatter(
        x=s.seconds[at : at + 1],
        y=s.scores[at : at + 1],
        mode="markers",
        name=row.label,
        marker={
            "color": color,
            "size": 12,
            "symbol": symbol if s.is_worth[at] else f"{symbol}-open",
            "line": {"width": 2, "color": color},
        },
        error_y=error | style if ends.is_known else None,
        hovertemplate=f"{row.label}<br>%{{x:.3~g}} s a fold<br>%{{y:.4~g}}<extra></extra>",
    )


def reading(s: ScoreTime) -> str:
    """The methods that are worth their time, and how far apart the times are."""
    worth = [row.label for row, is_worth in zip(s.rows, s.is_worth, strict=True) if is_worth]
    text = f"No faster method is better than {listed(worth)}."
    ratio = float(s.seconds[-1] / s.seconds[0])
    return (
        f"{text} {s.rows[-1].label} takes {rough(ratio)} times as long as {s.rows[0].label}. "
        "Times vary with what else the machine does."
    )


def table(s: ScoreTime) -> tuple[TableColumn, ...]:
    """One line a method."""
    return (
        TableColumn("method", [row.label for row in s.rows]),
        TableColumn("seconds of a fold", s.seconds),
        TableColumn(s.metric.name, s.scores),
        TableColumn("no faster one is as good", s.is_worth),
    )
