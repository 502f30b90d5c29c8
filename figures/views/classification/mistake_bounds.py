"""Why a perceptron ends: its weights must grow with every mistake, and cannot grow that fast."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasMistakeBounds
from mlcore.classification.perceptron_bounds import MistakeBounds
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, rough

HEIGHT = 340
FAR = 8.0  # the bounds are drawn at most so many times farther than there are mistakes
POINTS = 120


class Growth(NamedTuple):
    """Lengths by mistakes, with their bounds; these go on to where they meet, or not so far."""

    lengths: np.ndarray  # (u + 1,)
    at: np.ndarray  # (a,) mistakes for which the bounds are drawn
    lower: np.ndarray | None  # (a,)
    upper: np.ndarray  # (a,)
    bounds: MistakeBounds


@view(
    "mistake_bounds",
    title="Mistake bound",
    asks=HasMistakeBounds,
    on="classification",
    order=159,
    sources=("cs2:perceptron_convergence",),
    synonyms=("Novikoff", "perceptron convergence theorem", "convergence proof"),
)
def mistake_bounds(fit: Any, whole: Whole) -> View:
    """Length of the weights after each mistake, between two bounds that meet somewhere.

    No run makes more mistakes than where they meet. Each mistake adds a row, so the square of
    the length grows by at most that of the longest row, and along the best hyperplane the length
    grows by at least its margin.
    """
    note = "on the fitted rows, as prepared"
    return joined(numbers(fit, whole), draw, reading, table, note=note)


def numbers(fit: Any, whole: Whole) -> Growth:
    """The lengths, and the bounds as far as they are drawn."""
    b: MistakeBounds = fit.bounds(whole.prepared.X, whole.prepared.y)
    u = max(len(fit.lengths) - 1, 1)
    first = float(fit.lengths[0])
    at = np.linspace(0.0, min(max(1.1 * b.most, u), FAR * u) if np.isfinite(b.most) else u, POINTS)
    lower = at * b.margin - first if b.lower is not None else None
    return Growth(fit.lengths, at, lower, np.sqrt(first**2 + at * b.radius**2), b)


def draw(g: Growth) -> go.Figure:
    """The lengths, and a dashed line for each bound."""
    hover = "%{x:.4~g} mistakes<br>%{y:.4~g}<extra>%{fullData.name}</extra>"
    curves = [("length of the weights", np.arange(len(g.lengths)), g.lengths)]
    curves += [("at most", g.at, g.upper)]
    curves += [("at least", g.at, g.lower)] if g.lower is not None else []
    return figure(
        *(line(x, y, k, name, hovertemplate=hover) for k, (name, x, y) in enumerate(curves)),
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": "Mistakes"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Length"}, "rangemode": "tozero"},
    )


def reading(g: Growth) -> str:
    """How many mistakes there were, and how many there can be at most."""
    made = count(len(g.lengths) - 1, "mistake")
    b = g.bounds
    if b.lower is None:
        return f"{made}. No hyperplane with a margin is known here, so nothing bounds their number."
    size = f"the longest row has length {rough(b.radius)}, and the widest margin is "
    size += rough(b.margin)
    return f"{made}, and no order of the rows leads to more than {b.most:,.0f}: {size}."


def table(g: Growth) -> tuple[TableColumn, ...]:
    """One line a mistake."""
    columns = (
        TableColumn("mistakes", np.arange(len(g.lengths))),
        TableColumn("length", g.lengths),
        TableColumn("at most", g.bounds.upper),
    )
    lower = g.bounds.lower
    return columns if lower is None else (*columns, TableColumn("at least", lower))
