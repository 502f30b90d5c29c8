"""Names of columns and classes that fit into a picture, however long they are in the table."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import numpy as np

import figures.graph as go

LEGEND, TITLE, TICK = 32, 38, 28  # characters of a name in the legend, at an axis, at a tick
BETWEEN = " _-.:"  # words of a name
PANELS = 48  # at the axes of all panels beside one another: their titles may reach over the gaps


def cut(text: str, most: int) -> str:
    """Text that fits a narrow place: its head and its tail, as long names often begin alike."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def cut_apart(texts: Iterable[str], most: int) -> list[str]:
    """Texts that fit a narrow place; those that would look alike lose the words they begin with.

    Of `Sensor 03 in the hall` and `Sensor 05 in the hall` the numbers are what is left.
    """
    texts = list(texts)
    short = {text: cut(text, most) for text in texts}
    alike: dict[str, list[str]] = {}
    for text, shown in short.items():
        alike.setdefault(shown, []).append(text)
    for group in alike.values():
        begin = _words_alike(group) if len(group) > 1 else 0
        if begin:
            short |= {text: f"…{cut(text[begin:], most - 1)}" for text in group}
    return [short[text] for text in texts]


def _words_alike(texts: list[str]) -> int:
    """How many letters the words have that all texts begin with, in the habit of code too."""
    first, last = min(texts), max(texts)
    alike = first[: next((k for k, a in enumerate(first) if a != last[k : k + 1]), len(first))]
    return max(alike.rfind(between) for between in BETWEEN) + 1


def fit_names(fig: go.Figure) -> go.Figure:
    """Shorten the long names of a legend, of axes and of their ticks. Changes and returns `fig`.

    Marks, tables and readings keep the whole names; categories stay apart though cut alike.
    """
    traces: Any = fig.data
    named = [trace for trace in traces if trace.name]
    for trace, name in zip(named, cut_apart((t.name for t in named), LEGEND), strict=True):
        if name != trace.name:
            trace.name = name
    layout = fig.layout.to_plotly_json()
    for key in [key for key in layout if key.startswith(("xaxis", "yaxis"))]:
        fig.layout[key].update(_title(layout[key]) | _ticks(layout[key]))
    for axis in ("x", "y"):
        _categories(fig, axis)
    return fig


def _title(axis: dict[str, Any]) -> dict[str, Any]:
    """In two lines at most; a panel that is a part of the picture has shorter ones."""
    text = (axis.get("title") or {}).get("text") or ""
    low, high = axis.get("domain") or (0.0, 1.0)
    most = min(TITLE, int(PANELS * (high - low)))
    return {"title_text": wrapped(text, most)} if len(text) > most else {}


def wrapped(text: str, most: int) -> str:
    """Text in two lines, parted between words; only what does not fit a line is cut."""
    first, *more = wrap(text, max(most, 1), break_long_words=False, break_on_hyphens=False)
    lines = (first, " ".join(more)) if more else (first,)
    return "<br>".join(cut(line, most) for line in lines)


def _ticks(axis: dict[str, Any]) -> dict[str, Any]:
    texts = axis.get("ticktext")
    if texts is None or not any(_is_long(text) for text in texts):
        return {}
    return {"ticktext": cut_apart(map(str, texts), TICK)}


def _is_long(text: Any) -> bool:
    # A view that broke a name into lines, or cut it already, knows how much room there is.
    return isinstance(text, str) and len(text) > TICK and "<br>" not in text and "…" not in text


def _categories(fig: go.Figure, axis: str) -> None:
    """Where names stand for themselves along an axis: ticks that say them shortened."""
    traces: Any = fig.data
    for trace in traces:
        values = getattr(trace, axis, None) if axis in trace else None
        if values is None or (isinstance(values, np.ndarray) and values.dtype.kind not in "OU"):
            continue
        names = list(dict.fromkeys(values))
        axis_layout: Any = fig.layout[
            f"{axis}axis{(getattr(trace, axis + 'axis', None) or axis)[1:]}"
        ]
        if axis_layout.tickvals is None and any(_is_long(name) for name in names):
            axis_layout.update(tickvals=names, ticktext=cut_apart(map(str, names), TICK))
