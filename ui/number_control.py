"""The control of a number: a box and a track that follow one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from mlcore.spine.param_kinds import Number
from ui import state
from ui.labels import help_of
from ui.reading import pen
from ui.wording import plain

TRACK_STEPS = 100  # positions of a slider for real numbers


def number(param: Number, label: str, start: Any, path: str) -> Any:
    """The widgets of one number; the last value that was given to either of them."""
    linked: LinkedNumber = st.session_state.setdefault(
        state.key(f"{path}.number"), LinkedNumber(start)
    )
    values = _track(param)
    with pen().container(key=control_key(path)):  # the style puts the box beside the label
        shown = pen().number_input(
            label,
            value=linked.value,
            **_box_steps(param),
            key=(box := state.key(f"{path}.box.{linked.by_track}")),
            label_visibility="collapsed",
            on_change=state.moved_number,
            args=(path, linked.typed, box, linked.by_track, param),
        )
        pen().select_slider(
            label,
            values,
            value=_nearest(values, linked.value),
            key=(track := state.key(f"{path}.track.{linked.by_box}")),
            format_func=_spelled,
            help=help_of(param),
            on_change=state.moved_number,
            args=(path, linked.pulled, track, linked.by_box, values),
        )
    refuse(label, param.problem(shown), shown, linked.value)
    return linked.value


def refuse(label: str, problem: str | None, shown: float | None, value: float) -> None:
    """Say below a box what is wrong with the number that it shows, if that is not the value."""
    if problem and shown is not None:
        pen().error(f"{label} {plain(problem)}, not {exact(shown)}. It stays {exact(value)}.")


def exact(value: float) -> str:
    """A number with all its digits: rounded, one just beyond its limit would read as the limit."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def control_key(path: str) -> str:
    """The key of the control of a number."""
    return f"number-{state.key(path)}"


def values_beside(param: Number, path: str) -> tuple[str, dict[str, Any]]:
    """The value at which the track of a number stands, and those beside it, as the track says
    them; none where the control is gone."""
    values = _track(param)
    linked: LinkedNumber | None = st.session_state.get(state.key(f"{path}.number"))
    if linked is None:
        return "", {}
    at = values.index(_nearest(values, linked.value))
    beside = (*values[max(at - 1, 0) : at], *values[at + 1 : at + 2])
    return _spelled(values[at]), {_spelled(value): value for value in beside}


@dataclass
class LinkedNumber:
    """A number that has two widgets, a box and a track.

    Whichever is moved replaces the other by a new widget that starts from the new value. If it set
    the other's value instead, the next request of a hasty person would still carry the older one,
    and that would be taken for a second move. A widget that was replaced is no longer heard.
    """

    value: Any
    by_box: int = 0
    by_track: int = 0

    def typed(self, box: str, at: int, param: Number) -> None:
        """Take the value of the box; an emptied box, and one beyond the limits, change nothing."""
        value = st.session_state[box]
        if at == self.by_track and value not in (None, self.value) and not param.problem(value):
            self.value, self.by_box = value, self.by_box + 1

    def pulled(self, track: str, at: int, values: list[float]) -> None:
        """Take the value of the track; the place where it already stands changes nothing."""
        value = st.session_state[track]
        if at == self.by_box and value != _nearest(values, self.value):
            self.value, self.by_track = value, self.by_track + 1


def _track(param: Number) -> list[float]:
    """The values that the slider offers."""
    a, b = param.soft
    if param.whole and not param.log and b - a <= 10 * TRACK_STEPS:
        return list(range(int(a), int(b) + 1))
    grid = param.grid(TRACK_STEPS + 1)
    return grid if param.whole else sorted({float(f"{value:.3g}") for value in grid})


def _spelled(value: float) -> str:
    return f"{value:.4g}"


def _nearest(values: list[float], value: float) -> float:
    return min(values, key=lambda v: abs(v - value))


def _box_steps(param: Number) -> dict[str, Any]:
    """No limits: beyond them a browser would keep a number to itself, and here it is answered."""
    if param.whole:
        return {"step": 1}
    return {"step": _step(param), "format": "%.6g"}


def _step(param: Number) -> float:
    a, b = param.soft
    return float(f"{(a if param.log else (b - a) / TRACK_STEPS):.1g}")
