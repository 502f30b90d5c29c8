"""What each variable is worth: alone, lost from the subset, and added to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty
from figures.graph import make_subplots
from figures.names import cut
from figures.numbers.subsets import (
    MOST,
    NONE,
    Stand,
    answer,
    only_some,
    player_of,
    search_of,
    stands,
)
from figures.recording import Changes
from figures.theme import NO_TEMPLATE, SHARE, class_color
from figures.view import TableColumn, View, joined, view
from mlcore.preparation.capabilities import SearchesVariables
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import listed, rough

ROW, ROOM = 24, 134  # pixels a variable, and around them
TOP = 62  # pixels above the bars: on a phone the legend has two lines
WITHOUT, WITH = 1, 2  # traces that the player changes


class RelevanceTable(NamedTuple):
    """The variables by falling worth alone."""

    names: tuple[str, ...]  # (d,)
    order: np.ndarray  # (d,) their places among the variables of the step
    alone: np.ndarray  # (d,) J of the variable alone, less J of none
    missed: np.ndarray  # (d,) J lost without it; NaN for those outside
    gained: np.ndarray  # (d,) J gained with it; NaN for members
    reach: tuple[float, float]  # of what is lost and gained, over the whole search
    value: float  # J of the subset


@view(
    "relevance_table",
    title="Feature relevance",
    sources=("cs1:vs_scores_S",),
)
def relevance_table(prepared: Prepared) -> View:
    """J of every variable alone, what a member is missed for, and what a candidate would add."""
    t = numbers(prepared)
    player = player_of(search_of(prepared), lambda stand: _frame(t, stand))
    note = "all rows, by the score that the search maximises"
    return joined(t, draw, reading, table, note=note, player=player)


def numbers(prepared: Prepared) -> RelevanceTable:
    """At the subset that the last search keeps; empty without one."""
    fit = search_of(prepared)
    if fit is None:
        none = np.array([])
        return RelevanceTable((), none, none, none, none, (0.0, 0.0), float("nan"))
    order, at = _order(fit), answer(fit)
    return RelevanceTable(
        tuple(fit.variables[v] for v in order),
        order,
        fit.alone[order],
        at.missed[order],
        at.gained[order],
        _reach(stands(fit)),
        at.value,
    )


def _order(fit: SearchesVariables) -> np.ndarray:
    """By falling worth alone; of more than can be drawn, the members among the first, shape (d,).

    A member may be worth little alone, and a picture without it would not show the subset.
    """
    order = np.argsort(-fit.alone, kind="stable")
    drawn = order[np.argsort(~fit.chosen[order], kind="stable")][:MOST]
    is_drawn = np.isin(order, drawn)
    return np.concatenate([order[is_drawn], order[~is_drawn]])


def _reach(every: list[Stand]) -> tuple[float, float]:
    """The least and the largest bar, with some room, so that the axis stands still.

    What the first variable brings is as long as its bar on the left, and would dwarf all others.
    """
    later = [np.r_[stand.missed, stand.gained] for stand in every if stand.members.sum() > 1]
    values = np.concatenate([*later, np.r_[every[-1].missed, every[-1].gained], [0.0]])
    values = values[np.isfinite(values)]
    room = 0.06 * float(np.ptp(values) or 1.0)
    return float(values.min()) - room, float(values.max()) + room


def _frame(t: RelevanceTable, stand: Stand) -> Changes:
    shown = t.order[:MOST]
    return {WITHOUT: {"x": stand.missed[shown]}, WITH: {"x": stand.gained[shown]}}


def draw(t: RelevanceTable) -> go.Figure:
    """Left each variable alone; right its part in the subset, members filled, candidates open."""
    if not t.names:
        return empty(NONE, ROOM + 3 * ROW)
    names = t.names[:MOST]
    fig = make_subplots(1, 2, column_widths=[0.42, 0.58], shared_yaxes=True,
                        horizontal_spacing=0.04)  # fmt: skip
    fig.update_layout(template=NO_TEMPLATE, height=ROOM + ROW * max(len(names), 3))
    fig.add_trace(_bars(names, t.alone, "alone", SHARE, SHARE), row=1, col=1)
    color, clear = class_color(0), "rgba(0,0,0,0)"
    fig.add_trace(_bars(names, t.missed, "lost without it", color, color), row=1, col=2)
    fig.add_trace(_bars(names, t.gained, "gained with it", clear, class_color(1)), row=1, col=2)
    fig.update_xaxes(nticks=4)  # on a phone more would run into each other
    fig.update_xaxes(title_text="J alone", row=1, col=1)
    fig.update_xaxes(title_text="Change of J at the subset", range=t.reach, row=1, col=2)
    ends = {"tickvals": list(range(len(names))), "ticktext": [cut(name, 18) for name in names]}
    fig.update_yaxes(autorange="reversed", showgrid=False, ticks="", **ends)
    return fig.update_layout(barmode="overlay", bargap=0.3, margin_t=TOP)


def _bars(names: tuple[str, ...], values: np.ndarray, texts: str, fill: str, line: str) -> go.Bar:
    return go.Bar(
        x=values[: len(names)],
        y=np.arange(len(names)),  # places, since two names may be cut to the same
        orientation="h",
        name=texts,
        marker={"color": fill, "line": {"color": line, "width": 1.5}},
        text=names,
        textposition="none",
        hovertemplate="%{text}: %{x:.4~g} " + texts + "<extra></extra>",
    )


def reading(t: RelevanceTable) -> str:
    """The four extremes: who of the members and of the candidates matters most and least."""
    if not t.names:
        return NONE
    members = [name for name, missed in zip(t.names, t.missed, strict=True) if missed == missed]
    parts = [f"At {listed(members, 6)}, J = {rough(t.value)}."]
    parts.append(_extremes("missed", "Most relevant member", t.names, t.missed))
    parts.append(_extremes("to gain", "Most relevant candidate", t.names, t.gained))
    return " ".join(part for part in parts if part) + only_some(len(t.names))


def _extremes(way: str, most: str, names: tuple[str, ...], values: np.ndarray) -> str:
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return ""
    first, last = (int(known[f(values[known])]) for f in (np.argmax, np.argmin))
    text = f"{most}: {names[first]} ({rough(float(values[first]))} {way})"
    if first != last:
        text += f", least: {names[last]} ({rough(float(values[last]))})"
    return f"{text}."


def table(t: RelevanceTable) -> tuple[TableColumn, ...]:
    """One line a variable: what J gains from it alone, loses without it, gains with it."""
    inside = tuple("kept" if value == value else "" for value in t.missed)
    return (
        TableColumn("variable", t.names),
        TableColumn("kept", inside),
        TableColumn("alone", t.alone),
        TableColumn("loss without it", t.missed),
        TableColumn("gain with it", t.gained),
    )
