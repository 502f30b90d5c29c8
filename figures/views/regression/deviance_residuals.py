"""What a family of distributions leaves unexplained: deviance and Pearson residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

import figures.graph as go
from figures.drawing.traces import points_of
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.numbers.clouds import Cloud
from figures.numbers.planes import span
from figures.numbers.target import target_of
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.deviance_scores import deviance_explained
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.capabilities import HasDeviance
from mlcore.spine.params import choice
from mlcore.spine.wording import count, percent, plural, rough

HEIGHT = 380
FAR = 2.0  # standard deviations beyond which one in twenty of a normal distribution lies
NORMAL = (0.02, 0.1)  # shares beyond which residuals are too few or too many


class DevianceResiduals(NamedTuple):
    """Residuals of the fitted rows in standard deviations that the family expects."""

    predicted: np.ndarray  # (n,)
    residual: np.ndarray  # (n,)
    normal: np.ndarray  # (n,) the normal quantile of the rank of each
    rows: np.ndarray  # (n,) row numbers of the table
    kind: str
    target: str
    explained: float  # share of the deviance about the mean, of these rows


@dataclass(frozen=True, kw_only=True)
class ResidualOptions(Options):
    """Which residuals are drawn."""

    kind: str = choice(
        "deviance", "deviance", "pearson", label="Residual",
        doc="The signed root of what a row costs, which is nearly normal, or the error over the "
        "standard deviation of the family (Pearson).",
    )  # fmt: skip


@view(
    "deviance_residuals",
    title="Residuals of the family",
    asks=HasDeviance,
    options=ResidualOptions,
    on="regression report compare",
    order=131,
    synonyms=("deviance residuals", "Pearson residuals", "normal Q-Q plot", "overdispersion"),
)
def deviance_residuals(dataset: Dataset, whole: Whole, *, options: ResidualOptions) -> View:
    """Residuals in the spread that the family expects: by prediction, and against the normal."""
    d = numbers(dataset, whole, kind=options.kind)
    order = np.argsort(-np.abs(d.residual), kind="stable")
    return joined(d, draw, reading, table, note=fitted_on(dataset, whole), rows=d.rows[order])


def numbers(dataset: Dataset, whole: Whole, *, kind: str = "deviance") -> DevianceResiduals:
    """Residuals of the rows of the data, over the root of the dispersion."""
    fit: Any = whole.fit
    y = target_of(dataset)
    predicted = np.asarray(fit.predict(whole.prepared.transform(dataset.X)), dtype=np.float64)
    if kind == "deviance":
        size = np.sqrt(fit.unit_deviance(y, predicted) / fit.dispersion)
        residual = np.sign(y - predicted) * size
    else:
        residual = (y - predicted) / np.sqrt(fit.variance(predicted))
    weights = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    if weights is not None:  # a mean of so many scatters less by the root
        residual = residual * np.sqrt(weights)
    seen = np.isfinite(residual)
    residual, predicted = residual[seen], predicted[seen]
    ranks = np.argsort(np.argsort(residual, kind="stable"), kind="stable")
    normal = ndtri((ranks + 0.625) / (len(residual) + 0.25))  # Blom (1958)
    return DevianceResiduals(
        predicted, residual, normal, dataset.rows[seen], kind, dataset.target or "target",
        deviance_explained(y[seen], predicted, fit),
    )  # fmt: skip


def draw(d: DevianceResiduals) -> go.Figure:
    """Left by prediction about the line at 0, right against normal quantiles."""
    fig = make_subplots(1, 2, horizontal_spacing=0.18)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False)
    name = "Deviance residual" if d.kind == "deviance" else "Pearson residual"
    if not len(d.rows):
        return fig
    for col, x, line in ((1, d.predicted, False), (2, d.normal, True)):
        cloud = Cloud(x, d.residual, d.rows, np.zeros(len(x), dtype=np.int64), ())
        ends = list(span(x))
        style = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
        expected = go.Scatter(
            x=ends, y=ends if line else [0.0, 0.0], mode="lines", line=style, hoverinfo="skip"
        )
        for trace in (*(t.update(marker_opacity=0.7) for t in points_of(cloud)), expected):
            fig.add_trace(trace, row=1, col=col)
        fig.update_yaxes(title_text=name if col == 1 else "", row=1, col=col)
    fig.update_xaxes(title_text=f"Predicted {d.target}", row=1, col=1)
    return fig.update_xaxes(title_text="Normal quantile", row=1, col=2)


def reading(d: DevianceResiduals) -> str:
    """How many rows lie farther off than the family expects, and the farthest."""
    if not len(d.rows):
        return "No predicted mean is above 0, so the family says nothing about these rows."
    n, far = len(d.rows), int((np.abs(d.residual) > FAR).sum())
    text = f"{count(far, 'row')} of {n} {plural(far, 'lies', 'lie')} more than {FAR:g} standard "
    text += "deviations off; about one in twenty would if the family were right."
    if far / n > NORMAL[1]:
        text += " These scatter more than it says."
    if np.isfinite(d.explained):
        text = f"{percent(d.explained)} of the deviance is explained. {text}"
    worst = int(np.abs(d.residual).argmax())
    side = "above" if d.residual[worst] > 0 else "below"
    return (
        f"{text} Farthest: row {d.rows[worst] + 1}, {rough(abs(d.residual[worst]))} {side} its "
        "prediction."
    )


def table(d: DevianceResiduals) -> tuple[TableColumn, ...]:
    """One line a row, the farthest first."""
    order = np.argsort(-np.abs(d.residual), kind="stable")
    return (
        TableColumn("row", d.rows[order] + 1),
        TableColumn(f"predicted {d.target}", d.predicted[order]),
        TableColumn(f"{d.kind} residual", d.residual[order]),
        TableColumn("normal quantile", d.normal[order]),
    )
