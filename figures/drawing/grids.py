"""Drawing that the pictures of grid worlds share."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.numbers.grids import LAND, NAMES, GridMap
from figures.theme import CLASS_COLORS, LIGHT, faded, figure
from mlcore.spine.wording import rough

VALUES, ARROWS, RINGS, PLACES = "values", "arrows", "rings", "places"  # traces by name
CELL, SMALL, LOWEST, MOST = 84, 24, 260, 520  # pixels of a cell, and of the picture
WIDE = 420  # pixels that the columns of square cells have in a card: a higher picture stays empty
# Pixels of a cell whose arrow can be read, of one with room for a number and a ring, of one whose
# words keep off the sign above them, of the picture's height that cells may take on a phone, and of
# the bar of colours: a map that is wider is pulled sideways.
READABLE, RINGED, SIGNED_CELL, LOW_HEIGHT, BESIDE = 24, 48, 54, 340, 90
ABOVE, UNDER = 32, 48  # for the names of parts of the columns, and for those of the columns
STRONG = 0.72  # of the colour of the largest value: words must stay readable on it
FEW = 8  # columns up to which numbers and words fit into the cells
MANY = 16  # from which on letters must be small, and gaps
ARROW = 19  # pixels of an arrow that stands alone in its cell
LEAST = 1e-3  # of a scale: less is nothing
HIGH, LOW = 0.4, 0.1  # of a cell, from its middle: up to its sign, down to the words below that
BLUE, ORANGE = CLASS_COLORS[0], CLASS_COLORS[1]
NOTHING: tuple[tuple[str, ...], str] = ((), "")  # names of a side that is only places
SIGNED = [
    (0.0, faded(ORANGE, STRONG)), (0.5, faded(ORANGE, 0.0)), (0.5, faded(BLUE, 0.0)),
    (1.0, faded(BLUE, STRONG)),
]  # fmt: skip
# A cell of 0 can still be told from a place where no cell is.
COUNTS = [(0.0, faded(LIGHT.accent, 0.06)), (1.0, faded(LIGHT.accent, 0.6))]


def base(g: GridMap, *traces: Any) -> go.Figure:
    """The grid with its walls, ends and starts under the traces of a view.

    Cells are square where they are places; where rows and columns are quantities they fill the
    picture, so that the words at its sides stand beside them.
    """
    rows, columns = g.shape
    is_square = not (g.sides and g.sides.rows)
    fig = figure(
        land(g.shape, g.letters),
        *traces,
        *([_signs(g)] if g.signs else []),
        *([_fences(g)] if g.fences else []),
        height=_height(rows, columns, is_square) + (UNDER if g.sides and is_square else 0),
        xaxis=_axis(*((g.sides.columns, g.sides.column_title) if g.sides else NOTHING))
        | {"range": [-0.5, columns - 0.5]},
        yaxis=_axis(*((g.sides.rows, g.sides.row_title) if g.sides else NOTHING))
        | {"range": [rows - 0.5, -0.5], "scaleanchor": "x" if is_square else None},
        showlegend=False,
    )
    fig.update_layout(meta={"least": int(_needed(g) * columns) + BESIDE})
    for cell in (i for i, letter in enumerate(g.letters) if letter == "S"):
        x, y = cell % columns, cell // columns
        line = {"color": LIGHT.text, "width": 2}
        fig.add_shape(x0=x - 0.47, x1=x + 0.47, y0=y - 0.47, y1=y + 0.47, line=line)
    if g.sides and g.sides.parts:
        fig.update_layout(margin={"t": ABOVE})
    for x, text in g.sides.parts if g.sides else ():
        place = {"x": x, "y": 1, "yref": "paper", "yanchor": "bottom"}
        fig.add_annotation(text=text, showarrow=False, **place)
    return fig


def _needed(g: GridMap) -> float:
    """Pixels that a cell must have for what stands in it."""
    rows, columns = g.shape
    if columns > FEW:
        return min(READABLE, LOW_HEIGHT / rows)
    return SIGNED_CELL if g.signs else RINGED


def _height(rows: int, columns: int, is_square: bool) -> int:
    """In pixels, so that the cells of a card fill it."""
    cell = CELL if columns < MANY else SMALL
    cell = min(cell, WIDE / columns) if is_square else cell
    return int(np.clip(cell * rows, LOWEST, MOST))


def _axis(names: tuple[str, ...], title: str) -> dict[str, Any]:
    """A side of the grid: without words where it is only places."""
    # By its range: by the domain Plotly may cut an axis that runs downwards off to the marks on it.
    plain = {"showgrid": False, "showline": False, "ticks": "", "constrain": "range"}
    if not names:
        return plain | {"showticklabels": False}
    ticks = {"tickvals": list(range(len(names))), "ticktext": names, "tickangle": 0}
    return plain | ticks | {"title": {"text": title}, "zeroline": False}


def _signs(g: GridMap) -> go.Scatter:
    """What stands in cells, at their upper edge."""
    cells = np.array([sign.cell for sign in g.signs])
    colors = [LIGHT.accent if sign.is_strong else LIGHT.quiet for sign in g.signs]
    return go.Scatter(
        x=cells % g.shape[1], y=cells // g.shape[1] - HIGH, mode="text", hoverinfo="skip",
        text=[sign.text for sign in g.signs], textfont={"color": colors, "size": 10},
        cliponaxis=False,
    )  # fmt: skip


def _fences(g: GridMap) -> go.Scatter:
    """A bar between each pair of neighbouring cells with no way between them."""
    x, y = [], []
    for cell, other in g.fences:
        (row, column), (below, right) = divmod(cell, g.shape[1]), divmod(other, g.shape[1])
        middle = ((column + right) / 2, (row + below) / 2)
        across, up = (0.5, 0.0) if below > row else (0.0, 0.5)
        x += [middle[0] - across, middle[0] + across, None]
        y += [middle[1] - up, middle[1] + up, None]
    return go.Scatter(
        x=x, y=y, mode="lines", line={"color": LIGHT.text, "width": 4}, hoverinfo="skip"
    )


def _gaps(columns: int) -> dict[str, int]:
    gap = 3 if columns < MANY else 1
    return {"xgap": gap, "ygap": gap}


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
        **_gaps(shape[1]),
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
        **_gaps(g.shape[1]),
        hoverinfo="skip",
        uid=VALUES,
    )


def filled(g: GridMap, z: np.ndarray) -> np.ndarray:
    """The values of the cells as a table, shape (rows, columns), NaN elsewhere."""
    table = np.full(g.shape, np.nan, dtype=np.float32)
    table[g.y, g.x] = z
    return table


def middles(g: GridMap) -> np.ndarray:
    """Where the words of the cells stand, and rings around them: lower where signs are above."""
    return g.y + (LOW if g.signs else 0.0)


def words(g: GridMap, texts: list[str], size: int | None = None) -> go.Scatter:
    """A text in each cell: an arrow alone, which is larger, where words have no room."""
    if size is None:
        is_alone = g.shape[1] > FEW and max(map(len, texts), default=0) <= 2
        alone = ARROW if is_alone else 14
        size = 10 if g.shape[1] >= MANY else 12 if g.signs else alone
    return go.Scatter(
        x=g.x, y=middles(g), mode="text", text=texts, uid=ARROWS, hoverinfo="skip",
        textfont={"color": LIGHT.text, "size": size},
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


def cell_text(arrow: str, value: float, columns: int, size: float | None = None) -> str:
    """Arrow over number; the arrow alone where cells are small.

    With `size`, the end of a scale, a number is told to about thousandths of that, less as 0.
    """
    large = arrow if len(arrow) > 2 else f"<span style='font-size:20px'>{arrow}</span>"
    number = rough(value) if size is None else _on_scale(value, size)
    return f"{large}<br>{number}" if columns <= FEW else arrow


def _on_scale(value: float, size: float) -> str:
    return "0" if abs(value) < LEAST * size else rough(value, size / 10)
