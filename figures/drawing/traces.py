"""Traces that several views share: rows as points, lines, axes; and the names of traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.numbers.clouds import MOST_OF_CELL, Cloud, counted, some_of, taken
from figures.numbers.planes import CODED, Plane
from figures.theme import (
    CLASS_COLORS,
    DIVERGING,
    LIGHT,
    SEQUENTIAL,
    class_color,
    class_symbol,
    faded,
    figure,
)
from figures.view import TableColumn
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, rough_value

HEIGHT = 420  # pixels of a picture that has no height of its own
BAR = 220  # pixels of a colour bar below a picture
SENTENCE = 42  # letters of a line that says why nothing is drawn
# And above its axes: for two lines of names and what an upright line is called. Where the names
# take more lines, the browser, which knows how wide the picture is, makes more room.
UNDER_NAMES = 64
# Share of the width between two panels, for ticks and title of the right one, on a phone too.
BETWEEN = 0.24
# Names of the traces that a recording changes.
CELLS, ROWS, CENTERS, BARS, CURVE = "cells", "rows", "centers", "bars", "curve"
NUMBERS = "numbers"
# A name in the habit of code whose last word is a unit.
WITH_UNIT = re.compile(
    r"(?P<words>[a-z][a-z0-9]*(_[a-z0-9]+)*)_(?P<unit>mm|cm|km|mg|g|kg|ml|ms|kwh)"
)
MOST_LISTED = 26  # classes: a longer legend takes the place of the picture
LARGEST_BUBBLE = 12  # pixels of the cell that holds most rows: about as wide as a cell
# Blue is high, as good values are elsewhere, and orange low; the middle is the background.
SIGNED = [(1 - at, color) for at, color in reversed(DIVERGING)]
HOVER = "%{text}<br>%{xaxis.title.text} %{x}<br>%{yaxis.title.text} %{y}<extra></extra>"


def points_of(
    cloud: Cloud,
    *,
    hollow: np.ndarray | None = None,
    texts: Any = None,
    no_class: str = "no class",
    kinds: tuple[str, str] = ("number", "number"),
) -> list[Any]:
    """Traces of a cloud: a mark a row, above 20 000 rows a mark a cell, as large as its count.

    `hollow` says which rows are drawn open, `texts` what hovering a row says beside its number,
    `kinds` what the axes hold: "datetime" is days since 1970.
    """
    traces = []
    for k, name, own in _classes(cloud, no_class):
        if cloud.is_crowded:
            traces.append(_bubbles(taken(cloud, own), k, name, kinds))
            continue
        open_ones = np.zeros(cloud.n, dtype=bool) if hollow is None else hollow
        for is_hollow in (False, True):
            part = own & (open_ones == is_hollow)
            if part.any():
                part_texts = None if texts is None else np.asarray(texts)[part]
                trace = _marks(taken(cloud, part), k, name, is_hollow, kinds, part_texts)
                is_again = is_hollow and (own & ~part).any()
                trace.showlegend = _is_listed(cloud, k) and not is_again
                traces.append(trace)
    return traces


def mixed_points(
    cloud: Cloud,
    *,
    texts: Any = None,
    no_class: str = "no class",
    kinds: tuple[str, str] = ("number", "number"),
) -> list[Any]:
    """One trace for all classes, so that the player can move a row from one to another.

    Crowded clouds are drawn as by `points_of`: there is nothing to play.
    """
    if cloud.is_crowded:
        return points_of(cloud, no_class=no_class, kinds=kinds)
    trace = _marks(cloud, 0, "rows", False, kinds, texts)
    # Without a group: where one trace has one, Plotly lists the others below one another.
    trace.update(uid=ROWS, showlegend=False, legendgroup=None)
    if not cloud.names:
        return [trace]
    colors, symbols = ([of(int(k)) for k in cloud.klass] for of in (class_color, class_symbol))
    trace.update(marker={"color": colors, "symbol": symbols})
    classes = _classes(cloud, no_class)
    listed = ((k, name) for k, name, _ in classes if _is_listed(cloud, k))
    return [*(marks.legend_entry(name, k, showlegend=True) for k, name in listed), trace]


def _is_listed(cloud: Cloud, k: int) -> bool:
    """Whether a class of a cloud stands in the legend: of very many only the rows of no class."""
    return bool(cloud.names) and (k < 0 or len(cloud.names) <= MOST_LISTED)


def _classes(cloud: Cloud, no_class: str) -> Iterator[tuple[int, str, np.ndarray]]:
    """Each class that has rows: its code, its name and its rows."""
    for k in [*range(max(len(cloud.names), 1)), -1]:
        own = cloud.klass == k
        if own.any():
            yield k, no_class if k < 0 else cloud.names[k] if cloud.names else "rows", own


def _marks(
    cloud: Cloud, k: int, name: str, hollow: bool, kinds: tuple[str, str], texts: Any
) -> Any:
    trace = marks.points(
        dated(cloud.x, kinds[0]),
        dated(cloud.y, kinds[1]),
        klass=k,
        rows=cloud.rows,
        name=name,
        hollow=hollow,
        legendgroup=name,
        text=row_texts(cloud.rows, texts),
        hovertemplate=HOVER,
    )
    return _by_value(trace, cloud.value, cloud.value_name)


def _bubbles(cloud: Cloud, k: int, name: str, kinds: tuple[str, str]) -> Any:
    """One mark a cell, as large as the number of its rows; it stands for some of them at most."""
    cells = counted(cloud)
    note = f", {MOST_OF_CELL} of them to select"
    size = np.maximum(LARGEST_BUBBLE * np.sqrt(cells.count / cells.count.max()), 2.0)
    trace = marks.points(
        dated(cells.x, kinds[0]),
        dated(cells.y, kinds[1]),
        klass=k,
        name=f"{name}, {count(cloud.n, 'row')}",
        text=[count(n, "row") + note * int(n > MOST_OF_CELL) for n in cells.count],
        hovertemplate=HOVER,
        showlegend=not cloud.names or _is_listed(cloud, k),
    )
    trace.update(marker={"size": size.astype(np.float32), "opacity": 0.85, "line": {"width": 0}})
    marks.numbered(trace, [some_of(members).tolist() for members in cells.rows])
    return _by_value(trace, cells.value, cloud.value_name)


def _by_value(trace: Any, value: np.ndarray | None, name: str) -> Any:
    """Colour the marks by a quantity, if there is one."""
    if value is None:
        return trace
    colors = {"color": value.astype(np.float32), "colorscale": SEQUENTIAL}
    return trace.update(marker=colors | {"colorbar": color_bar(name)})


def color_bar(name: str) -> dict[str, Any]:
    """A narrow colour bar for the marks of a trace, named along its side."""
    font = {"size": 12, "color": LIGHT.quiet}
    title = {"text": name, "side": "right", "font": font}
    return {"title": title, "thickness": 12, "outlinewidth": 0, "tickfont": font}


def color_bar_below(name: str) -> dict[str, Any]:
    """A colour bar at the left below a picture, in sight where a phone shows a part of it."""
    place = {"x": 0, "xanchor": "left", "y": -0.02, "yanchor": "top", "xpad": 0, "ypad": 4}
    bar = color_bar(name)
    bar["title"]["side"] = "bottom"
    return bar | {"orientation": "h", "lenmode": "pixels", "len": BAR} | place


def named_upright(fig: go.Figure, name: str) -> go.Figure:
    """Name the upright axis of a space in the corner above it: in space, where letters stand on
    the axis, they are seen from the side. Changes and returns `fig`."""
    fig.update_scenes(zaxis_title_text="")
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "top"}
    font = {"color": LIGHT.text, "size": 12}
    return fig.add_annotation(text=f"↑ {name}", font=font, showarrow=False, **place)


def row_texts(rows: np.ndarray, texts: Any = None) -> list[str]:
    """What hovering says of each row: its number, counted from 1 as in the table."""
    if texts is None:
        return [f"row {row + 1}" for row in rows]
    return [f"row {row + 1}, {text}" for row, text in zip(rows, texts, strict=True)]


def located(plane: Plane, cloud: Cloud) -> tuple[TableColumn, ...]:
    """The columns that say which row a point is, and where it lies in the plane."""
    row = TableColumn("row", cloud.rows + 1)
    across = TableColumn(plane.x.column.name, cloud.x)
    if plane.y is None:
        return row, across
    return row, across, TableColumn(plane.y.column.name, cloud.y)


def center_marks(x: np.ndarray, y: np.ndarray, name: str, texts: list[str]) -> Any:
    """Trace of a large mark a cluster at x and y, in its color and with its symbol."""
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        name=name,
        uid=CENTERS,
        marker={
            "size": 16,
            "symbol": [class_symbol(k) for k in range(len(texts))],
            "color": [class_color(k) for k in range(len(texts))],
            "line": {"width": 2.5, "color": LIGHT.text},
        },
        text=texts,
        hovertemplate="%{text}<br>%{x:.4~g}, %{y:.4~g}<extra></extra>",
    )


def dated(values: np.ndarray, kind: str) -> np.ndarray:
    """Values for an axis: days since 1970 as dates, anything else as it is."""
    if kind != "datetime":
        return values
    days = np.where(np.isfinite(values), values, 0.0) * 86_400_000
    return np.where(np.isfinite(values), days.astype("datetime64[ms]"), np.datetime64("NaT"))


def axis_name(name: str) -> str:
    """A column as the title of an axis: bill_length_mm is Bill length (mm), others stay."""
    parts = WITH_UNIT.fullmatch(name)
    if parts is None:
        return name
    words = parts["words"].replace("_", " ")
    return f"{words[0].upper()}{words[1:]} ({parts['unit']})"


def named_axis(column: Column) -> dict[str, Any]:
    """Title of the axis of a column, and the names of its levels where it holds codes."""
    axis: dict[str, Any] = {"title": {"text": axis_name(column.name)}}
    if column.kind in CODED and column.levels:
        axis |= {"tickvals": list(range(len(column.levels))), "ticktext": list(column.levels)}
    return axis


def value_text(column: Column, value: float) -> str:
    """A value of a column in words: its level, its date, or the number."""
    if column.kind in CODED and column.levels:
        return column.levels[min(max(round(value), 0), len(column.levels) - 1)]
    if column.kind == "datetime":
        return str(dated(np.array([value]), "datetime")[0])[:10]
    if column.kind == "count" and value == round(value):
        return f"{value:.0f}"
    return rough_value(value)


def dash_of(k: int) -> str:
    """The dash of line k, so that lines do not differ by colour alone."""
    return ("solid", "dash", "dot", "dashdot", "longdash")[k % 5]


def line(x: Any, y: Any, k: int, name: str, **more: Any) -> go.Scatter:
    """A line in the colour and dash of class k."""
    style = {"color": CLASS_COLORS[k % len(CLASS_COLORS)], "dash": dash_of(k)}
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=style, **more)


def named_line(
    fig: go.Figure,
    text: str,
    *,
    x: Any = None,
    y: float | None = None,
    is_log: bool = False,
    at: tuple[str, str] = ("right", "above"),
) -> Any:
    """A dotted line across the picture, named where it stands. Changes and returns `fig`.

    `is_log` says that x stands on a log axis, where Plotly wants annotations in powers of ten; `at`
    where the name of a level line stands: right or left, above or below it.
    """
    style = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    font = {"color": LIGHT.quiet, "size": 12}
    if x is not None:  # the name stands above the picture, where no mark hides it
        place = {"y": 1.0, "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
        fig.add_annotation(x=np.log10(x) if is_log else x, text=text, font=font, **place)
        return marks.across(fig, x=x, line=style)
    anchors = {"xanchor": at[0], "yanchor": "bottom" if at[1] == "above" else "top"}
    place: dict[str, Any] = {"x": int(at[0] == "right"), "xref": "x domain"} | anchors
    # Bars and marks may stand where the name does; it stays readable on them.
    back = faded(LIGHT.background, 0.75)
    fig.add_annotation(y=y, yref="y", text=text, font=font, showarrow=False, bgcolor=back, **place)
    return marks.across(fig, y=y, line=style)


def empty(sentence: str, height: int = HEIGHT) -> go.Figure:
    """A picture that says why there is nothing to draw, in lines that a phone has room for."""
    fig = figure(height=height, xaxis={"visible": False}, yaxis={"visible": False})
    text = "<br>".join(wrap(sentence, SENTENCE, break_long_words=False, break_on_hyphens=False))
    return fig.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper")
