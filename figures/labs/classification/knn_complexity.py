"""Neighbours that vote: both errors by their number."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.classification.knn_complexity import Complexity
from mlcore.spine.wording import count, percent

EDGE, ROOM = 0.1, 0.5  # powers of ten before the first mark, and their share behind the last


def pictures(c: Complexity) -> tuple[View, ...]:
    """One picture: error against the number of neighbours."""
    note = f"{c.n_rows} training rows, 2000 new ones"
    return (picture("Error by number of neighbours", c, draw, reading, table, note=note),)


def draw(c: Complexity) -> go.Figure:
    """Complex rules at the left."""
    lines = [line(c.k, c.train, 0, "training rows"), line(c.k, c.test, 1, "new rows")]
    for trace in lines:
        trace.mode = "lines+markers"
    fig = plot(*lines, x="Neighbours", y="Share wrong")
    named_line(fig, "Bayes error", y=c.bayes_error)
    named_line(fig, "bound of one neighbour", y=c.bound)
    # The names of both lines stand to the right of the last mark, where there is none.
    ends = [-EDGE, float(np.log10(c.k[-1])) * (1 + ROOM)]
    fig.update_xaxes(type="log", dtick=1, range=ends)
    return fig.update_yaxes(tickformat=".0%", rangemode="tozero")


def reading(c: Complexity) -> str:
    """One neighbour, the best number, and the least error."""
    at = int(c.test.argmin())
    return (
        f"One neighbour errs on {percent(float(c.train[0]))} of the training rows and "
        f"{percent(float(c.test[0]))} of the new ones; {count(c.best, 'neighbour')} on "
        f"{percent(float(c.train[at]))} and {percent(float(c.test[at]))}. The least possible is "
        f"{percent(c.bayes_error)}, the bound of one neighbour {percent(c.bound)}."
    )


def table(c: Complexity) -> tuple[TableColumn, ...]:
    """One line a number of neighbours."""
    return (
        TableColumn("neighbours", c.k),
        TableColumn("training rows", c.train),
        TableColumn("new rows", c.test),
    )
