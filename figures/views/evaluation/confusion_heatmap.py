"""The confusion matrix: which class was taken for which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.words import selects
from figures.numbers.left_out import has_probabilities, left_out, note_of, probabilities
from figures.numbers.sampled import drawn_rows
from figures.numbers.target import target_of
from figures.options import Offered, Options, Values, among
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.classes import confusion_matrix
from mlcore.runs.carry import Outcome
from mlcore.runs.predicting.prediction import Prediction
from mlcore.spine.capabilities import HasClasses, Predicts
from mlcore.spine.params import as_in
from mlcore.spine.wording import percent, spaced

HEIGHT = 380
MOST_SHARES = 8  # with more classes the small share below each count is left out


class Confusion(NamedTuple):
    """Counts of true (row) against predicted class (column)."""

    counts: np.ndarray  # (K, K) rows; with repeats parts of rows, of each one in all
    shares: np.ndarray  # (K, K) of the row; 0 where a class has no rows
    classes: tuple[str, ...]
    rows: tuple[tuple[np.ndarray, ...], ...]  # (K, K) those in all pictures
    is_repeated: bool = False  # whether rows were predicted more than once


def _cuts(offered: Offered) -> Values:
    """Any, where two classes have probabilities."""
    is_of_two = len(offered["dataset"].classes) == 2
    return None if is_of_two and has_probabilities(offered.get("outcome")) else {}


@dataclass(frozen=True, kw_only=True)
class CutOptions(Options):
    """From which probability on a row is taken for the second class."""

    cut: float | None = among(as_in(Prediction, "cut"), _cuts)


@view(
    "confusion_heatmap",
    title="Confusion matrix",
    asks=(HasClasses, Predicts),
    options=CutOptions,
    on="classification svm report compare",
    order=90,
    sources=("cs1:confusion_matrix",),
    synonyms=("contingency table", "error matrix", "ConfusionMatrixDisplay"),
)
def confusion_heatmap(dataset: Dataset, outcome: Outcome, *, options: CutOptions) -> View:
    """Counts of true against predicted class on test rows, shaded by the share of the row."""
    note = note_of(outcome) + selects(dataset.n)
    if options.cut is not None:
        note += f"; {dataset.classes[1]} from a probability of {options.cut:g}"
    return joined(numbers(dataset, outcome, options.cut), draw, reading, table, note=note)


def numbers(dataset: Dataset, outcome: Outcome, cut: float | None = None) -> Confusion:
    """Counts over all folds; with repeats a row counts once, shared among its predictions.

    With `cut` a row is taken for the second of two classes from that probability on.
    """
    outside = left_out(outcome, "classification")
    true, predicted = target_of(dataset)[outside.rows], outside.predictions
    if cut is not None:
        P = probabilities(outside, outcome.run.method.title())
        predicted = (P[:, 1] >= cut).astype(np.int64)
    k = len(dataset.classes)
    labels = np.arange(k)
    some = np.isin(outside.rows, drawn_rows(dataset.n))  # a click selects rows of all pictures
    cells = tuple(
        tuple(
            dataset.rows[np.unique(outside.rows[some & (true == a) & (predicted == b)])]
            for b in labels
        )
        for a in labels
    )
    weights = outside.weights if outside.is_repeated else None
    return Confusion(
        confusion_matrix(true, predicted, labels, weights=weights),
        confusion_matrix(true, predicted, labels, weights=weights, normalise="true"),
        dataset.classes,
        cells,
        outside.is_repeated,
    )


def draw(c: Confusion) -> go.Figure:
    """One hue by the share of the row; the count large, its share small below."""
    k = len(c.classes)
    labels = {"tickvals": list(range(k)), "ticktext": list(c.classes), "showgrid": False}
    plain = labels | {"ticks": "", "showline": False}
    heat = go.Heatmap(
        z=c.shares,
        zmin=0,
        zmax=1,
        colorscale=SHARES,
        showscale=False,
        xgap=2,
        ygap=2,
        text=[[_label(c, a, b) for b in range(k)] for a in range(k)],
        texttemplate="%{text}",  # Plotly makes it light where the cell is dark
        textfont={"size": 16 if k <= 4 else 13 if k <= MOST_SHARES else 10},
        hovertemplate="true %{y}, predicted %{x}<br>%{text}<extra></extra>",
    )
    return figure(
        marks.numbered(heat, [[cell.tolist() for cell in row] for row in c.rows]),
        height=HEIGHT,
        xaxis=plain | {"title": {"text": "Predicted"}},
        yaxis=plain | {"title": {"text": "True"}, "autorange": "reversed"},
    )


def _label(c: Confusion, a: int, b: int) -> str:
    count = f"<b>{_amount(c, c.counts[a, b])}</b>"
    if len(c.classes) > MOST_SHARES:
        return count
    return f"{count}<br><span style='font-size:11px'>{percent(c.shares[a, b])}</span>"


def _amount(c: Confusion, rows: float) -> str:
    """A count of rows; a tenth of one says more than the mean of repeats is exact to."""
    return f"{rows:,.1f}" if c.is_repeated else spaced(round(rows))


def common_error(c: Confusion) -> tuple[int, int] | None:
    """True and predicted class of the most common error, or None if there is none."""
    off = c.counts - np.diag(np.diag(c.counts))
    if not off.any():
        return None
    a, b = np.unravel_index(int(off.argmax()), off.shape)
    return int(a), int(b)


def reading(c: Confusion) -> str:
    """The share predicted right and the most common error."""
    total, right = round(c.counts.sum()), float(np.trace(c.counts))
    left = f"{_amount(c, right)} of {spaced(total)} rows are predicted right"
    left += ", a mean over the repeats." if c.is_repeated else "."
    worst = common_error(c)
    if worst is None:
        return f"{left} There is no error."
    a, b = worst
    of_row = f"{_amount(c, c.counts[a, b])} of {spaced(round(c.counts[a].sum()))}"
    return f"{left} Most common error: {c.classes[a]} taken for {c.classes[b]}, {of_row}."


def table(c: Confusion) -> tuple[TableColumn, ...]:
    """One line a true class, one column a predicted class."""
    cells = c.counts if c.is_repeated else np.rint(c.counts).astype(np.int64)
    counts = tuple(
        TableColumn(f"predicted {name}", cells[:, b]) for b, name in enumerate(c.classes)
    )
    return (TableColumn("true class", c.classes), *counts)
