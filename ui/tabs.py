"""Tabs of which only the open one is made, and which a link to a lab opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from ui import state

LABS, KEY = "Labs", "tabs"


def draw(contents: Mapping[str, Callable[[], None]]) -> None:
    """Draw the tabs; the labs are open where the address names one, and only there."""
    _follow(next(iter(contents)))
    places = st.tabs(list(contents), key=KEY, on_change=state.moved)
    for place, (title, make) in zip(places, contents.items(), strict=True):
        if place.open:
            with place:
                make()
        elif title == LABS:
            put_away()


def _follow(first: str) -> None:
    """After a link, undo or a preset: open the tab that the state says."""
    held = state.session()
    at = (held.here, held.generation)
    if st.session_state.get("tabs.at") == at:
        return
    st.session_state["tabs.at"] = at
    if held.states[held.here].view.lab is not None:
        st.session_state[KEY] = LABS
    elif st.session_state.get(KEY) == LABS:
        st.session_state[KEY] = first


def put_away() -> None:
    """Take the lab out of the address, and remember its settings for when it is opened again."""
    now = state.session().states[state.session().here]
    if now.view.lab is not None:
        st.session_state[f"lab.{state.session().here}"] = now.view.lab
        state.look(lab=None)
