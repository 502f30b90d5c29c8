"""Many raters: the error of their mean by their number, and what they said."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.data.raters import Raters
from mlcore.spine.wording import count, rough


def pictures(r: Raters) -> tuple[View, ...]:
    """The error, then the ratings."""
    m = r.ratings.shape[1]
    note = count(m, "rater")
    return (
        picture("How wrong the mean is", r, draw, reading, table),
        picture("What they said", r, draw_ratings, ratings_reading, ratings_table, note=note),
    )


def draw(r: Raters) -> go.Figure:
    """This table, what is to be expected, and what no number of raters removes."""
    shared = np.full(len(r.counts), abs(r.bias))
    fig = plot(
        line(r.counts, r.errors, 0, "this table"),
        line(r.counts, r.expected, 1, "expected"),
        line(r.counts, shared, 2, "the bias that all share"),
        x="Raters",
        y="Root mean squared error",
    )
    return named_line(fig, "here", x=r.ratings.shape[1]).update_yaxes(rangemode="tozero")


def reading(r: Raters) -> str:
    """Error of one, of these and of all."""
    m = r.ratings.shape[1]
    at = [rough(float(r.errors[k - 1])) for k in (1, m, len(r.counts))]
    return (
        f"One rater errs by {at[0]}, the mean of {m} by {at[1]}, and that of {len(r.counts)} by "
        f"{at[2]}; {rough(abs(r.bias))} of that is shared by all and stays."
    )


def table(r: Raters) -> tuple[TableColumn, ...]:
    """One line a number of raters."""
    return (
        TableColumn("raters", r.counts),
        TableColumn("error", r.errors),
        TableColumn("expected", r.expected),
    )


def draw_ratings(r: Raters) -> go.Figure:
    """The mean over the truth, with the spread of the ratings; on the line it would be right."""
    spread = {"type": "data", "array": r.disagreement, "thickness": 1, "width": 0}
    means = marks.points(
        r.truth, r.consensus, klass=0, name="mean and standard deviation of the ratings"
    )
    ends = [float(r.truth.min()), float(r.truth.max())]
    style = {"color": LIGHT.text, "dash": "dot", "width": 1.5}
    right = go.Scatter(x=ends, y=ends, mode="lines", name="right", line=style)
    return plot(means.update(error_y=spread), right, x="True value", y="Label")


def ratings_reading(r: Raters) -> str:
    """Disagreement beside the error."""
    off = float(np.mean(r.consensus - r.truth))
    return (
        f"The raters differ by {rough(float(np.mean(r.disagreement)))} on average, their mean is "
        f"off by {rough(off)} on average. What all add shows in the second and not in the first."
    )


def ratings_table(r: Raters) -> tuple[TableColumn, ...]:
    """One line a thing."""
    return (
        TableColumn("truth", r.truth),
        TableColumn("mean", r.consensus),
        TableColumn("disagreement", r.disagreement),
    )
