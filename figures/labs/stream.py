"""Rows as a stream: how far off the learner is after each update, and where it ends."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from figures import marks
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from figures.views.drawing import counted_noun, line, percent, rough
from mlcore.labs.stream import Course, Streamed

ORDERS = {
    "shuffled": "shuffled",
    "with_replacement": "drawn with replacement",
    "file": "in the order of the file",
    "sorted": "sorted by class",
}
OFF = {"mean": "Distance from the mean of all rows", "perceptron": "Share of rows wrongly classed"}


def pictures(s: Streamed) -> tuple[View, ...]:
    """The curve, then the plane."""
    note = f"{len(s.X)} rows, {ORDERS[s.order]}"
    title = "The way of the mean" if s.learner == "mean" else "The line after the last update"
    return (
        picture("While rows come in", s, draw, reading, table, note=note),
        picture(title, s, draw_plane, plane_reading, plane_table, note=note),
    )


def _courses(s: Streamed) -> list[tuple[int, str, Course]]:
    """Class, name and course of each curve: one if the order is shuffled anyway."""
    both = [(0, "shuffled", s.shuffled), (1, ORDERS[s.order], s.chosen)]
    return both[:1] if s.order == "shuffled" else both


def draw(s: Streamed) -> go.Figure:
    """Marks where updates are few."""
    traces = [line(c.seen, c.off, k, name) for k, name, c in _courses(s)]
    if len(s.chosen.seen) <= 40:
        for trace in traces:
            trace.update(mode="lines+markers")
    fig = plot(*traces, x="Rows given so far", y=OFF[s.learner]).update_yaxes(rangemode="tozero")
    return fig if s.learner == "mean" else fig.update_yaxes(tickformat=".0%")


def _value(s: Streamed, off: float) -> str:
    # What rounding leaves of a distance is none.
    return rough(off if off > 1e-9 else 0.0) if s.learner == "mean" else percent(off)


def reading(s: Streamed) -> str:
    """Updates and passes, and how far off both orders were half way and at the end."""
    c = s.chosen
    text = f"{counted_noun(c.updates, 'update')} in {counted_noun(c.passes, 'pass')}".replace(
        "passs", "passes"
    )
    what = "from the mean" if s.learner == "mean" else "of the rows wrong"
    each = [
        f"{name}: {_value(s, _half_way(own))} {what} half way, {_value(s, own.off[-1])} at the end"
        for _, name, own in _courses(s)
    ]
    return f"{text}. Rows {'; rows '.join(each)}."


def _half_way(c: Course) -> float:
    return float(c.off[int(np.searchsorted(c.seen, c.seen[-1] / 2))])


def table(s: Streamed) -> tuple[TableColumn, ...]:
    """One line a recorded update, at most 200 of them."""
    c = s.chosen
    names = ("column 1", "column 2") if s.learner == "mean" else ("weight 1", "weight 2", "offset")
    return (
        TableColumn("rows so far", c.seen),
        *(TableColumn(name, values) for name, values in zip(names, c.path.T, strict=True)),
        TableColumn(OFF[s.learner].lower(), c.off),
    )


def draw_plane(s: Streamed) -> go.Figure:
    """The rows, and the path of the mean or the last line of each order."""
    rows = [
        marks.points(*s.X[s.y == sign].T, klass=k + 2, hollow=True, name=f"class {k}",
                     marker={"opacity": 0.5})
        for k, sign in enumerate((-1, 1))
    ]  # fmt: skip
    drawn = _path if s.learner == "mean" else _last_line
    learnt = [drawn(s, k, name, c) for k, name, c in _courses(s)]
    fig = plot(*rows, *learnt, x="Column 1", y="Column 2")
    if s.learner == "mean":
        fig.add_trace(_target(s))
    (x0, y0), (x1, y1) = s.X.min(axis=0) - 0.5, s.X.max(axis=0) + 0.5
    return fig.update_xaxes(range=[x0, x1]).update_yaxes(range=[y0, y1]).update_layout(height=420)


def _path(s: Streamed, k: int, name: str, c: Course) -> go.Scatter:
    """Without the first steps, which are those of single rows."""
    path = c.path[c.seen >= min(5, c.seen[-1])]
    return line(path[:, 0], path[:, 1], k, f"mean, {name}")


def _target(s: Streamed) -> go.Scatter:
    x, y = s.X.mean(axis=0)
    mark = {"color": LIGHT.text, "symbol": "x", "size": 11}
    return go.Scatter(x=[x], y=[y], mode="markers", name="mean of all rows", marker=mark)


def _last_line(s: Streamed, k: int, name: str, c: Course) -> go.Scatter:
    """The two ends of w'x + b = 0, far outside; nothing while the weights are zero."""
    *w, b = c.path[-1]
    w = np.array(w)
    length = float(np.hypot(*w))
    if length == 0:
        return line([], [], k, f"line, {name}")
    foot, along = -b * w / length**2, np.array([-w[1], w[0]]) / length
    ends = foot + np.outer([-50.0, 50.0], along)
    style = {"color": class_color(k), "width": 2.5}
    return line(ends[:, 0], ends[:, 1], k, f"line, {name}").update(line=style)


def plane_reading(s: Streamed) -> str:
    """Where the learner ends, in words."""
    c = s.chosen
    if s.learner == "mean":
        far = float(c.off.max())
        return (
            f"On its way the mean is up to {rough(far)} from the mean of all rows, with rows "
            f"{ORDERS[s.order]}, and ends {_value(s, float(c.off[-1]))} from it."
        )
    return f"The last line has {percent(float(c.off[-1]))} of the rows on the wrong side."


def plane_table(s: Streamed) -> tuple[TableColumn, ...]:
    """One line a row, in the order of the file."""
    return (
        TableColumn("column 1", s.X[:, 0]),
        TableColumn("column 2", s.X[:, 1]),
        TableColumn("class", (s.y > 0).astype(int)),
    )
