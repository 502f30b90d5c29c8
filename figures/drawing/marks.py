"""Marks that every view draws alike: points of a class, rings around errors, class regions.

Row numbers travel with the marks: a trace made by `points`, or passed through `numbered`, has
`meta == "rows"` and in `customdata` the row of the table that each mark stands for. That is what
the picture component reads when rows are selected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, TICK_SIZE, class_color, class_symbol, faded
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import typeset

WEBGL_ABOVE = 2_000  # points; below it SVG is as fast and sharper
REGION_STRENGTH = 0.38  # most of a class colour that is mixed into the background
REGION_LEVELS = 32  # shades a class; eight classes fill one byte a cell
KINDS = (
    "variable",
    "sequence",
    "states",
    "radius",
    "unit",
)  # what marks may stand for that are no rows
DIGITS, LEAST = 4, -300  # of a number that a mark stands for, and its least power of ten
FEW_DECADES = 0.8  # below which Plotly names round numbers as on any axis
SMALL = 1e-3  # from which on down Plotly has letters for powers of ten
MOST_POWERS = 8  # powers of ten that are named on an axis
ROWS = "rows"  # the `meta` of a trace whose customdata are row numbers of the table


def equal_axes(fig: go.Figure) -> go.Figure:
    """Give both axes one scale: a unit is as long across as up. Changes and returns `fig`."""
    return fig.update_yaxes(scaleanchor="x", scaleratio=1).update_xaxes(constrain="domain")


def across(fig: Any, *, x: Any = None, y: Any = None, on: int = 1, **style: Any) -> Any:
    """A line from edge to edge at x, or at y, of the axes numbered `on`. Changes and returns `fig`.

    Plotly's own `add_vline` looks through all axes and annotations for each line: four times as
    slow, and with it lines were a tenth of the time of all pictures.
    """
    axes = {"xref": _numbered_axis("x", on), "yref": _numbered_axis("y", on)}
    if x is not None:
        ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": f"{axes['yref']} domain"}
    else:
        ends = {"x0": 0, "x1": 1, "y0": y, "y1": y, "xref": f"{axes['xref']} domain"}
    return fig.add_shape(type="line", **(axes | ends), **style)


def noted(fig: Any, notes: Iterable[dict[str, Any]]) -> Any:
    """Further annotations, in one go. Changes and returns `fig`.

    `add_annotation` copies those that there are, for each one more.
    """
    return fig.update_layout(annotations=[*fig.layout.annotations, *notes])


def _numbered_axis(letter: str, number: int) -> str:
    return letter if number == 1 else f"{letter}{number}"


def log_axis(values: Any) -> dict[str, Any]:
    """A logarithmic axis for these values: whole powers of ten alone where there are several.

    Between one and two Plotly would name 2 and 5 without their power.
    """
    axis: dict[str, Any] = {"type": "log", "exponentformat": "power"}
    seen = np.asarray(values, dtype=np.float64)
    seen = seen[np.isfinite(seen) & (seen > 0)]
    decades = float(np.log10(seen.max() / seen.min())) if len(seen) else 0.0
    if decades >= 2:
        # Plotly writes powers by a quarter larger than what stands on other axes.
        font = {"size": TICK_SIZE / 1.25}
        return axis | {"dtick": int(np.ceil(decades / MOST_POWERS)), "tickfont": font}
    if decades < FEW_DECADES:
        return axis
    powers = np.arange(np.floor(np.log10(seen.min())) - 1, np.ceil(np.log10(seen.max())) + 1)
    at = np.outer(10.0**powers, [1.0, 2.0, 5.0]).ravel()
    return axis | {"tickvals": at.tolist(), "ticktext": [typeset(f"{value:.4g}") for value in at]}


def log_axes(fig: go.Figure) -> go.Figure:
    """Give logarithmic axes that name no numbers of their own those of `log_axis`.

    Left alone Plotly writes 2 and 5, or all digits, small between the powers. Changes and returns
    `fig`.
    """
    for on in "xy":
        for name in _axes_named(fig, on):
            axis = fig.layout[name]
            if axis.type == "log" and axis.dtick is None and axis.tickvals is None:
                axis.update(log_axis(_values_along(fig, on, name)))
    return fig


def small_axes(fig: go.Figure) -> go.Figure:
    """Name very small numbers of an axis by powers of ten, as sentences do: Plotly would say 20μ.

    Changes and returns `fig`.
    """
    traces: Any = fig.data
    plain = [trace for trace in traces if trace.type in ("scatter", "scattergl", "bar")]
    for on in "xy":
        for name in {_axis_name(trace, on) for trace in plain}:
            values = [trace[on] for trace in plain if _axis_name(trace, on) == name]
            if fig.layout[name].exponentformat is None and 0.0 < _largest(values) < SMALL:
                fig.layout[name].exponentformat = "power"
    return fig


def _largest(values: list[Any]) -> float:
    """The largest size among arrays of numbers, infinite where some are no numbers."""
    arrays = [np.asarray(v) for v in values if v is not None and len(v)]
    if any(a.dtype.kind not in "fiub" for a in arrays):
        return np.inf
    known = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in arrays]
    return float(max(known, default=0.0))


def _axes_named(fig: go.Figure, on: str) -> list[str]:
    """The axes that traces stand on, as the layout names them."""
    traces: Any = fig.data
    return sorted({_axis_name(trace, on) for trace in traces})


def _values_along(fig: go.Figure, on: str, name: str) -> np.ndarray:
    traces: Any = fig.data
    own = [trace[on] for trace in traces if _axis_name(trace, on) == name]
    return np.concatenate([np.asarray(v, float).ravel() for v in own if v is not None] or [[]])


def numbered(trace: Any, rows: Any) -> Any:
    """Say which row of the table each mark of `trace` stands for. Changes and returns it.

    `rows` holds one number a mark; a mark that stands for several rows (a bar, a cell) has a
    list of them instead.
    """
    if not isinstance(rows, np.ndarray):
        numbers = np.empty(len(rows), dtype=object)
        numbers[:] = rows  # Plotly looks at every number of a list, and at none of an array
        rows = numbers
    return trace.update(customdata=rows, meta=ROWS)


def mark_of(dataset: Dataset, kind: str, k: int) -> int:
    """The number of a mark that stands for thing k of a kind: behind those of the rows."""
    return dataset.table.n_rows + k * len(KINDS) + KINDS.index(kind)


def marked(dataset: Dataset, number: int) -> tuple[str, int] | None:
    """Kind and number of the thing that a mark stands for; None for a row of the table."""
    k, kind = divmod(number - dataset.table.n_rows, len(KINDS))
    return None if k < 0 else (KINDS[kind], k)


def whole_of(values: Any) -> np.ndarray:
    """Positive numbers, shape (n,), as thing k of a kind: whole numbers that keep four digits.

    They rise with the values, so 1000 .. 9999 of each power of ten stand side by side.
    """
    values = np.maximum(values, 10.0**LEAST)
    powers = np.floor(np.log10(values))
    leading = np.rint(
        values / 10.0**powers * 10 ** (DIGITS - 1)
    )  # 10 000 is the next power's first
    per_power = 9 * 10 ** (DIGITS - 1)
    return ((powers - LEAST) * per_power + leading - 10 ** (DIGITS - 1)).astype(np.int64)


def number_of(k: int) -> float:
    """The number that `whole_of` made k of, to its digits."""
    power, more = divmod(k, 9 * 10 ** (DIGITS - 1))
    return float(f"{more + 10 ** (DIGITS - 1)}e{power + LEAST - DIGITS + 1}")


def points(
    x: np.ndarray,
    y: np.ndarray,
    *,
    klass: int = 0,
    rows: np.ndarray | None = None,
    name: str = "",
    hollow: bool = False,
    marker: dict[str, Any] | None = None,
    **more: Any,
) -> go.Scatter | go.Scattergl:
    """Marks of one class at x and y, shape (n,): its colour and symbol, hollow for training rows.

    `marker` changes single properties of the marks; `more` goes to the trace as it is.
    """
    kind = go.Scattergl if len(x) > WEBGL_ABOVE else go.Scatter
    hover = {"hovertemplate": _hover(x, y, rows is not None)}
    trace = kind(x=_small(x), y=_small(y), mode="markers", name=name, **(hover | more))
    trace.marker = _mark(klass, hollow) | (marker or {})
    return trace if rows is None else numbered(trace, np.asarray(rows))


def legend_entry(name: str, klass: int, **more: Any) -> go.Scatter:
    """A line of the legend with no mark in the picture: for traces that mix several classes."""
    marker = _mark(klass, hollow=False)
    return go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, **more)


def rings(x: np.ndarray, y: np.ndarray, *, name: str, rows: np.ndarray | None = None) -> go.Scatter:
    """Open circles in the colour of text around points: the way errors are marked everywhere."""
    trace = go.Scatter(x=_small(x), y=_small(y), mode="markers", name=name, hoverinfo="skip")
    trace.update(marker={"symbol": "circle-open", "size": 14, "color": LIGHT.text})
    trace.update(marker_line_width=1.8)
    return trace if rows is None else numbered(trace, np.asarray(rows))


def regions(x: np.ndarray, y: np.ndarray, klass: np.ndarray, confidence: np.ndarray) -> go.Heatmap:
    """Class regions behind points: each cell has its class colour, as strong as it is sure.

    Args:
        x: Centers of the columns of cells, shape (a,).
        y: Centers of the rows of cells, shape (b,).
        klass: Class of each cell from 0, shape (b, a); -1 leaves the cell empty.
        confidence: 0 (invisible) to 1 (full strength), shape (b, a).
    """
    n_classes = max(int(np.max(klass)) + 1, 1)
    colors = [class_color(k) for k in range(n_classes)]
    return go.Heatmap(
        x=_small(x),
        y=_small(y),
        z=region_levels(klass, confidence),
        zmin=0,
        zmax=n_classes * REGION_LEVELS - 1,
        colorscale=_region_scale(colors),
        showscale=False,
        hoverinfo="skip",
        zsmooth=False,  # levels of two classes must not be averaged
    )


def region_levels(klass: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """The `z` of `regions`: class k at confidence c is level 32 k + round(31 c)."""
    klass = np.asarray(klass)
    sure = np.where(klass < 0, 0.0, np.clip(confidence, 0.0, 1.0))
    levels = np.maximum(klass, 0) * REGION_LEVELS + np.rint(sure * (REGION_LEVELS - 1))
    return levels.astype(np.uint8 if levels.max(initial=0) < 256 else np.uint16)


def _mark(klass: int, hollow: bool) -> dict[str, Any]:
    symbol = class_symbol(klass).removesuffix("-open")
    if hollow or klass < 0:
        return {"color": class_color(klass), "symbol": f"{symbol}-open", "line": {"width": 1.5}}
    return {"color": class_color(klass), "symbol": symbol}


def _region_scale(colors: list[str]) -> list[tuple[float, str]]:
    """A colour scale that runs from nothing to full strength once for each class."""
    top = len(colors) * REGION_LEVELS - 1
    scale = []
    for k, color in enumerate(colors):
        first, last = (
            k * REGION_LEVELS / top,
            (k * REGION_LEVELS + REGION_LEVELS - 1) / top,
        )
        scale += [(first, faded(color, 0.0)), (last, faded(color, REGION_STRENGTH))]
    scale[-1] = (1.0, scale[-1][1])  # Plotly insists on exactly 0 and 1 at the ends
    return scale


def hovered(fig: go.Figure) -> go.Figure:
    """Say what hovering lines, marks and bars shows, where nothing is said yet.

    The name of the trace, and both axes with their values: shares in per cent where the axis has
    them. Changes and returns `fig`.
    """
    traces: Any = fig.data
    for trace in traces:
        is_plain = trace.type in ("scatter", "scattergl", "bar")
        if is_plain and not (trace.hovertemplate or trace.hoverinfo):
            lines = [_hover_line(on, trace[on], _axis(fig, trace, on).tickformat) for on in "xy"]
            head = ["<b>%{fullData.name}</b>"] if trace.name else []
            trace.hovertemplate = "<br>".join(head + lines) + "<extra></extra>"
    return fig


def _axis(fig: go.Figure, trace: Any, on: str) -> Any:
    """The axis of a trace: "x2" of a trace is `xaxis2` of the layout."""
    return fig.layout[_axis_name(trace, on)]


def _axis_name(trace: Any, on: str) -> str:
    return f"{on}axis{(trace[f'{on}axis'] or on)[1:]}"


def _hover(x: np.ndarray, y: np.ndarray, with_row: bool) -> str:
    """Name and row, then both coordinates with five digits."""
    head = "<b>%{fullData.name}</b>" + (", row %{customdata}" if with_row else "")
    return "<br>".join([head, _hover_line("x", x), _hover_line("y", y)]) + "<extra></extra>"


def _hover_line(axis: str, values: Any, ticks: str | None = None) -> str:
    digits = ":.5~r" if np.asarray(values).dtype.kind == "f" else ""
    if ticks and ticks.endswith("%"):
        digits = ":.1%"
    return f"%{{{axis}axis.title.text}} %{{{axis}{digits}}}"


def _small(values: Any) -> Any:
    """Floats as float32: half the bytes to the browser, more digits than a screen has."""
    values = np.asarray(values)
    return values.astype(np.float32) if values.dtype == np.float64 else values
