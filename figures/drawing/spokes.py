"""Columns as spokes from the middle of a picture, and the round picture around them."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import row_texts
from figures.names import cut
from figures.numbers.standardised import Quantities
from figures.theme import LIGHT, SEQUENTIAL, figure

LETTERS = 14
ABOVE = (
    0.09  # of the reach, by which a name stands off its tip: its middle, so phones show all of it
)
SPOKES, TIPS = "spokes", "tips"  # names of the traces that a recording changes
SHORT = 0.22  # of the longest possible: shorter spokes lie on one another in the middle


def lines_to(tips: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y of a line from the middle to each tip, shape (p, 2); a gap parts them."""
    path = np.stack([np.zeros_like(tips), tips, np.full_like(tips, np.nan)], axis=1)
    return path[..., 0].ravel(), path[..., 1].ravel()


def named_at(tips: np.ndarray, reach: float) -> np.ndarray:
    """Where the names stand, shape (p, 2): over or under the tips, NaN where one is too short."""
    off = np.where(tips[:, 1] < -ABOVE * reach, -ABOVE, ABOVE) * reach
    away = tips + np.column_stack([np.zeros(len(tips)), off])
    return np.where(np.hypot(*tips.T)[:, None] > SHORT * reach, away, np.nan)


def traces(tips: np.ndarray, names: tuple[str, ...], reach: float) -> list[Any]:
    """The spokes, and their names beside the tips."""
    x, y = lines_to(tips)
    spokes = go.Scatter(
        x=x.astype(np.float32), y=y.astype(np.float32), mode="lines", uid=SPOKES,
        line={"color": LIGHT.quiet, "width": 1.2}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    at = named_at(tips, reach).astype(np.float32)
    texts = go.Scatter(
        x=at[:, 0], y=at[:, 1], mode="text", text=[cut(name, LETTERS) for name in names], uid=TIPS,
        textfont={"color": LIGHT.text, "size": 12}, hovertext=list(names), hoverinfo="text",
        showlegend=False, cliponaxis=False,
    )  # fmt: skip
    return [spokes, texts]


def rows_by_class(cells: Quantities, at: np.ndarray) -> list[Any]:
    """A trace a class of rows at places of shape (m, 2); a quantity colours one trace."""
    drawn = []
    for code in np.unique(cells.klass).tolist():
        own = cells.klass == code
        name = "no class" if code < 0 else cells.classes[code] if cells.classes else "rows"
        trace = marks.points(
            at[own, 0], at[own, 1], klass=code, rows=cells.rows[own], name=name, legendgroup=name,
            text=row_texts(cells.rows[own]),
            hovertemplate=f"%{{text}}<extra>{name if cells.classes else ''}</extra>",
            marker={"size": 7, "line": {"width": 0.4}}, showlegend=bool(cells.classes),
        )  # fmt: skip
        if cells.y is not None and not cells.classes:
            values = np.asarray(cells.y)[own].astype(np.float32)
            bar = {"title": {"text": cells.target, "side": "right"}, "thickness": 12}
            trace.update(marker={"color": values, "colorscale": SEQUENTIAL, "colorbar": bar})
        drawn.append(trace)
    return drawn


def round_figure(drawn: list[Any], reach: float, height: int, *, legend: bool) -> go.Figure:
    """One scale both ways and no axes: only places to each other count."""
    ends = {"range": [-reach, reach], "visible": False, "showgrid": False}
    fig = figure(*drawn, height=height, xaxis=ends, yaxis=ends, showlegend=legend)
    # Room for one line of the legend, two on a phone.
    return marks.equal_axes(fig).update_layout(margin_t=48 if legend else 8)
