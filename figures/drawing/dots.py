"""Dots with their intervals: what differs beyond chance is another shape, not just a colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import figures.graph as go
from figures.theme import CLASS_COLORS, LIGHT

DIFFERS, SAME = "differs beyond chance", "does not"
MARKS = {
    True: {"symbol": "diamond", "size": 11, "color": CLASS_COLORS[1]},
    False: {"symbol": "circle-open", "size": 9, "color": LIGHT.accent, "line": {"width": 1.8}},
}


def interval_dots(
    value: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    y: np.ndarray,
    differs: np.ndarray,
    texts: Sequence[str],
    **more: Any,
) -> list[go.Scatter]:
    """A dot at (value, y) with a line from low to high, all of shape (G,).

    `texts` says of each what stands beside it when hovered; `more` goes to the traces as it is.
    """
    traces = []
    for is_other in (False, True):
        own = np.flatnonzero(differs == is_other)
        x, mark = value[own], MARKS[is_other]
        reach = {
            "array": np.nan_to_num(high[own] - x), "arrayminus": np.nan_to_num(x - low[own]),
            "color": mark["color"], "thickness": 1.8, "width": 0,
        }  # fmt: skip
        hovered = [f"{texts[int(g)]}<br>{_between(low[g], high[g])}" for g in own]
        traces.append(
            go.Scatter(
                x=x, y=y[own], mode="markers", marker=mark, error_x=reach, text=hovered,
                showlegend=False, hovertemplate="%{text}<br>%{x:.4~g}<extra></extra>", **more,
            )
        )  # fmt: skip
    return traces


def _between(low: float, high: float) -> str:
    return f"95 %: {low:.3g} to {high:.3g}" if np.isfinite([low, high]).all() else "no interval"


def keyed() -> list[go.Scatter]:
    """Both shapes in the legend, whether or not there is a dot of each."""
    none: dict[str, Any] = {"x": [None], "y": [None], "mode": "markers"}
    named = ((DIFFERS, True), (SAME, False))
    return [go.Scatter(**none, name=name, marker=MARKS[key]) for name, key in named]
