"""How a filter, or a method that was fitted once, ranked the variables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import empty, named_line
from figures.numbers.subsets import MOST, only_some
from figures.theme import LIGHT, SHARE, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.preparation.capabilities import RanksVariables
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.wording import count, rough

ROW, ROOM = 22, 110  # pixels a variable, and around them


class Ranking(NamedTuple):
    """The variables by falling relevance."""

    variables: tuple[str, ...]  # (d,)
    relevance: np.ndarray  # (d,)
    kept: np.ndarray  # (d,)
    what: str  # the relevance is called
    chance: float  # what 95 in 100 variables that say nothing stay below; NaN where not known


@view(
    "ranking_bars",
    title="Feature ranking",
    sources=("cs1:vs_filter_corr", "cs1:vs_filter_mi", "s841:fisher_score"),
)
def ranking_bars(prepared: Prepared) -> View:
    """The relevance of every variable on all rows, those that are kept filled."""
    note = "all rows; each fold ranks anew"
    return joined(numbers(prepared), draw, reading, table, note=note)


def numbers(prepared: Prepared) -> Ranking:
    """Of the last filter among the steps; empty without one."""
    fits: list[Any] = [fit for fit in prepared.fits if can(fit, RanksVariables)]
    if not fits:
        return Ranking((), np.array([]), np.array([], dtype=bool), "", float("nan"))
    fit = fits[-1]
    order = np.argsort(-fit.relevance, kind="stable")
    return Ranking(
        tuple(fit.variables[v] for v in order),
        fit.relevance[order],
        fit.chosen[order],
        fit.measure,
        fit.chance,
    )


def draw(r: Ranking) -> go.Figure:
    """A bar a variable, the most relevant on top."""
    if not r.variables:
        return empty("No step of the preparation ranks variables.", ROOM + 3 * ROW)
    names, kept = list(r.variables[:MOST]), r.kept[:MOST]
    bars = go.Bar(
        x=r.relevance[:MOST],
        y=names,
        orientation="h",
        marker={
            "color": [class_color(0) if k else "rgba(0,0,0,0)" for k in kept],
            "line": {"color": SHARE, "width": 1.5},
        },
        text=["kept" if k else "left out" for k in kept],
        textposition="none",
        hovertemplate="%{y}<br>%{x:.5~r}, %{text}<extra></extra>",
    )
    fig = figure(
        bars,
        height=ROOM + ROW * len(names),
        xaxis={"title": {"text": r.what}, "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
    )
    if np.isfinite(r.chance):
        named_line(fig, "chance", x=r.chance)
        fig.update_layout(margin_t=30)
    kept = int(r.kept.sum())
    if kept < len(names):  # between the last that is kept and the first that is not
        across(fig, y=kept - 0.5, line={"color": LIGHT.quiet, "width": 1})
    return fig


def reading(r: Ranking) -> str:
    """The first and the last that is kept, and the first that is not."""
    if not r.variables:
        return "No step of the preparation ranks variables."
    n_kept = int(r.kept.sum())
    text = f"{r.variables[0]} is first, {rough(float(r.relevance[0]))}. "
    text += f"Kept {n_kept} of {count(len(r.variables), 'variable')}"
    out = np.flatnonzero(~r.kept)
    if len(out):
        first = int(out[0])
        text += f"; the best that is left out is {r.variables[first]}, "
        text += rough(float(r.relevance[first]))
    return f"{text}.{_beside_chance(r)}{only_some(len(r.variables))}"


def _beside_chance(r: Ranking) -> str:
    """How many lie above what chance reaches, and how many would of variables that say nothing."""
    if not np.isfinite(r.chance):
        return ""
    above = int((r.relevance > r.chance).sum())
    text = f"{above} of {len(r.variables)}" if above else "None"
    return (
        f" {text} lie above {rough(r.chance)}, which 1 in 20 variables that say nothing of the "
        "target would pass by chance."
    )


def table(r: Ranking) -> tuple[TableColumn, ...]:
    """One line a variable."""
    return (
        TableColumn("variable", r.variables),
        TableColumn(r.what or "relevance", r.relevance),
        TableColumn("kept", tuple("kept" if k else "" for k in r.kept)),
    )
