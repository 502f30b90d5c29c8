"""Drawing of a number for each action of each state: a compass a cell, or a table."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.drawing.traces import color_bar
from figures.numbers.action_tables import COMPASS, ActionTable
from figures.recording import Changes
from figures.theme import LIGHT, figure
from mlcore.spine.wording import rough

MINUS = "\N{MINUS SIGN}"
NUMBERS = "numbers"  # a trace by name
FEW = 6  # columns up to which a number fits into a ninth of a cell
LINE, LEAST, MOST = 22, 240, 900  # pixels of a row of the table, and of the picture


def draw(t: ActionTable, name: str, *, is_signed: bool = True) -> go.Figure:
    """Each action's colour: where it points to in its cell, or in a table of states by actions."""
    scale = grids.SIGNED if is_signed else grids.COUNTS
    heat = go.Heatmap(
        zmin=-t.size if is_signed else 0.0, zmax=t.size, colorscale=scale,
        colorbar=color_bar(name), hoverinfo="skip", uid=grids.VALUES,
    )  # fmt: skip
    return _compass(t, heat) if t.is_compass else _table(t, heat)


def _compass(t: ActionTable, heat: go.Heatmap) -> go.Figure:
    g = t.grid
    third = 1 / 3
    heat.update(z=_ninths(t), x0=-third, dx=third, y0=-third, dy=third, xgap=1, ygap=1)
    x, y = _at(t)
    numbers = go.Scatter(
        x=x, y=y, mode="text", text=_numbers(t), uid=NUMBERS, hoverinfo="skip",
        textfont={"color": LIGHT.text, "size": 10},
    )  # fmt: skip
    return grids.base(
        g._replace(signs=()), heat, _borders(g.shape), numbers, grids.words(g, _best(t), 14),
        grids.places(g, _texts(t)),
    )  # fmt: skip


def _borders(shape: tuple[int, int]) -> go.Scatter:
    """Lines between the cells: the ninths of neighbours would else be one row."""
    rows, columns = shape
    across = [(x, x, None, -0.5, rows - 0.5, None) for x in np.arange(columns + 1) - 0.5]
    down = [(-0.5, columns - 0.5, None, y, y, None) for y in np.arange(rows + 1) - 0.5]
    lines = np.array(across + down, dtype=object)
    return go.Scatter(
        x=lines[:, :3].ravel(), y=lines[:, 3:].ravel(), mode="lines", hoverinfo="skip",
        line={"color": LIGHT.hairline, "width": 2},
    )  # fmt: skip


def _table(t: ActionTable, heat: go.Heatmap) -> go.Figure:
    names = list(t.grid.names)
    heat.update(z=t.shown.astype(np.float32), x=t.actions, y=names, xgap=2, ygap=1, text=_cells(t))
    heat.update(hoverinfo="text")
    row, action = np.nonzero(t.is_best)
    best = go.Scatter(
        x=[t.actions[a] for a in action], y=[names[s] for s in row], mode="markers",
        name="best action", uid=grids.RINGS, hoverinfo="skip",
        marker={"symbol": "circle", "size": 7, "color": LIGHT.text},
    )  # fmt: skip
    return figure(
        heat, best, height=int(np.clip(LINE * len(names), LEAST, MOST)),
        xaxis={"type": "category", "side": "top", "showgrid": False},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False}, showlegend=False,
    )  # fmt: skip


def changed(t: ActionTable, at: dict[str, int]) -> Changes:
    """What differs in the picture of another table of the same states."""
    if t.is_compass:
        return {
            at[grids.VALUES]: {"z": _ninths(t)},
            at[NUMBERS]: {"text": _numbers(t)},
            at[grids.ARROWS]: {"text": _best(t)},
            at[grids.PLACES]: {"text": grids.everywhere(t.grid, _texts(t))},
        }
    row, action = np.nonzero(t.is_best)
    names = [t.grid.names[s] for s in row]
    return {
        at[grids.VALUES]: {"z": _clipped(t).astype(np.float32), "text": _cells(t)},
        at[grids.RINGS]: {"x": [t.actions[a] for a in action], "y": names},
    }


def _clipped(t: ActionTable) -> np.ndarray:
    """Values within the colours: early ones may lie far beyond."""
    return np.clip(t.shown, -t.size, t.size)


def _ninths(t: ActionTable) -> np.ndarray:
    """The values at the sides and corners of their cells, (3 rows, 3 columns), NaN elsewhere."""
    rows, columns = t.grid.shape
    z = np.full((3 * rows, 3 * columns), np.nan, dtype=np.float32)
    for a, arrow in enumerate(t.arrows):
        down, right = COMPASS[arrow]
        z[3 * t.grid.y + 1 + down, 3 * t.grid.x + 1 + right] = _clipped(t)[:, a]
    return z


def _at(t: ActionTable) -> tuple[np.ndarray, np.ndarray]:
    """Where the numbers stand, (c A,) each, state by state."""
    down, right = np.array([COMPASS[arrow] for arrow in t.arrows]).T / 3
    return (t.grid.x[:, None] + right).ravel(), (t.grid.y[:, None] + down).ravel()


def _numbers(t: ActionTable) -> list[str]:
    """Two digits a number, where there is room for them."""
    if t.grid.shape[1] > FEW:
        return [""] * t.shown.size
    return [_short(value) if np.isfinite(value) else "" for value in t.shown.ravel()]


def _short(value: float) -> str:
    """Two digits without the zero before the point: a ninth of a cell is narrow."""
    text = f"{value:.2g}".replace("-", MINUS)
    return text.replace("0.", ".", 1) if abs(value) < 1 and "e" not in text else text


def _best(t: ActionTable) -> list[str]:
    """The best of the method's own actions; none where all are alike."""
    return [
        "" if best.all() else "".join(a for a, is_one in zip(t.arrows, best, strict=True) if is_one)
        for best in t.is_best
    ]


def _texts(t: ActionTable) -> list[str]:
    """What hovering says of each state: all its actions."""
    return [
        "<br>".join([name, *(_line(t, s, a) for a in range(len(t.actions)))])
        for s, name in enumerate(t.grid.names)
    ]


def _cells(t: ActionTable) -> list[list[str]]:
    return [
        [f"{name}<br>{_line(t, s, a)}" for a in range(len(t.actions))]
        for s, name in enumerate(t.grid.names)
    ]


def _line(t: ActionTable, s: int, a: int) -> str:
    exact = t.exact[s, a]
    beside = f" (exact {rough(exact)})" if np.isfinite(exact) else ""
    return f"{t.actions[a]} {rough(t.own[s, a])}{beside}"
