"""Equal ranges for pictures that stand side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import figures.graph as go

ROOM = 0.05  # of the range, beyond the outermost mark


def share_axes(figures: Sequence[go.Figure]) -> None:
    """Give the axes of one name in all figures the range that holds what each of them shows.

    Axes of names and of dates stay as they are: they already show the same. Changes the figures.
    """
    for axis in sorted({name for fig in figures for name in _axes(fig)}):
        spans = [_span(fig, axis) for fig in figures]
        known = [span for span in spans if span is not None]
        if len(known) == len(figures):
            low, high = min(a for a, _ in known), max(b for _, b in known)
            for fig in figures:
                fig.layout[axis].update(range=[low, high], autorange=None)


def _axes(fig: Any) -> list[str]:
    """The names of the axes that the traces of a figure stand on."""
    return [
        f"{letter}axis{(trace[f'{letter}axis'] or letter)[1:]}"
        for trace in fig.data
        for letter in "xy"
    ]


def _span(fig: Any, axis: str) -> tuple[float, float] | None:
    """What one axis shows: its own range, or that of its marks; None where it is not numeric."""
    layout = fig.layout[axis]
    if layout.ticktext or layout.autorange == "reversed" or layout.type == "log":
        return None
    if layout.range is not None:
        low, high = layout.range
        return (float(low), float(high)) if _is_numeric(layout.range) else None
    values = [each for each in _values(fig, axis) if any(v is not None for v in each)]
    if not values or not all(_is_numeric(each) for each in values):
        return None
    every = np.concatenate([np.asarray(each, dtype=np.float64) for each in values])
    every = every[np.isfinite(every)]
    if not len(every):
        return None
    low, high = float(every.min()), float(every.max())
    room = ROOM * (high - low) or 0.5
    return low - room, high + room


def _values(fig: Any, axis: str) -> Iterator[Any]:
    """The coordinates along one axis, trace by trace."""
    letter, short = axis[0], axis.replace("axis", "")
    for trace in fig.data:
        if (trace[f"{letter}axis"] or letter) == short and trace[letter] is not None:
            yield trace[letter]


def _is_numeric(values: Any) -> bool:
    return np.asarray(values).dtype.kind in "iuf"
