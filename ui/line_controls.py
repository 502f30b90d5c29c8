"""Controls of one line: a text, several values with marks between them, several numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mlcore.spine.param_kinds import Numbers, Several, Text
from ui import state
from ui.labels import help_of
from ui.reading import pen
from ui.wording import plain

NUMBER_SEPARATORS = re.compile(r"[\s,;~]+")  # between numbers of a line; ~ is that of links


def words(param: Text, label: str, start: Any, path: str) -> Any:
    """A text as it is."""
    return pen().text_input(
        label,
        start,
        max_chars=param.longest,
        key=state.key(path),
        help=help_of(param),
        on_change=state.moved,
    )


def several(param: Several, label: str, start: Any, path: str) -> Any:
    """Names and pairs as one line, in the written form of links."""
    return _line(param, label, start, path, param.write(start), "~", param.parse)


def numbers(param: Numbers, label: str, start: Any, path: str) -> Any:
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
