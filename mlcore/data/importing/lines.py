"""Records of a delimited text with the line each begins in."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.errors import FileError


class Record(NamedTuple):
    """One record: its first line, counted from 1, its last, and its cells."""

    line: int
    last: int
    cells: list[str]


@dataclass(frozen=True)
class Grammar:
    """What splits a text into records and cells."""

    delimiter: str
    quote: str = '"'
    escape: str = ""
    comment: str = ""
    spaced: bool = False  # blanks after a delimiter belong to no cell

    @property
    def csv_options(self) -> dict[str, Any]:
        """The same for the csv module."""
        quoting = csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote or None,
            "escapechar": self.escape or None,
            "quoting": quoting,
            "skipinitialspace": self.spaced,
        }


# Drawn below the names where a table is printed with bars.
_RULE = re.compile(r"(?=[|+:=\- ]*?--)[|+:=\- ]*+\n?")


def _split(text: str) -> Iterator[str]:
    """The lines of a text, one at a time: `io.StringIO` would take four bytes a letter."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


class _Lines:
    """The lines of a text without comments, remembering where the current record begins."""

    def __init__(self, text: str, skip: int, grammar: Grammar) -> None:
        self._lines = _split(text)
        self._comment, self._blanks = grammar.comment, grammar.delimiter == " "
        self._has_rules = grammar.delimiter == "|"
        self.line, self.first = 0, 0
        for _ in range(skip):
            self.line += bool(next(self._lines, ""))

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.line += 1
            if self._comment and line.startswith(self._comment):
                continue
            if self._has_rules and _RULE.fullmatch(line):
                continue
            self.first = self.first or self.line
            # Where blanks split, so do tabs among them.
            return line.replace("\t", " ").rstrip(" \n") + "\n" if self._blanks else line
        raise StopIteration


def records(text: str, grammar: Grammar, skip: int = 0) -> Iterator[Record]:
    """The records after `skip` lines, blank lines left out; csv.Error for a cell without end."""
    lines = _Lines(text, skip, grammar)
    for cells in csv.reader(lines, **grammar.csv_options):
        # A line of blanks is blank too; a line that says "" is one empty cell.
        if len(cells) > 1 or (cells and (not cells[0] or cells[0].strip())):
            yield Record(lines.first, lines.line, cells)
        lines.first = 0


def replaced(
    utf8: bytes, lines: Sequence[int], by: Callable[[bytes], bytes]
) -> tuple[bytes, dict[int, bytes]]:
    """The text with what `by` makes of some lines, from 1, and what stood in those that exist."""
    ends = np.flatnonzero(np.frombuffer(utf8, dtype=np.uint8) == ord("\n"))
    parts, stood, at = [], {}, 0
    for line in sorted(set(lines)):
        if line > len(ends) + 1:
            break
        start = int(ends[line - 2]) + 1 if line > 1 else 0
        end = int(ends[line - 1]) if line <= len(ends) else len(utf8)
        stood[line] = utf8[start:end]
        parts += [utf8[at:start], by(stood[line])]
        at = end
    return b"".join([*parts, utf8[at:]]), stood


def too_long() -> FileError:
    """The error of a cell that no table has."""
    return FileError(
        f"A line holds a cell of more than {csv.field_size_limit():,} characters, too long "
        "for a table. Bring a file of rows and columns."
    )
