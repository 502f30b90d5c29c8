"""Marks and words that several views share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.drawing import marks
from figures.numbers.clouds import MOST_OF_CELL, Cloud, counted, some_of, taken
from figures.numbers.planes import CODED, Plane
from figures.numbers.sampled import drawn_rows
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
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.fit import Column

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
HEIGHT = 420  # pixels of a picture that has no height of its own
# Names of the traces that a recording changes.
CELLS, ROWS, CENTERS, BARS, CURVE = "cells", "rows", "centers", "bars", "curve"
NUMBERS = "numbers"
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
                said = None if texts is None else np.asarray(texts)[part]
                trace = _marks(taken(cloud, part), k, name, is_hollow, kinds, said)
                trace.showlegend = bool(cloud.names) and not (is_hollow and (own & ~part).any())
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
    found = _classes(cloud, no_class)
    return [*(marks.legend_entry(name, k, showlegend=True) for k, name, _ in found), trace]


def _classes(cloud: Cloud, no_class: str) -> Iterator[tuple[int, str, np.ndarray]]:
    """Each class that has rows: its code, its name and its rows."""
    for k in [*range(max(len(cloud.names), 1)), -1]:
        own = cloud.klass == k
        if own.any():
            yield k, no_class if k < 0 else cloud.names[k] if cloud.names else "rows", own


def _marks(cloud: Cloud, k: int, name: str, hollow: bool, kinds: tuple[str, str], said: Any) -> Any:
    trace = marks.points(
        dated(cloud.x, kinds[0]),
        dated(cloud.y, kinds[1]),
        klass=k,
        rows=cloud.rows,
        name=name,
        hollow=hollow,
        legendgroup=name,
        text=row_texts(cloud.rows, said),
        hovertemplate=HOVER,
    )
    return _by_value(trace, cloud.value, cloud.value_name)


def _bubbles(cloud: Cloud, k: int, name: str, kinds: tuple[str, str]) -> Any:
    """One mark a cell, as large as the number of its rows; it stands for some of them at most."""
    cells = counted(cloud)
    said = f", {MOST_OF_CELL} of them to select"
    size = np.maximum(LARGEST_BUBBLE * np.sqrt(cells.count / cells.count.max()), 2.0)
    trace = marks.points(
        dated(cells.x, kinds[0]),
        dated(cells.y, kinds[1]),
        klass=k,
        name=f"{name}, {counted_noun(cloud.n, 'row')}",
        text=[counted_noun(n, "row") + said * int(n > MOST_OF_CELL) for n in cells.count],
        hovertemplate=HOVER,
        showlegend=True,
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


def row_texts(rows: np.ndarray, said: Any = None) -> list[str]:
    """What hovering says of each row: its number, counted from 1 as in the table."""
    if said is None:
        return [f"row {row + 1}" for row in rows]
    return [f"row {row + 1}, {text}" for row, text in zip(rows, said, strict=True)]


def located(plane: Plane, cloud: Cloud) -> tuple[TableColumn, ...]:
    """The columns that say which row a point is, and where it lies in the plane."""
    row = TableColumn("row", cloud.rows + 1)
    across = TableColumn(plane.x.column.name, cloud.x)
    if plane.y is None:
        return row, across
    return row, across, TableColumn(plane.y.column.name, cloud.y)


def dated(values: np.ndarray, kind: str) -> np.ndarray:
    """Values for an axis: days since 1970 as dates, anything else as it is."""
    if kind != "datetime":
        return values
    days = np.where(np.isfinite(values), values, 0.0) * 86_400_000
    return np.where(np.isfinite(values), days.astype("datetime64[ms]"), np.datetime64("NaT"))


def named_axis(column: Column) -> dict[str, Any]:
    """Title of the axis of a column, and the names of its levels where it holds codes."""
    held: dict[str, Any] = {"title": {"text": column.name}}
    if column.kind in CODED and column.levels:
        held |= {"tickvals": list(range(len(column.levels))), "ticktext": list(column.levels)}
    return held


def value_text(column: Column, value: float) -> str:
    """A value of a column in words: its level, its date, or the number."""
    if column.kind in CODED and column.levels:
        return column.levels[min(max(round(value), 0), len(column.levels) - 1)]
    if column.kind == "datetime":
        return str(dated(np.array([value]), "datetime")[0])[:10]
    return rough(value)


def dash_of(k: int) -> str:
    """The dash of line k, so that lines do not differ by colour alone."""
    return ("solid", "dash", "dot", "dashdot", "longdash")[k % 5]


def line(x: Any, y: Any, k: int, name: str, **more: Any) -> go.Scatter:
    """A line in the colour and dash of class k."""
    style = {"color": CLASS_COLORS[k % len(CLASS_COLORS)], "dash": dash_of(k)}
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=style, **more)


def named_line(
    fig: go.Figure, text: str, *, x: Any = None, y: float | None = None, is_log: bool = False
) -> Any:
    """A dotted line across the picture, named where it stands. Changes and returns `fig`.

    `is_log` says that x stands on a log axis, where Plotly wants annotations in powers of ten.
    """
    style = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
    font = {"color": LIGHT.quiet, "size": 12}
    if x is not None:  # the name stands above the picture, where no mark hides it
        place = {"y": 1.0, "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
        fig.add_annotation(x=np.log10(x) if is_log else x, text=text, font=font, **place)
        return fig.add_vline(x=x, line=style)
    name = {"text": text, "font": font, "yanchor": "bottom"}
    # Bars and marks may stand where the name does; it stays readable on them.
    return fig.add_hline(
        y=y, line=style, annotation=name | {"bgcolor": faded(LIGHT.background, 0.75)}
    )


def rough(value: float, spread: float | None = None) -> str:
    """A number in words: no more digits than its standard deviation allows, else three."""
    if not np.isfinite(value):
        return "undefined"
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        return _minus(_power(f"{value:.3g}"))
    measure = spread if spread is not None and np.isfinite(spread) and spread > 0 else None
    size = measure if measure is not None else abs(value)
    # Rounding must not turn a spread of 0.01 into one of 0.0099...
    digits = (1 if measure is not None else 2) - int(np.floor(np.log10(size or 1.0) + 1e-9))
    return _minus(f"{value:.{min(max(digits, 0), 6)}f}")


def _power(text: str) -> str:
    """A number that Python wrote with an e, as people write it: 1.02e-07 as 1.02·10⁻⁷."""
    digits, _, exponent = text.partition("e")
    if not exponent:
        return text
    power = "10" + str(int(exponent)).translate(RAISED)
    return power if digits == "1" else f"{digits}·{power}"


def fixed(value: float, digits: int = 2) -> str:
    """A number with so many digits behind the point, as correlations are written."""
    return _minus(f"{value:.{digits}f}")


def _minus(text: str) -> str:
    """With the minus sign that ticks have, and none before a number rounded to nothing."""
    if not text.startswith("-"):
        return text
    return ("\N{MINUS SIGN}" if text.strip("-0.") else "") + text[1:]


def in_sentence(title: str) -> str:
    """A title inside a sentence: small, unless it is an abbreviation."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


