"""Where the table stands in a text, and whether and where it names its columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import NamedTuple

from mlcore.data.importing.decisions import NO_HEADER, Decisions
from mlcore.data.importing.heading import Heading, heading, is_header, names
from mlcore.data.importing.lines import Grammar, records, too_long
from mlcore.data.importing.report import LIKELY, SAID, SURE, Taken
from mlcore.data.importing.splitting import (
    COMMENT_MARKS,
    SAMPLE_LINES,
    Split,
    best_split,
    named_delimiter,
    split,
)
from mlcore.spine.errors import FileError

SAMPLE_CHARACTERS = 400_000


@dataclass(frozen=True)
class Layout:
    """Where the rows are, how they split, and what the columns are called."""

    grammar: Grammar
    names: tuple[str, ...]  # as written; as many as there are columns
    body: int  # lines before the first row
    sample: tuple[tuple[str, ...], ...]  # some first rows
    taken: tuple[Taken, ...]
    beyond: tuple[str, ...] = ()  # names that stand above no cell


class _Place(NamedTuple):
    """Where the table begins in a split sample."""

    split: Split
    skip: Taken
    header: Taken
    at: int | None  # the first record of the sample that holds names
    first: int  # the record that is the first row
    header_rows: Taken


def sniff(text: str, decisions: Decisions) -> Layout:
    """The layout, from the first lines; what is decided already is taken as it is.

    More than `SAMPLE_CHARACTERS` of the text are not looked at; one more tells that it goes on.
    """
    head = _head(text)
    named = named_delimiter(head) if decisions.delimiter is None else None
    comment = _comment(head, decisions)
    skip = decisions.skip if decisions.skip is not None else int(bool(named))
    found, delimiter = best_split(head, skip, str(comment.value), decisions, named)
    if not found.found:
        raise _no_table(head)
    place = _placed(found, skip, decisions)
    if place.at is None and (under := _under_comment(head, found, decisions)):
        place, comment = under
    quote, escape = _quote(head, found, decisions), _escape(found, decisions)
    return _layout(place, (delimiter, comment, quote, escape))


def _no_table(head: str) -> FileError:
    if len(head) > csv.field_size_limit():
        return too_long()
    return FileError("The file holds no table: every line is blank or a comment.")


def _head(text: str) -> str:
    """The first lines, without a last one that may be cut."""
    head = text[:SAMPLE_CHARACTERS]
    lines = head.split("\n", SAMPLE_LINES)
    if len(lines) > SAMPLE_LINES or (len(text) > len(head) and len(lines) > 1):
        lines.pop()
    return "\n".join(lines)


def _comment(head: str, decisions: Decisions) -> Taken:
    if decisions.comment is not None:
        return Taken("comment", decisions.comment, "You chose it.", SAID)
    first = next((line for line in head.split("\n") if line.strip()), "")
    for mark in COMMENT_MARKS:
        if first.startswith(mark):
            reason = f"The file begins with a line that starts with {mark}."
            return Taken("comment", mark, reason, LIKELY)
    return Taken("comment", "", "No line at the top starts like a comment.", LIKELY)


def _quote(head: str, found: Split, decisions: Decisions) -> Taken:
    quote = found.grammar.quote
    if decisions.quote is not None:
        return Taken("quote", quote, "You chose it.", SAID)
    if quote in head:
        return Taken("quote", quote, f"Cells stand between {quote} marks.", SURE)
    return Taken("quote", quote, "No cell is quoted at the top of the file.", LIKELY)


def _escape(found: Split, decisions: Decisions) -> Taken:
    escape = found.grammar.escape
    if decisions.escape is not None:
        return Taken("escape", escape, "You chose it.", SAID)
    if escape:
        return Taken("escape", escape, "It stands before quotation marks within cells.", LIKELY)
    return Taken("escape", escape, "No quotation mark within a cell has one before it.", LIKELY)


def _placed(found: Split, skip: int, decisions: Decisions) -> _Place:
    """Where the table begins, as far as numbers of cells and looks of the first records tell."""
    said = decisions.header
    if isinstance(said, int):
        return _said_header(found, skip, said, decisions)
    first = 0 if decisions.skip is not None else found.start
    by_looks = heading([r.cells for r in found.found], first, found.width)
    if said:
        by_looks = Heading(None, 1, ("You chose it.", SAID))
    at, count, why = by_looks
    rows = _header_rows(count, decisions)
    above = _skipped(found, skip, first if at is None else at, decisions)
    if at is None:
        return _Place(found, above, Taken("header", NO_HEADER, *why), None, first, rows)
    end = _end_of_names(found, at + int(rows.value))
    return _Place(found, above, Taken("header", 0, *why), at, end, rows)


def _header_rows(count: int, decisions: Decisions) -> Taken:
    if decisions.header_rows is not None:
        return Taken("header_rows", decisions.header_rows, "You chose it.", SAID)
    if count == 1:
        return Taken("header_rows", 1, "The line below the names looks like a row.", LIKELY)
    reason = "The lines below the first hold words above columns of numbers or dates."
    return Taken("header_rows", count, reason, LIKELY)


def _end_of_names(found: Split, end: int) -> int:
    if end <= len(found.found):
        return end
    raise FileError(
        f"The names cannot end at record {end - 1}: the beginning of the file has "
        f"{len(found.found)} records, counted from 0. Choose an earlier one."
    )


def _said_header(found: Split, skip: int, said: int, decisions: Decisions) -> _Place:
    rows = _header_rows(1, decisions)
    end = _end_of_names(found, said + int(rows.value))
    header = Taken("header", said, "You chose it.", SAID)
    return _Place(found, _skipped(found, skip, 0, decisions), header, said, end, rows)


def _skipped(found: Split, skip: int, first: int, decisions: Decisions) -> Taken:
    if decisions.skip is not None:
        return Taken("skip", skip, "You chose it.", SAID)
    if first:
        reason = "The lines above the table have another number of cells."
        return Taken("skip", found.found[first].line - 1, reason, LIKELY)
    reason = "The first line names the delimiter." if skip else "The table begins at the top."
    return Taken("skip", skip, reason, SURE)


def _under_comment(head: str, found: Split, decisions: Decisions) -> tuple[_Place, Taken] | None:
    """The place where the last comment at the top names the columns."""
    mark = found.grammar.comment
    decided = (decisions.comment, decisions.header, decisions.header_rows, decisions.skip)
    if not mark or any(value is not None for value in decided) or found.start:
        return None
    lines = head.split("\n")[: found.found[0].line - 1]
    at = max((at for at, line in enumerate(lines) if line.startswith(mark)), default=None)
    if at is None:
        return None
    grammar = replace(found.grammar, comment="")
    first = next(records(lines[at].removeprefix(mark).strip(), grammar), None)
    rows = [r.cells for r in found.found]
    if not first or len(first.cells) != found.width:
        return None
    if not is_header(first.cells, rows, found.width):
        return None
    reason = "The last comment above the table names the columns."
    bare = replace(split(head, at, grammar), width=found.width)
    above, header = Taken("skip", at, reason, LIKELY), Taken("header", 0, reason, LIKELY)
    place = _Place(bare, above, header, 0, 1, _header_rows(1, decisions))
    return place, Taken("comment", "", reason, LIKELY)


def _layout(place: _Place, taken: tuple[Taken, ...]) -> Layout:
    found = place.split.found
    sample = tuple(tuple(r.cells) for r in found[place.first :])
    header = [] if place.at is None else found[place.at : place.first]
    every, width = names([r.cells for r in header], sample, place.split.width), place.split.width
    return Layout(
        grammar=place.split.grammar,
        names=every[:width],
        body=header[-1].last if header else int(place.skip.value),
        sample=sample,
        taken=(*taken, place.skip, place.header, place.header_rows),
        beyond=tuple(filter(None, every[width:])),
    )
