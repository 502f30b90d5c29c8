"""The picture: every Plotly figure of MLScope is drawn by `picture`, never by `st.plotly_chart`.

    event = picture(
        regions_figure, "regions",
        reading="Three classes; 16 of 333 rows are misclassified.",
        player=lambda: recorded(run),
    )
    if event.step is not None:
        ...  # the person pressed "Link to this step"

The div of a picture is kept, so zoom, legend and player stay while sliders move and data change.
Keep `key` the same for what a person takes for the same picture. Zoom starts afresh when the
title of an axis or the table (`ui.selection.about`) changes.

**Figures** come from `figures.theme.figure`, in light colours; the browser turns them dark.

**Rows.** A trace whose `meta` is "rows" says in `customdata` which row of the table each mark is
(`figures.drawing.marks.points` and `numbered` set both; a bar or cell may have a list of rows). For
other figures `rows` gives the numbers, by index of the trace. Lasso, box and click select rows; the
selection is held in `ui.selection`, every picture lights it and fades the rest, a double click
clears it. By keyboard, arrow keys go from row to row, Enter selects, Escape clears (cursor.js).

**A handle** (`figures.drawing.handle`) is dragged, or moved by keys, along a curve; its answers
came with the figure. `moved` is called with the value at which it was let go.

**The player** plays a `figures.recording.Recording`. Given a function, the picture offers the
player by a button and calls the function only while the player is open; given a recording, the
player stands open. Where a session begins with a `step`, the player of its first picture is open.
Fix the axes of a figure that is played, or they follow the data.

plotly.js is served out of the installed plotly package and kept by the browser; see plotly.js
beside this file for why it is fetched the way it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pandas as pd
import plotly
import plotly.graph_objects as go
import streamlit as st

import figures
from figures.recording import Recording, packed
from figures.theme import browser_theme
from mlcore.spine.errors import MlcoreError
from ui import selection as session
from ui import state
from ui.components.declared import declare, mounted

LED_TO = "picture.led_to"  # the first picture with a player, where the session began at a step
HEIGHT = 420  # pixels of the plot itself; words, player and foot come on top

_THEME = json.dumps(browser_theme())


@dataclass(frozen=True)
class PictureEvent:
    """What a person did with a picture, as of this rerun."""

    selection: tuple[int, ...]  # rows selected, whichever picture they were selected in
    step: int | None  # the step to link to, in the one rerun after the button was pressed
    player_open: bool


def picture(
    fig: go.Figure | str,
    key: str,
    *,
    rows: Mapping[int, Any] | None = None,
    selection: Iterable[int] | None = None,
    player: Recording | Callable[[], Recording] | None = None,
    step: int | None = None,
    height: int = HEIGHT,
    reading: str = "",
    table: pd.DataFrame | str | None = None,
    stale: bool = False,
    filename: str = "",
    stamp: str = "",
    moved: Callable[[float], None] | None = None,
) -> PictureEvent:
    """Draw a figure.

    Args:
        fig: The figure, or what its `to_json` gave; it is not changed.
        key: Names this picture on its page, the same at every rerun.
        rows: Row numbers of the marks of a trace, by index of the trace, where the figure itself
            does not say them.
        selection: The rows to light, if not those of the session.
        player: The recording to play, or the function that makes it when the player is opened.
        step: The step the player shows at first and whenever this changes; the last if None.
        height: Height of the plot in pixels; on a phone at most a little more than its width.
        reading: What the picture says, in a sentence or two. It stands below the picture and is
            what a screen reader reads.
        table: The numbers behind the picture, if they are not simply those of its traces, or what
            `written` gave for them.
        stale: Grey the picture, because it is not of the present settings.
        filename: Name of downloaded files, without ending; with the digest of the run in it.
        stamp: Run, seed and versions in a line, which goes into the HTML, SVG and PNG files.
        moved: What becomes of the value at which the handle of the figure was let go.
    """
    widget = f"picture.{key}"
    is_open = _is_open(widget, player, step)
    lit = session.selected() if selection is None else tuple(selection)
    table_of_marks = session.table()
    figure: Any = fig if isinstance(fig, str) else fig.to_json()
    declare("plotly", Path(plotly.__path__[0]), "package_data")
    declare("figures", Path(figures.__path__[0]), "browser")
    result = mounted("picture", "picture.js")(
        key=widget,
        data={
            "key": key,
            "plotly": plotly.__version__,
            "theme": _THEME,
            "figure": figure,
            "version": version(figure),
            "uirevision": f"{key} {session.table()}",
            "rows": rows and json.dumps({str(i): packed(v) for i, v in rows.items()}),
            "selection": lit,
            "answers": session.answers(),  # other data even where the selection is the same again
            "player": _player(player, is_open, step),
            "height": height,
            "reading": reading,
            "table": table if table is None or isinstance(table, str) else written(table),
            "stale": stale,
            "filename": filename,
            "stamp": stamp,
        },
        on_selected_change=lambda: state.moved(_select, widget, table_of_marks),
        on_handle_change=lambda: _let_go(widget, moved),
        on_step_change=state.moved,
        on_open_change=state.moved,
    )
    return PictureEvent(lit, _step(result.step), is_open)


def version(figure: str) -> int:
    """By which figures are told apart where sending one to compare it would be too much."""
    return crc32(figure.encode())


def _select(widget: str, table: str) -> None:
    """Marks are numbered as the table was when they were drawn, whatever was named since."""
    session.about(table)
    session.select(session.sent(st.session_state[widget].selected))


def _step(sent: Any) -> int | None:
    """The step to link to, 0 for the start: a browser may send anything."""
    return int(sent) if session.is_number(sent) and sent >= 0 else None


def _let_go(widget: str, moved: Callable[[float], None] | None) -> None:
    sent = st.session_state[widget].handle
    # A browser may send anything.
    if moved is not None and type(sent) in (int, float) and math.isfinite(sent):
        state.moved(moved, float(sent))


def _is_open(
    key: str, player: Recording | Callable[[], Recording] | None, step: int | None
) -> bool:
    if player is None or isinstance(player, Recording):
        return player is not None
    # Who came by a link to a step finds the first player open, until it is closed.
    led_to = st.session_state.setdefault(LED_TO, "" if step is None else key)
    wanted = st.session_state.get(key, {}).get("open")
    return led_to == key if wanted is None else bool(wanted)


def _player(
    player: Recording | Callable[[], Recording] | None, is_open: bool, step: int | None
) -> dict[str, Any] | None:
    if player is None:
        return None
    out = {"recording": None, "step": step, "closes": not isinstance(player, Recording), "said": ""}
    if not is_open:
        return out
    try:
        recording = player if isinstance(player, Recording) else player()
        return out | {"recording": recording.to_json()}
    except MlcoreError as error:  # the picture itself stands; only the steps are missing
        return out | {"said": str(error)}


def written(table: pd.DataFrame | Mapping[str, Any]) -> str:
    """The columns as JSON; numbers keep all their digits, because people take them away."""
    return json.dumps(
        [{"name": str(name), "values": packed(v, exact=True)} for name, v in table.items()]
    )
