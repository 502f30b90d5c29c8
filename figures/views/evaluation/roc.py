"""The ROC curve: positives found against false alarms, over all cuts."""

from __future__ import annotations

from typing import Any, NamedTuple

import figures.graph as go
from figures.drawing.marks import equal_axes
from figures.drawing.traces import HEIGHT, line
from figures.numbers.curves import ClassCurve, OfClass, beside_drawn, class_curves, lines
from figures.numbers.left_out import note_of
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.ranking import roc_auc, roc_curve
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities

FALSE_ALARMS = "False positive rate"
TRUE_POSITIVE_RATE = "True positive rate"
FAINT = 0.3  # opacity of the curve of one fold


class Roc(NamedTuple):
    """One curve a class, against the rest."""

    curves: tuple[ClassCurve, ...]
    n_classes: int


@view(
    "roc",
    title="ROC curve",
    asks=GivesProbabilities,
    options=OfClass,
    on="classification report compare",
    order=170,
    sources=("prac:roc_curve", "cs1:roc_space", "epfl:roc_curve"),
    synonyms=(
        "AUC",
        "area under the curve",
        "ROC AUC",
        "receiver operating characteristic",
        "sensitivity and specificity",
    ),
)
def roc(dataset: Dataset, outcome: Outcome, *, options: OfClass) -> View:
    """Positives found against false alarms over all cuts, on test rows, pooled and by fold."""
    curves = numbers(dataset, outcome, options.positive or "")
    return joined(curves, draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome, positive: str = "") -> Roc:
    """Curves from the probabilities on test rows; DataError where the method gives none."""
    curves = class_curves(dataset, outcome, roc_curve, roc_auc, positive)
    return Roc(curves, len(dataset.classes))


def draw(r: Roc) -> go.Figure:
    """Thin curves by fold where a single class is drawn; the diagonal is guessing."""
    limits = {"range": [-0.02, 1.02]}
    fig = figure(
        height=HEIGHT,
        xaxis=limits | {"title": {"text": FALSE_ALARMS}},
        yaxis=limits | {"title": {"text": TRUE_POSITIVE_RATE}},
    )
    for c in r.curves:
        fig.add_traces([*fold_lines(c), line(c.curve.x, c.curve.y, c.k, f"{c.name} {c.area:.3f}")])
    # Named at the line: with it the legend is wider than the square, and may cover its upper edge.
    fig.add_annotation(text="guessing", x=0.6, y=0.6, xanchor="left", yanchor="top")
    return equal_axes(fig.add_trace(_diagonal()))


def fold_lines(c: ClassCurve) -> list[Any]:
    """The curve of each fold, thin."""
    style = {"color": faded(class_color(c.k), FAINT), "width": 1}
    return [
        go.Scatter(x=f.x, y=f.y, mode="lines", line=style, showlegend=False, hoverinfo="skip")
        for f in c.folds
    ]


def _diagonal() -> go.Scatter:
    style = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    guess = {"x": [0, 1], "y": [0, 1], "mode": "lines", "line": style, "name": "guessing"}
    return go.Scatter(**guess, hoverinfo="skip", showlegend=False)


def reading(r: Roc) -> str:
    """The area of each curve, the worst class first where there are several."""
    if not r.curves:
        return "No class has rows of its own and of others among those left out."
    worst = min(r.curves, key=lambda c: c.area)
    meaning = "the probability that a row of the class is ranked above another row"
    meaning += of_area(worst)
    if len(r.curves) == 1:
        text = f"Area under the curve for {worst.name}: {worst.area:.3f}, {meaning}."
        return text + beside_drawn(worst)
    best = max(r.curves, key=lambda c: c.area)
    text = f"Each class against the rest. The area under the curve, {meaning}, "
    low, high = f"{worst.area:.3f}", f"{best.area:.3f}"
    if low == high:
        return f"{text}is {low} for all of them."
    text += f"runs from {low} for {worst.name} to {high} for {best.name}."
    return text + beside_drawn(worst)


def of_area(c: ClassCurve) -> str:
    """To go on after an area: what it is taken over."""
    return " of any fold" if c.is_pooled else " (mean over the folds)"


def table(r: Roc) -> tuple[TableColumn, ...]:
    """One line a corner of a curve."""
    return tuple(TableColumn(*pair) for pair in lines(r.curves, FALSE_ALARMS, TRUE_POSITIVE_RATE))
