"""Quotation marks that open a cell and never close it: where they stand, and the text without."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from mlcore.data.importing.decisions import DELIMITERS, ESCAPE
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar
from mlcore.data.importing.report import Note
from mlcore.data.importing.splitting import SAMPLE_LINES
from mlcore.spine.wording import plural

QUOTE = '"'  # the other one is an apostrophe too often
MOST = 100  # marks taken for mistakes; in a file with more of them, a mark is a letter
LOOKED_AT = 60  # lines below a mark
MOSTLY = 0.8  # of these lines are rows by themselves, where a mark swallowed them
SURELY = 3  # rows in a cell that is closed as it should be, and cells in each, to doubt it
TRIED = 50  # marks of a line, to find the one that opens
EXAMINED = 20_000  # cells of several lines; where a file has more of them, they are its habit
REASON = "The rows below a quotation mark that never closes are rows by themselves."


@dataclass(frozen=True)
class Widths:
    """What splits a line, and how many cells a row has."""

    grammar: Grammar
    width: int


def widths(head: str) -> Widths | None:
    """The delimiter under which most lines, each by itself, have the same number of cells.

    What else is decided has no say: the same lines lose the same marks whenever they are read.
    """
    lines = [line for line in islice(head.split("\n"), SAMPLE_LINES) if line.strip()]
    escape = ESCAPE if ESCAPE + QUOTE in head else ""
    best, most = None, 0.0
    for mark in DELIMITERS:
        grammar = Grammar(mark, QUOTE, escape)
        counts = Counter(len(cells) for line in lines if (cells := _alone(line, grammar)))
        counts.pop(1, 0)
        width, often = max(counts.items(), key=lambda pair: pair[1], default=(1, 0))
        if often > most:
            best, most = Widths(grammar, width), often
    return best


class _Lines:
    """The lines of a text, from 0, made of its bytes where they are asked for."""

    def __init__(self, utf8: bytes, grammar: Grammar) -> None:
        self._utf8 = utf8.rstrip(b"\n ") if utf8.endswith(b"\n\n") else utf8.removesuffix(b"\n")
        signs = np.frombuffer(self._utf8, dtype=np.uint8)
        self._ends = np.flatnonzero(signs == ord("\n"))
        places = np.flatnonzero(_bare(self._utf8, grammar) == ord(grammar.quote))
        at, counts = np.unique(np.searchsorted(self._ends, places), return_counts=True)
        self.odd: list[int] = at[counts % 2 == 1].tolist()  # with an odd number of marks

    def __len__(self) -> int:
        return len(self._ends) + 1

    def __getitem__(self, at: int) -> str:
        start = self._ends[at - 1] + 1 if at else 0
        end = self._ends[at] if at < len(self._ends) else len(self._utf8)
        return self._utf8[start:end].decode()

    def between(self, first: int, last: int) -> list[str]:
        """The lines from the first to the one before the last, some of many."""
        return [self[at] for at in range(first, min(last, first + LOOKED_AT))]


def _bare(utf8: bytes, grammar: Grammar) -> np.ndarray:
    """The bytes without marks that are escaped."""
    if grammar.escape:
        utf8 = utf8.replace((grammar.escape + grammar.quote).encode(), b"  ")
    return np.frombuffer(utf8, dtype=np.uint8)


def lines_of(utf8: bytes, how: Widths) -> tuple[int, ...]:
    """The lines, from 1, in which a mark opens a cell that swallows the rows below."""
    lines = _Lines(utf8, how.grammar)
    opened: list[int] = []
    at = examined = 0
    while at < len(lines.odd) and (examined := examined + 1) <= EXAMINED:
        first = lines.odd[at]
        last = lines.odd[at + 1] if at + 1 < len(lines.odd) else len(lines)
        if not _opens(lines[first], how.grammar):
            at += 1
        elif _swallows(lines, first, last, how):
            opened.append(first + 1)
            at += 1
        else:
            at += 2
        if len(opened) > MOST:
            return ()
    return tuple(opened)


def without(decoded: Decoded, lines: Sequence[int], how: Widths) -> Decoded:
    """The text without the marks that open in those lines, and notes on them."""
    split = decoded.text.split("\n")
    there = [line for line in lines if 0 < line <= len(split)]
    for line in there:
        split[line - 1] = _closed(split[line - 1], how)
    text = "\n".join(split)
    notes = (_note(there),) if there else ()
    return replace(decoded, utf8=text.encode(), notes=(*decoded.notes, *notes))


def _note(lines: Sequence[int]) -> Note:
    which = ", ".join(map(str, lines[:3])) + (" and more" if len(lines) > 3 else "")
    sentence = (
        f"In {plural(len(lines), 'line', 'lines')} {which} a quotation mark opens a cell and never "
        f"closes, so that rows below would stand in that cell; the mark was left out."
    )
    return Note(sentence, line=lines[0], fix=("unclosed", ()), press="Keep the mark")


def _alone(line: str, grammar: Grammar) -> list[str] | None:
    """The cells of a line by itself; None where a cell goes on below."""
    try:
        reader = csv.reader(iter([line + "\n", "\n"]), **grammar.csv_options)
        cells = next(reader)
    except (csv.Error, StopIteration):
        return None
    return cells if reader.line_num == 1 else None


def _opens(line: str, grammar: Grammar) -> bool:
    return _alone(line, grammar) is None


def _swallows(lines: _Lines, at: int, last: int, how: Widths) -> bool:
    """Whether the cell that opens in a line holds rows, and ends at line `last` or never."""
    if how.width < 2:
        return False
    is_near = last < len(lines) and last - at < LOOKED_AT
    is_one = is_near and _is_one(lines.between(at, last + 1), how)
    if is_one and last - at <= SURELY:
        return False
    between = [line for line in lines.between(at + 1, last) if line.strip()]
    rows = sum(len(_alone(line, how.grammar) or ()) == how.width for line in between)
    if is_one:
        return rows == len(between) >= SURELY <= how.width
    closed = _closed(lines[at], how)
    if closed == lines[at]:
        return False
    if between:
        return rows >= MOSTLY * len(between)
    return len(_alone(closed, how.grammar) or ()) == how.width


def _is_one(lines: Sequence[str], how: Widths) -> bool:
    """Whether the lines are one record as quoted cells are written: the mark that closes stands
    before a delimiter or at the end."""
    try:
        options: dict[str, Any] = {**how.grammar.csv_options, "strict": True}
        read = list(csv.reader((line + "\n" for line in lines), **options))
    except csv.Error:
        return False
    return len(read) == 1


def _closed(line: str, how: Widths) -> str:
    """The line without the mark that opens a cell; as it is where no single one does."""
    quote, tried = how.grammar.quote, []
    places = [at for at, sign in enumerate(line) if sign == quote][:TRIED]
    for at in places:
        bare = line[:at] + line[at + 1 :]
        cells = _alone(bare, how.grammar)
        if cells is not None and len(cells) == how.width:
            return bare
        if cells is not None:
            tried.append(bare)
    return tried[0] if tried else line
