"""Coefficients against the quantile: which columns move the ends of the target otherwise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import line
from figures.names import cut
from figures.numbers.apart import apart
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.regression.coefficient_path import LINE_HEIGHT
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.quantiles import HasQuantilePlanes
from mlcore.spine.wording import rough

HEIGHT = 360
MOST_LINES = 8  # columns that are drawn; more lines could not be told apart


class QuantileCoefficients(NamedTuple):
    """A line a column, by falling size."""

    levels: np.ndarray  # (k,)
    values: np.ndarray  # (k, p)
    names: tuple[str, ...]  # (p,)


@view(
    "quantile_coefficients",
    title="Coefficients by quantile",
    asks=HasQuantilePlanes,
    on="regression report compare",
    order=211,
    synonyms=("quantile process", "coefficient against quantile", "quantile treatment effect"),
)
def quantile_coefficients(whole: Whole) -> View:
    """Every coefficient against the quantile of the target."""
    c = numbers(whole.fit)
    return joined(c, draw, reading, table, note="on the training rows, columns as prepared")


def numbers(fit: Any) -> QuantileCoefficients:
    """Lines by their largest size. DataError for a single quantile."""
    if len(fit.levels) < 2:
        raise DataError("Coefficients against the quantile need two quantiles at least; add one.")
    order = np.argsort(-np.abs(fit.planes).max(axis=0), kind="stable")
    names = tuple(fit.columns[j].name for j in order)
    return QuantileCoefficients(fit.levels, fit.planes[:, order], names)


def draw(c: QuantileCoefficients) -> go.Figure:
    """Lines of the largest coefficients, named at their end; zero is marked."""
    shown = min(len(c.names), MOST_LINES)
    fig = figure(
        *(_line(c, j) for j in range(shown)),
        height=HEIGHT,
        margin={"t": 24, "r": min(7 * max(map(len, c.names[:shown])) + 16, 200)},
        xaxis={"title": {"text": "Quantile of the target"}, "tickvals": c.levels.tolist()},
        yaxis={"title": {"text": "Coefficient"}},
        showlegend=False,
    )
    across(fig, y=0, line={"color": LIGHT.quiet, "width": 1})
    gap = LINE_HEIGHT * float(np.ptp(c.values[:, :shown]) or 1.0)
    font = {"color": LIGHT.text, "size": 12}
    for j, y in enumerate(apart(c.values[-1, :shown], gap)):
        fig.add_annotation(
            x=float(c.levels[-1]), y=float(y), text=cut(c.names[j], 26), font=font,
            xanchor="left", xshift=8,
        )  # fmt: skip
    return fig


def _line(c: QuantileCoefficients, j: int) -> go.Scatter:
    hover = f"{c.names[j]} %{{y:.4~g}}<br>at the quantile %{{x:g}}<extra></extra>"
    drawn = line(c.levels, c.values[:, j], j, c.names[j], hovertemplate=hover)
    return drawn.update(mode="lines+markers", marker_size=6)


def reading(c: QuantileCoefficients) -> str:
    """Which coefficient changes most from the lowest to the highest quantile."""
    change = c.values[-1] - c.values[0]
    j = int(np.abs(change).argmax())
    if np.abs(change[j]) <= 1e-9 * max(np.abs(c.values).max(), 1e-300):
        return "All planes have the same slopes: the columns move every quantile alike."
    return (
        f"{c.names[j]} changes most: {rough(float(c.values[0, j]))} at the quantile "
        f"{c.levels[0]:g} and {rough(float(c.values[-1, j]))} at {c.levels[-1]:g}. A column "
        "whose line is level moves all of the target alike; one that rises spreads it."
    )


def table(c: QuantileCoefficients) -> tuple[TableColumn, ...]:
    """One line a quantile."""
    lines = (TableColumn(name, c.values[:, j]) for j, name in enumerate(c.names))
    return (TableColumn("quantile", c.levels), *lines)
