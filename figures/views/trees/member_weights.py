"""How much each member counts in the sum or the vote of all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.ensembles.capabilities import WeighsMembers
from mlcore.spine.wording import count, rough

ROW, ROOM = 34, 90  # pixels: a member, axis and room


class MemberWeights(NamedTuple):
    """Members in their order."""

    names: tuple[str, ...]  # (B,)
    weights: np.ndarray  # (B,)


@view(
    "member_weights",
    title="Weights of the members",
    asks=WeighsMembers,
    on="classification regression report",
    order=163,
    sources=("cs2:stacking", "epfl:vote_weighted"),
    synonyms=("ensemble weights", "mixing weights", "stacking coefficients", "weight bars"),
)
def member_weights(fit: Any) -> View:
    """How much each member counts; of equal votes all count the same."""
    return joined(numbers(fit), draw, reading, table, note="of the fit to all rows")


def numbers(fit: Any) -> MemberWeights:
    """The weights of a fit."""
    return MemberWeights(fit.member_names, np.asarray(fit.member_weights, dtype=np.float64))


def draw(m: MemberWeights) -> go.Figure:
    """A bar a member, from zero."""
    bars = go.Bar(
        x=m.weights,
        y=m.names,
        orientation="h",
        marker={"color": LIGHT.accent},
        text=[rough(float(w)) for w in m.weights],
        textposition="auto",
        hovertemplate="%{y}<br>weight %{x:.4~g}<extra></extra>",
    )
    upright = {"autorange": "reversed", "showgrid": False, "ticks": ""}
    height = ROOM + ROW * max(len(m.names), 3)
    return figure(bars, height=height, xaxis={"title": {"text": "Weight"}}, yaxis=upright)


def reading(m: MemberWeights) -> str:
    """Who counts most, and how many count nothing."""
    if np.ptp(m.weights) == 0:
        return "All members count the same."
    most = int(np.abs(m.weights).argmax())
    text = f"{m.names[most]} counts most, with a weight of {rough(float(m.weights[most]))}"
    if silent := int(np.count_nonzero(m.weights == 0)):
        text += f"; {count(silent, 'member')} {'counts' if silent == 1 else 'count'} nothing"
    below = int(np.count_nonzero(m.weights < 0))
    return text + (f"; {count(below, 'weight')} below zero" if below else "") + "."


def table(m: MemberWeights) -> tuple[TableColumn, ...]:
    """One line a member."""
    return TableColumn("member", m.names), TableColumn("weight", m.weights)
