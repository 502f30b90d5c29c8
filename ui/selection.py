"""The selected rows of the table: one selection a session, shown by every picture.

A page says at its top which table its row numbers count (`about`); a selection of another table
is then forgotten. Pictures read it (`selected`) and change it (`select`); so may any widget.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

_TABLE, _ROWS, _ANSWERS = "selection.table", "selection.rows", "selection.answers"
MOST = 2**53  # a browser counts whole numbers as far


def about(table: str) -> None:
    """Say which table is on the page, by digest. A selection of another one is forgotten."""
    if st.session_state.get(_TABLE) != table:
        st.session_state[_TABLE] = table
        clear()


def table() -> str:
    """The digest of the table on the page; empty before any page has named one."""
    return st.session_state.get(_TABLE, "")


def selected() -> tuple[int, ...]:
    """The selected row numbers, ascending; empty if nothing is selected."""
    return st.session_state.get(_ROWS, ())


def clicked(marks: str) -> tuple[int, ...]:
    """Which of these marks were clicked, named as by `about` where they were drawn, and forget it.

    Ask before anything else of the page is named: marks that stand for no row would be forgotten.
    """
    if table() != marks:
        return ()
    numbers = selected()
    if numbers:
        answer(())
    return numbers


def select(rows: Iterable[int]) -> None:
    """Select exactly these rows."""
    st.session_state[_ROWS] = tuple(sorted({int(row) for row in rows}))


def answer(rows: Iterable[int]) -> None:
    """Select these rows instead of what was clicked on, and have the browser hear of it.

    The browser lights a mark before it asks what a click on it does: a mark that stands for no row
    would stay lit where the selection of the server is what it was before.
    """
    select(rows)
    st.session_state[_ANSWERS] = answers() + 1


def answers() -> int:
    """How often a click was answered with another selection than it asked for."""
    return st.session_state.get(_ANSWERS, 0)


def sent(numbers: Any) -> tuple[int, ...]:
    """The row numbers in what a browser sent, which may be anything; what is none is left out."""
    every = numbers if isinstance(numbers, list | tuple) else ()
    return tuple(int(number) for number in every if is_number(number))


def is_number(value: Any) -> bool:
    """Whether a value from a browser is a whole number from 0."""
    return type(value) in (int, float) and 0 <= value < MOST and value == int(value)


def clear() -> None:
    """Select nothing."""
    st.session_state[_ROWS] = ()
