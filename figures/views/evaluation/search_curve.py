"""The inner score along one setting of a search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import named_line
from figures.numbers.searches import (
    Setting,
    Tried,
    at_ends,
    best_by_value,
    candidate_text,
    tried,
    value_text,
)
from figures.theme import band, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.tuning.tuned import Tuned
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import unknown
from mlcore.spine.wording import number, typeset

HEIGHT = 360


class SearchCurve(NamedTuple):
    """The best inner score at every value of one setting."""

    tried: Tried
    setting: Setting
    best: np.ndarray  # (values,) candidate that is best there, -1 without any
    wins: np.ndarray  # (values,) outer folds that chose this value


@view(
    "search_curve",
    title="Search by one hyper-parameter",
    sources=("epfl:grid_search", "cs1:metalearn", "prac:cv_parameter_choice"),
    synonyms=("grid search", "hyperparameter tuning"),
)
def search_curve(tuned: Tuned, setting: str = "") -> View:
    """Inner score by the value of one setting, the others at their best, and who chose it."""
    note = "inner folds of all rows; optimistic at its best point"
    return joined(numbers(tuned, setting), draw, reading, table, note=note)


def numbers(tuned: Tuned, setting: str = "") -> SearchCurve:
    """Along the setting of this name, the first if empty."""
    t = tried(tuned)
    settings = {s.name: s for s in t.settings}
    if setting and setting not in settings:
        raise ParamError(unknown(setting, settings, "setting of this search"))
    s = settings[setting or t.settings[0].name]
    wins = np.bincount(s.at, weights=t.wins, minlength=len(s.values)).astype(np.int64)
    return SearchCurve(t, s, best_by_value(t, s), wins)


def draw(c: SearchCurve) -> go.Figure:
    """A line with one standard deviation; the winner is named, the folds' choices are counted."""
    s, t = c.setting, c.tried
    at = [k for k in range(len(s.values)) if c.best[k] >= 0]
    x = [s.place(k) for k in at]
    mean = t.means[c.best[at]]
    spread = np.nan_to_num(t.spreads[c.best[at]])
    low, high = (np.clip(mean + k * spread, t.metric.least, t.metric.most) for k in (-1, 1))
    style = {"color": class_color(0)}
    fig = figure(
        go.Scatter(x=x, y=low, mode="lines", line_width=0, hoverinfo="skip", showlegend=False),
        go.Scatter(
            x=x, y=high, mode="lines", line_width=0, fill="tonexty", fillcolor=band(class_color(0)),
            hoverinfo="skip", showlegend=False,
        ),
        go.Scatter(
            x=x, y=mean, mode="lines+markers", line=style, name="inner score",
            text=[f"chosen by {c.wins[k]} outer folds" for k in at],
            hovertemplate="%{x}<br>%{y:.5~r}<br>%{text}<extra></extra>",
        ),
        height=HEIGHT,
        xaxis={"title": {"text": s.title}}
        | (log_axis(s.values) if s.axis == "log" else {"type": s.axis}),
        yaxis={"title": {"text": t.metric.title}},
        showlegend=False,
    )  # fmt: skip
    _choices(fig, c, at, x)
    value = s.values[s.at[t.best]]
    if s.axis != "category":
        text = f"best {typeset(value_text(value))}"
        named_line(fig, text, x=float(value), is_log=s.axis == "log")
        fig.update_layout(margin_t=50)
    return fig


def _choices(fig: go.Figure, c: SearchCurve, at: list[int], x: list) -> None:
    """A hollow ring around each value that outer folds chose, as large as their number."""
    chose = [i for i, k in enumerate(at) if c.wins[k]]
    if not chose:
        return
    mean = c.tried.means[c.best[at]]
    marker = {
        "symbol": "circle-open",
        "size": [12 + 3 * int(c.wins[at[i]]) for i in chose],
        "color": class_color(1),
        "line": {"width": 2},
    }
    fig.add_scatter(
        x=[x[i] for i in chose], y=mean[chose], mode="markers", marker=marker, hoverinfo="skip",
        name="chosen by outer folds",
    )  # fmt: skip


def reading(c: SearchCurve) -> str:
    """The winner, how the outer folds chose, and whether it lies at an end."""
    t = c.tried
    mean = float(t.means[t.best])
    text = f"Best of {len(t.means)} candidates inside is {candidate_text(t, t.best)}, with "
    text += f"{t.metric.title} {number(mean)}."
    agree = int(c.wins[c.setting.at[t.best]])
    if t.folds:
        text += f" {agree} of {t.folds} outer folds chose the same {c.setting.noun}."
    if ends := at_ends(t):
        text += f" The winner is at the end of what was tried for {' and '.join(ends)}."
    return text + " The best of several tries is an optimistic score."


def table(c: SearchCurve) -> tuple[TableColumn, ...]:
    """One line a value."""
    t, known = c.tried, c.best >= 0
    at = np.maximum(c.best, 0)
    return (
        TableColumn(c.setting.title, tuple(str(v) for v in c.setting.values)),
        TableColumn(f"{t.metric.name} inside", np.where(known, t.means[at], np.nan)),
        TableColumn("standard deviation", np.where(known, t.spreads[at], np.nan)),
        TableColumn("outer folds that chose it", c.wins),
    )
