"""Quotation marks within quoted cells, written neither doubled nor behind a backslash."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar, replaced
from mlcore.data.importing.report import Note
from mlcore.data.importing.unclosed import Widths
from mlcore.spine.wording import listed, plural

MOST = 10_000  # lines that are mended; where there are more, they are only told
EXAMINED = 20_000  # lines in which a mark stands between letters
CHUNK = 1 << 24  # bytes looked at together
REASON = "Quotation marks stand between the letters of quoted cells."


def lines_of(utf8: bytes, how: Widths) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lines, from 1, whose marks within quoted cells are letters, and those in which something
    stands behind a closed cell otherwise."""
    letters, others = [], []
    for line, text in _odd(utf8, how.grammar):
        cells = _cells(as_letters(text, how.grammar), how.grammar) or ()
        are_letters = len(cells) == how.width
        (letters if are_letters else others).append(line)
    return tuple(letters), tuple(others)


def as_letters(line: str, grammar: Grammar) -> str:
    """The line with every mark doubled that stands neither at the begin nor the end of a cell.

    A cell ends at the first mark before a delimiter, so that the line is walked over once.
    """
    quote, delimiter = grammar.quote, grammar.delimiter
    cells, at = [], 0
    while at <= len(line):
        is_quoted = line.startswith(quote, at)
        if is_quoted:
            end = line.find(quote + delimiter, at + 1)
            stop = end if end >= 0 or not line.endswith(quote) else len(line) - 1
            if stop <= at:
                return line
            cells.append(_quoted(line[at + 1 : stop], quote))
        else:
            end = line.find(delimiter, at)
            stop = end if end >= 0 else len(line)
            cells.append(line[at:stop])
        at = stop + 1 + is_quoted
    return delimiter.join(cells)


def mended(decoded: Decoded, lines: Sequence[int], grammar: Grammar) -> Decoded:
    """The text with the marks in those lines doubled, and a note."""
    utf8, there = replaced(
        decoded.utf8, lines, lambda line: as_letters(line.decode(), grammar).encode()
    )
    if not there:
        return decoded
    n = len(there)
    sentence = (
        f"In {plural(n, 'line', 'lines')} {listed(list(there), 3)} quotation marks stand within a "
        "quoted cell; they were read as letters."
    )
    note = Note(sentence, line=min(there), fix=("inner", ()), press="They end the cell")
    return replace(decoded, utf8=utf8, notes=(*decoded.notes, note))


def told(lines: Sequence[int]) -> Note:
    """What is to be said of lines in which it stays open what a mark means."""
    n = len(lines)
    sentence = (
        f"In {plural(n, 'line', 'lines')} {listed(lines, 3)} something stands behind a quotation "
        f"mark that closes a cell; it was joined to the cell, and the marks may be left in it."
    )
    return Note(sentence, line=lines[0], fix=("quote", ""), press="Marks are letters")


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(2 * quote, quote).replace(quote, 2 * quote) + quote


def _odd(utf8: bytes, grammar: Grammar) -> Iterator[tuple[int, str]]:
    """The lines, from 1, that are no record as quoted cells are written, though they are one."""
    examined = 0
    for line, text in _candidates(utf8, grammar):
        if (examined := examined + 1) > EXAMINED:
            return
        if _cells(text, grammar) is None and _cells(text, grammar, strict=False) is not None:
            yield line, text


def _candidates(utf8: bytes, grammar: Grammar) -> Iterator[tuple[int, str]]:
    """Lines with a mark that stands at no border of a cell and beside no other mark."""
    signs = np.frombuffer(utf8, dtype=np.uint8)
    borders = np.zeros(256, dtype=bool)
    borders[[ord("\n"), ord(grammar.delimiter), ord(grammar.quote)]] = True
    number, upto, end = 1, 0, 0
    for start in range(1, len(signs) - 1, CHUNK):
        at = np.flatnonzero(signs[start : min(start + CHUNK, len(signs) - 1)] == ord(grammar.quote))
        at += start
        for place in at[~borders[signs[at - 1]] & ~borders[signs[at + 1]]].tolist():
            if place < end:
                continue  # within the last line
            begin = utf8.rfind(b"\n", 0, place) + 1
            end = utf8.find(b"\n", place) + 1 or len(utf8) + 1
            number, upto = number + utf8.count(b"\n", upto, begin), begin
            yield number, utf8[begin : end - 1].decode()


def _cells(line: str, grammar: Grammar, *, strict: bool = True) -> list[str] | None:
    """The cells of a line by itself; None where it is no record."""
    try:
        options: dict[str, Any] = {**grammar.csv_options, "strict": strict}
        reader = csv.reader(iter([line + "\n", "\n"]), **options)
        cells = next(reader)
    except (csv.Error, StopIteration):
        return None
    return cells if reader.line_num == 1 else None
