"""A bad start of k-means: the way of the three centers, and where all starts end."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.marks import across
from figures.drawing.traces import dash_of, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, SHARE, class_color
from figures.view import TableColumn, View
from mlcore.labs.clustering.bad_start import BadStart
from mlcore.spine.wording import count, listed, percent, rough


def pictures(b: BadStart) -> tuple[View, ...]:
    """The run first."""
    note = "every start that is three of the six rows"
    return (
        picture("The way of the centers", b, draw, reading, table),
        picture("Where all starts end", b, draw_ends, ends_reading, ends_table, note=note),
    )


def draw(b: BadStart) -> go.Figure:
    """Time runs downwards; the rows stand on every level as thin lines."""
    iterations = np.arange(len(b.path))
    ways = [
        go.Scatter(
            x=b.path[:, k], y=iterations, mode="lines+markers", name=f"center {k + 1}",
            line={"color": class_color(k), "dash": dash_of(k)}, marker={"size": 10},
        )
        for k in range(3)
    ]  # fmt: skip
    end = np.full(len(b.rows), float(iterations[-1]) + 0.35)
    rows = [
        marks.points(b.rows[b.labels == k], end[b.labels == k], klass=k, showlegend=False)
        for k in range(3)
    ]
    fig = plot(*ways, *rows, x="Place on the line", y="Turn")
    for place in b.rows:
        across(fig, x=place, line={"color": LIGHT.hairline, "width": 1})
    return fig.update_yaxes(range=[float(iterations[-1]) + 0.6, -0.4], dtick=1)


def reading(b: BadStart) -> str:
    """Where it ended, and how much better it could be."""
    ends = listed([rough(float(c)) for c in np.sort(b.path[-1])])
    iterations = count(len(b.path) - 1, "turn")
    text = f"After {iterations} the centers stand at {ends}; the sum of squares is {rough(b.rss)}. "
    if b.rss <= b.best * (1 + 1e-9):
        return text + "No start does better."
    return text + f"The best start ends at {rough(b.best)}."


def table(b: BadStart) -> tuple[TableColumn, ...]:
    """One line an iteration."""
    centers = (TableColumn(f"center {k + 1}", b.path[:, k]) for k in range(3))
    return (TableColumn("turn", np.arange(len(b.path))), *centers)


def draw_ends(b: BadStart) -> go.Figure:
    """A bar a start, sorted; the best level is marked."""
    ends = np.sort(b.ends)
    bars = go.Bar(x=np.arange(1, len(ends) + 1), y=ends, marker_color=SHARE, name="starts")
    fig = plot(bars, x="Start, the best first", y="Sum of squares at the end")
    return named_line(fig, f"best {rough(b.best)}", y=b.best)


def ends_reading(b: BadStart) -> str:
    """How many starts fail."""
    bad = float((b.ends > b.best * (1 + 1e-9)).mean())
    return (
        f"{percent(bad)} of the {len(b.ends)} starts end worse than the best; of ten random "
        f"starts all would with a probability of {rough(bad**10)}."
    )


def ends_table(b: BadStart) -> tuple[TableColumn, ...]:
    """One line a start."""
    starts = (TableColumn(f"start {k + 1}", b.starts[:, k]) for k in range(3))
    return (*starts, TableColumn("sum of squares", b.ends))
