"""The units of a map as cells, each touching those around it."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import CELLS, color_bar
from figures.theme import SEQUENTIAL, figure
from figures.view import TableColumn
from mlcore.spine.wording import count

CELL, LEAST, MOST = 44, 150, 520  # pixels of a row of cells, and of the picture
MOST_NUMBERS = 15  # of units in a row that have room below it on a phone


def cells(lattice: Any, values: np.ndarray, name: str, texts: list[str], **more: Any) -> go.Heatmap:
    """One colour a unit for values, shape (K,); hovering says its text."""
    n_rows, n_cells = _shape(lattice)
    # Middles, as many as there are cells: Plotly takes one more of them for edges.
    across = np.arange(n_cells) * 0.5 - 0.25 if lattice.is_hexagonal else np.arange(n_cells)
    words = np.full((n_rows, n_cells), "", dtype=object)
    for at, text in zip(_slots(lattice), texts, strict=True):
        words[at] = text
    return go.Heatmap(
        x=across,
        y=np.arange(n_rows),
        z=table_of(lattice, values),
        text=words,
        hovertemplate="%{text}<br>" + name + " %{z:.4~g}<extra></extra>",
        hoverongaps=False,
        colorscale=SEQUENTIAL,
        colorbar=color_bar(name),
        uid=CELLS,
        **more,
    )


def table_of(lattice: Any, values: np.ndarray) -> np.ndarray:
    """Values of the units, shape (K,), in the cells of a heat map, NaN elsewhere.

    On a hexagonal grid every unit is two cells wide and every other row is shifted by one, as
    bricks are laid: then each unit touches the six that are around it.
    """
    table = np.full(_shape(lattice), np.nan, dtype=np.float32)
    for at, value in zip(_slots(lattice), values, strict=True):
        table[at] = value
    return table


def places(lattice: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the units stand in the picture, each of shape (K,): rows one below the other."""
    at = lattice.positions
    if at.shape[1] == 1:
        return at[:, 0], np.zeros(len(at))
    y = np.unique(at[:, 1], return_inverse=True)[1]
    return at[:, 0], y.astype(np.float64)


def _shape(lattice: Any) -> tuple[int, int]:
    x, y = places(lattice)
    n_rows = int(y.max()) + 1
    if not lattice.is_hexagonal:
        return n_rows, int(x.max()) + 1
    return n_rows, round(2 * x.max()) + 2


def proportion(lattice: Any) -> float:
    """Height over width of the picture of a lattice whose units are as wide as high."""
    n_rows, n_cells = _shape(lattice)
    return n_rows / (n_cells * (0.5 if lattice.is_hexagonal else 1.0))


def _slots(lattice: Any) -> list[Any]:
    """The cells of each unit in the table."""
    x, y = places(lattice)
    if not lattice.is_hexagonal:
        return list(zip(y.astype(int).tolist(), x.astype(int).tolist(), strict=True))
    starts = np.rint(2 * x).astype(int).tolist()
    return [(row, slice(s, s + 2)) for row, s in zip(y.astype(int).tolist(), starts, strict=True)]


def on_lattice(lattice: Any, *traces: Any, **layout: Any) -> go.Figure:
    """A picture of the lattice, a unit as wide as it is high; row 0 at the bottom."""
    n_rows, _ = _shape(lattice)
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    plain |= {"zeroline": False, "constrain": "domain"}
    return figure(
        *traces,
        height=int(np.clip(CELL * n_rows, LEAST, MOST)),
        xaxis=plain | _numbers(lattice),
        yaxis=plain | {"scaleanchor": "x"},
        **layout,
    )


def _numbers(lattice: Any) -> dict[str, Any]:
    """The numbers of units in a row, which are what edges of one's own are written with."""
    if lattice.positions.shape[1] > 1:
        return {}
    units = np.arange(len(lattice.positions))
    shown = units[:: -(-len(units) // MOST_NUMBERS)]
    ticks = {"tickvals": shown, "ticktext": [str(unit + 1) for unit in shown]}
    return ticks | {"showticklabels": True, "title": {"text": "Unit"}}


def unit_names(lattice: Any) -> list[str]:
    """What the units are called: by row and column, or by number, from 1."""
    x, y = places(lattice)
    if lattice.positions.shape[1] == 1:
        return [f"unit {int(k) + 1}" for k in x]
    column = np.floor(x).astype(int)
    return [f"unit in row {r + 1}, column {c + 1}" for r, c in zip(y.astype(int), column)]


def unit_columns(lattice: Any) -> tuple[TableColumn, ...]:
    """The columns of a table that say which unit a line is."""
    x, y = places(lattice)
    if lattice.positions.shape[1] == 1:
        return (TableColumn("unit", x.astype(int) + 1),)
    return (
        TableColumn("row of the map", y.astype(int) + 1),
        TableColumn("column of the map", np.floor(x).astype(int) + 1),
    )


def shape_in_words(lattice: Any) -> str:
    """The lattice in words: `10 x 10 units`, `20 units`."""
    at = lattice.positions
    if at.shape[1] == 1:
        return count(len(at), "unit")
    n_rows = len(np.unique(at[:, 1]))
    return f"{n_rows} x {len(at) // n_rows} units"
