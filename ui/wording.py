"""Foreign text for Markdown, as it was written; and HTML that is wider than its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

# What begins Markdown, HTML, a formula or a directive of Streamlit. An underscore within a word
# and a colon before a space mean nothing, and stay as they are.
_MARKUP = re.compile(r"[\\`*{}\[\]<>#$~|&]|(?<![^\W_])_|_(?![^\W_])|:(?=[\w:])")
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_JOINER = "\u2060"  # no width and no line break; without it an address becomes a link


T = TypeVar("T")


def distinct(options: Iterable[T], words: Callable[[T], str]) -> dict[T, str]:
    """What each option of a list is called, no two alike: namesakes have their number behind them.

    A browser answers with the words alone, and of two options of the same words the last would be
    taken, whichever was chosen.
    """
    named: dict[T, str] = {}
    there: set[str] = set()
    for option in options:
        name, k = words(option), 1
        text = name
        while text in there:
            k += 1
            text = f"{name} ({k})"
        there.add(text)
        named[option] = text
    return named


def plain(text: str) -> str:
    """Foreign text (a column, a file name, a link) for Markdown that shows it letter by letter."""
    unlinked = _ADDRESS.sub(lambda match: f"{match[0][0]}{_JOINER}{match[0][1:]}", text)
    return _MARKUP.sub(r"\\\g<0>", " ".join(unlinked.split()))


def scrolling_in(names: str, label: str, table: str) -> str:
    """HTML that scrolls sideways where it has no room, by keys too; `names` of classes."""
    return f'<div class="{names}" role="region" aria-label="{label}" tabindex="0">{table}</div>'
