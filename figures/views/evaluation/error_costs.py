"""What each kind of error on test rows costs, beside what the most probable class would cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.left_out import left_out, note_of
from figures.numbers.target import target_of
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.classes import confusion_matrix
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities_of_costs import HasCosts
from mlcore.spine.wording import percent, rough

HEIGHT = 380
MOST_WRITTEN = 8  # with more classes the counts below the costs are left out


class ErrorCosts(NamedTuple):
    """Rows true, columns predicted."""

    counts: np.ndarray  # (K, K) rows
    costs: np.ndarray  # (K, K) of one row
    plain: np.ndarray | None  # (K, K) rows, had the most probable class been said, if one is known
    classes: tuple[str, ...]

    @property
    def sums(self) -> np.ndarray:
        """What the rows of each cell cost together, (K, K)."""
        return self.counts * self.costs


@view(
    "error_costs",
    title="Costs of the errors",
    asks=HasCosts,
    on="classification report",
    order=91,
    sources=("cs1:cost_matrix", "cs1:risk_cost_sensitive"),
    synonyms=("total cost", "risk"),
)
def error_costs(dataset: Dataset, outcome: Outcome) -> View:
    """The cost of each cell of the confusion matrix on test rows, and their mean."""
    return joined(numbers(dataset, outcome), draw, reading, table, note=note_of(outcome))


def numbers(dataset: Dataset, outcome: Outcome) -> ErrorCosts:
    """Counts over all folds; with repeats a row counts once, shared among its predictions."""
    fit: Any = outcome.whole.fit
    outside = left_out(outcome, "classification")
    P = outside.probabilities
    true, labels = target_of(dataset)[outside.rows], np.arange(len(dataset.classes))
    weights = outside.weights if outside.is_repeated else None
    answers = (outside.predictions, *(() if P is None else (P.argmax(axis=1),)))
    counts, *plain = (
        confusion_matrix(true, predicted, labels, weights=weights) for predicted in answers
    )
    return ErrorCosts(counts, fit.costs, plain[0] if plain else None, dataset.classes)


def draw(c: ErrorCosts) -> go.Figure:
    """One hue by the cost of the cell; below it the rows and what each costs."""
    k = len(c.classes)
    labels = {"tickvals": list(range(k)), "ticktext": list(c.classes), "showgrid": False}
    plain = labels | {"ticks": "", "showline": False}
    heat = go.Heatmap(
        z=c.sums,
        zmin=0,
        zmax=float(c.sums.max()) or 1.0,
        colorscale=SHARES,
        showscale=False,
        xgap=2,
        ygap=2,
        text=[[_label(c, a, b) for b in range(k)] for a in range(k)],
        texttemplate="%{text}",
        textfont={"size": 16 if k <= 4 else 13 if k <= MOST_WRITTEN else 10},
        hovertemplate="true %{y}, predicted %{x}<br>%{text}<extra></extra>",
    )
    return figure(
        heat,
        height=HEIGHT,
        xaxis=plain | {"title": {"text": "Predicted"}},
        yaxis=plain | {"title": {"text": "True"}, "autorange": "reversed"},
    )


def _label(c: ErrorCosts, a: int, b: int) -> str:
    whole = f"<b>{c.sums[a, b]:.4g}</b>"
    if len(c.classes) > MOST_WRITTEN:
        return whole
    each = f"{c.counts[a, b]:.4g} × {c.costs[a, b]:.4g}"
    return f"{whole}<br><span style='font-size:11px'>{each}</span>"


def reading(c: ErrorCosts) -> str:
    """The mean cost, that of the most probable class, and the dearest kind of error."""
    rows = float(c.counts.sum())
    text = f"Errors cost {rough(float(c.sums.sum()) / rows)} a row"
    if c.plain is not None:
        other = rough(float((c.plain * c.costs).sum()) / rows)
        text += f"; saying the most probable class would cost {other}"
    text += ". "
    if not c.sums.any():
        return text + "No error costs anything."
    a, b = np.unravel_index(int(c.sums.argmax()), c.sums.shape)
    share = percent(float(c.sums[a, b] / c.sums.sum()))
    return text + f"{c.classes[a]} taken for {c.classes[b]} makes up {share} of it."


def table(c: ErrorCosts) -> tuple[TableColumn, ...]:
    """One line a pair of classes."""
    k, plain = len(c.classes), ()
    if c.plain is not None:
        plain = (TableColumn("rows by the most probable class", c.plain.ravel()),)
    return (
        TableColumn("true class", np.repeat(c.classes, k)),
        TableColumn("predicted", np.tile(c.classes, k)),
        TableColumn("rows", c.counts.ravel()),
        TableColumn("cost of one", c.costs.ravel()),
        TableColumn("cost together", c.sums.ravel()),
        *plain,
    )
