"""Returns over the strength of exploration, and the actions that nobody tried."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.numbers.trials import half_width, with_interval
from figures.view import TableColumn, View
from mlcore.labs.decisions.exploration import SELDOM, Explorations
from mlcore.spine.wording import count, percent, rough

RULES = {
    "epsilon_greedy": "\N{GREEK SMALL LETTER EPSILON}",
    "softmax": "\N{GREEK SMALL LETTER TAU}",
}


def pictures(e: Explorations) -> tuple[View, ...]:
    """What is earned, then what is known."""
    note = f"mean of {count(e.online.shape[1], 'replicate')}"
    return (
        picture("Reward of a move", e, draw, reading, table, note=note),
        picture("Actions hardly tried", e, draw_seldom, seldom_reading, table, note=note),
    )


def _axis(e: Explorations) -> str:
    falling = ", falling to 0" if e.is_falling else ""
    return ("Epsilon" if e.rule == "epsilon_greedy" else "Temperature") + falling


def _at(e: Explorations) -> list[str]:
    """The strengths as names: they are no even scale, and 0 has no logarithm."""
    return [f"{s:g}" for s in e.strengths]


def draw(e: Explorations) -> go.Figure:
    """With intervals; the dashed line is what was learned."""
    traces = []
    for k, (name, own) in enumerate((("while exploring", e.online), ("greedy policy", e.greedy))):
        trace = line(_at(e), own.mean(axis=1), k, name)
        half = half_width(own.T)
        if np.isfinite(half).all():
            trace.update(error_y={"array": half, "thickness": 1.5, "width": 4})
        traces.append(trace)
    fig = plot(*traces, x=_axis(e), y="Reward of a move").update_xaxes(type="category")
    return named_line(fig, f"best {rough(e.best)}", y=e.best)


def reading(e: Explorations) -> str:
    """The strengths at which each of the two is best."""
    online, greedy = e.online.mean(axis=1), e.greedy.mean(axis=1)
    a, b = int(online.argmax()), int(greedy.argmax())
    sign, half = RULES[e.rule], half_width(e.online.T)
    return (
        f"Most is earned while exploring with {sign} = {e.strengths[a]:g}, "
        f"{with_interval(float(online[a]), float(half[a]))} a move; the best greedy policy comes "
        f"of {sign} = {e.strengths[b]:g} and earns {rough(float(greedy[b]))}. With 0 these are "
        f"{rough(float(online[0]))} and {rough(float(greedy[0]))}."
    )


def table(e: Explorations) -> tuple[TableColumn, ...]:
    """One line a strength."""
    return (
        TableColumn(_axis(e).lower(), e.strengths),
        TableColumn("reward while exploring", e.online.mean(axis=1)),
        TableColumn("reward of the greedy policy", e.greedy.mean(axis=1)),
        TableColumn("share of actions hardly tried", e.seldom.mean(axis=1)),
    )


def draw_seldom(e: Explorations) -> go.Figure:
    """The share of all actions of all states."""
    fig = plot(line(_at(e), e.seldom.mean(axis=1), 0, "hardly tried"), x=_axis(e),
               y=f"Taken less than {SELDOM} times")  # fmt: skip
    fig.update_xaxes(type="category")
    return fig.update_yaxes(tickformat=".0%", rangemode="tozero")


def seldom_reading(e: Explorations) -> str:
    """Both ends."""
    share = e.seldom.mean(axis=1)
    return (
        f"Without exploration {percent(float(share[0]))} of the actions were taken less than "
        f"{SELDOM} times, with {RULES[e.rule]} = {e.strengths[-1]:g} {percent(float(share[-1]))}."
    )
