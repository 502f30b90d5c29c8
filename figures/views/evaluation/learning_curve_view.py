"""The learning curve: would more rows help?"""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.bands import score_table, score_traces
from figures.numbers.bands import ScoreCurve, score_curve
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.curves import Curve
from mlcore.spine.wording import in_sentence, number, spaced

HEIGHT = 360
SPREADS = 1.0  # a gain of fewer standard deviations than this over the last doubling is no news


@view(
    "learning_curve_view",
    title="Learning curve",
    sources=("epfl:train_ratio_sweep",),
    synonyms=("training set size", "sample complexity"),
)
def learning_curve_view(curve: Curve) -> View:
    """Score on test rows and on the training rows, by how many rows were fitted."""
    return joined(numbers(curve), draw, reading, table, note="mean and standard deviation")


def numbers(curve: Curve) -> ScoreCurve:
    """Both scores by number of training rows."""
    return score_curve(curve)


def draw(c: ScoreCurve) -> go.Figure:
    """Rows on a log axis: each step to the right doubles them."""
    fig = figure(
        *score_traces([float(v) for v in c.values], c),
        height=HEIGHT,
        xaxis={"title": {"text": "Training rows"}, "type": "log", "dtick": "D2"},
        yaxis={"title": {"text": c.title}},
        showlegend=True,
    )
    if len(c.values) <= 10:
        fig.update_xaxes(tickvals=list(c.values), ticktext=[spaced(int(v)) for v in c.values])
    return fig


def reading(c: ScoreCurve) -> str:
    """The gap at the end, and whether the curve still rises."""
    seen = np.flatnonzero(np.isfinite(c.left_out.mean))
    if not len(seen):
        return f"{c.title} is defined at no point of the curve."
    last = int(seen[-1])
    left, fitted = c.left_out.mean[last], c.fitted.mean[last]
    spread = float(c.left_out.sd[last])
    n = spaced(int(c.values[last]))
    text = (
        f"With {n} rows {in_sentence(c.title)} is {number(left)} on {c.on} and "
        f"{number(fitted)} on the training rows."
        if np.isfinite(fitted)
        else f"With {n} rows {in_sentence(c.heading)} is {number(left)}."
    )
    return f"{text} {_verdict(c, seen, spread)}".strip()


def _verdict(c: ScoreCurve, seen: np.ndarray, spread: float) -> str:
    """Whether the last doubling of the rows was worth it."""
    last = int(seen[-1])
    half = [int(i) for i in seen if c.values[i] <= 0.6 * c.values[last]]
    if not half:
        return ""
    gain = c.left_out.mean[last] - c.left_out.mean[half[-1]]
    gain = gain if c.higher_is_better else -gain
    from_n = spaced(int(c.values[half[-1]]))
    if gain > SPREADS * spread:
        return f"It still gains ({number(abs(gain))} since {from_n} rows), so more rows may help."
    return f"Since {from_n} rows it has gained no more than its noise, so more rows add little."


def table(c: ScoreCurve) -> tuple[TableColumn, ...]:
    """One line a number of rows."""
    return score_table("training rows", c)
