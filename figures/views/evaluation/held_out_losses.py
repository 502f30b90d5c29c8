"""The loss after each iteration on the training rows and on those held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.capabilities import HasHeldOutLosses
from mlcore.spine.wording import count, rough

HEIGHT = 320
TAUGHT, JUDGED = "training rows", "held-out rows"


class Losses(NamedTuple):
    """Mean losses by iteration, and what was kept."""

    k: np.ndarray  # (t,) numbers of the iterations, from 1
    training: np.ndarray  # (t,)
    held_out: np.ndarray  # (t,)
    best: int  # number of the iteration that is kept
    rows: int  # how many were held out


@view(
    "held_out_losses",
    title="Training and validation loss",
    asks=HasHeldOutLosses,
    on="classification regression report",
    order=255,
    sources=("s841:early_stopping_time",),
    synonyms=("early stopping", "validation loss", "learning curve", "loss curve", "overfitting"),
)
def held_out_losses(fit: Any) -> View:
    """Loss by iteration on both kinds of rows, and the iteration that is kept."""
    numbers = losses(fit)
    note = f"{count(numbers.rows, 'row')} of the training rows held out"
    return joined(numbers, draw, reading, table, note=note)


def losses(fit: Any) -> Losses:
    """The record of a fit."""
    it = fit.held_out_losses
    k = np.arange(1, len(it.training) + 1)
    return Losses(k, it.training, it.held_out, it.best, len(it.rows))


def draw(n: Losses) -> go.Figure:
    """Two lines, and a mark where the held-out one is least."""
    lines = [
        go.Scatter(
            x=n.k,
            y=values,
            name=name,
            mode="lines",
            line={"color": LIGHT.accent, "dash": dash, "width": 2},
            hovertemplate=f"iteration %{{x}}<br>{name} %{{y:.4~g}}<extra></extra>",
        )
        for name, values, dash in (
            (TAUGHT, n.training, "solid"),
            (JUDGED, n.held_out, "dash"),
        )
    ]
    at = n.best - 1
    kept = go.Scatter(
        x=n.k[at : at + 1],
        y=n.held_out[at : at + 1],
        name="kept",
        mode="markers",
        marker={"size": 11, "color": LIGHT.accent, "symbol": "diamond"},
        hovertemplate="iteration %{x} is kept<br>%{y:.4~g}<extra></extra>",
    )
    return figure(
        *lines,
        kept,
        height=HEIGHT,
        xaxis={"title": {"text": "Iteration"}, "tickformat": "d"},
        yaxis={"title": {"text": "Mean loss"}},
    )


def reading(n: Losses) -> str:
    """Where the held-out loss is least, and what came after."""
    at, last = n.best - 1, int(n.k[-1])
    text = (
        f"On the {count(n.rows, 'held-out row')} the loss is least, {rough(n.held_out[at])}, after "
        f"{count(n.best, 'iteration')}; that one is kept. "
    )
    if n.best == last:
        return text + "It was the last: with more iterations it might fall further."
    return text + (
        f"By iteration {last} it is {rough(n.held_out[-1])} there, and on the training rows it "
        f"went from {rough(n.training[at])} to {rough(n.training[-1])}."
    )


def table(n: Losses) -> tuple[TableColumn, ...]:
    """One line an iteration."""
    return (
        TableColumn("iteration", n.k),
        TableColumn(f"loss on {TAUGHT}", n.training),
        TableColumn(f"loss on {JUDGED}", n.held_out),
    )
