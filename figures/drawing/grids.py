"""Drawing that the pictures of grid worlds share."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.drawing.traces import color_bar
from figures.numbers.grids import LAND, NAMES, GridMap
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from mlcore.spine.wording import rough

VALUES, ARROWS, RINGS, PLACES = "values", "arrows", "rings", "places"  # traces by name
CELL, LEAST, MOST = 84, 260, 520  # pixels of a cell, and of the picture
STRONG = 0.72  # of the colour of the largest value: words must stay readable on it
FEW = 8  # columns up to which numbers and words fit into the cells
BLUE, ORANGE = CLASS_COLORS[0], CLASS_COLORS[1]
SIGNED = [
    (0.0, faded(ORANGE, STRONG)), (0.5, faded(ORANGE, 0.0)), (0.5, faded(BLUE, 0.0)),
    (1.0, faded(BLUE, STRONG)),
]  # fmt: skip
COUNTS = [(0.0, faded(LIGHT.accent, 0.0)), (1.0, faded(LIGHT.accent, 0.6))]


def base(shape: tuple[int, int], letters: str, *traces: Any) -> go.Figure:
    """The grid with its walls, ends and starts under the traces of a view."""
    rows, columns = shape
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    fig = figure(
        land(shape, letters),
        *traces,
        height=int(np.clip(CELL * rows, LEAST, MOST)),
        xaxis=plain | {"range": [-0.5, columns - 0.5], "constrain": "domain"},
        yaxis=plain | {"range": [rows - 0.5, -0.5], "scaleanchor": "x", "constrain": "domain"},
        showlegend=False,
    )
    for cell in (i for i, letter in enumerate(letters) if letter == "S"):
        x, y = cell % columns, cell // columns
        line = {"color": LIGHT.text, "width": 2}
        fig.add_shape(x0=x - 0.47, x1=x + 0.47, y0=y - 0.47, y1=y + 0.47, line=line)
    return fig


def land(shape: tuple[int, int], letters: str) -> go.Heatmap:
    """Walls, goals and pits, each by colour and name."""
    codes = np.array([LAND.get(letter, -1) for letter in letters]).reshape(shape)
    colors = (LIGHT.hairline, BLUE, ORANGE)
    scale = [(at, color) for k, color in enumerate(colors) for at in (k / 3, (k + 1) / 3)]
    names = NAMES if shape[1] <= FEW else {letter: letter for letter in NAMES}
    texts = [names[letter] if letter in "GX" else "" for letter in letters]
    return go.Heatmap(
        z=np.where(codes < 0, np.nan, codes).astype(np.float32),
        zmin=-0.5,
        zmax=2.5,
        colorscale=scale,
        showscale=False,
        xgap=3,
        ygap=3,
        text=[texts[r * shape[1] : (r + 1) * shape[1]] for r in range(shape[0])],
        texttemplate="<b>%{text}</b>",
        textfont={"color": "white", "size": 14},
        hoverinfo="skip",
    )


def heat(g: GridMap, z: np.ndarray, scale: Any, low: float, high: float, name: str) -> go.Heatmap:
    """One colour a cell; `z`, shape (c,), stands in the cells of the map."""
    return go.Heatmap(
        z=filled(g, z),
        zmin=low,
        zmax=high,
        colorscale=scale,
        colorbar=color_bar(name),
        xgap=3,
        ygap=3,
        hoverinfo="skip",
        uid=VALUES,
    )


def filled(g: GridMap, z: np.ndarray) -> np.ndarray:
    """The values of the cells as a table, shape (rows, columns), NaN elsewhere."""
    table = np.full(g.shape, np.nan, dtype=np.float32)
    table[g.y, g.x] = z
    return table


def words(g: GridMap, texts: list[str]) -> go.Scatter:
    """A text in each cell."""
    return go.Scatter(
        x=g.x, y=g.y, mode="text", text=texts, uid=ARROWS, hoverinfo="skip",
        textfont={"color": LIGHT.text, "size": 14},
    )  # fmt: skip


def places(g: GridMap, texts: list[str]) -> go.Scatter:
    """A mark a cell that cannot be seen: it says what is there, and can be clicked."""
    marker = {"symbol": "square", "size": 34, "opacity": 0.0}
    cells = np.arange(len(g.letters))
    return go.Scatter(
        x=cells % g.shape[1], y=cells // g.shape[1], mode="markers", marker=marker, uid=PLACES,
        text=everywhere(g, texts), hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def everywhere(g: GridMap, texts: list[str]) -> list[str]:
    """The texts of the cells of the map, and the names of the cells that are no states."""
    names = [NAMES.get(letter, "") for letter in g.letters]
    for cell, text in zip(g.cells, texts, strict=True):
        names[cell] = text
    return names


def cell_text(arrow: str, value: float, columns: int) -> str:
    """Arrow over number; the arrow alone where cells are small."""
    large = f"<span style='font-size:20px'>{arrow}</span>"
    return f"{large}<br>{rough(value)}" if columns <= FEW else arrow
