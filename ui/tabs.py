"""Tabs of which only the open one is made, and which a link to a lab opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from ui import state

LABS, KEY = "Labs", "tabs"


def draw(contents: Mapping[str, Callable[[], None]]) -> None:
    """Draw the tabs."""
    _follow()
    places = st.tabs(list(contents), key=KEY, on_change=state.moved)
    for place, make in zip(places, contents.values(), strict=True):
        if place.open:
            with place:
                make()


def is_open(title: str) -> bool:
    """Whether a tab is open, before it is drawn."""
    _follow()
    return st.session_state.get(KEY) == title


def _follow() -> None:
    """After a link, an undo, or on another page: open the labs where the state says so, and only
    there."""
    session = state.session()
    at = (session.here, session.generation)
    if st.session_state.get("tabs.at") == at:
        return
    st.session_state["tabs.at"] = at
    if session.states[session.here].view.lab is not None:
        st.session_state[KEY] = LABS
    elif st.session_state.get(KEY) == LABS:
        del st.session_state[KEY]
