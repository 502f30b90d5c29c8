"""What kernel methods cost: work by rows, moves of the machine, and the seconds of the cards."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.kernels.cost_lab import METHODS, KernelCosts
from mlcore.spine.wording import count, listed, rough, seconds, spaced

RIDGE, PROCESS, MACHINE = range(3)


def pictures(k: KernelCosts) -> tuple[View, ...]:
    """The work first."""
    return (
        picture("Work by number of rows", k, draw, reading, table),
        picture("Moves of the machine", k, draw_moves, moves_reading, moves_table),
        picture("Time by number of rows", k, draw_time, time_reading, time_table),
    )


def draw(k: KernelCosts) -> go.Figure:
    """A line a method; on these axes a power is a straight line."""
    return _lines(k, k.work, "Multiplications")


def _lines(k: KernelCosts, values: np.ndarray, y: str) -> go.Figure:
    fig = plot(*(line(k.sizes, own, m, METHODS[m]) for m, own in enumerate(values)), x="Rows", y=y)
    return _log_axes(fig, k)


def _log_axes(fig: go.Figure, k: KernelCosts) -> go.Figure:
    """Both axes on log scales, with every second size of the tables named, the largest last.

    The edge lies beyond that: a number that reaches over it would not be written.
    """
    first, last = np.log10(k.sizes[[0, -1]])
    fig.update_xaxes(type="log", tickvals=k.sizes[::-2], range=[first - 0.05, last + 0.05])
    return fig.update_yaxes(type="log")


def reading(k: KernelCosts) -> str:
    """The powers, and how far apart the methods are at the end."""
    powers = listed(f"{p:.1f} ({name})" for name, p in zip(METHODS, k.exponents, strict=True))
    ridge, machine = k.work[RIDGE, -1], k.work[MACHINE, -1]
    return (
        f"From {spaced(int(k.sizes[len(k.sizes) // 2]))} rows on the work grows with the power "
        f"{powers} of the rows. At {spaced(int(k.sizes[-1]))} kernel ridge regression takes "
        f"{rough(float(ridge / machine))} times the work of the machine."
    )


def table(k: KernelCosts) -> tuple[TableColumn, ...]:
    """One line a table."""
    own = (TableColumn(name, work) for name, work in zip(METHODS, k.work, strict=True))
    return (TableColumn("rows", k.sizes), *own)


def draw_moves(k: KernelCosts) -> go.Figure:
    """Moves and support vectors beside the rows."""
    fig = plot(
        line(k.sizes, k.moves, MACHINE, "pairs moved"),
        line(k.sizes, k.support, RIDGE, "support vectors"),
        x="Rows",
        y="How many",
    )
    return _log_axes(fig, k)


def moves_reading(k: KernelCosts) -> str:
    """Moves for each row, and support vectors, at the end."""
    moves, n = int(k.moves[-1]), int(k.sizes[-1])
    return (
        f"On {count(n, 'row')} {count(moves, 'pair')} of multipliers "
        f"{'is' if moves == 1 else 'are'} moved, {rough(moves / n)} for each row, and "
        f"{count(int(k.support[-1]), 'row')} end as support vectors."
    )


def moves_table(k: KernelCosts) -> tuple[TableColumn, ...]:
    """One line a table."""
    return (
        TableColumn("rows", k.sizes),
        TableColumn("pairs moved", k.moves),
        TableColumn("support vectors", k.support),
    )


def draw_time(k: KernelCosts) -> go.Figure:
    """A line a method."""
    return _lines(k, k.seconds, "Seconds, as estimated before a run")


def time_reading(k: KernelCosts) -> str:
    """The estimates at the end, and why they are no straight lines."""
    told = listed(
        f"{seconds(float(own[-1]))} ({name})" for name, own in zip(METHODS, k.seconds, strict=True)
    )
    return (
        f"Before a run on {spaced(int(k.sizes[-1]))} rows the dashboard expects {told}. With few "
        "rows the lines are flat: what every fit costs outweighs the rows. Default settings, "
        "where the process learns its kernel; only C is that of the lab."
    )


def time_table(k: KernelCosts) -> tuple[TableColumn, ...]:
    """One line a table."""
    own = (TableColumn(f"{name}, s", t) for name, t in zip(METHODS, k.seconds, strict=True))
    return (TableColumn("rows", k.sizes), *own)
