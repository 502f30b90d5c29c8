"""Changing the map of a grid world by clicking its cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from figures.drawing.grids import PLACES
from mlcore.decisions.world import HasMap
from mlcore.spine.errors import ParamError
from ui import selection, state
from ui.wording import plain

LOOK = ""


def is_editable(problem: Any) -> bool:
    """Whether the world has a map that can be changed."""
    return isinstance(problem, HasMap)


def apply_click(problem: Any) -> None:
    """Turn the cells that were clicked into what the brush says; the page then begins afresh."""
    if not is_editable(problem):
        return
    selection.about(f"map {problem.layout}")
    cells, letter = selection.selected(), st.session_state.get("brush", LOOK)
    if not cells:
        return
    selection.clear()
    if letter == LOOK:
        return
    try:
        changed = replace(problem, layout=problem.with_cells(cells, letter))
    except ParamError as error:
        st.session_state["brush.refused"] = str(error)
        return
    if changed != problem:
        state.change(problem=changed)
        state.rerun()


def brush(problem: HasMap) -> None:
    """The choice of what a click does, and why the last one did nothing."""
    brushes = {LOOK: "Look", **problem.brushes()}
    st.segmented_control(
        "A click on a cell makes it",
        list(brushes),
        default=LOOK,
        required=True,
        format_func=brushes.__getitem__,
        key="brush",
        on_change=state.moved,
        help="Choose a brush, then click cells of a map, or drag a box around several. The same "
        "map stands as text at the left.",
    )
    if refused := st.session_state.pop("brush.refused", ""):
        st.warning(plain(refused))


def clickable(problem: Any, figure: Any) -> dict[int, Any] | None:
    """The cells behind the marks of a map, for the picture; None where nothing can be changed."""
    if not is_editable(problem):
        return None
    width = len(problem.layout.split("/")[0])
    cells = {
        i: [int(x) + width * int(y) for x, y in zip(trace.x, trace.y, strict=True)]
        for i, trace in enumerate(figure.data)
        if trace.uid == PLACES
    }
    return cells or None
