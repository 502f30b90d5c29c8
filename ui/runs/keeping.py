"""Whether a browser is known again after it was closed: its owner may ask for that."""

from __future__ import annotations

import streamlit as st

from ui import state
from ui.components.keeper import keeper
from ui.runs import session_tables
from ui.runs.person import COPY, TOKEN

ASKED = "browser.kept"  # in the session: what was asked for; not there before
LABEL = "Also after this browser is closed"


def is_kept() -> bool:
    """Whether this browser is known again after it was closed."""
    return bool(st.session_state.get(ASKED, COPY in st.context.cookies))


def hold() -> None:
    """Renew the copy of the token with every page, or remove it once that was asked for."""
    if is_kept() or ASKED in st.session_state:
        seconds = session_tables.kept_seconds() if is_kept() else 0.0
        keeper("keeper", token=TOKEN, copy=COPY, seconds=seconds)


def let_go() -> None:
    """End with the session of the browser again."""
    st.session_state[ASKED] = False


def choice() -> None:
    """The control."""
    now, time = is_kept(), session_tables.kept_for()
    key = state.key(f"browser.keep.{now}")
    st.toggle(
        LABEL, now, key=key, on_change=state.moved, args=(_ask, key),
        help=f"A cookie then stays in this browser for {time} after its last use, and whoever "
        "opens it finds your tables and runs. Leave it off where others use the computer, too.",
    )  # fmt: skip


def _ask(key: str) -> None:
    st.session_state[ASKED] = st.session_state[key]
