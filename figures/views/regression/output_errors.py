"""Several outputs: how well each of them is predicted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.numbers.left_out import by_fold, left_out, note_of
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.numbers import r2, rmse
from mlcore.evaluation.pooled import pooled
from mlcore.runs.carry import Outcome
from mlcore.spine.capabilities import HasOutputSpreads
from mlcore.spine.wording import rough

LINE, ROOM = 36, 110  # pixels an output, and beside them


class OutputErrors(NamedTuple):
    """What is left of each output on test rows, in its units and in its spreads."""

    names: tuple[str, ...]
    rmse: np.ndarray  # (q,)
    baseline: np.ndarray  # (q,) of the mean of the training rows of each fold
    r2: np.ndarray  # (q,)
    spreads: np.ndarray  # (q,) standard deviation among these rows

    @property
    def relative(self) -> np.ndarray:
        """The errors in standard deviations, shape (q,); NaN for an output that does not vary."""
        return _over(self.rmse, self.spreads)


@view(
    "output_errors",
    title="Error by output",
    asks=HasOutputSpreads,
    on="regression report",
    order=140,
    sources=("cs1:multioutput_split", "prac:multioutput_reduction"),
)
def output_errors(dataset: Dataset, outcome: Outcome) -> View:
    """The error of each output on test rows, in its standard deviations, beside the mean's."""
    o = numbers(dataset, outcome)
    return joined(o, draw, reading, table, note=note_of(outcome).partition(";")[0])


def numbers(dataset: Dataset, outcome: Outcome) -> OutputErrors:
    """The errors, means over the folds as every score."""
    left_out(outcome, "regression")  # which says why, where there are none
    outside = pooled(outcome.done)
    assert outside is not None
    names, truth = zip(*dataset.answers().items(), strict=True)
    predictions = outside.predictions.reshape(len(outside.rows), -1).T  # (q, m)
    shown = [column[outside.rows] for column in truth[: len(predictions)]]
    means = [_means(column, outcome)[outside.folds] for column in truth[: len(predictions)]]
    return OutputErrors(
        names[: len(predictions)],
        _each(rmse, shown, predictions, outside.folds),
        _each(rmse, shown, means, outside.folds),
        _each(r2, shown, predictions, outside.folds),
        np.array([y.std() for y in shown]),
    )


def _each(score: Any, truth: Any, predictions: Any, folds: np.ndarray) -> np.ndarray:
    """A score of every output, shape (q,)."""
    pairs = zip(truth, predictions, strict=True)
    return np.array([by_fold(score, *pair, folds).mean for pair in pairs])


def _means(y: np.ndarray, outcome: Outcome) -> np.ndarray:
    """The mean of the training rows by the number of the fold."""
    means = np.full(max(fold.k for fold in outcome.done) + 1, np.nan)
    for fold in outcome.done:
        means[fold.k] = y[fold.train].mean()
    return means


def _over(errors: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    return np.divide(errors, spreads, out=np.full(len(errors), np.nan), where=spreads > 0)


def draw(o: OutputErrors) -> go.Figure:
    """A bar an output, and a dotted mark where its mean would be."""
    y = list(o.names)
    bars = go.Bar(
        x=o.relative,
        y=y,
        orientation="h",
        marker={"color": LIGHT.accent, "opacity": 0.45},
        name="this method",
        text=[rough(float(value)) for value in o.relative],
        textposition="inside",
        insidetextanchor="start",
        textfont={"color": LIGHT.text},
        hovertemplate="%{y}<br>RMSE %{customdata:.4~g}, %{x:.3f} sd<extra></extra>",
        customdata=o.rmse,
    )
    marks = go.Scatter(
        x=_over(o.baseline, o.spreads),
        y=y,
        mode="markers",
        name="mean of the training rows",
        marker={"symbol": "line-ns", "size": 20, "line": {"width": 2.5, "color": LIGHT.text}},
        hovertemplate="%{y}<br>mean: %{x:.3f} sd<extra></extra>",
    )
    return figure(
        bars,
        marks,
        height=ROOM + LINE * len(y),
        xaxis={
            "title": {"text": "RMSE in standard deviations of the output"},
            "rangemode": "tozero",
        },
        yaxis={"autorange": "reversed"},
        # From the top of the picture: from the top of the axes, it may lie over the first bar.
    )


def reading(o: OutputErrors) -> str:
    """Which output is predicted best and worst, and which not better than by its mean."""
    known = np.flatnonzero(np.isfinite(o.relative))
    if not len(known):
        return "No output varies among the test rows."
    order = known[np.argsort(o.relative[known], kind="stable")]
    best, worst = order[0], order[-1]
    text = f"{o.names[best]} is off by {rough(float(o.relative[best]))} of its standard deviation"
    if len(order) > 1:
        text += f", {o.names[worst]} by {rough(float(o.relative[worst]))}"
    lost = [o.names[k] for k in order if o.rmse[k] >= o.baseline[k]]
    if not lost:
        return f"{text}; each is predicted better than by its mean."
    return f"{text}. No better than the mean of the training rows: {', '.join(lost)}."


def table(o: OutputErrors) -> tuple[TableColumn, ...]:
    """One line an output."""
    return (
        TableColumn("output", o.names),
        TableColumn("RMSE", o.rmse),
        TableColumn("RMSE in standard deviations", o.relative),
        TableColumn("RMSE of the mean", o.baseline),
        TableColumn("R²", o.r2),
    )
