"""The validation curve: too simple, right, too flexible?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.bands import score_table, score_traces
from figures.drawing.marks import log_axis
from figures.drawing.traces import named_line
from figures.numbers.bands import ScoreCurve, score_curve
from figures.numbers.searches import value_text
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.curves import Curve
from mlcore.spine.wording import in_sentence, number, plural, typeset

HEIGHT = 360
DECADE = 30.0  # ratio of the ends above which values are drawn on a log axis
SIMPLER = 1.0  # standard deviations of the best score within which others are as good


class Complexity(NamedTuple):
    """Both scores over the values of one hyper-parameter."""

    curve: ScoreCurve
    label: str
    here: Any  # the value of the run itself
    axis: str  # "log", "linear" or "category"


@view(
    "complexity_curves",
    title="Validation curve",
    sources=("s841:error_vs_complexity",),
    synonyms=("hyperparameter curve", "bias-variance tradeoff", "overfitting", "model complexity"),
)
def complexity_curves(curve: Curve, label: str = "", here: Any = None) -> View:
    """Score on test rows and on the training rows, by the value of one hyper-parameter."""
    c = numbers(curve, label, here)
    return joined(c, draw, reading, table, note="mean and standard deviation over the folds")


def numbers(curve: Curve, label: str = "", here: Any = None) -> Complexity:
    """Both scores; `label` names the hyper-parameter for people, `here` is its present value."""
    c = score_curve(curve)
    return Complexity(c, label or curve.over.rpartition(".")[2], here, _axis(c.values))


def _axis(values: tuple[Any, ...]) -> str:
    plain = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(plain) < len(values) or not plain:
        return "category"
    return "log" if min(plain) > 0 and max(plain) / min(plain) >= DECADE else "linear"


def _kind(c: Complexity) -> dict[str, Any]:
    return log_axis(c.curve.values) if c.axis == "log" else {"type": c.axis}


def draw(c: Complexity) -> go.Figure:
    """The best value and the present one are marked."""
    fig = figure(
        *score_traces([_at(c, v) for v in c.curve.values], c.curve),
        height=HEIGHT,
        xaxis={"title": {"text": c.label}} | _kind(c),
        yaxis={"title": {"text": c.curve.title}},
        showlegend=True,
    )
    best = c.curve.best
    if best is not None and c.axis != "category":
        value = c.curve.values[best]
        text = f"best {typeset(value_text(value))}"
        named_line(fig, text, x=float(value), is_log=c.axis == "log")
        fig.update_layout(margin_t=50)
    return fig


def _at(c: Complexity, value: Any) -> Any:
    return value_text(value) if c.axis == "category" else float(value)


def reading(c: Complexity) -> str:
    """The best value, whether it lies at an end, and which values are as good."""
    best = c.curve.best
    if best is None:
        return f"{c.curve.title} is defined for no value of {c.label}."
    b, value = c.curve.left_out, c.curve.values[best]
    spread = float(b.sd[best])
    text = (
        f"{c.curve.heading} is best at {in_sentence(c.label)} {typeset(value_text(value))}: "
        f"{number(float(b.mean[best]))}."
    )
    off = np.abs(b.mean - b.mean[best])
    alike = int((off <= SIMPLER * spread).sum()) - 1
    if alike > 0:
        verb = plural(alike, "value lies", "values lie")
        text += f" {alike} other {verb} within one standard deviation of it."
    if best in (0, len(c.curve.values) - 1) and c.axis != "category":
        text += " It is at the end of the range that was tried, so the best may lie beyond."
    return text + " The best of several tries is an optimistic score."


def table(c: Complexity) -> tuple[TableColumn, ...]:
    """One line a value."""
    return score_table(c.label, c.curve)
