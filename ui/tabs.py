"""Tabs of which only the open one is made; which that is stands in the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mlcore.spine.params import choice
from ui import state

FIRST, LABS, KEY = "first", "Labs", "tabs"
# By what the address calls them: a link is never changed, a title may be.
NAMES = {
    "pictures": "Pictures",
    "predict": "Predict",
    "explain": "Explain",
    "tune": "Tune",
    "count": "Number of clusters",
    "stability": "Stability",
    "curves": "Curves",
    "folds": "Data and folds",
    "labs": LABS,
    "how": "How it works",
    "code": "Code",
    "files": "Take it away",
    "guides": "Guides",
    "replicates": "Replicates",
    "differences": "Differences",
    "sets": "Several data sets",
    "each_fold": "Folds",
    "rows": "Rows and pictures",
    "saved_model": "Saved model",
    "steps": "Before and after",
}


@dataclass
class Opened:
    """What a session knows of the tabs of the page that it is on."""

    at: tuple[str, int]  # the page and its generation: a link, an undo or another page is new
    name: str  # of the tab that is open
    drawn: str | None = None  # the title that the browser was sent; another one was pressed
    first: str = FIRST  # the name of the tab that is open where nothing is said


def open_tab() -> Any:
    """Declare the tab that is open, as a part of what is looked at."""
    return choice(FIRST, FIRST, *NAMES, doc="The tab that is open.")


def draw(contents: Mapping[str, Callable[[], None]]) -> None:
    """Draw the tabs, by their titles, and what is in the open one."""
    for place, make in zip(places(tuple(contents)), contents.values(), strict=True):
        if place.open:
            with place:
                make()


def places(titles: tuple[str, ...]) -> tuple[Any, ...]:
    """The tabs, empty; where the open one is not among them, the first is open."""
    opened, names = _opened(), [_name(title) for title in titles]
    opened.first = names[0]
    at = names.index(opened.name) if opened.name in names else 0
    st.session_state[KEY] = opened.drawn = titles[at]
    return tuple(st.tabs(list(titles), key=KEY, on_change=state.moved))


def chosen() -> str:
    """The name of the open tab, before it is drawn."""
    opened = _opened()
    return FIRST if opened.name == opened.first else opened.name


def is_open(title: str) -> bool:
    """Whether a tab is open, before it is drawn."""
    return _opened().name == _name(title)


def _opened() -> Opened:
    """What the state says after a link, an undo or on another page; else what was pressed since."""
    session = state.session()
    at = (session.here, session.generation)
    opened: Opened | None = st.session_state.get("tabs.opened")
    if opened is None or opened.at != at:
        opened = st.session_state["tabs.opened"] = Opened(at, _of(session.states[session.here]))
        st.session_state.pop(KEY, None)
    pressed = st.session_state.get(KEY)
    if pressed is not None and pressed != opened.drawn:
        opened.name = _name(pressed)
    return opened


def _of(page: state.PageState) -> str:
    """The tab of a state: a lab is only there while its tab is open."""
    return _name(LABS) if page.view.lab is not None else page.view.tab


def _name(title: str) -> str:
    return next(name for name, of in NAMES.items() if of == title)
