"""What happens to the runs of a session that is gone: after a while they are stopped."""

from __future__ import annotations

import threading

import streamlit as st

from service import jobs
from ui.runs.asked import owner

# Seconds in which a browser may come back, after a reload or a loss of the network.
GRACE = 60.0

_LEAVING: dict[str, threading.Timer] = {}


def stay() -> None:
    """Say that this session is there; to be called whenever one of its pages is drawn."""
    _line(owner())


def _lost(who: str) -> None:
    """The browser's line is gone: wait for it, then make room for others."""
    timer = threading.Timer(GRACE, _gone, (who,))
    timer.daemon = True
    _LEAVING[who] = timer
    timer.start()


def _gone(who: str) -> None:
    _LEAVING.pop(who, None)
    jobs.pool().cancel(who)


@st.cache_resource(scope="session", show_spinner=False, on_release=_lost)
def _line(who: str) -> str:
    """Streamlit holds this as long as the line of the session, and makes it anew on the next."""
    if timer := _LEAVING.pop(who, None):
        timer.cancel()
    return who
