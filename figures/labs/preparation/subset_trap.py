"""The trap of one at a time: what every search keeps, and the way of one of them."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.lab import picture
from figures.theme import SHARE, figure
from figures.view import TableColumn, View
from figures.views.data.relevance_table import relevance_table
from figures.views.preparation.subset_lattice import subset_lattice
from mlcore.labs.preparation.subset_trap import Trap
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import count, rough

ROW, ROOM = 44, 110  # pixels a search, and around them


def pictures(trap: Trap) -> tuple[View, ...]:
    """All searches beside each other; then one of them, to be played."""
    prepared = Prepared((trap.fit,), np.zeros((0, 0)), None, ())
    compared = picture("What each search keeps", trap, draw, reading, table)
    return compared, subset_lattice(prepared), relevance_table(prepared)


def draw(trap: Trap) -> go.Figure:
    """A bar a search from what nothing is worth, named with what it keeps."""
    bars = go.Bar(
        x=trap.values - trap.nothing,
        base=trap.nothing,
        y=list(trap.searches),
        orientation="h",
        marker_color=SHARE,
        text=[f"{kept} ({count} scored)" for kept, count in _bar_texts(trap)],
        textposition="auto",
        hovertemplate="%{y}<br>J = %{x:.4~g}, %{text}<extra></extra>",
    )
    fig = figure(
        bars,
        height=ROOM + ROW * len(trap.searches),
        xaxis={"title": {"text": "J of what is kept, from J of nothing"}},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
    )
    named_line(fig, "the best there is", x=float(trap.values[-1]))
    return fig.update_layout(margin_t=36)


def _bar_texts(trap: Trap) -> list[tuple[str, int]]:
    return list(zip(trap.kept, trap.evaluations.tolist(), strict=True))


def reading(trap: Trap) -> str:
    """Who finds the best subset, and who is caught."""
    best = float(trap.values[-1])
    caught = [
        f"{name} keeps {kept}, {rough(float(value))}"
        for name, kept, value in zip(trap.searches, trap.kept, trap.values, strict=True)
        if value < best - 1e-9
    ]
    text = f"The best is {trap.kept[-1]}, J = {rough(best)}, "
    text += f"out of {count(int(trap.evaluations[-1]), 'subset')} of this size. "
    return text + (f"Caught: {'; '.join(caught)}." if caught else "Every search finds it.")


def table(trap: Trap) -> tuple[TableColumn, ...]:
    """One line a search."""
    return (
        TableColumn("search", trap.searches),
        TableColumn("J", trap.values),
        TableColumn("kept", trap.kept),
        TableColumn("subsets scored", trap.evaluations),
    )
