"""Polynomials of rising degree: one curve, and both errors by degree."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.regression.polynomial_complexity import Polynomials
from mlcore.spine.wording import rough

LEAST = 1e-3  # errors below are drawn there: a log axis has no zero


def pictures(p: Polynomials) -> tuple[View, ...]:
    """The curve first."""
    return (
        picture("The curve and the rows", p, draw, reading, table, note=f"degree {p.degree}"),
        picture("Error by degree", p, draw_errors, errors_reading, errors_table),
    )


def draw(p: Polynomials) -> go.Figure:
    """The vertical range follows the rows: far outside the curve may leave it."""
    truth = go.Scatter(
        x=p.grid, y=p.truth, mode="lines", name="truth", line={"color": LIGHT.quiet, "dash": "dot"}
    )
    rows = marks.points(p.x, p.y, klass=0, name="training rows")
    fig = plot(truth, line(p.grid, p.curve, 1, "polynomial"), rows, x="x", y="y")
    values = np.concatenate([p.y, p.truth])
    room = 0.4 * (values.max() - values.min())
    return fig.update_yaxes(range=[values.min() - room, values.max() + room])


def reading(p: Polynomials) -> str:
    """Both errors of this degree."""
    at = int(np.flatnonzero(p.degrees == p.degree)[0])
    return (
        f"Degree {p.degree} is off by {rough(float(p.train[at]))} on the {len(p.x)} training rows "
        f"and by {rough(float(p.test[at]))} on new ones (root mean square); the noise alone is "
        f"{rough(p.noise)}."
    )


def table(p: Polynomials) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("x", p.grid),
        TableColumn("truth", p.truth),
        TableColumn("polynomial", p.curve),
    )


def draw_errors(p: Polynomials) -> go.Figure:
    """Log axis: the errors of high degrees are huge."""
    errors = ((p.train, "training rows"), (p.test, "new rows"))
    lines = [line(p.degrees, np.maximum(e, LEAST), k, name) for k, (e, name) in enumerate(errors)]
    fig = plot(*lines, x="Degree", y="Root mean squared error")
    named_line(fig, "here", x=p.degree)
    return fig.update_yaxes(type="log").update_xaxes(dtick=1)


def errors_reading(p: Polynomials) -> str:
    """Where new rows are served best."""
    return (
        f"On new rows degree {p.best} is best with {rough(float(p.test.min()))}; on the fitted "
        f"rows the error falls from {rough(float(p.train[0]))} to {rough(float(p.train[-1]))}."
    )


def errors_table(p: Polynomials) -> tuple[TableColumn, ...]:
    """One line a degree."""
    return (
        TableColumn("degree", p.degrees),
        TableColumn("training rows", p.train),
        TableColumn("new rows", p.test),
    )
