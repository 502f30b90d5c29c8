"""The main picture at the values beside the one that a slider was moved to, made ahead.

Who moves a slider by one often moves it again. While the page rests after a move, and nobody waits
for another one, the runs of the two values beside it are carried out, if they are as quick as those
that a page carries out itself, and their pictures go to the browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st
from streamlit import runtime

from mlcore.data.dataset import Dataset
from mlcore.runs.paths import param_at, with_value
from mlcore.runs.run import Run
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.param_kinds import Number
from ui import drawing, state
from ui.components.ahead import ahead
from ui.lists import place_of
from ui.method.panels import Drawing, fields_of
from ui.number_control import control_key, values_beside
from ui.runs import running
from ui.runs.running import Shown

SENT = "main.ahead"  # in the session: digests of the runs whose picture was sent ahead


def was_sent(run: Run) -> bool:
    """Whether the browser had the main picture of a run before it was asked for."""
    return run.digest() in st.session_state.get(SENT, ())


def look_ahead(shown: Shown, dataset: Dataset, view: Component, main: Drawing) -> None:
    """Send the main picture at the values beside that of the slider that was moved, if one was.

    The next move ends this: Streamlit looks for it whenever the session is asked for.
    """
    path = state.session().on_the_move
    if not path or shown.status != "done" or drawing.is_busy() or not runtime.exists():
        return
    sheets, digests = {}, set()
    for text, run in _runs_beside(shown.run, path):
        if fields := _fields(run, dataset, view, main):
            sheets[text] = fields
            digests.add(run.digest())
        state.session()
    st.session_state[SENT] = digests
    now = main.sheet(shown, dataset, view)
    if sheets and now:
        ahead(main.name, now.figure, control_key(path), sheets)


def _runs_beside(run: Run, path: str) -> Iterator[tuple[str, Run]]:
    """The runs with the values beside that of a number, by how the slider says them."""
    place = place_of(path)
    try:
        param = param_at(run, place)
    except MlcoreError:  # a number of the view, on which no run depends
        return
    if isinstance(param, Number):
        for text, value in values_beside(param, path):
            try:
                yield text, with_value(run, place, value)
            except MlcoreError:  # it contradicts another setting; said when somebody comes there
                continue


def _fields(run: Run, dataset: Dataset, view: Component, main: Drawing) -> dict[str, Any] | None:
    """What the main picture of a run is sent with; None where that takes longer, or there is none.

    A recording of its own is not sent ahead.
    """
    shown = running.foreseen(run, dataset)
    sheet = shown and main.sheet(shown, dataset, view)
    if not sheet or sheet.player:
        return None
    return fields_of(sheet, main.name, run)
