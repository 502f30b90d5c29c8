"""Drawing that curves over replicates share."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import dash_of
from figures.numbers.trials import MOST_LINES, ReplicateCurve
from figures.theme import CLASS_COLORS, band, faded
from figures.view import TableColumn
from mlcore.spine.wording import count

FAINT = 0.22  # strength of the line of one replicate


def curve_traces(
    c: ReplicateCurve, k: int, *, name: str = "", dash: str = "", lines: bool = True
) -> list[Any]:
    """Mean or median in the colour of class k, over its band and the lines of some replicates."""
    color, name = CLASS_COLORS[k % len(CLASS_COLORS)], name or c.label
    traces = [_each(c, color, name)] if lines and len(c.each) > 1 else []
    if np.isfinite(c.band[0]).any():
        traces.append(_band(c, color, name))
    line = {"color": color, "dash": dash or dash_of(k), "width": 2.5}
    hover = f"{name} %{{y:.4~g}}<extra>%{{x}}</extra>"
    mean = go.Scatter(x=c.x, y=c.line, mode="lines", name=name, legendgroup=name, line=line)
    return [*traces, mean.update(hovertemplate=hover)]


def _each(c: ReplicateCurve, color: str, name: str) -> go.Scatter:
    """Thin lines, all in one trace with gaps between them."""
    shown = c.each[:MOST_LINES]
    gap = np.full((len(shown), 1), np.nan)
    x = np.tile(np.append(c.x.astype(np.float32), np.nan), len(shown))
    y = np.hstack([shown, gap]).ravel().astype(np.float32)
    line = {"color": faded(color, FAINT), "width": 1}
    return go.Scatter(
        x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False, legendgroup=name
    )


def _band(c: ReplicateCurve, color: str, name: str) -> go.Scatter:
    low, high = c.band
    return go.Scatter(
        x=np.concatenate([c.x, c.x[::-1]]),
        y=np.concatenate([low, high[::-1]]),
        fill="toself", fillcolor=band(color), mode="lines", line={"width": 0},
        hoverinfo="skip", showlegend=False, legendgroup=name,
    )  # fmt: skip


def what_bands_are(curves: tuple[ReplicateCurve, ...], *, lines: bool = True) -> str:
    """The note beside the heading."""
    n = max(len(c.each) for c in curves)
    some = f", thin: {MOST_LINES} of them" if n > MOST_LINES else ", thin: each"
    if n == 1:
        return "one replicate"
    band = "band: 10 to 90 % of them" if curves[0].is_median else "band: 95 % interval"
    sure = band if any(np.isfinite(c.band[0]).any() for c in curves) else "no band"
    return f"{curves[0].of_all} of {count(n, 'replicate')}, {sure}{some if lines else ''}"


def curve_columns(
    head: str, curves: tuple[ReplicateCurve, ...], what: str
) -> tuple[TableColumn, ...]:
    """One line a point, a column a curve and those of its band; NaN where one has no point.

    Methods note where they learn: some after every episode, some after a batch of them.
    """
    x = np.unique(np.concatenate([c.x for c in curves]))
    columns = [TableColumn(head, x)]
    for c in curves:
        columns.append(TableColumn(f"{what}, {c.label}", _placed(x, c.x, c.line)))
        if np.isfinite(c.band[0]).any():
            columns += [TableColumn(f"{of}, {c.label}", _placed(x, c.x, v)) for of, v in _wide(c)]
    return tuple(columns)


def _wide(c: ReplicateCurve) -> list[tuple[str, np.ndarray]]:
    """The band of a curve in columns: half an interval, which is even, or both ends."""
    if not c.is_median:
        return [("half interval", c.half)]
    return list(zip(("10 % of replicates", "90 % of replicates"), c.band, strict=True))


def _placed(x: np.ndarray, own: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values at `own`, which are among x, shape (n,); NaN elsewhere."""
    if len(own) == len(x):
        return values
    placed = np.full(len(x), np.nan)
    placed[np.searchsorted(x, own)] = values
    return placed
