"""The main picture at the values beside the one that a slider was moved to, made ahead.

Who moves a slider by one often moves it again. While the page rests after a move, and nobody waits
for another one, the runs of the two values beside it are carried out, if they are as quick as those
that a page carries out itself, and their pictures go to the browser.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit import runtime

from mlcore.data.dataset import Dataset
from mlcore.runs.paths import param_at, with_value
from mlcore.runs.run import Run
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.param_kinds import Number
from service.admission import PAGES
from ui import state
from ui.components.ahead import ahead
from ui.lists import place_of
from ui.method.panels import Drawing, fields_of
from ui.number_control import control_key, values_beside
from ui.runs import running
from ui.runs.running import Shown

SENT = "main.ahead"  # in the session: digests of the runs whose picture was sent ahead


def was_sent(run: Run) -> bool:
    """Whether the browser had the main picture of a run before it was asked for.

    What was sent is forgotten by that: the browser keeps it no longer.
    """
    return run.digest() in st.session_state.pop(SENT, ())


def look_ahead(shown: Shown, dataset: Dataset, view: Component, main: Drawing) -> None:
    """Send the main picture at the values beside that of the slider that was moved, if one was.

    The next move ends this: Streamlit looks for it whenever the session is asked for.
    """
    path = state.session().on_the_move
    now = main.sheet(shown, dataset, view) if path and shown.status == "done" else None
    param = _number(shown.run, path) if now and runtime.exists() else None
    if now is None or param is None:
        return
    here, values = values_beside(param, path)
    sheets: dict[str, dict[str, Any]] = {here: {}}  # where the slider may come back to
    digests = set()
    for text, value in values.items():
        if PAGES.is_busy:
            break
        run = _with(shown.run, path, value)
        if run is not None and (fields := _fields(run, dataset, view, main)):
            sheets[text] = fields
            digests.add(run.digest())
        state.session()
    if digests:
        st.session_state[SENT] = digests
        ahead(main.name, now.figure, control_key(path), sheets)


def _number(run: Run, path: str) -> Number | None:
    """The declaration of the number whose control is at a path; None where no run depends on it."""
    try:
        param = param_at(run, place_of(path))
    except MlcoreError:  # a number of the view
        return None
    return param if isinstance(param, Number) else None


def _with(run: Run, path: str, value: Any) -> Run | None:
    """The run with another value; None where it contradicts another setting, which is said when
    somebody comes there."""
    try:
        return with_value(run, place_of(path), value)
    except MlcoreError:
        return None


def _fields(run: Run, dataset: Dataset, view: Component, main: Drawing) -> dict[str, Any] | None:
    """What the main picture of a run is sent with; None where that takes longer, or there is none.

    A recording of its own is not sent ahead.
    """
    shown = running.foreseen(run, dataset)
    sheet = shown and main.sheet(shown, dataset, view)
    if not sheet or sheet.player:
        return None
    return fields_of(sheet, main.name, run)
