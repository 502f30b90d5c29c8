"""Units, gradients and penalties: two descents, and what penalties leave in every unit."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.regression.scaling_lab import CLOSE, MOST, Descent, Scaling
from mlcore.spine.wording import count, percent, plural, rough

LEVELS = 12


def pictures(s: Scaling) -> tuple[View, ...]:
    """Both valleys, then the penalties."""
    return (
        picture("Descent in these units", s.raw, draw, reading, table,
                note=f"second column times {rough(s.factor)}"),
        picture("Descent after standardising", s.standardised, draw, reading, table),
        picture("What a penalty leaves of column 2", s, draw_left, left_reading, left_table),
    )  # fmt: skip


def draw(d: Descent) -> go.Figure:
    """Contours of equal loss, and the path from zero."""
    # Roots, so that lines of equal steps lie about equally far apart.
    valley = go.Contour(
        x=d.first, y=d.second, z=np.sqrt(d.surface), ncontours=LEVELS, showscale=False,
        contours={"coloring": "none"}, line={"width": 1, "color": LIGHT.quiet}, hoverinfo="skip",
    )  # fmt: skip
    style = {"color": LIGHT.text, "width": 2}
    path = go.Scatter(
        x=d.path[:, 0], y=d.path[:, 1], mode="lines+markers", line=style,
        marker={"color": LIGHT.text, "size": 5},
    )  # fmt: skip
    fig = plot(valley, path, x="Coefficient of column 1", y="Coefficient of column 2")
    fig.update_xaxes(range=[d.first[0], d.first[-1]])
    fig.update_yaxes(range=[d.second[0], d.second[-1]]).update_layout(height=400)
    return marks.equal_axes(fig)  # a ditch must not look round


def reading(d: Descent) -> str:
    """Condition and steps."""
    text = f"The valley is {rough(d.condition)} times as steep one way as the other. "
    if d.steps > MOST:
        return text + f"After {MOST} steps the descent is not within {percent(CLOSE)} of its way."
    bring = plural(d.steps, "brings", "bring")
    return text + (
        f"{count(d.steps, 'step')} {bring} the loss down to {percent(CLOSE)} of its first excess."
    )


def table(d: Descent) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("step", np.arange(len(d.path))),
        TableColumn("coefficient 1", d.path[:, 0]),
        TableColumn("coefficient 2", d.path[:, 1]),
        TableColumn("excess", d.excess),
    )


def draw_left(s: Scaling) -> go.Figure:
    """Effects, which are comparable in any unit, over the factor."""
    fig = plot(
        line(s.factors, s.ridge, 0, "ridge"),
        line(s.factors, s.lasso, 1, "lasso"),
        x="Factor of the second column",
        y="Change of y for one standard deviation",
    )
    fig.update_xaxes(type="log").update_yaxes(rangemode="tozero")
    named_line(fig, "least squares, in any unit", y=s.least_squares)
    named_line(fig, "here", x=s.factor, is_log=True)
    if s.factor == 1:
        return fig
    named_line(fig, "standardised", x=1.0, is_log=True)
    # Away from each other, since the lines may stand close together.
    sides = ("left", "right") if s.factor > 1 else ("right", "left")
    for text, side in zip(("here", "standardised"), sides):
        fig.update_annotations(xanchor=side, selector={"text": text})
    return fig


def left_reading(s: Scaling) -> str:
    """What both leave here and after standardising, and where the lasso drops the column."""
    ridge, lasso = (float(np.interp(s.factor, s.factors, v)) for v in (s.ridge, s.lasso))
    text = (
        f"Of an effect of {rough(s.least_squares)} ridge leaves {rough(ridge)} and the lasso "
        f"{rough(lasso)} in these units, and {rough(s.fair[0])} and {rough(s.fair[1])} after "
        "standardising."
    )
    dropped = s.factors[s.lasso == 0]
    if not len(dropped):
        return text
    return text + f" Up to a factor of {rough(float(dropped[-1]))} the lasso drops the column."


def left_table(s: Scaling) -> tuple[TableColumn, ...]:
    """One line a factor."""
    return (
        TableColumn("factor", s.factors),
        TableColumn("ridge", s.ridge),
        TableColumn("lasso", s.lasso),
    )
