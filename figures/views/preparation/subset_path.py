"""The way of a search through the subsets of variables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import UNDER_NAMES, empty, named_line
from figures.numbers.subsets import NONE, Stand, player_of, search_of
from figures.recording import Changes
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.evaluation import fold_dots
from mlcore.preparation.capabilities import SearchesVariables
from mlcore.preparation.chain import Prepared
from mlcore.preparation.selection.choice import learner_of
from mlcore.preparation.selection.judge import TIE
from mlcore.runs.carry import Outcome
from mlcore.spine.wording import count, listed, rough

HEIGHT = 360
HERE = 3  # the trace that the player moves


class SubsetPath(NamedTuple):
    """The best J of every size, and the subsets in the order in which they were visited."""

    sizes: np.ndarray  # (s,) with a score
    best: np.ndarray  # (s,)
    members: tuple[str, ...]  # (s,) names of the best subset of the size
    path_sizes: np.ndarray  # (t,)
    path_values: np.ndarray  # (t,)
    chosen: tuple[str, ...]
    variables: int
    evaluations: int
    optimum: np.ndarray  # (d + 1,) best J of each size there is; none where it is not known
    outer: str  # how well the method by whose fits was chosen does on test rows


@view("subset_path", title="Feature subset search", sources=("cs1:vs_sfs",))
def subset_path(prepared: Prepared, outcome: Outcome | None = None) -> View:
    """J of the best subset of every size, and the moves that led there."""
    note = "all rows; J is what the search maximises, not a score on test rows"
    s, player = numbers(prepared, outcome), player_of(search_of(prepared), _frame)
    return joined(s, draw, reading, table, note=note, player=player)


def numbers(prepared: Prepared, outcome: Outcome | None = None) -> SubsetPath:
    """Of the last step that chooses variables; empty without one."""
    fit = search_of(prepared)
    if fit is None:
        none = np.array([])
        return SubsetPath(none, none, (), none, none, (), 0, 0, none, "")
    sizes = np.flatnonzero(np.isfinite(fit.best))
    named = np.array(fit.variables)
    return SubsetPath(
        sizes,
        fit.best[sizes],
        tuple(", ".join(named[fit.subsets[k]]) for k in sizes),
        fit.path_sizes,
        fit.path_values,
        tuple(named[fit.chosen]),
        len(fit.variables),
        fit.evaluations,
        fit.optimum,
        _outer(fit, outcome),
    )


def _outer(fit: SearchesVariables, outcome: Outcome | None) -> str:
    """The score on test rows, where J is a score on inner folds that might be taken for it."""
    if outcome is None or not outcome.done or learner_of((fit.made_by,)) is None:
        return ""
    text = fold_dots.reading(fold_dots.numbers(outcome))
    return (
        "J is no performance: it is the best of many. With the choice made anew in every fold, by "
        f"{outcome.run.method.title()}: {text[0].lower()}{text[1:]}"
    )


def _frame(stand: Stand) -> Changes:
    """The mark where the search stands."""
    return {HERE: {"x": np.array([stand.members.sum()]), "y": np.array([stand.value])}}


def draw(s: SubsetPath) -> go.Figure:
    """The best of each size as a line, the moves of a floating search thin behind it."""
    if not s.variables:
        return empty(NONE, HEIGHT)
    thin: dict[str, Any] = {"color": LIGHT.quiet, "width": 1, "dash": "dot"}
    here = {"symbol": "circle-open", "size": 16, "color": class_color(1), "line": {"width": 3}}
    kept = len(s.chosen)
    there_is = {"color": class_color(2), "width": 5}
    fig = figure(
        go.Scatter(x=np.arange(len(s.optimum)), y=s.optimum, mode="lines", line=there_is,
                   name="best there is", hoverinfo="skip", visible=len(s.optimum) > 0),
        go.Scatter(x=s.path_sizes, y=s.path_values, mode="lines", line=thin, hoverinfo="skip",
                   name="moves"),
        go.Scatter(x=s.sizes, y=s.best, mode="lines+markers", line={"color": class_color(0)},
                   name="best of its size", text=s.members,
                   hovertemplate="%{x}: %{text}<br>J = %{y:.5~r}<extra></extra>"),
        go.Scatter(x=[kept], y=s.best[s.sizes == kept], mode="markers", marker=here,
                   hoverinfo="skip", name="here"),
        height=HEIGHT,
        xaxis={"title": {"text": "Number of variables"}, "dtick": max(1, s.variables // 12)},
        yaxis={"title": {"text": "J"}},
        showlegend=True,
    )  # fmt: skip
    named_line(fig, f"{kept} kept", x=kept)
    return fig.update_layout(margin_t=UNDER_NAMES)


def reading(s: SubsetPath) -> str:
    """What was kept, the best that was seen, and what it cost."""
    if not s.variables:
        return NONE
    top = int(s.best.argmax())
    text = f"Kept {len(s.chosen)} of {count(s.variables, 'variable')}: {listed(s.chosen)}."
    largest = count(int(s.sizes[top]), "variable")
    text += f" J is largest, {rough(float(s.best[top]))}, with {largest}."
    text += f" The search scored {count(s.evaluations, 'subset')}."
    return " ".join(part for part in (text, _against_all(s), s.outer) if part)


def _against_all(s: SubsetPath) -> str:
    """Whether another subset as large is better, where all of them are known."""
    kept = len(s.chosen)
    if not len(s.optimum):
        return ""
    missing = float(s.optimum[kept] - s.best[s.sizes == kept][0])
    if missing <= TIE:
        return f"No other subset of {count(kept, 'variable')} has a larger J."
    return f"Another subset of {count(kept, 'variable')} has J larger by {rough(missing)}."


def table(s: SubsetPath) -> tuple[TableColumn, ...]:
    """One line a size: the best subset of it that was visited."""
    return (
        TableColumn("variables", s.sizes),
        TableColumn("best J", s.best),
        TableColumn("best subset", s.members),
    )
