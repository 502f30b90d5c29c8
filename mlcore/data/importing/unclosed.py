"""Quotation marks that open a cell and never close it: where they stand, and the text without."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from mlcore.data.importing.decisions import DELIMITERS, Decisions
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar
from mlcore.data.importing.report import CHOSEN, LIKELY, Decision, Note
from mlcore.data.importing.splitting import SAMPLE_LINES
from mlcore.spine.wording import plural

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


def widths(head: str, decisions: Decisions) -> Widths | None:
    """The delimiter under which most lines, each by itself, have the same number of cells."""
    if decisions.quote == "":
        return None
    marks = [decisions.delimiter] if decisions.delimiter else DELIMITERS
    lines = [line for line in islice(head.split("\n"), SAMPLE_LINES) if line.strip()]
    best, most = None, 0.0
    for mark in marks:
        if len(mark) > 1 or mark == (decisions.quote or '"'):
            continue
        grammar = Grammar(mark, decisions.quote or '"', decisions.escape or "")
        counts = Counter(len(cells) for line in lines if (cells := _alone(line, grammar)))
        counts.pop(1, 0)
        width, often = max(counts.items(), key=lambda pair: pair[1], default=(1, 0))
        if often > most:
            best, most = Widths(grammar, width), often
    return best


def lines_of(text: str, how: Widths) -> tuple[int, ...]:
    """The lines, from 1, in which a mark opens a cell that swallows the rows below."""
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    odd = _odd(text, how.grammar)
    opened: list[int] = []
    at = examined = 0
    while at < len(odd) and (examined := examined + 1) <= EXAMINED:
        closed = odd[at + 1] if at + 1 < len(odd) else len(lines)
        if not _opens(lines[odd[at]], how.grammar):
            at += 1
        elif _swallows(lines, odd[at], closed, how):
            opened.append(odd[at] + 1)
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


def decision(lines: tuple[int, ...], decisions: Decisions) -> Decision:
    """The decision on these lines."""
    if decisions.unclosed is not None:
        return Decision("unclosed", decisions.unclosed, "You chose it.", CHOSEN)
    reason = REASON if lines else "Every quotation mark that opens a cell closes it."
    return Decision("unclosed", lines, reason, LIKELY)


def _note(lines: Sequence[int]) -> Note:
    which = ", ".join(map(str, lines[:3])) + (" and more" if len(lines) > 3 else "")
    sentence = (
        f"In {plural(len(lines), 'line', 'lines')} {which} a quotation mark opens a cell and never "
        f"closes, so that rows below would stand in that cell; the mark was left out."
    )
    return Note(sentence, line=lines[0], fix=("unclosed", ()), press="Keep the mark")


def _odd(text: str, grammar: Grammar) -> list[int]:
    """The lines, from 0, with an odd number of marks."""
    utf8, quote = text.encode(), grammar.quote.encode()
    if grammar.escape:
        utf8 = utf8.replace(grammar.escape.encode() + quote, b"  ")
    signs = np.frombuffer(utf8, dtype=np.uint8)
    line = np.searchsorted(np.flatnonzero(signs == 10), np.flatnonzero(signs == ord(quote)))
    lines, counts = np.unique(line, return_counts=True)
    return lines[counts % 2 == 1].tolist()


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


def _swallows(lines: Sequence[str], at: int, closed: int, how: Widths) -> bool:
    """Whether the cell that opens in a line holds rows, and ends at line `closed` or never."""
    is_one = closed < len(lines) and _is_one(lines[at : closed + 1], how)
    if how.width < 2 or (is_one and closed - at <= SURELY):
        return False
    between = [line for line in lines[at + 1 : closed][:LOOKED_AT] if line.strip()]
    rows = sum(len(_alone(line, how.grammar) or ()) == how.width for line in between)
    if is_one:
        return rows == len(between) >= SURELY <= how.width
    if _closed(lines[at], how) == lines[at]:
        return False
    if between:
        return rows >= MOSTLY * len(between)
    return len(_alone(_closed(lines[at], how), how.grammar) or ()) == how.width


def _is_one(lines: Sequence[str], how: Widths) -> bool:
    """Whether the lines are one record as quoted cells are written: the mark that closes stands
    before a delimiter or at the end."""
    try:
        options = {**how.grammar.csv_options, "strict": True}
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
