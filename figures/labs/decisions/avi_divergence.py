"""Fitted value iteration: values by iteration, and the factor of an iteration by discount."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.decisions.avi_divergence import FITS, Divergence
from mlcore.spine.wording import count, listed, rough

LEAST = 1e-12  # a log axis has no zero


def pictures(d: Divergence) -> tuple[View, ...]:
    """By iteration, then by discount."""
    return (
        picture("Largest value", d, draw, reading, table, note="0 is right"),
        picture("Growth an iteration", d, draw_factors, factors_reading, factors_table),
    )


def draw(d: Divergence) -> go.Figure:
    """A line a way to fit."""
    x = np.arange(d.sizes.shape[1])
    lines = [line(x, np.maximum(own, LEAST), k, FITS[k]) for k, own in enumerate(d.sizes)]
    fig = plot(*lines, x="Iteration", y="Largest value")
    return fig.update_yaxes(type="log")


def reading(d: Divergence) -> str:
    """Where all are at the end, in units of where they began."""
    ends = listed(f"{name} {rough(float(own[-1] / own[0]))}" for name, own in zip(FITS, d.sizes))
    n = count(d.sizes.shape[1] - 1, "iteration")
    fate = "grows without bounds" if d.factor > 1 else "comes to 0"
    return (
        f"After {n} the values are so many times those of the beginning: {ends}. The linear fit "
        f"is multiplied by {rough(d.factor)} each time and {fate}."
    )


def table(d: Divergence) -> tuple[TableColumn, ...]:
    """One line an iteration."""
    sizes = (TableColumn(f"largest value, {name}", own) for name, own in zip(FITS, d.sizes))
    return TableColumn("iteration", np.arange(d.sizes.shape[1])), *sizes


def draw_factors(d: Divergence) -> go.Figure:
    """Above 1 values grow for ever."""
    lines = [line(d.gammas, own, k, FITS[k]) for k, own in enumerate(d.factors)]
    fig = plot(*lines, x="Discount", y="Factor of an iteration")
    named_line(fig, "here", x=d.gamma)
    return named_line(fig, "grows above", y=1.0)


def factors_reading(d: Divergence) -> str:
    """Where the linear fit begins to grow."""
    return (
        "The linear fit grows from a discount of 5/6 on; the table and the mean shrink by the "
        f"discount itself, here {d.gamma:g}."
    )


def factors_table(d: Divergence) -> tuple[TableColumn, ...]:
    """One line a discount."""
    factors = (TableColumn(f"factor, {name}", own) for name, own in zip(FITS, d.factors))
    return TableColumn("discount", d.gammas), *factors
