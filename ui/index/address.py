"""The address of the index: read where somebody went Back or opened a link, said at the end.

The controls are not bound to it by Streamlit: what it writes for them takes the place of what the
address said before, and Back would then leave the page instead of undoing a filter.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import streamlit as st

from mlcore.guides.notes import courses
from service.admission import pause
from ui import state
from ui.index.by_course import SHOWN
from ui.index.facets import KINDS, facets

PAGE = "methods"
ORDERS = {"page": "By page", "name": "A to Z", "course": "By course"}
LONGEST = 100  # letters of a query; what is more in a link is left out
TEXTS = ("search", "chapter")
QUERY = "methods.said"  # in the session: the query that the address says


class Control(NamedTuple):
    """What a control begins with, and its values by what the address calls them."""

    begins: Any
    values: Mapping[str, Any]


@cache
def controls() -> dict[str, Control]:
    """Every control that the address speaks of, by its key, but those of `TEXTS`."""
    yes_no = {"true": True, "false": False}
    shown = {f"show.{kinds[0]}": Control(True, yes_no) for kinds in SHOWN.values()}
    facts = {fact: Control(False, yes_no) for facet in facets() for fact in facet.answers}
    return {
        "by": Control("page", {title: name for name, title in ORDERS.items()}),
        "kind": Control("All", {kind: kind for kind in KINDS}),
        "notes": Control("epfl", {notes.short: name for name, notes in courses().items()}),
        **shown,
        **facts,
    }


def read(*, is_ours: bool) -> None:
    """Set the controls as the address says, unless one of them, or we, asked for this rerun."""
    current, pairs = state.session(), st.query_params.to_dict()
    was_here = current.here == PAGE
    was_asked = is_ours or state.ASKED.get() == PAGE
    state.ASKED.set("")
    current.here, current.on_the_move = PAGE, ""
    # Who comes by the menu finds the page as it was left; here, an address without pairs is Back.
    if not was_asked and (pairs or was_here) and current.published != (PAGE, pairs):
        st.session_state.update(_values_of(pairs))
    for key, value in _values_of({}).items():
        st.session_state.setdefault(key, value)


def _values_of(pairs: Mapping[str, str]) -> dict[str, Any]:
    """The value of each control that an address says; what it cannot be is as at the beginning."""
    values = {
        key: control.values.get(pairs.get(key, ""), control.begins)
        for key, control in controls().items()
    }
    return values | {key: pairs.get(key, "")[:LONGEST] for key in TEXTS}


def say() -> None:
    """Make the address say what is chosen, once what is typed has come to rest.

    Another letter ends this rerun: Streamlit looks for it whenever the session is asked for.
    """
    until = time.monotonic() + state.REST
    known = st.session_state.get(QUERY, st.session_state["search"])
    while st.session_state["search"] != known and time.monotonic() < until:
        pause(state.RESPONSE)
    pairs = _pairs()
    if pairs != st.query_params.to_dict():
        st.query_params.from_dict(pairs)
    st.session_state[QUERY] = st.session_state["search"]
    state.session().published = (PAGE, pairs)


def _pairs() -> dict[str, str]:
    """What differs from the beginning."""
    pairs = {key: st.session_state[key][:LONGEST] for key in TEXTS if st.session_state[key]}
    for key, control in controls().items():
        chosen = st.session_state[key]
        if chosen != control.begins:
            pairs[key] = next(name for name, value in control.values.items() if value == chosen)
    return pairs
