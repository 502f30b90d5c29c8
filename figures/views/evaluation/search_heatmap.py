"""The inner score over two settings of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar, empty
from figures.numbers.searches import Setting, Tried, at_ends, candidate_text, tried, value_text
from figures.theme import INK, LIGHT, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.tuning.tuned import Tuned
from mlcore.spine.wording import number

HEIGHT = 420
MOST_CELLS = 400  # of a grid; more values are drawn as points


class SearchSurface(NamedTuple):
    """Every candidate over the first two settings."""

    tried: Tried
    grid: np.ndarray | None  # (values of the second, values of the first) best mean; None: points
    wins: np.ndarray | None  # the same shape: outer folds that chose it


@view(
    "search_heatmap",
    title="Search by two hyper-parameters",
    sources=("epfl:grid_search", "cs1:metalearn", "prac:cv_parameter_choice"),
    synonyms=("grid search", "hyperparameter tuning"),
)
def search_heatmap(tuned: Tuned) -> View:
    """Inner score over the first two settings, the winner marked, others at their best."""
    note = "inner folds of all rows; optimistic at its best point"
    return joined(numbers(tuned), draw, reading, table, note=note)


def numbers(tuned: Tuned) -> SearchSurface:
    """A grid where every pair of values was tried, else a point a candidate."""
    t = tried(tuned)
    if len(t.settings) < 2:
        return SearchSurface(t, None, None)
    x, y = t.settings[:2]
    shape = (len(y.values), len(x.values))
    count = np.zeros(shape, dtype=np.int64)
    np.add.at(count, (y.at, x.at), 1)
    if not count.all() or count.size > MOST_CELLS:
        return SearchSurface(t, None, None)
    sign = 1 if t.metric.better == "higher" else -1
    grid = np.full(shape, -np.inf)
    np.maximum.at(grid, (y.at, x.at), np.nan_to_num(sign * t.means, nan=-np.inf))
    wins = np.zeros(shape, dtype=np.int64)
    np.add.at(wins, (y.at, x.at), t.wins)
    return SearchSurface(t, np.where(np.isfinite(grid), sign * grid, np.nan), wins)


def draw(s: SearchSurface) -> go.Figure:
    """Cells of a grid with the folds that chose them, or one point a candidate."""
    t = s.tried
    if len(t.settings) < 2:
        return empty("A surface needs two settings; this search varies one.")
    x, y = t.settings[:2]
    trace = _points(t, x, y) if s.grid is None else _cells(s, x, y)
    fig = figure(
        trace,
        height=HEIGHT,
        xaxis={"title": {"text": x.title}, "type": _axis(s, x)},
        yaxis={"title": {"text": y.title}, "type": _axis(s, y)},
        showlegend=False,
    )
    color = LIGHT.text if s.grid is None else INK  # around a point, or on a cell
    ring = {"symbol": "circle-open", "size": 22, "color": color, "line": {"width": 2.5}}
    at: dict[str, Any] = {"x": [_place(s, x, t.best)], "y": [_place(s, y, t.best)]}
    return fig.add_scatter(**at, mode="markers", marker=ring, hoverinfo="skip", name="best")


def _axis(s: SearchSurface, setting: Setting) -> str:
    return setting.axis if s.grid is None else "category"


def _place(s: SearchSurface, setting: Setting, candidate: int) -> Any:
    k = int(setting.at[candidate])
    return setting.place(k) if s.grid is None else value_text(setting.values[k])


def _scale(t: Tried) -> dict[str, Any]:
    is_reversed = t.metric.better == "lower"  # bright is good
    return {"colorscale": SEQUENTIAL, "reversescale": is_reversed}


def _cells(s: SearchSurface, x: Setting, y: Setting) -> go.Heatmap:
    assert s.wins is not None  # comes with the grid
    chose = [[f"{w}" if w else "" for w in row] for row in s.wins]
    return go.Heatmap(
        z=s.grid,
        x=[value_text(v) for v in x.values],
        y=[value_text(v) for v in y.values],
        xgap=1,
        ygap=1,
        text=chose,
        texttemplate="%{text}",
        colorbar=color_bar(s.tried.metric.title),
        hovertemplate=f"{x.title} %{{x}}<br>{y.title} %{{y}}<br>%{{z:.5~r}}<br>"
        "chosen by %{text} outer folds<extra></extra>",
        **_scale(s.tried),
    )


def _points(t: Tried, x: Setting, y: Setting) -> go.Scatter:
    known = np.flatnonzero(np.isfinite(t.means))
    marker = {
        "color": t.means[known],
        "size": 12,
        "showscale": True,
        "colorbar": color_bar(t.metric.title),
        **_scale(t),
    }
    return go.Scatter(
        x=[x.place(int(x.at[k])) for k in known],
        y=[y.place(int(y.at[k])) for k in known],
        mode="markers",
        marker=marker,
        text=[f"chosen by {t.wins[k]} outer folds" for k in known],
        hovertemplate="%{x}, %{y}<br>%{marker.color:.5~r}<br>%{text}<extra></extra>",
    )


def reading(s: SearchSurface) -> str:
    """The winner, how much the candidates differ, and whether it lies at an end."""
    t = s.tried
    mean, spread = float(t.means[t.best]), float(t.spreads[t.best])
    known = t.means[np.isfinite(t.means)]
    off = np.abs(known - mean)
    alike = int((off <= spread).sum()) - 1 if np.isfinite(spread) else 0
    text = f"Best of {len(t.means)} candidates inside is {candidate_text(t, t.best)}, with "
    text += f"{t.metric.title} {number(mean)}."
    if alike > 0:
        text += f" {alike} others lie within one standard deviation of it."
    if ends := at_ends(t):
        text += f" The winner is at the end of what was tried for {' and '.join(ends)}."
    if s.wins is not None and s.wins.any():
        text += " The ring is the winner on all rows, a number how many outer folds chose a cell."
    return text + " The best of several tries is an optimistic score."


def table(s: SearchSurface) -> tuple[TableColumn, ...]:
    """One line a candidate."""
    t = s.tried
    columns = (
        TableColumn(x.title, tuple(value_text(x.values[k]) for k in x.at)) for x in t.settings
    )
    return (
        *columns,
        TableColumn(f"{t.metric.name} inside", t.means),
        TableColumn("standard deviation", t.spreads),
        TableColumn("outer folds that chose it", t.wins),
    )
