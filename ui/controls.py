"""Declarations turned into widgets: the only place that knows both.

A control type is one registered function. It gets the declaration, a label, the value to start
from and a path, and returns the value that the person chose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import singledispatch
from typing import Any

import streamlit as st

from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import (
    Choice,
    Choices,
    ColumnName,
    Columns,
    Flag,
    Number,
    Numbers,
    Param,
    Part,
    Parts,
    Several,
    Text,
)
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from ui import state
from ui.reading import pen
from ui.wording import plain

NUMBER_SEPARATORS = re.compile(r"[\s,;~]+")  # between numbers of a line; ~ is that of links
TRACK_STEPS = 100  # positions of a slider for real numbers
FEW = 4  # options that stand side by side rather than in a list,
LETTER, FRAME, ROOM = 7, 32, 200  # if they fit: pixels of a letter, around an option, in all
MAX_WHOLE = 2**53  # the largest whole number that a browser keeps exactly


@dataclass(frozen=True)
class Context:
    """What a control may need to know of the data."""

    columns: tuple[str, ...] = ()


CONTEXT: ContextVar[Context] = ContextVar("context")


def context() -> Context:
    """What the controls of this rerun know of the data."""
    return CONTEXT.get(Context())


def form(
    cls: type[Component],
    start: Component,
    path: str,
    only: tuple[str, ...] = (),
    titles: Mapping[str, dict[Any, str]] | None = None,
) -> Component:
    """The controls of a component, and the component that they describe.

    `titles` gives, for each parameter whose values are found elsewhere, these and what they are
    called. Values that contradict each other give the sentence, and the last valid component stays.
    """
    declared = {n: p for n, p in params_of(cls).items() if not only or n in only}
    values = {f.name: getattr(start, f.name) for f in fields(start)}
    first = {n: p for n, p in declared.items() if not p.advanced}
    for name, param in first.items():
        known_titles, at = (titles or {}).get(name), f"{path}.{name}"
        values[name] = (
            _row(param, name, values[name], at)
            if known_titles is None
            else _named_choice(param, name, known_titles, values[name], at)
        )
    more = {n: p for n, p in declared.items() if p.advanced}
    if more and (place := folded("Advanced", f"{path}.advanced")).open:
        with place:
            values |= {n: _row(p, n, values[n], f"{path}.{n}") for n, p in more.items()}
    try:
        return cls(**values)
    except ParamError as error:
        pen().error(plain(str(error)))
        return start


def folded(label: str, path: str) -> Any:
    """An expander. What is in it is made while it is `open` alone: every control costs time."""
    return pen().expander(label, key=state.key(path), on_change=state.moved)


def dropped_down(label: str, icon: str, path: str) -> Any:
    """A popover as wide as its place; what is in it is made while it is `open` alone."""
    return pen().popover(
        label,
        icon=f":material/{icon}:",
        width="stretch",
        key=state.key(path),
        on_change=state.moved,
    )


def label_of(param: Param, name: str) -> str:
    """Noun and symbol of a hyper-parameter, as the widget shows it."""
    noun = param.label or name.replace("_", " ").capitalize()
    return f"{noun} ${param.symbol}$" if param.symbol else noun


def help_of(param: Param) -> str:
    """The sentence of a hyper-parameter, with what is valid."""
    return f"{param.doc} {limits_of(param)}".strip()


def limits_of(param: Param) -> str:
    """What values a number may have, as a sentence."""
    if not isinstance(param, Number):
        return ""
    low = f"at least {param.low:g}" if param.low > float("-inf") else ""
    low = f"above {param.above:g}" if param.above > float("-inf") else low
    high = f"at most {param.high:g}" if param.high < float("inf") else ""
    high = f"below {param.below:g}" if param.below < float("inf") else high
    limits = " and ".join(text for text in (low, high) if text)
    return f"Valid: {limits}." if limits else ""


def _row(param: Param, name: str, start: Any, path: str) -> Any:
    """One hyper-parameter: its tick box for None or automatic, if it has one, and its control."""
    label = label_of(param, name)
    if not (param.none or param.auto) or isinstance(param, ColumnName):
        return control(param, label, start, path)
    word = None if param.none else param.auto
    word_label = param.none or param.auto
    ticked = pen().checkbox(
        f"{label}: {word_label}",
        start == word,
        key=state.key(f"{path}.word"),
        help=help_of(param),
        on_change=state.moved,
    )
    if ticked:
        return word
    if param.is_word(start):
        grid = param.grid(3)
        start = grid[len(grid) // 2]
    return control(param, label, start, path)


def _named_choice(param: Param, name: str, titles: dict[Any, str], start: Any, path: str) -> Any:
    """A choice among values that were found; one that is not among them is shown too."""
    known = titles if start in titles else {start: f"{start} (not here)"} | titles
    return one_of(label_of(param, name), known, start, path, help_of(param))


@singledispatch
def control(param: Param, label: str, start: Any, path: str) -> Any:
    """The widget for one declaration."""
    raise TypeError(f"no widget for {type(param).__name__}")


@control.register
def _(param: Number, label: str, start: Any, path: str) -> Any:
    linked: LinkedNumber = st.session_state.setdefault(
        state.key(f"{path}.number"), LinkedNumber(start)
    )
    values = _track(param)
    with pen().container(
        key=f"number-{state.key(path)}"
    ):  # the style puts the box beside the label
        pen().number_input(
            label,
            value=linked.value,
            **_box_limits(param),
            key=(box := state.key(f"{path}.box.{linked.by_track}")),
            label_visibility="collapsed",
            on_change=state.moved_number,
            args=(path, linked.typed, box, linked.by_track),
        )
        pen().select_slider(
            label,
            values,
            value=_nearest(values, linked.value),
            key=(track := state.key(f"{path}.track.{linked.by_box}")),
            format_func=lambda value: f"{value:.4g}",
            help=help_of(param),
            on_change=state.moved_number,
            args=(path, linked.pulled, track, linked.by_box, values),
        )
    return linked.value


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

    def typed(self, box: str, at: int) -> None:
        """Take the value of the box; an emptied box changes nothing."""
        value = st.session_state[box]
        if at == self.by_track and value not in (None, self.value):
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


def _nearest(values: list[float], value: float) -> float:
    return min(values, key=lambda v: abs(v - value))


def _box_limits(param: Number) -> dict[str, Any]:
    kind = int if param.whole else float
    low = max(param.low, param.above) if not param.whole else max(param.low, param.above + 1)
    high = min(param.high, param.below)
    limits: dict[str, Any] = {"step": 1 if param.whole else _step(param)}
    limits["min_value"] = kind(low) if low > -MAX_WHOLE else None
    limits["max_value"] = kind(high) if high < MAX_WHOLE else None
    return limits if param.whole else limits | {"format": "%.6g"}


def _step(param: Number) -> float:
    a, b = param.soft
    return float(f"{(a if param.log else (b - a) / TRACK_STEPS):.1g}")


@control.register
def _(param: Flag, label: str, start: Any, path: str) -> Any:
    return pen().toggle(
        label, start, key=state.key(path), help=help_of(param), on_change=state.moved
    )


@control.register
def _(param: Choice, label: str, start: Any, path: str) -> Any:
    titles = {option: option.replace("_", " ") for option in param.options}
    return one_of(label, titles, start, path, help_of(param))


@control.register
def _(param: Choices, label: str, start: Any, path: str) -> Any:
    return tuple(
        pen().multiselect(
            label,
            param.options,
            start,
            key=state.key(path),
            help=help_of(param),
            on_change=state.moved,
        )
    )


@control.register
def _(param: ColumnName, label: str, start: Any, path: str) -> Any:
    words = [*([None] if param.none else []), *([param.auto] if param.auto else [])]
    titles = {word: param.none if word is None else word for word in words}
    titles |= {name: name for name in context().columns}
    if start not in titles:
        titles[start] = f"{start} (not in this table)"
    return listed(label, titles, start, path, help_of(param))


@control.register
def _(param: Columns, label: str, start: Any, path: str) -> Any:
    options = [*context().columns, *(n for n in start if n not in context().columns)]
    return tuple(
        pen().multiselect(
            label, options, start, key=state.key(path), help=help_of(param), on_change=state.moved
        )
    )


@control.register
def _(param: Text, label: str, start: Any, path: str) -> Any:
    return pen().text_input(
        label,
        start,
        max_chars=param.longest,
        key=state.key(path),
        help=help_of(param),
        on_change=state.moved,
    )


@control.register
def _(param: Several, label: str, start: Any, path: str) -> Any:
    """Names and pairs as one line, in the written form of links."""
    return _line(param, label, start, path, param.write(start), "~", param.parse)


@control.register
def _(param: Numbers, label: str, start: Any, path: str) -> Any:
    """Numbers as one line, as people write them."""
    text = param.write(start) if param.is_word(start) else ", ".join(map(_short, start))

    def parse(line: str) -> Any:
        return param.parse("~".join(NUMBER_SEPARATORS.split(line.strip())))

    return _line(param, label, start, path, text, "commas", parse)


def _short(value: float) -> str:
    """A number without the zeros that say nothing: `2`, `0.25`."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _line(
    param: Several,
    label: str,
    start: Any,
    path: str,
    written: str,
    separator: str,
    parse: Callable[[str], Any],
) -> Any:
    """Several values in a box for one line; a line that cannot be used leaves them as they are."""
    text = pen().text_input(
        label,
        written,
        key=state.key(path),
        help=f"{help_of(param)} Separate values by {separator}.",
        on_change=state.moved,
    )
    try:
        value = parse(text)
    except ValueError:
        pen().error(f"{label} cannot be read from {plain(repr(text))}.")
        return start
    if problem := param.problem(value):
        pen().error(f"{label} {plain(problem)}.")
        return start
    return value


