"""Lists that people edit, and their buttons: each changes the list as it is when it is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.runs.paths import value_at, with_value
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Parts
from mlcore.spine.params import params_of
from ui import state
from ui.reading import pen
from ui.wording import plain

Change = Callable[[tuple[Any, ...]], tuple[Any, ...]]


def headed(label: str, n: int, tooltip: str) -> None:
    """What a list is, above its entries, and how many it has."""
    pen().markdown(f"**{label}** <small>{n}</small>", unsafe_allow_html=True, help=tooltip)


def offer(
    label: str, icon: str, tooltip: str, key: str, place: str, drawn: Sequence[Any], change: Change,
    off: bool = False,
) -> None:  # fmt: skip
    """A button that changes the list at a `place` of the run of this page."""
    pen().button(
        label, icon=f":material/{icon}:", help=tooltip or None, key=key, type="tertiary",
        disabled=off, on_click=press, args=(place, drawn, change),
    )  # fmt: skip


def to_add(
    dropped: Any, key: str, options: Mapping[str, type[Any]], place: str, drawn: Sequence[Any],
    begun: Callable[[type[Any]], Any] = lambda cls: cls(),
) -> None:  # fmt: skip
    """What can be put at the end of a list, in a popover; made while that is open alone.

    `begun` makes an entry of its class; with the defaults, if nothing is said.
    """
    with dropped:
        box = pen().container(gap=None, key=f"to-add-{key}")
    if not dropped.open:
        return
    with box:
        for name, cls in options.items():
            pen().button(
                cls.title(), key=f"{key}.{name}", type="tertiary",
                help=(cls.__doc__ or "").split("\n")[0], on_click=press,
                args=(place, drawn, longer(begun(cls))),
            )  # fmt: skip


def press(place: str, drawn: Sequence[Any], change: Change) -> None:
    """Change a list of the run of this page, unless it has other entries than those `drawn`.

    `place` is its path in the run. The settings may be newer than those of the page that the button
    stands on, and are kept. A click may also come from a page that is just drawn anew: of two quick
    ones on Remove, the second would take out the entry that has moved up. What the rest of the
    settings contradicts is refused in its sentence.
    """
    state.moved()
    session = state.session()
    run = session.states[session.here].run
    try:
        if _kinds(value_at(run, place)) != _kinds(drawn):
            return
        changed = _changed(run, place, change)
    except ParamError as error:
        st.toast(plain(str(error)))
        return
    root = place.partition(".")[0]
    state.change(**{root: getattr(changed, root)})


def _kinds(entries: Sequence[Any]) -> list[type]:
    return [type(entry) for entry in entries]


def _changed(run: Any, place: str, change: Change) -> Any:
    """A run with another list at a place, and in step with it the numbers that belong to it."""
    way, _, name = place.rpartition(".")
    holder = _holder(run, way) if way else run
    declared, now = params_of(type(holder))[name], getattr(holder, name)
    values: dict[str, Any] = {name: change(now)}
    beside = declared.beside if isinstance(declared, Parts) else ""
    if beside and (numbers := getattr(holder, beside)):
        values[beside] = tuple(_in_step(numbers, change(tuple(range(len(now))))))
    changed = replace(holder, **values)
    return with_value(run, way, changed) if way else changed


def _holder(run: Any, way: str) -> Any:
    """What has the list: a setting, or one of several in a list itself."""
    before, _, last = way.rpartition(".")
    return value_at(run, before)[int(last)] if last.isdigit() else value_at(run, way)


def _in_step(numbers: tuple[float, ...], order: tuple[Any, ...]) -> Iterator[float]:
    """Numbers in the order of positions; 1 where there is a new entry and not a position."""
    for at in order:
        yield numbers[at] if isinstance(at, int) and at < len(numbers) else 1.0


def place_of(path: str) -> str:
    """Where in the run the control at a path stands.

    The path names what was chosen at each place as well: `method.voting.estimators` is the place
    `method.estimators`.
    """
    place, rest = [], path.split(".")
    while rest:
        place.append(rest.pop(0))
        if rest and rest[0].isdigit():
            place.append(rest.pop(0))
        rest = rest[1:]
    return ".".join(place)


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
