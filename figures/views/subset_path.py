"""The way of a search through the subsets of variables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.drawing import counted_noun, empty, listed, named_line, rough
from mlcore.preparation.chain import Prepared
from mlcore.preparation.selection.selector import SubsetFit

HEIGHT = 340


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
    names: tuple[str, ...]  # (d,)
    alone: np.ndarray  # (d,) worth of each variable by itself
    missed: np.ndarray  # (d,)
    gained: np.ndarray  # (d,)


@view("subset_path", title="Search for variables", sources=("cs1:vs_sfs", "cs1:vs_scores_S"))
def subset_path(prepared: Prepared) -> View:
    """J of the best subset of every size, and the moves that led there."""
    note = "all rows; J is what the search maximises, not a score on rows left out"
    return joined(numbers(prepared), draw, reading, table, note=note)


def numbers(prepared: Prepared) -> SubsetPath:
    """Of the last step that chooses variables; empty without one."""
    fits = [fit for fit in prepared.fits if isinstance(fit, SubsetFit)]
    if not fits:
        none = np.array([])
        return SubsetPath(none, none, (), none, none, (), 0, 0, (), none, none, none)
    fit = fits[-1]
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
        fit.variables,
        fit.alone,
        fit.missed,
        fit.gained,
    )


def draw(s: SubsetPath) -> go.Figure:
    """The best of each size as a line, the moves of a floating search thin behind it."""
    if not s.variables:
        return empty("No step of the preparation searches for variables.", HEIGHT)
    thin: dict[str, Any] = {"color": LIGHT.quiet, "width": 1, "dash": "dot"}
    fig = figure(
        go.Scatter(x=s.path_sizes, y=s.path_values, mode="lines", line=thin, hoverinfo="skip",
                   name="moves"),
        go.Scatter(x=s.sizes, y=s.best, mode="lines+markers", line={"color": class_color(0)},
                   name="best of its size", text=s.members,
                   hovertemplate="%{x}: %{text}<br>J = %{y:.5~r}<extra></extra>"),
        height=HEIGHT,
        xaxis={"title": {"text": "Number of variables"}, "dtick": max(1, s.variables // 12)},
        yaxis={"title": {"text": "J"}},
        showlegend=True,
    )  # fmt: skip
    named_line(fig, f"{len(s.chosen)} kept", x=len(s.chosen))
    return fig.update_layout(margin_t=50, legend_y=1.12)


def reading(s: SubsetPath) -> str:
    """What was kept, the best that was seen, and what it cost."""
    if not s.variables:
        return "No step of the preparation searches for variables."
    top = int(s.best.argmax())
    text = f"Kept {len(s.chosen)} of {counted_noun(s.variables, 'variable')}: {listed(s.chosen)}."
    text += f" J is largest, {rough(float(s.best[top]))}, with {int(s.sizes[top])} variables."
    return text + f" The search scored {counted_noun(s.evaluations, 'subset')}."


def table(s: SubsetPath) -> tuple[TableColumn, ...]:
    """One line a variable: what J gains from it alone, loses without it, gains with it."""
    kept = tuple("kept" if name in s.chosen else "" for name in s.names)
    return (
        TableColumn("variable", s.names),
        TableColumn("kept", kept),
        TableColumn("alone", s.alone),
        TableColumn("loss without it", s.missed),
        TableColumn("gain with it", s.gained),
    )
