"""What is learned from moves of a behaviour, by its random moves and by what they covered."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces
from figures.drawing.traces import named_line
from figures.lab import picture, plot
from figures.numbers.trials import ReplicateCurve, replicated
from figures.theme import LIGHT, class_color, class_symbol
from figures.view import TableColumn, View
from mlcore.labs.decisions.coverage_study import METHODS, Coverage
from mlcore.spine.wording import count, percent, rough

OWN = "acts itself"


def pictures(c: Coverage) -> tuple[View, ...]:
    """Returns by random moves, then by coverage."""
    n = count(len(c.own_returns), "set of data", "sets of data")
    note = f"mean of {n}"
    return (
        picture("Return of the learned policy", c, draw, reading, table, note=note),
        picture("Coverage and return", c, draw_covered, covered_reading, covered_table,
                note=f"{note}; along a line more and more random moves"),
    )  # fmt: skip


def _curves(c: Coverage) -> tuple[ReplicateCurve, ...]:
    each = zip(METHODS, c.returns, strict=True)
    return tuple(replicated(name, c.epsilons, own) for name, own in each)


def draw(c: Coverage) -> go.Figure:
    """A line a method; who acts itself is a level, as it has no other behaviour."""
    traces = [t for k, own in enumerate(_curves(c)) for t in curve_traces(own, k, lines=False)]
    fig = plot(*traces, x="Random moves of the behaviour", y="Return")
    named_line(fig, f"best {rough(c.best)}", y=c.best)
    fig.update_xaxes(tickformat=".0%")
    return named_line(fig, f"behaviour {rough(c.behaviour)}", y=c.behaviour)


def reading(c: Coverage) -> str:
    """Without random moves, with the best share of them, and with nothing else."""
    planned = c.returns[0].mean(axis=0)
    k = int(planned.argmax())
    return (
        f"Planning on data without random moves earns {rough(float(planned[0]))}, with "
        f"{percent(float(c.epsilons[k]))} of them {rough(float(planned[k]))}, with nothing else "
        f"{rough(float(planned[-1]))}; who acts itself earns {rough(float(c.own_returns.mean()))}."
    )


def table(c: Coverage) -> tuple[TableColumn, ...]:
    """One line a share of random moves."""
    return curve_columns("random moves", _curves(c), "return")


def draw_covered(c: Coverage) -> go.Figure:
    """A line of dots a method, a star for who acts itself."""
    share = c.covered.mean(axis=0)
    texts = [f"{percent(float(epsilon))} random moves" for epsilon in c.epsilons]
    traces = [
        go.Scatter(x=share, y=own.mean(axis=0), mode="lines+markers", name=name, text=texts,
                   line_color=class_color(k), marker={"symbol": class_symbol(k), "size": 8},
                   hovertemplate="%{text}<br>covered %{x:.0%}, return %{y:.3f}<extra></extra>")
        for k, (name, own) in enumerate(zip(METHODS, c.returns, strict=True))
    ]  # fmt: skip
    star = {"symbol": "star", "size": 16, "color": LIGHT.text}
    own = go.Scatter(x=[c.own_covered.mean()], y=[c.own_returns.mean()], mode="markers",
                     name=f"{OWN}, {percent(c.epsilon)} random moves", marker=star)  # fmt: skip
    fig = plot(*traces, own, x="Pairs of state and action that were seen", y="Return")
    return fig.update_xaxes(tickformat=".0%", range=[0, 1.03])


def covered_reading(c: Coverage) -> str:
    """How much who acts itself has seen, against chance alone."""
    return (
        f"Who {OWN} has seen {percent(float(c.own_covered.mean()))} of the pairs and earns "
        f"{rough(float(c.own_returns.mean()))}; moves that are all random show "
        f"{percent(float(c.covered[:, -1].mean()))} and planning on them earns "
        f"{rough(float(c.returns[0, :, -1].mean()))}."
    )


def covered_table(c: Coverage) -> tuple[TableColumn, ...]:
    """One line a behaviour, and one for who acts itself with what it has planned."""
    names = (*(f"{percent(float(e))} random moves" for e in c.epsilons), OWN)
    missing = [np.array([c.own_returns.mean()]), *([np.array([np.nan])] * (len(METHODS) - 1))]
    returns = (
        TableColumn(f"return, {name}", np.append(own.mean(axis=0), last))
        for name, own, last in zip(METHODS, c.returns, missing, strict=True)
    )
    covered = np.append(c.covered.mean(axis=0), c.own_covered.mean())
    return TableColumn("behaviour", names), TableColumn("covered", covered), *returns
