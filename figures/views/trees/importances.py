"""How much each variable contributes to a fit, the largest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.words import BARS, counted_noun, listed, percent
from figures.theme import SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.capabilities import HasImportances

MOST = 30
ROW, ROOM = 24, 60  # pixels: a variable, the axis


class Importances(NamedTuple):
    """Shares by falling size; the columns of one variable together."""

    names: tuple[str, ...]  # (v,)
    shares: np.ndarray  # (v,)


@view(
    "importances",
    title="Importance of variables",
    asks=HasImportances,
    on="classification regression report",
    order=200,
    sources=("cs1:vs_tree_embedded",),
)
def importances(fit: Any) -> View:
    """Share of each variable in all that the splits gain."""
    return joined(numbers(fit), draw, reading, table, note="on the fitted rows")


def numbers(fit: Any) -> Importances:
    """The importances of a fit, one a variable of the data."""
    names = list(dict.fromkeys(column.variable for column in fit.columns))
    shares = np.zeros(len(names))
    for column, share in zip(fit.columns, fit.importances, strict=True):
        shares[names.index(column.variable)] += share
    order = np.argsort(-shares, kind="stable")
    return Importances(tuple(names[j] for j in order), shares[order])


def draw(i: Importances) -> go.Figure:
    """Bars across."""
    shown = min(len(i.names), MOST)
    bars = go.Bar(
        x=i.shares[:shown],
        y=list(i.names[:shown]),
        orientation="h",
        uid=BARS,
        marker_color=SHARE,
        text=[percent(float(share)) for share in i.shares[:shown]],
        textposition="auto",
        hovertemplate="%{y}<br>%{x:.1%}<extra></extra>",
    )
    return figure(
        bars,
        height=ROOM + ROW * max(shown, 3),
        xaxis={"title": {"text": "Share of the gain"}, "tickformat": ".0%", "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
    )


def reading(i: Importances) -> str:
    """The variables that matter most, and how many are never asked about."""
    used = int((i.shares > 0).sum())
    if not used:
        return "No variable is asked about: there is no split."
    named = [
        f"{name} ({percent(float(s))})" for name, s in zip(i.names[:3], i.shares, strict=False)
    ]
    text = f"Most of what the splits gain comes from {listed(named[:used])}. "
    if unused := len(i.names) - used:
        text += f"{counted_noun(unused, 'variable')} {'is' if unused == 1 else 'are'} never asked "
        text += "about. "
    return text + "Variables that say much the same share it by chance."


def table(i: Importances) -> tuple[TableColumn, ...]:
    """One line a variable."""
    return TableColumn("variable", i.names), TableColumn("share of the gain", i.shares)
