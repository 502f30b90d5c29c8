"""Error of Q-learning by move under every rule of its steps, and at the end."""

from __future__ import annotations

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import class_color
from figures.view import TableColumn, View
from mlcore.labs.decisions.step_size import StepSizes
from mlcore.spine.wording import percent, rough, spaced


def pictures(s: StepSizes) -> tuple[View, ...]:
    """Over time, then where all end."""
    note = "largest error of a state, in units of the largest value"
    return (
        picture("Error of the values", s, draw, reading, table, note=note),
        picture("Error at the end", s, draw_end, end_reading, end_table, note=note),
    )


def draw(s: StepSizes) -> go.Figure:
    """Straight lines fall like a power of the moves."""
    lines = [line(s.moves, own, k, rule) for k, (rule, own) in enumerate(zip(s.rules, s.errors))]
    fig = plot(*lines, x="Move", y="Relative error")
    fig.update_xaxes(type="log")
    return fig.update_yaxes(type="log")


def reading(s: StepSizes) -> str:
    """The mean of all targets beside the best rule."""
    ends = s.errors[:, -1]
    best, mean = int(ends.argmin()), s.rules.index("p = 1")
    return (
        f"After {spaced(int(s.moves[-1]))} moves the mean of all targets (p = 1) is "
        f"{percent(float(ends[mean]))} off, {s.rules[best]} is best with "
        f"{percent(float(ends[best]))}."
    )


def table(s: StepSizes) -> tuple[TableColumn, ...]:
    """One line a move that was noted."""
    errors = (TableColumn(f"error, {rule}", own) for rule, own in zip(s.rules, s.errors))
    return TableColumn("move", s.moves), *errors


def draw_end(s: StepSizes) -> go.Figure:
    """A bar a rule, on a scale of powers of ten."""
    colors = [class_color(k) for k in range(len(s.rules))]
    bars = go.Bar(x=list(s.rules), y=s.errors[:, -1], marker_color=colors)
    fig = plot(bars, x="Step size", y="Relative error")
    return fig.update_yaxes(type="log")


def end_reading(s: StepSizes) -> str:
    """What the rule that was chosen has come to, and the constant step."""
    own = s.rules.index(f"p = {s.power:g}")
    return (
        f"With p = {s.power:g} the error is {rough(float(s.errors[own, -1]))}, with the "
        f"{s.rules[-1]} step {rough(float(s.errors[-1, -1]))}."
    )


def end_table(s: StepSizes) -> tuple[TableColumn, ...]:
    """One line a rule."""
    return TableColumn("step size", s.rules), TableColumn("relative error", s.errors[:, -1])
