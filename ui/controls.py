"""Declarations turned into widgets: the only place that knows both.

A control type is one registered function. It gets the declaration, a label, the value to start
from and a path, and returns the value that the person chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import singledispatch
from typing import Any, TypeVar

from mlcore.runs.labels import titles_apart
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import (
    Choice,
    Choices,
    ColumnName,
    Columns,
    Flag,
    Levels,
    Number,
    Numbers,
    Param,
    Part,
    Parts,
    Several,
    Sizes,
    Text,
)
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from mlcore.spine.wording import spelled
from ui import line_controls, lists, sizes_control, state
from ui.labels import help_of, label_of
from ui.number_control import number
from ui.reading import pen
from ui.wording import distinct, plain

C = TypeVar("C", bound=Component)
FEW = 4  # options that stand side by side rather than in a list,
LETTER, FRAME, ROOM = 7, 32, 200  # if they fit: pixels of a letter, around an option, in all


@dataclass(frozen=True)
class Context:
    """What a control may need to know of the data."""

    columns: tuple[str, ...] = ()
    levels: tuple[str, ...] | None = None  # that names may be chosen from, where they are known


CONTEXT: ContextVar[Context] = ContextVar("context")


def context() -> Context:
    """What the controls of this rerun know of the data."""
    return CONTEXT.get(Context())


def form(
    cls: type[C],
    start: C,
    path: str,
    only: tuple[str, ...] = (),
    titles: Mapping[str, dict[Any, str]] | None = None,
) -> C:
    """The controls of a component, and the component that they describe.

    `titles` gives, for each parameter whose values are found elsewhere, these and what they are
    called. A parameter has a control while it counts beside the others. Values that contradict each
    other give the sentence, and the last valid component stays.
    """
    declared = {n: p for n, p in _in_order(params_of(cls)).items() if not only or n in only}
    values = {f.name: getattr(start, f.name) for f in fields(start)}
    for name, param in declared.items():
        if param.advanced or not param.counts(values):
            continue
        known_titles, at = (titles or {}).get(name), f"{path}.{name}"
        values[name] = (
            _row(param, name, values[name], at)
            if known_titles is None
            else _named_choice(param, name, known_titles, values[name], at)
        )
    more = {n: p for n, p in declared.items() if p.advanced}
    if any(p.counts(values) for p in more.values()):
        values |= _more(more, values, path)
    try:
        return cls(**values)
    except ParamError as error:
        pen().error(plain(str(error)))
        return start


def _in_order(declared: dict[str, Param]) -> dict[str, Param]:
    """Each parameter after those that decide whether it counts: its control follows theirs."""
    placed: dict[str, Param] = {}
    waiting = dict(declared)
    while waiting:
        ready = [n for n, p in waiting.items() if not any(c.setting in waiting for c in p.only_if)]
        placed |= {ready[0]: waiting.pop(ready[0])}
    return placed


def _more(declared: dict[str, Param], values: dict[str, Any], path: str) -> dict[str, Any]:
    """The values of the advanced parameters; without their controls while these are folded."""
    values = dict(values)
    if (place := folded("Advanced", f"{path}.advanced")).open:
        with place:
            for name, param in declared.items():
                if param.counts(values):
                    values[name] = _row(param, name, values[name], f"{path}.{name}")
    return values


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


def _row(param: Param, name: str, start: Any, path: str) -> Any:
    """One hyper-parameter: its tick box for None or automatic, if it has one, and its control."""
    label = label_of(param, name)
    if not (param.none or param.auto) or isinstance(param, ColumnName):
        return control(param, label, start, path)
    word = None if param.none else param.auto
    word_label = param.none or spelled(param.auto)
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


control.register(Number, number)
control.register(Text, line_controls.words)
control.register(Several, line_controls.several)
control.register(Numbers, line_controls.numbers)
control.register(Sizes, sizes_control.sizes)


@control.register
def _(param: Flag, label: str, start: Any, path: str) -> Any:
    return pen().toggle(
        label, start, key=state.key(path), help=help_of(param), on_change=state.moved
    )


@control.register
def _(param: Choice, label: str, start: Any, path: str) -> Any:
    titles = {option: spelled(option) for option in param.options}
    return one_of(label, titles, start, path, help_of(param))


@control.register
def _(param: Choices, label: str, start: Any, path: str) -> Any:
    return tuple(
        pen().multiselect(
            label,
            param.options,
            start,
            format_func=spelled,
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
def _(param: Levels, label: str, start: Any, path: str) -> Any:
    known = context().levels
    if known is None:
        return line_controls.several(param, label, start, path)
    options = [*known, *(level for level in start if level not in known)]
    chosen = pen().multiselect(
        label, options, start, key=state.key(path), help=help_of(param), on_change=state.moved,
        accept_new_options=True,
    )  # fmt: skip
    return tuple(chosen)


@control.register
def _(param: Part, label: str, start: Any, path: str) -> Any:
    options = entries(param.slot)
    titles = titles_apart(options)
    first = start.card.name
    use = one_of(label, titles, first, path, help_of(param))
    inner = start if use == first else options[use]()
    return form(options[use], inner, f"{path}.{use}")


@control.register
def _(param: Parts, label: str, start: Any, path: str) -> Any:
    lists.headed(label, len(start), help_of(param))
    edited = tuple(_entry(param, start, k, path) for k in range(len(start)))
    if len(start) < param.most:
        dropped = dropped_down(f"Add a {param.item}", "add", f"{path}.add")
        lists.to_add(dropped, f"{path}.add", entries(param.slot), lists.place_of(path), start)
    return edited


def _entry(param: Parts, start: tuple[Any, ...], k: int, path: str) -> Any:
    """The settings of one of several, made while its box is open alone, and what moves it."""
    entry, at = start[k], f"{path}.{k}"
    box = folded(f"{k + 1}. {entry.title()}", f"{at}.box")
    if not box.open:
        return entry
    with box:
        settings = form(type(entry), entry, f"{at}.{entry.card.name}")
        with pen().container(horizontal=True, gap="small"):
            for name, icon, change, off in (
                ("Earlier", "arrow_upward", lists.moved(k, -1), k == 0),
                ("Later", "arrow_downward", lists.moved(k, 1), k == len(start) - 1),
                ("Duplicate", "content_copy", lists.doubled(k), len(start) >= param.most),
                ("Remove", "close", lists.without(k), len(start) <= param.least),
            ):
                key, place = f"{at}.{name.lower()}", lists.place_of(path)
                lists.offer("", icon, name, key, place, start, change, off)
    return settings


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
    names, titles = list(titles), distinct(titles, titles.__getitem__)
    return pen().selectbox(
        label,
        names,
        names.index(start),
        key=state.key(path),
        format_func=titles.__getitem__,
        help=help,
        on_change=state.moved,
    )
