"""The precision-recall curve: how pure the found rows are, over all cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import HEIGHT, line, named_line
from figures.numbers.curves import ClassCurve, OfClass, beside_drawn, class_curves, lines
from figures.numbers.left_out import note_of
from figures.theme import class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.evaluation.roc import fold_lines
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.ranking import average_precision, pr_curve
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.wording import percent

RECALL = "Recall"
PRECISION = "Precision"
STEPS = {"shape": "vh"}  # between two cuts nothing can be reached: no straight lines
# Of a name beside the line at the share, in units of the axes: a letter on a phone, a line of text.
LETTER, MOST_WIDE, TALL = 0.022, 0.6, 0.07
BASE = 0.6  # opacity of the line at the share of a class


class PrecisionRecall(NamedTuple):
    """One curve a class, against the rest."""

    curves: tuple[ClassCurve, ...]


@view(
    "pr",
    title="Precision-recall curve",
    asks=GivesProbabilities,
    options=OfClass,
    on="classification compare",
    order=180,
    synonyms=("PR curve", "average precision", "AUPRC"),
)
def pr(dataset: Dataset, outcome: Outcome, *, options: OfClass) -> View:
    """Precision against recall over all cuts, on test rows, pooled and by fold."""
    curves = numbers(dataset, outcome, options.positive or "")
    return joined(curves, draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome, positive: str = "") -> PrecisionRecall:
    """Curves from the probabilities on test rows; DataError where the method gives none."""
    curves = class_curves(dataset, outcome, pr_curve, average_precision, positive)
    return PrecisionRecall(curves)


def draw(r: PrecisionRecall) -> go.Figure:
    """Steps, because no straight line between two cuts can be reached; dotted: guessing."""
    limits = {"range": [-0.02, 1.02]}
    fig = figure(
        height=HEIGHT,
        xaxis=limits | {"title": {"text": RECALL}},
        yaxis=limits | {"title": {"text": PRECISION}},
        showlegend=True,
    )
    for c in r.curves:
        whole = line(c.curve.x, c.curve.y, c.k, f"{c.name} {c.area:.3f}")
        for trace in (*fold_lines(c), whole):
            fig.add_trace(trace.update(line=STEPS))
        if len(r.curves) == 1:
            text = f"share of {c.name} {percent(c.share)}"
            named_line(fig, text, y=c.share, at=_clear(c, min(LETTER * len(text), MOST_WIDE)))
        else:
            style = {"color": faded(class_color(c.k), BASE), "dash": "dot", "width": 1}
            across(fig, y=c.share, line=style)
    return fig


def _clear(c: ClassCurve, wide: float) -> tuple[str, str]:
    """Where the name of the line at the share, so wide, is clear of the curve, or least near."""
    x, y = (values[np.isfinite(c.curve.y)] for values in c.curve[:2])
    # The steps between two cuts, upright ones too, by what they span.
    low, high = (of(y[:-1], y[1:]) for of in (np.minimum, np.maximum))
    free = {}
    for side, start in (("right", 1.0 - wide), ("left", 0.0)):
        here = (x[1:] >= start) & (x[:-1] <= start + wide)
        for where, middle in (("above", c.share + TALL / 2), ("below", c.share - TALL / 2)):
            gaps = np.maximum(np.maximum(low - middle, middle - high), 0.0)[here]
            is_inside = TALL / 2 <= middle <= 1.0 - TALL / 2
            free[side, where] = float(gaps.min(initial=1.0)) if is_inside else -1.0
    return next((at for at, gap in free.items() if gap > TALL), max(free, key=lambda at: free[at]))


def reading(r: PrecisionRecall) -> str:
    """Average precision beside what guessing gives."""
    if not r.curves:
        return "No class has rows of its own and of others among those left out."
    worst = min(r.curves, key=lambda c: c.area)
    left = f"Average precision for {worst.name} is {worst.area:.3f}"
    left += " over all rows together" if worst.is_pooled else " on average over the folds"
    if len(r.curves) > 1:
        alike = len({f"{c.area:.3f}" for c in r.curves}) == 1
        left += ", as for every class" if alike else ", the lowest of the classes"
    left += f"; guessing gives its share of the rows, {worst.share:.3f}."
    return left + beside_drawn(worst)


def table(r: PrecisionRecall) -> tuple[TableColumn, ...]:
    """One line a corner of a curve."""
    return tuple(TableColumn(*pair) for pair in lines(r.curves, RECALL, PRECISION))