def spaced(count: int) -> str:
    """A count with its thousands apart, as the page around the picture writes it."""
    return f"{count:,}"


def percent(share: float) -> str:
    """A share in per cent, whole unless that would round a part to nothing or to everything."""
    value = 100 * share
    if 0 < value < 0.05 or 99.95 <= value < 100:
        return f"{min(max(value, 0.01), 99.99):.2f} %"
    return f"{value:.1f} %" if 0 < value < 1 or 99 < value < 100 else f"{value:.0f} %"


def counted_noun(count: int, noun: str) -> str:
    """`1 row`, `3 rows`."""
    return f"{spaced(count)} {noun}" + ("" if count == 1 else "s")


def drawn_of(drawn: int, n: int) -> str:
    """How many of n rows a picture shows: `90 rows`, `20 000 of 1 000 000 rows, at random`."""
    return (
        counted_noun(n, "row")
        if drawn == n
        else f"{spaced(drawn)} of {counted_noun(n, 'row')}, at random"
    )


def selects(n: int) -> str:
    """For the note of a picture that counts all n rows: that a click selects among some of them."""
    drawn = len(drawn_rows(n))
    return "" if drawn == n else f"; a click selects among {spaced(drawn)} of them, at random"


def fitted_on(dataset: Dataset, whole: Whole | None) -> str:
    """What a fit to all rows was made of, for the note of its picture."""
    rows = None if whole is None else whole.prepared.rows
    if rows is None:
        return f"fitted on all {counted_noun(dataset.n, 'row')}"
    used = len(np.unique(rows))
    if used == len(rows):
        return f"fitted on {spaced(used)} of {counted_noun(dataset.n, 'row')}"
    source = (
        f"all {spaced(used)}" if used == dataset.n else f"{spaced(used)} of {spaced(dataset.n)}"
    )
    return f"fitted on {counted_noun(len(rows), 'row')} made from {source}"


def listed(names: Any, most: int = 4) -> str:
    """Names in a sentence: `a, b and c`, with the number of those left out."""
    names = [str(name) for name in names]
    if len(names) > most:
        return ", ".join(names[:most]) + f" and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def empty(sentence: str, height: int = HEIGHT) -> go.Figure:
    """A picture that says why there is nothing to draw."""
    fig = figure(height=height, xaxis={"visible": False}, yaxis={"visible": False})
    return fig.add_annotation(text=sentence, x=0.5, y=0.5, xref="paper", yref="paper")
