"""Controls read before they are drawn, so that a page can draw its result first.

`pen()` is Streamlit, or, inside `reading()`, a stand-in with the same calls that draws nothing and
answers with what the browser sent for that key, or with the value that the control would start
from. So one piece of code says what controls there are and what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st


class Place:
    """A container in which nothing is drawn; an expander or popover knows whether it is open."""

    def __init__(self, key: str = "") -> None:
        self.open = bool(key and st.session_state.get(key))

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class Reader:
    """What Streamlit offers to `ui.controls`, without drawing."""

    def checkbox(self, label: str, value: bool, *, key: str, **how: Any) -> bool:
        """Whether it is ticked."""
        return st.session_state.get(key, value)

    toggle = checkbox

    def number_input(self, label: str, *, value: Any, key: str, **how: Any) -> Any:
        """The number in the box."""
        return st.session_state.get(key, value)

    def text_input(self, label: str, value: str, *, key: str, **how: Any) -> str:
        """The line of text."""
        return st.session_state.get(key, value)

    def select_slider(
        self, label: str, options: Sequence, *, value: Any, key: str, **how: Any
    ) -> Any:
        """The place of the slider."""
        return _one(options, key, value)

    def selectbox(self, label: str, options: Sequence, index: int, *, key: str, **how: Any) -> Any:
        """The option that is chosen."""
        return _one(options, key, options[index])

    def segmented_control(
        self, label: str, options: Sequence, *, default: Any, key: str, **how: Any
    ) -> Any:
        """The option that is chosen."""
        return _one(options, key, default)

    def multiselect(
        self, label: str, options: Sequence, default: Sequence, *, key: str, **how: Any
    ) -> list:
        """The options that are chosen."""
        value = st.session_state.get(key, default)
        return list(value if all(each in options for each in value) else default)

    def expander(self, label: str, *, key: str, **how: Any) -> Place:
        """A place that is open if the person opened it."""
        return Place(key)

    popover = expander

    def container(self, **how: Any) -> Place:
        """A place."""
        return Place()

    def nothing(self, *args: Any, **how: Any) -> None:
        """What only shows, or acts when it is pressed, says nothing here."""

    error = divider = button = markdown = caption = nothing


_PEN: ContextVar[Any] = ContextVar("pen", default=st)


def pen() -> Any:
    """What controls are drawn with, or read with."""
    return _PEN.get()


@contextmanager
def reading() -> Iterator[None]:
    """In here controls are read, not drawn."""
    before = _PEN.set(Reader())
    try:
        yield
    finally:
        _PEN.reset(before)


def _one(options: Sequence, key: str, start: Any) -> Any:
    """The held option, if it is still one."""
    value = st.session_state.get(key, start)
    return value if value in options else start
