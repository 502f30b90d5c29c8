"""A search by hand: bars that move a variable when clicked, the way, and the subsets seen."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from figures.views.data import relevance_table
from figures.views.preparation import subset_lattice
from mlcore.labs.preparation.search_by_hand import ByHand
from mlcore.preparation.selection.selector import MOST_LATTICE
from mlcore.spine.wording import count, listed, rough

NEAR = 1e-9  # a J this near to the best is the best: rounding is no distance


def pictures(m: ByHand) -> tuple[View, ...]:
    """What one move more would bring, how far the best is, and what was seen."""
    bars = picture(
        "What one move would change", m, draw, reading, table, note="click a bar to make the move"
    )
    way = picture("How far the best is", m, draw_way, way_reading, way_table)
    if len(m.variables) > MOST_LATTICE:
        return bars, way
    seen = subset_lattice.whole(m.variables, m.looked_at, m.path, m.members)
    return bars, way, picture(
        "Subsets seen", seen, subset_lattice.draw, lambda s: seen_reading(m), subset_lattice.table
    )  # fmt: skip


def draw(m: ByHand) -> go.Figure:
    """The bars of the table of relevances; the whole of a row can be clicked."""
    t = _relevances(m)
    fig = relevance_table.draw(t)
    for trace in fig.data:
        numbered(trace, t.order)
    low, high = t.reach
    moves = [_move(m, int(v)) for v in t.order]
    reach = go.Bar(
        x=np.full(len(t.order), high - low), base=low, y=np.arange(len(t.order)), orientation="h",
        marker_color="rgba(0,0,0,0)", text=moves, textposition="none", showlegend=False,
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    return fig.add_trace(numbered(reach, t.order), row=1, col=2)


def _relevances(m: ByHand) -> relevance_table.RelevanceTable:
    order = np.argsort(-m.alone, kind="stable")
    changes = np.where(m.members, m.missed, m.gained)
    low, high = min(changes.min(), 0.0), max(changes.max(), 0.0)
    room = 0.06 * ((high - low) or 1.0)
    names = tuple(m.variables[v] for v in order)
    here = float(m.values[-1])
    return relevance_table.RelevanceTable(
        names, order, m.alone[order], m.missed[order], m.gained[order],
        (low - room, high + room), here,
    )  # fmt: skip


def _move(m: ByHand, v: int) -> str:
    if m.members[v]:
        return f"{m.variables[v]}: J loses {rough(float(m.missed[v]))}<br>click to put it out"
    return f"{m.variables[v]}: J gains {rough(float(m.gained[v]))}<br>click to take it in"


def reading(m: ByHand) -> str:
    """Where one stands, which single move is best, and how much was looked at."""
    text = f"{_inside(m)} in, J = {rough(float(m.values[-1]))}. "
    change = np.where(m.members, -m.missed, m.gained)
    v = int(change.argmax())
    way = "putting out" if m.members[v] else "taking in"
    if change[v] > NEAR:
        text += f"The best single move is {way} {m.variables[v]}: J grows by {rough(change[v])}. "
    else:
        text += "No single move makes J larger. "
    text += f"{count(m.evaluations, 'subset')} of {2 ** len(m.variables) - 1} looked at."
    if m.passed_over:
        text += f" Passed over, as this table has no such variable: {listed(m.passed_over)}."
    return text


def _inside(m: ByHand) -> str:
    names = [n for n, inside in zip(m.variables, m.members, strict=True) if inside]
    return listed(names, 6) if names else "Nothing"


def table(m: ByHand) -> tuple[TableColumn, ...]:
    """One line a variable."""
    return relevance_table.table(_relevances(m))


def draw_way(m: ByHand) -> go.Figure:
    """The best of every size as a line, and the own moves below it."""
    sizes, color = m.path.sum(axis=1), class_color(1)
    here = {"symbol": "circle-open", "size": 16, "color": color, "line": {"width": 3}}
    return plot(
        line(np.arange(len(m.best)), m.best, 0, "the best of its size"),
        go.Scatter(x=sizes, y=m.values, mode="lines+markers", name="your moves",
                   line={"color": LIGHT.quiet, "dash": "dot"}),
        go.Scatter(x=sizes[-1:], y=m.values[-1:], mode="markers", marker=here, name="here"),
        x="Number of variables",
        y="J",
    )  # fmt: skip


def way_reading(m: ByHand) -> str:
    """How far from the best of its size, and from the best of all; its names once it is found."""
    size, top = int(m.members.sum()), int(m.best[1:].argmax()) + 1
    if not size:
        return f"The best subset has {count(top, 'variable')}, J = {rough(m.best[top])}."
    below = float(m.best[size] - m.values[-1])
    text = (
        f"This is the best subset of {count(size, 'variable')}"
        if below <= NEAR
        else f"The best subset of {count(size, 'variable')} has J larger by {rough(below)}"
    )
    if m.best[top] - m.values[-1] <= NEAR:
        return f"{text}, and of all."
    more = rough(float(m.best[top] - m.values[-1]))
    return f"{text}; the best of all has {count(top, 'variable')}, J larger by {more}."


def way_table(m: ByHand) -> tuple[TableColumn, ...]:
    """One line a move."""
    best = m.best[m.path.sum(axis=1)]
    return (
        TableColumn("variables", m.path.sum(axis=1)),
        TableColumn("J", m.values),
        TableColumn("best J of this size", best),
    )


def seen_reading(m: ByHand) -> str:
    """How many of the subsets had their J on the screen."""
    return (
        f"{count(m.evaluations, 'subset')} of {2 ** len(m.variables) - 1} looked at on the "
        "way; open marks are subsets that no move has come near."
    )
