"""The errors of boosting round by round, with the bounds that the weighted errors imply."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.ensembles.boosting_theory import training_bound
from mlcore.ensembles.capabilities import HasBoostingRounds
from mlcore.spine.wording import count, percent

HEIGHT = 320


class BoostingBounds(NamedTuple):
    """Curves over the rounds, all of shape (T,)."""

    training: np.ndarray  # share of fitted rows that the votes up to here get wrong
    loss: np.ndarray  # exponential loss, which is above it
    weighted: np.ndarray  # weighted error of the member of the round
    bound: np.ndarray | None  # exp(-2 sum of squared edges); None unless it is one


@view(
    "boosting_bounds",
    title="Errors and bounds by round",
    asks=HasBoostingRounds,
    on="classification report",
    order=156,
    sources=("cs2:adaboost_bound",),
    synonyms=("exponential loss", "training error bound", "weak learner edge"),
)
def boosting_bounds(fit: Any) -> View:
    """How fast the training error falls, and what it can be at most.

    The exponential loss is never below the training error; with two classes and full votes it is
    the product of 2 sqrt(e (1 - e)) over the weighted errors e, at most exp(-2 sum (1/2 - e)^2).
    """
    return joined(numbers(fit), draw, reading, table, note="on the fitted rows")


def numbers(fit: Any) -> BoostingBounds:
    """The curves of a fit."""
    product, bound = training_bound(fit.errors)
    is_bound = len(fit.classes) == 2 and np.allclose(product, fit.losses, rtol=1e-6)
    return BoostingBounds(fit.training_errors, fit.losses, fit.errors, bound if is_bound else None)


def draw(b: BoostingBounds) -> go.Figure:
    """A line each."""
    rounds = np.arange(1, len(b.loss) + 1)
    curves = [("training error", b.training), ("exponential loss", b.loss)]
    curves += [("bound by the edges", b.bound)] if b.bound is not None else []
    curves += [("weighted error of the round", b.weighted)]
    traces = [
        line(rounds, values, k, name, hovertemplate="round %{x}<br>%{y:.4~g}")
        for k, (name, values) in enumerate(curves)
    ]
    return figure(
        *traces,
        height=HEIGHT,
        xaxis={"title": {"text": "Round"}, "tickformat": "d"},
        yaxis={"title": {"text": "Error or loss"}, "rangemode": "tozero"},
    )


def reading(b: BoostingBounds) -> str:
    """Where the training error ends, and the edge of the weakest round."""
    last = percent(float(b.training[-1]))
    text = f"After {count(len(b.loss), 'round')} {last} of the fitted rows are wrong"
    zero = np.flatnonzero(b.training == 0)
    text += (
        f", none from round {zero[0] + 1} on."
        if len(zero) and (b.training[zero[0] :] == 0).all()
        else "."
    )
    return f"{text} The exponential loss is {b.loss[-1]:.3g}, never below the error."


def table(b: BoostingBounds) -> tuple[TableColumn, ...]:
    """One line a round."""
    columns = (
        TableColumn("round", np.arange(1, len(b.loss) + 1)),
        TableColumn("training error", b.training),
        TableColumn("exponential loss", b.loss),
        TableColumn("weighted error", b.weighted),
    )
    return columns if b.bound is None else (*columns, TableColumn("bound", b.bound))
