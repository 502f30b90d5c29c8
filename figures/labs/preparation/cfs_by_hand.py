"""The merit of two columns: both formulas over the overlap."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.preparation.cfs_by_hand import Merits
from mlcore.spine.wording import rough

MOST = 2.0  # the printed formula has no upper end


def pictures(m: Merits) -> tuple[View, ...]:
    """Curves of the pair, lines of the single columns."""
    return (picture("Merit of the pair by its overlap", m, draw, reading, table),)


def draw(m: Merits) -> go.Figure:
    """The better single column is what the pair has to beat."""
    here = go.Scatter(
        x=[m.overlap], y=[m.pair], mode="markers", name="here",
        marker={"color": LIGHT.text, "size": 11, "symbol": "diamond"},
    )  # fmt: skip
    fig = plot(
        line(m.overlaps, m.pairs, 0, "both columns"),
        line(m.overlaps, m.printed_pairs, 1, "both, as printed"),
        here,
        x="Correlation between the two columns",
        y="Merit",
    )
    named_line(fig, "the better column alone", y=float(m.single.max()))
    return fig.update_yaxes(range=[0, MOST])


def reading(m: Merits) -> str:
    """The three merits, which subset wins, and what the printed formula says."""
    names = ("column 1 alone", "column 2 alone", "both columns")
    merits = np.array([*m.single, m.pair])
    printed = f"{rough(m.printed_pair)} of both" if np.isfinite(m.printed_pair) else "nothing"
    return (
        f"Merits: {rough(merits[0])} of column 1, {rough(merits[1])} of column 2, "
        f"{rough(merits[2])} of both. Best is {names[int(merits.argmax())]}. As printed it is "
        f"{printed}, and undefined for a single column."
    )


def table(m: Merits) -> tuple[TableColumn, ...]:
    """One line an overlap."""
    return (
        TableColumn("overlap", m.overlaps),
        TableColumn("both columns", m.pairs),
        TableColumn("both, as printed", m.printed_pairs),
    )
