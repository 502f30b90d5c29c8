"""Lines with bands: the drawing that score curves share."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.numbers.bands import Band, ScoreCurve
from figures.theme import CLASS_COLORS, LIGHT, band
from figures.view import TableColumn

FITTED = "training rows"


def between(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, name: str, color: str = LIGHT.accent
) -> go.Scatter:
    """What lies between two curves at x, shape (n,), faint."""
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([low, high[::-1]]),
        fill="toself",
        fillcolor=band(color),
        mode="lines",
        line={"width": 0},
        name=name,
        hoverinfo="skip",
    )


def band_traces(x: Any, b: Band, k: int, name: str) -> list[Any]:
    """A line in the colour of class k over a band of one standard deviation."""
    color = CLASS_COLORS[k]
    seen = np.isfinite(b.mean)
    x = np.asarray(x)[seen]
    around = go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([b.low[seen], b.high[seen][::-1]]),
        fill="toself",
        fillcolor=band(color),
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        legendgroup=name,
    )
    line = go.Scatter(
        x=x,
        y=b.mean[seen],
        mode="lines+markers",
        name=name,
        legendgroup=name,
        line={"color": color, "dash": "solid" if k == 0 else "dash"},
        marker={"color": color, "size": 7, "symbol": "circle" if k == 0 else "circle-open"},
        customdata=np.column_stack([b.low[seen], b.high[seen]]),
        hovertemplate=f"{name} %{{y:.4~g}}<br>%{{customdata[0]:.4~g}} to "
        "%{customdata[1]:.4~g}<extra>%{x}</extra>",
    )
    return [around, line]


def score_traces(x: Any, c: ScoreCurve) -> list[Any]:
    """Both scores: test rows solid, training rows dashed; one, where it names its own rows."""
    seen = band_traces(x, c.fitted, 1, FITTED) if np.isfinite(c.fitted.mean).any() else []
    return [*band_traces(x, c.left_out, 0, c.on), *seen]


def score_table(head: str, c: ScoreCurve) -> tuple[TableColumn, ...]:
    """One line a point of the curve."""
    return (
        TableColumn(head, [str(v) if isinstance(v, str | bool) else v for v in c.values]),
        TableColumn(f"{c.title}, {c.on}", c.left_out.mean),
        TableColumn("standard deviation", c.left_out.sd),
        TableColumn(f"{c.title}, {FITTED}", c.fitted.mean),
        TableColumn("folds", c.folds),
        TableColumn("failure", c.failures),
    )
