"""Mercer's sum: the rebuilt kernel, its eigenfunctions, the error by terms."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.kernels.mercer import Mercer
from mlcore.spine.wording import count, plural, rough

SHOWN = 5  # eigenfunctions in one picture
LEAST = 1e-16


def pictures(m: Mercer) -> tuple[View, ...]:
    """Rebuilt kernel, error, functions."""
    note = f"around the middle, {count(m.terms, 'term')}"
    return (
        picture("The kernel and its sum", m, draw, reading, table, note=note),
        picture("What the first terms leave", m, draw_errors, errors_reading, errors_table),
        picture("Eigenfunctions", m, draw_functions, functions_reading, functions_table),
    )


def draw(m: Mercer) -> go.Figure:
    """One slice of both."""
    return plot(
        line(m.x, m.slice_, 0, "kernel"), line(m.x, m.rebuilt, 1, "sum"), x="x", y="k(x, 0)"
    )


def reading(m: Mercer) -> str:
    """The largest difference."""
    return (
        f"The sum of {count(m.terms, 'term')} differs from the kernel by at most "
        f"{rough(float(m.errors[m.terms - 1]))} anywhere."
    )


def table(m: Mercer) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (TableColumn("x", m.x), TableColumn("kernel", m.slice_), TableColumn("sum", m.rebuilt))


def draw_errors(m: Mercer) -> go.Figure:
    """Error and eigenvalue of each term on a log axis."""
    k = np.arange(1, len(m.errors) + 1)
    fig = plot(
        line(k, np.maximum(m.errors, LEAST), 0, "largest error"),
        line(k, np.maximum(m.values, LEAST), 1, "eigenvalue"),
        x="Terms",
        y="Value",
    )
    named_line(fig, "here", x=m.terms)
    return fig.update_yaxes(type="log").update_xaxes(dtick=1)


def errors_reading(m: Mercer) -> str:
    """How many terms a hundredth takes."""
    small = np.flatnonzero(m.errors < 0.01)
    if not len(small):
        return f"After {len(m.errors)} terms the error is still {rough(float(m.errors[-1]))}."
    n = int(small[0]) + 1
    leave = plural(n, "leaves", "leave")
    return f"{count(n, 'term')} {leave} less than a hundredth of the kernel."


def errors_table(m: Mercer) -> tuple[TableColumn, ...]:
    """One line a term."""
    return (
        TableColumn("terms", np.arange(1, len(m.errors) + 1)),
        TableColumn("largest error", m.errors),
        TableColumn("eigenvalue", m.values),
    )


def draw_functions(m: Mercer) -> go.Figure:
    """The first few, each with its dash."""
    lines = [line(m.x, m.functions[j], j, f"{j + 1}") for j in range(SHOWN)]
    return plot(*lines, x="x", y="Eigenfunction")


def functions_reading(m: Mercer) -> str:
    """How often each changes its sign."""
    sign_changes = [int((np.diff(np.sign(f[f != 0])) != 0).sum()) for f in m.functions[:SHOWN]]
    return f"The first {SHOWN} change their sign {', '.join(map(str, sign_changes))} times."


def functions_table(m: Mercer) -> tuple[TableColumn, ...]:
    """One line a place."""
    functions = (TableColumn(f"function {j + 1}", m.functions[j]) for j in range(SHOWN))
    return (TableColumn("x", m.x), *functions)
