"""The error of rows left out under each value of a setting that was chosen by it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT, named_line
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.regression.capabilities import HasTried
from mlcore.spine.wording import rough

CLOSE = 1.05  # errors up to so many times the least are as good


class LeftOutCurve(NamedTuple):
    """Values of a setting, ascending, and what rows left out say of each."""

    name: str
    values: np.ndarray  # (A,)
    errors: np.ndarray  # (A,) root mean squares, in units of the target; NaN where there is none
    df: np.ndarray  # (A,)
    chosen: float


@view(
    "left_out_curve",
    title="Error of rows left out",
    asks=HasTried,
    on="regression gaussian_process report compare",
    order=149,
    sources=("prac:krr_loo", "prac:krr_select_C"),
    synonyms=("leave-one-out error", "LOOCV", "generalised cross-validation", "regularisation"),
)
def left_out_curve(fit: HasTried) -> View:
    """The error of rows left out one by one against the setting that was chosen by it."""
    note = "of training rows, each predicted without it"
    return joined(numbers(fit), draw, reading, table, note=note)


def numbers(fit: HasTried) -> LeftOutCurve:
    """The search of the fit."""
    errors = np.sqrt(fit.tried_errors)
    return LeftOutCurve(fit.tried_name, fit.tried, errors, fit.tried_df, float(fit.chosen))


def draw(c: LeftOutCurve) -> go.Figure:
    """A line on a logarithmic axis, and where it was lowest."""
    line = go.Scatter(
        x=c.values,
        y=c.errors,
        mode="lines+markers",
        line={"color": CLASS_COLORS[0]},
        marker={"size": 5},
        customdata=c.df,
        hovertemplate=f"{c.name} %{{x:.4~g}}<br>error %{{y:.5~g}}<br>"
        "%{customdata:.3~g} effective parameters<extra></extra>",
    )
    fig = figure(
        line,
        height=HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": c.name.capitalize()}} | log_axis(c.values),
        yaxis={"title": {"text": "Root mean squared error, row left out"}},
    )
    named_line(fig, f"chosen {rough(c.chosen)}", x=c.chosen, is_log=True)
    return fig.update_layout(margin_t=50)


def reading(c: LeftOutCurve) -> str:
    """The least error, the range that is nearly as good, and whether it stands at an end."""
    best = int(np.nanargmin(c.errors))
    text = f"Rows left out are predicted best with {c.name} {rough(c.chosen)}: an error of "
    text += f"{rough(float(c.errors[best]))} with {rough(float(c.df[best]))} effective parameters."
    if best in (0, len(c.values) - 1):
        return f"{text} It stands at the end of what was tried: the curve has no dip inside."
    good = c.values[np.nan_to_num(c.errors, nan=np.inf) <= CLOSE * c.errors[best]]
    low, high = rough(float(good.min())), rough(float(good.max()))
    return f"{text} From {low} to {high} the error is at most 5 % larger."


def table(c: LeftOutCurve) -> tuple[TableColumn, ...]:
    """One line a value."""
    return (
        TableColumn(c.name, c.values),
        TableColumn("error of rows left out", c.errors),
        TableColumn("effective parameters", c.df),
    )
