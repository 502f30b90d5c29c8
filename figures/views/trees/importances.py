"""How much each variable contributes to a fit, the largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import BARS
from figures.options import Offered, Options, Values, among
from figures.theme import LIGHT, SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.capabilities_of_members import (
    HasImportances,
    HasImportanceSpread,
    HasPermutationImportances,
)
from mlcore.spine.params import choice
from mlcore.spine.wording import count, listed, percent, plural, rough

MOST = 30
ROW, ROOM = 24, 60  # pixels: a variable, the axis
BY_GAIN = "gain"


class Importances(NamedTuple):
    """What each variable contributes, by falling size; the columns of one variable together."""

    names: tuple[str, ...]  # (v,)
    shares: np.ndarray  # (v,) of the gain, or how much the error grows
    spread: np.ndarray | None  # (v,) standard deviation from tree to tree
    is_gain: bool
    is_share: bool  # whether they are shares of one; else they have a unit


def _kinds(offered: Offered) -> Values:
    """The gain alone, unless the error on shuffled rows was measured too."""
    if not can(offered["fit"], HasPermutationImportances):
        return {}
    return {BY_GAIN: "gain of the splits", "permutation": "error when shuffled"}


@dataclass(frozen=True, kw_only=True)
class ImportanceOptions(Options):
    """By what importance is measured."""

    kind: str = among(
        choice(
            BY_GAIN,
            BY_GAIN,
            "permutation",
            label="Importance",
            doc="What the splits on a variable gain, or how much the error grows when its values "
            "are shuffled among rows that a tree has not learned from.",
        ),
        _kinds,
    )


@view(
    "importances",
    title="Feature importance",
    asks=HasImportances,
    options=ImportanceOptions,
    on="classification regression report",
    order=200,
    sources=("cs1:vs_tree_embedded",),
    synonyms=(
        "variable importance",
        "Gini importance",
        "feature importances",
        "permutation importance",
    ),
)
def importances(fit: Any, *, options: ImportanceOptions) -> View:
    """Share of each variable in all that the splits gain, or what shuffling it costs."""
    by_gain = options.kind == BY_GAIN
    note = "on the training rows" if by_gain else "on the rows that a tree has not learned from"
    return joined(numbers(fit, by_gain=by_gain), draw, reading, table, note=note)


def numbers(fit: Any, *, by_gain: bool = True) -> Importances:
    """The importances of a fit, one a variable of the data."""
    names = list(dict.fromkeys(column.variable for column in fit.columns))
    if by_gain:
        shares, spread = _by_variable(fit, names)
    else:
        shares, spread = fit.permuted.mean(axis=0), fit.permuted.std(axis=0)
    order = np.argsort(-shares, kind="stable")
    return Importances(
        tuple(names[j] for j in order),
        shares[order],
        None if spread is None else spread[order],
        by_gain,
        by_gain or can(fit, HasClasses),
    )


def _by_variable(fit: Any, names: list[str]) -> tuple[np.ndarray, np.ndarray | None]:
    """Importances of the columns of each variable together; their spread where each has one."""
    at = [names.index(column.variable) for column in fit.columns]
    shares = np.bincount(at, weights=fit.importances, minlength=len(names))
    has_spread = can(fit, HasImportanceSpread) and len(names) == len(at)
    return shares, fit.importance_spread if has_spread else None


def draw(i: Importances) -> go.Figure:
    """Bars across, with a line of one standard deviation to either side."""
    shown = min(len(i.names), MOST)
    shares = i.shares[:shown]
    bars = go.Bar(
        x=shares,
        y=list(i.names[:shown]),
        orientation="h",
        uid=BARS,
        marker_color=SHARE,
        text=[_written(i, float(share)) for share in shares],
        textposition="auto" if i.spread is None else "none",
        hovertemplate="%{y}<br>%{x:.1%}<extra></extra>"
        if i.is_share
        else "%{y}<br>%{x:.4~g}<extra></extra>",
    )
    if i.spread is not None:
        bars.error_x = {"array": i.spread[:shown], "color": LIGHT.text, "thickness": 1, "width": 3}
    title = "Share of the gain" if i.is_gain else "Growth of the error"
    title += "" if i.is_share else " (mean square)"
    mode = {"rangemode": "tozero"} | ({"tickformat": ".0%"} if i.is_share else {})
    return figure(
        bars,
        height=ROOM + ROW * max(shown, 3),
        xaxis={"title": {"text": title}} | mode,
        yaxis={"autorange": "reversed", "showgrid": False, "ticks": ""},
    )


def _written(i: Importances, value: float) -> str:
    return percent(value) if i.is_share else rough(value)


def reading(i: Importances) -> str:
    """The variables that matter most, and how many are never asked about."""
    if not i.is_gain:
        return _reading_of_error(i)
    used = int((i.shares > 0).sum())
    if not used:
        return "No variable is asked about: there is no split."
    if len(i.names) == 1:
        return f"All that the splits gain comes from {i.names[0]}, the one variable."
    text = f"Most of what the splits gain comes from {listed(_first(i)[:used])}. "
    if unused := len(i.names) - used:
        text += f"{count(unused, 'variable')} {plural(unused, 'is', 'are')} never asked "
        text += "about. "
    return text + "Variables that say much the same share it by chance."


def _first(i: Importances) -> list[str]:
    return [f"{name} ({_written(i, float(s))})" for name, s in zip(i.names[:3], i.shares)]


def _reading_of_error(i: Importances) -> str:
    """The variables whose shuffling costs most, and how many cost nothing."""
    telling = int((i.shares > 0).sum())
    if not telling:
        return "No variable costs anything when it is shuffled: the trees could do without any."
    text = f"The error grows most when {listed(_first(i)[:telling])} is shuffled. "
    if useless := len(i.names) - telling:
        text += f"Shuffling {count(useless, 'variable')} costs nothing. "
    return text + "Where variables say much the same, each can be spared while the others stay."


def table(i: Importances) -> tuple[TableColumn, ...]:
    """One line a variable."""
    heading = "share of the gain" if i.is_gain else "growth of the error"
    columns = TableColumn("variable", i.names), TableColumn(heading, i.shares)
    if i.spread is None:
        return columns
    return *columns, TableColumn("standard deviation among trees", i.spread)
