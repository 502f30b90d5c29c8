"""Residuals: predictions against the truth, and what is left over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import BETWEEN, points_of
from figures.graph import make_subplots
from figures.numbers.clouds import Cloud
from figures.numbers.left_out import by_fold, left_out, note_of
from figures.numbers.planes import span
from figures.numbers.target import target_of
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.numbers import rmse
from mlcore.runs.carry import Outcome
from mlcore.spine.wording import rough

HEIGHT = 380


class Residuals(NamedTuple):
    """Truth and prediction of every row left out."""

    true: np.ndarray  # (m,)
    predicted: np.ndarray  # (m,)
    rows: np.ndarray  # (m,) row numbers of the table
    rmse: float  # mean over the folds, as every score
    bias: float  # mean of predicted - true
    target: str

    @property
    def residual(self) -> np.ndarray:
        """predicted - true, shape (m,)."""
        return self.predicted - self.true


@view(
    "residuals",
    title="Predicted against true",
    on="regression report compare",
    order=130,
    sources=("epfl:linreg_ls",),
    synonyms=("residual plot", "predicted vs actual", "parity plot"),
)
def residuals(dataset: Dataset, outcome: Outcome) -> View:
    """Predictions against the truth on test rows, and the residuals against the predictions."""
    r = numbers(dataset, outcome)
    order = np.argsort(-np.abs(r.residual), kind="stable")
    return joined(r, draw, reading, table, note=note_of(outcome), rows=r.rows[order])


def numbers(dataset: Dataset, outcome: Outcome) -> Residuals:
    """All predictions on test rows; with repeats a row stands several times."""
    outside = left_out(outcome, "regression")
    true, predicted = (
        target_of(dataset)[outside.rows],
        np.asarray(outside.predictions, dtype=np.float64),
    )
    return Residuals(
        true,
        predicted,
        dataset.rows[outside.rows],
        by_fold(rmse, true, predicted, outside.folds).mean,
        float((predicted - true).mean()),
        dataset.target or "target",
    )


def draw(r: Residuals) -> go.Figure:
    """Left the diagonal is a perfect prediction, right the line at 0."""
    fig = make_subplots(1, 2, horizontal_spacing=BETWEEN)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False)
    ends = span(np.concatenate([r.true, r.predicted]))
    _panel(fig, 1, _cloud(r, r.true, r.predicted), ends, ends)
    _panel(fig, 2, _cloud(r, r.predicted, r.residual), span(r.predicted), (0.0, 0.0))
    fig.update_xaxes(title_text=f"True {r.target}", range=ends, row=1, col=1)
    fig.update_yaxes(title_text=f"Predicted {r.target}", range=ends, row=1, col=1)
    fig.update_xaxes(title_text=f"Predicted {r.target}", row=1, col=2)
    return fig.update_yaxes(title_text="Predicted − true", row=1, col=2)


def _panel(fig: go.Figure, col: int, cloud: Cloud, x: Any, y: Any) -> None:
    style = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
    perfect = go.Scatter(x=list(x), y=list(y), mode="lines", line=style, hoverinfo="skip")
    for trace in (*(t.update(marker_opacity=0.7) for t in points_of(cloud)), perfect):
        fig.add_trace(trace, row=1, col=col)


def _cloud(r: Residuals, x: np.ndarray, y: np.ndarray) -> Cloud:
    return Cloud(x, y, r.rows, np.zeros(len(x), dtype=np.int64), ())


def reading(r: Residuals) -> str:
    """The typical error beside the spread of the target, the lean, and the worst row."""
    worst = int(np.abs(r.residual).argmax())
    text = (
        f"Typical error (RMSE) {rough(r.rmse)} on test rows; {r.target} itself has a standard "
        f"deviation of {rough(float(r.true.std()))}."
    )
    if abs(r.bias) > 0.1 * r.rmse:
        text += (
            f" Predictions are too {'high' if r.bias > 0 else 'low'} by {rough(abs(r.bias))} on "
        )
        text += "average."
    return (
        f"{text} Largest error: row {r.rows[worst] + 1}, predicted {rough(r.predicted[worst])}, "
        f"true {rough(r.true[worst])}."
    )


def table(r: Residuals) -> tuple[TableColumn, ...]:
    """One line a prediction, the largest error first."""
    order = np.argsort(-np.abs(r.residual), kind="stable")
    return (
        TableColumn("row", r.rows[order] + 1),
        TableColumn(f"true {r.target}", r.true[order]),
        TableColumn(f"predicted {r.target}", r.predicted[order]),
        TableColumn("residual", r.residual[order]),
    )
