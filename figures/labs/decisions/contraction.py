"""Value iteration contracts: the distance of two starts, and error, certificate and loss."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.decisions.contraction import Contraction
from mlcore.spine.wording import count, rough

LEAST = 1e-12  # rounding lies below; a log axis has no zero


def pictures(c: Contraction) -> tuple[View, ...]:
    """The distance, then what it means for values and for acting."""
    return (
        picture("Distance of two value functions", c, draw, reading, table),
        picture("Values, certificate, loss", c, draw_errors, errors_reading, table,
                note="of the first start, in the worst state"),
    )  # fmt: skip


def _drawn(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), np.nan, np.maximum(values, LEAST))


def draw(c: Contraction) -> go.Figure:
    """Never above the line of theory: the discount to the power of the sweep."""
    fig = plot(
        line(c.sweeps, _drawn(c.apart), 0, "distance"),
        line(c.sweeps, _drawn(c.allowed), 1, "allowed by theory"),
        x="Sweep",
        y="In units of the first",
    )
    return fig.update_yaxes(type="log")


def reading(c: Contraction) -> str:
    """How much faster than allowed."""
    k = min(10, len(c.sweeps) - 1)
    return (
        f"After {count(k, 'sweep')} the distance is {rough(float(c.apart[k]))} of the "
        f"first; theory allows {rough(float(c.allowed[k]))}."
    )


def table(c: Contraction) -> tuple[TableColumn, ...]:
    """One line a sweep."""
    return (
        TableColumn("sweep", c.sweeps),
        TableColumn("distance", c.apart),
        TableColumn("allowed", c.allowed),
        TableColumn("error of the values", c.error),
        TableColumn("certificate", c.certificate),
        TableColumn("loss of acting", c.loss),
    )


def draw_errors(c: Contraction) -> go.Figure:
    """The certificate is what can be known without the answer."""
    wanted = np.full(len(c.sweeps), c.wanted)
    fig = plot(
        line(c.sweeps, _drawn(c.error), 0, "error of the values"),
        line(c.sweeps, _drawn(c.certificate), 1, "certificate"),
        line(c.sweeps, _drawn(c.loss), 2, "loss of acting"),
        line(c.sweeps, wanted, 3, "loss allowed"),
        x="Sweep",
        y="Error or loss of value",
    )
    return fig.update_yaxes(type="log")


def errors_reading(c: Contraction) -> str:
    """When acting is good enough, and how wrong the values are then."""
    if c.needed < 0:
        return f"Within {len(c.sweeps) - 1} sweeps acting loses more than {rough(c.wanted)}."
    return (
        f"After {count(c.needed, 'sweep')} acting greedily loses at most "
        f"{rough(c.wanted)}; the values themselves are then still off by "
        f"{rough(float(c.error[c.needed]))}."
    )