@control.register
def _(param: Part, label: str, start: Any, path: str) -> Any:
    options = entries(param.slot)
    titles = {name: cls.title() for name, cls in options.items()}
    first = start.card.name
    use = one_of(label, titles, first, path, help_of(param))
    inner = start if use == first else options[use]()
    return form(options[use], inner, f"{path}.{use}")


@control.register
def _(param: Parts, label: str, start: Any, path: str) -> Any:
    options = entries(param.slot)
    names = pen().multiselect(
        label,
        list(options),
        [item.card.name for item in start],
        format_func=lambda name: options[name].title(),
        max_selections=param.most,
        key=state.key(path),
        help=help_of(param),
        on_change=state.moved,
    )
    by_name = {item.card.name: item for item in start}
    return tuple(by_name.get(name) or options[name]() for name in names)


def one_of(label: str, titles: dict[Any, str], start: Any, path: str, help: str) -> Any:
    """A choice: side by side where the options are few and short, else as a list."""
    width = sum(LETTER * len(title) + FRAME for title in titles.values())
    if len(titles) > FEW or width > ROOM:
        return listed(label, titles, start, path, help)
    return pen().segmented_control(
        label,
        list(titles),
        default=start,
        required=True,
        # Unlike the options of a list, these are Markdown.
        format_func=lambda value: plain(titles[value]),
        key=state.key(path),
        help=help,
        on_change=state.moved,
        width="stretch",
    )


def listed(label: str, titles: dict[Any, str], start: Any, path: str, help: str) -> Any:
    """A choice from a list."""
    names = list(titles)
    return pen().selectbox(
        label,
        names,
        names.index(start),
        key=state.key(path),
        format_func=titles.__getitem__,
        help=help,
        on_change=state.moved,
    )
