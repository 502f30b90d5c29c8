"""Several panels in one figure, as `plotly.subplots.make_subplots` places them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from figures.graph.figure import Cells, Figure


def make_subplots(
    rows: int = 1,
    cols: int = 1,
    *,
    shared_xaxes: bool = False,
    shared_yaxes: bool = False,
    horizontal_spacing: float | None = None,
    vertical_spacing: float | None = None,
    row_heights: Sequence[float] | None = None,
    column_widths: Sequence[float] | None = None,
    subplot_titles: Sequence[str] | None = None,
) -> Figure:
    """A figure of panels in rows, the first at the top; spacings are shares of the figure.

    Shared x axes are those of a column, named at its foot; shared y axes those of a row, named at
    its left.
    """
    beside = 0.2 / cols if horizontal_spacing is None else horizontal_spacing
    apart = (
        (0.5 if subplot_titles else 0.3) / rows if vertical_spacing is None else vertical_spacing
    )
    across = _domains(cols, beside, column_widths)
    heights = None if row_heights is None else list(row_heights)[::-1]
    up = _domains(rows, apart, heights)[::-1]
    layout: dict[str, Any] = {}
    cells: Cells = {}
    for k in range(rows * cols):
        row, col, number = k // cols, k % cols, str(k + 1) if k else ""
        cells[row + 1, col + 1] = f"xaxis{number}", f"yaxis{number}"
        layout[f"xaxis{number}"] = {"anchor": f"y{number}", "domain": across[col]}
        layout[f"yaxis{number}"] = {"anchor": f"x{number}", "domain": up[row]}
        if shared_xaxes and row < rows - 1:
            foot = (rows - 1) * cols + col + 1
            layout[f"xaxis{number}"] |= {"matches": _axis("x", foot), "showticklabels": False}
        if shared_yaxes and col > 0:
            left = row * cols + 1
            layout[f"yaxis{number}"] |= {"matches": _axis("y", left), "showticklabels": False}
    titles = zip(cells, subplot_titles or (), strict=False)
    notes = [_title(text, across[col - 1], up[row - 1]) for (row, col), text in titles if text]
    return Figure(layout=layout | ({"annotations": notes} if notes else {}), cells=cells)


def _axis(letter: str, number: int) -> str:
    return letter if number == 1 else f"{letter}{number}"


def _domains(n: int, spacing: float, shares: Sequence[float] | None) -> list[list[float]]:
    """From where to where each of n panels reaches, as shares of the figure."""
    room, shares = 1.0 - spacing * (n - 1), [1.0] * n if shares is None else shares
    sizes = [room * (share / sum(shares)) for share in shares]
    starts = [sum(sizes[:k]) + spacing * k for k in range(n)]
    return [[start, start + size] for start, size in zip(starts, sizes, strict=True)]


def _title(text: str, across: list[float], up: list[float]) -> dict[str, Any]:
    place = {"x": sum(across) / 2.0, "y": up[1], "xref": "paper", "yref": "paper"}
    look = {"font": {"size": 16}, "xanchor": "center", "yanchor": "bottom", "showarrow": False}
    return {"text": text, **place, **look}
