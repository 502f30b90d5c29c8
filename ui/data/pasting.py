"""A table from the clipboard: cells of a spreadsheet, or a text."""

from __future__ import annotations

from hashlib import sha256

import streamlit as st

from ui import state

ASKED = "pasted"  # the place whose text is to be read
FILE = "pasted.txt"  # what its table is called
EMPTY = "There is nothing to read yet: paste the cells together with their names."
TOO_LONG = "What is pasted may have at most {} MB. Bring it as a file, or fewer rows of it."


def pasted(key: str, most: int) -> bytes:
    """What is to be read now, of at most so many MB; nothing unless the button was pressed."""
    with st.popover("Paste a table", icon=":material/content_paste:"):
        text = st.text_area(
            "Cells of a spreadsheet, or lines of text", key=key, height=180, on_change=state.moved
        )
        st.button("Read them", key=f"{key}.read", on_click=state.moved, args=(_ask, key))
        if st.session_state.pop(ASKED, "") != key:
            return b""
        content = text.strip("\r\n").encode()
        if problem := _problem(content, most):
            st.caption(problem)
            return b""
    return content


def _problem(content: bytes, most: int) -> str:
    if not content.strip():
        return EMPTY
    return TOO_LONG.format(most) if len(content) > most * 2**20 else ""


def _ask(key: str) -> None:
    st.session_state[ASKED] = key


def name_of(content: bytes) -> str:
    """One name for each content, as Streamlit gives one to each file that is dropped."""
    return f"pasted.{sha256(content).hexdigest()[:16]}"
