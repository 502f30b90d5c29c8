"""Text of links: lists and pairs in one line, so that any name can stand inside."""

from __future__ import annotations

from collections.abc import Iterable

ESCAPE = "\\"


def join(items: Iterable[str], mark: str) -> str:
    """Items in one line, separated by `mark`; the inverse of `split`.

    An empty list is written as the empty text, so a list of one empty text is a lone backslash.
    """
    texts = [item.replace(ESCAPE, ESCAPE * 2).replace(mark, ESCAPE + mark) for item in items]
    return ESCAPE if texts == [""] else mark.join(texts)


def split(text: str, mark: str) -> list[str]:
    """The items of one line: `mark` separates, a backslash keeps the next letter as it is."""
    if not text:
        return []
    if text == ESCAPE:
        return [""]
    items, at, letters = [""], 0, text
    while at < len(letters):
        letter = letters[at]
        if letter == ESCAPE and at + 1 < len(letters):
            at += 1
            items[-1] += letters[at]
        elif letter == mark:
            items.append("")
        else:
            items[-1] += letter
        at += 1
    return items


def guard(text: str, words: tuple[str, ...]) -> str:
    """Mark text that would otherwise be read as one of the reserved `words`."""
    return ESCAPE + text if text in words or text.startswith(ESCAPE) else text


def unguard(text: str) -> str:
    """The inverse of `guard`."""
    return text.removeprefix(ESCAPE)
