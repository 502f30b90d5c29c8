"""Rows as a stream: how far off the learner is after each update, and where it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.recording import Recording
from figures.theme import LIGHT
from figures.view import TableColumn, View
from mlcore.labs.data.stream import Course, Streamed
from mlcore.spine.wording import count, percent, rough

ORDERS = {
    "shuffled": "shuffled",
    "with_replacement": "drawn with replacement",
    "file": "in the order of the file",
    "sorted": "sorted by class",
}
WHAT = {"mean": "mean", "perceptron": "line"}
OFF = {"mean": "Distance from the mean of all rows", "perceptron": "Share of rows wrongly classed"}
LEARNT = 2  # the first trace of the plane that is no row; the player moves it and those behind it
MOST_RINGS = 20  # rows of an update that are ringed; rings around all would tell nothing


def pictures(s: Streamed) -> tuple[View, ...]:
    """The curve, then the plane."""
    note = f"{len(s.X)} rows, {ORDERS[s.order]}"
    title = "The way of the mean" if s.learner == "mean" else "The line after the last update"
    return (
        picture("While rows come in", s, draw, reading, table, note=note),
        picture(title, s, draw_plane, plane_reading, plane_table, note=note, player=_player(s)),
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
    passes = count(c.passes, "pass", "passes")
    text = f"{count(c.updates, 'update')} in {passes}"
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
    drawn = _path if s.learner == "mean" else _line
    last = len(s.chosen.at) - 1
    names = [f"{WHAT[s.learner]}, {name}" for _, name, _ in _courses(s)]
    learnt = [
        line(x, y, k, name).update(line_width=2.5)
        for name, (k, _, c) in zip(names, _courses(s), strict=True)
        for x, y in [drawn(c, last)]
    ]
    x, y = _given(s, last)
    given = marks.rings(x, y, name="rows of this update")
    fig = plot(*rows, *learnt, given, x="Column 1", y="Column 2")
    if s.learner == "mean":
        fig.add_trace(_target(s))
    (x0, y0), (x1, y1) = s.X.min(axis=0) - 0.5, s.X.max(axis=0) + 0.5
    return fig.update_xaxes(range=[x0, x1]).update_yaxes(range=[y0, y1]).update_layout(height=420)


def _path(c: Course, k: int) -> np.ndarray:
    """Both coordinates of the mean up to update k, (2, u), but for those of the first rows."""
    begins = min(int(np.searchsorted(c.seen, 5)), k)  # means of single rows leap about
    return c.path[begins : k + 1].T


def _line(c: Course, k: int) -> np.ndarray:
    """The ends of w'x + b = 0 after update k, far outside, (2, 2); none while w is zero."""
    *weights, b = c.path[k]
    w = np.array(weights)
    length = float(np.hypot(*w))
    if length == 0:
        return np.full((2, 2), np.nan)
    foot, along = -b * w / length**2, np.array([-w[1], w[0]]) / length
    return (foot + np.outer([-50.0, 50.0], along)).T


def _given(s: Streamed, k: int) -> np.ndarray:
    """Where the rows of update k of the chosen order lie, (2, b); none if they are many."""
    rows = s.chosen.given[k]
    return s.X[rows if len(rows) <= MOST_RINGS else rows[:0]].T


def _target(s: Streamed) -> go.Scatter:
    x, y = s.X.mean(axis=0)
    mark = {"color": LIGHT.text, "symbol": "x", "size": 11}
    return go.Scatter(x=[x], y=[y], mode="markers", name="mean of all rows", marker=mark)


def _player(s: Streamed) -> Callable[[], Recording] | None:
    """Update by update: the way so far, or the line as it stands; None where there is one alone."""
    c, drawn = s.chosen, _path if s.learner == "mean" else _line
    if len(c.at) < 2:
        return None

    def frame(k: int) -> dict[int, dict[str, Any]]:
        places = [*(drawn(course, k) for _, _, course in _courses(s)), _given(s, k)]
        return {LEARNT + i: {"x": x, "y": y} for i, (x, y) in enumerate(places)}

    def recorded() -> Recording:
        steps = range(len(c.at))
        return Recording(
            frames=[frame(k) for k in steps],
            objective=c.off,
            sentences=[_sentence(s, k) for k in steps],
            steps=c.at,
            label=OFF[s.learner].lower(),
        )

    return recorded


def _sentence(s: Streamed, k: int) -> str:
    """Update and pass, and how far off each order is."""
    epoch = -(-int(s.chosen.seen[k]) // len(s.X))
    each = "; ".join(f"rows {name}: {_value(s, float(c.off[k]))}" for _, name, c in _courses(s))
    what = "from the mean" if s.learner == "mean" else "of the rows wrong"
    return f"Update {s.chosen.at[k]}, in pass {epoch}. {each[0].upper()}{each[1:]} {what}."


def plane_reading(s: Streamed) -> str:
    """Where the learner ends, in words."""
    c = s.chosen
    if s.learner == "mean":
        far = _value(s, float(c.off.max()))
        return (
            f"On its way the mean is up to {far} from the mean of all rows, with rows "
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
