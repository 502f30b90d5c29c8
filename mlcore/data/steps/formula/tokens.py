"""The words and marks of a formula, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mlcore.spine.errors import DataError

SHOWN = 40  # letters of a formula that an error shows before and behind the place


class FormulaError(DataError):
    """A formula that cannot be read or worked out; `at` is the place of the first wrong letter."""

    def __init__(self, sentence: str, at: int = 0) -> None:
        super().__init__(sentence)
        self.at = at


class Token(NamedTuple):
    """A number, text, name, word or mark, and where it begins."""

    kind: str  # number, text, name (between backquotes), word, mark, end
    text: str
    at: int


# Every repetition is possessive or of one class of letters: matching is linear in the length.
TOKEN = re.compile(
    r"\s*+(?:"
    r"(?P<number>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)"
    r"|(?P<text>\"[^\"]*+\"|'[^']*+')"
    r"|(?P<name>`[^`]++`)"
    r"|(?P<word>[^\W\d][\w.]*+)"
    r"|(?P<mark><=|>=|==|!=|<>|\*\*|[-+*/^=<>(),])"
    r")"
)


def tokens(formula: str) -> Iterator[Token]:
    """The tokens of a formula and its end. Raises FormulaError at a letter that begins none."""
    at, end = 0, len(formula.rstrip())
    while at < end:
        match = TOKEN.match(formula, at)
        if match is None:
            raise _unreadable(formula, at)
        kind = match.lastgroup or ""
        text = match[kind]
        yield Token(kind, text[1:-1] if kind in ("text", "name") else text, match.start(kind))
        at = match.end()
    yield Token("end", "", end)


def _unreadable(formula: str, at: int) -> FormulaError:
    at += len(formula[at:]) - len(formula[at:].lstrip())
    letter = formula[at]
    if letter in "\"'`":
        return wrong(formula, at, f"the mark {letter} is never closed. Close it")
    return wrong(
        formula, at, f"{letter!r} means nothing here. Write names with other signs in backquotes"
    )


def wrong(formula: str, at: int, what: str) -> FormulaError:
    """The error at a place of the formula, which the sentence shows."""
    before = formula[max(0, at - SHOWN) : at]
    behind = formula[at : at + SHOWN]
    shown = f"{before}»{behind}" if behind else f"{before}»"
    end = "" if what.endswith("?") else "."
    return FormulaError(f"At letter {at + 1} of the formula, {shown!r}: {what}{end}", at)
