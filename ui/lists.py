"""Buttons beside the entries of a list: they change the list as it is when they are pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ui import state

Change = Callable[[tuple[Any, ...]], tuple[Any, ...]]


def press(field: str, drawn: Sequence[Any], change: Change) -> None:
    """Change a list of the run of this page, unless it has other entries than those `drawn`.

    The settings may be newer than those of the page that the button stands on, and are kept. A
    click may also come from a page that is just drawn anew: of two quick ones on Remove, the second
    would take out the entry that has moved up.
    """
    session = state.session()
    now = getattr(session.states[session.here].run, field)
    if _kinds(now) == _kinds(drawn):
        state.change(**{field: change(now)})


def _kinds(entries: Sequence[Any]) -> list[type]:
    return [type(entry) for entry in entries]


def without(at: int) -> Change:
    """The list less one entry."""
    return lambda entries: (*entries[:at], *entries[at + 1 :])


def doubled(at: int) -> Change:
    """The list with one entry twice."""
    return lambda entries: (*entries[: at + 1], *entries[at:])


def moved(at: int, by: int) -> Change:
    """The list with one entry in the place of another, and that in its place."""

    def change(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        order = list(entries)
        order[at], order[at + by] = order[at + by], order[at]
        return tuple(order)

    return change


def longer(entry: Any) -> Change:
    """The list with one entry more, at its end."""
    return lambda entries: (*entries, entry)
