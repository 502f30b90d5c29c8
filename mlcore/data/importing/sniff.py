"""Where the table stands in a text, and whether and where it names its columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import NamedTuple

from mlcore.data.importing.decisions import NO_HEADER, Decisions
from mlcore.data.importing.heading import Heading, heading, is_header, names
from mlcore.data.importing.lines import Grammar, records, too_long
from mlcore.data.importing.report import CHOSEN, LIKELY, SURE, Decision
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
    taken: tuple[Decision, ...]
    beyond: tuple[str, ...] = ()  # names that stand above no cell
    is_short: bool = False  # whether there are fewer names than cells


class _Place(NamedTuple):
    """Where the table begins in a split sample."""

    split: Split
    skip: Decision
    header: Decision
    at: int | None  # the first record of the sample that holds names
    first: int  # the record that is the first row
    header_rows: Decision


def sniff(text: str, decisions: Decisions) -> Layout:
    """The layout, from the first lines; what is decided already is taken as it is.

    More than `SAMPLE_CHARACTERS` of the text are not looked at; one more tells that it goes on.
    Raises FileError if every line is blank or a comment.
    """
    head = _head(text)
    named = named_delimiter(head) if decisions.delimiter is None else None
    comment = _comment(head, decisions)
    skip = decisions.skip if decisions.skip is not None else int(bool(named))
    chosen, delimiter = best_split(head, skip, str(comment.value), decisions, named)
    if not chosen.records:
        raise _no_table(head)
    place = _placed(chosen, skip, decisions)
    if place.at is None and (under := _under_comment(head, chosen, decisions)):
        place, comment = under
    quote, escape = _quote(head, chosen, decisions), _escape(chosen, decisions)
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


def _comment(head: str, decisions: Decisions) -> Decision:
    if decisions.comment is not None:
        return Decision("comment", decisions.comment, "You chose it.", CHOSEN)
    first = next((line for line in head.split("\n") if line.strip()), "")
    for mark in COMMENT_MARKS:
        if first.startswith(mark):
            reason = f"The file begins with a line that starts with {mark}."
            return Decision("comment", mark, reason, LIKELY)
    return Decision("comment", "", "No line at the top starts like a comment.", LIKELY)


def _quote(head: str, chosen: Split, decisions: Decisions) -> Decision:
    quote = chosen.grammar.quote
    if decisions.quote is not None:
        return Decision("quote", quote, "You chose it.", CHOSEN)
    if quote in head:
        return Decision("quote", quote, f"Cells stand between {quote} marks.", SURE)
    return Decision("quote", quote, "No cell is quoted at the top of the file.", LIKELY)


def _escape(chosen: Split, decisions: Decisions) -> Decision:
    escape = chosen.grammar.escape
    if decisions.escape is not None:
        return Decision("escape", escape, "You chose it.", CHOSEN)
    if escape:
        return Decision("escape", escape, "It stands before quotation marks within cells.", LIKELY)
    return Decision("escape", escape, "No quotation mark within a cell has one before it.", LIKELY)


def _placed(chosen: Split, skip: int, decisions: Decisions) -> _Place:
    """Where the table begins, as far as numbers of cells and looks of the first records tell."""
    header = decisions.header
    if isinstance(header, int):
        return _chosen_header(chosen, skip, header, decisions)
    first = 0 if decisions.skip is not None else chosen.start
    by_looks = heading([r.cells for r in chosen.records], first, chosen.width)
    if header:
        by_looks = Heading(None, 1, ("You chose it.", CHOSEN))
    at, count, why = by_looks
    rows = _header_rows(count, decisions)
    above = _skipped(chosen, skip, first if at is None else at, decisions)
    if at is None:
        return _Place(chosen, above, Decision("header", NO_HEADER, *why), None, first, rows)
    end = _end_of_names(chosen, at + int(rows.value))
    return _Place(chosen, above, Decision("header", 0, *why), at, end, rows)


def _header_rows(count: int, decisions: Decisions) -> Decision:
    if decisions.header_rows is not None:
        return Decision("header_rows", decisions.header_rows, "You chose it.", CHOSEN)
    if count == 1:
        return Decision("header_rows", 1, "The line below the names looks like a row.", LIKELY)
    reason = "The lines below the first hold words above columns of numbers or dates."
    return Decision("header_rows", count, reason, LIKELY)


def _end_of_names(chosen: Split, end: int) -> int:
    if end <= len(chosen.records):
        return end
    raise FileError(
        f"The names cannot end at record {end - 1}: the beginning of the file has "
        f"{len(chosen.records)} records, counted from 0. Choose an earlier one."
    )


def _chosen_header(chosen: Split, skip: int, header_row: int, decisions: Decisions) -> _Place:
    rows = _header_rows(1, decisions)
    end = _end_of_names(chosen, header_row + int(rows.value))
    header = Decision("header", header_row, "You chose it.", CHOSEN)
    return _Place(chosen, _skipped(chosen, skip, 0, decisions), header, header_row, end, rows)


def _skipped(chosen: Split, skip: int, first: int, decisions: Decisions) -> Decision:
    if decisions.skip is not None:
        return Decision("skip", skip, "You chose it.", CHOSEN)
    if first:
        reason = "The lines above the table have another number of cells."
        return Decision("skip", chosen.records[first].line - 1, reason, LIKELY)
    reason = "The first line names the delimiter." if skip else "The table begins at the top."
    return Decision("skip", skip, reason, SURE)


def _under_comment(
    head: str, chosen: Split, decisions: Decisions
) -> tuple[_Place, Decision] | None:
    """The place where the last comment at the top names the columns."""
    mark = chosen.grammar.comment
    decided = (decisions.comment, decisions.header, decisions.header_rows, decisions.skip)
    if not mark or any(value is not None for value in decided) or chosen.start:
        return None
    lines = head.split("\n")[: chosen.records[0].line - 1]
    at = max((at for at, line in enumerate(lines) if line.startswith(mark)), default=None)
    if at is None:
        return None
    grammar = replace(chosen.grammar, comment="")
    first = next(records(lines[at].removeprefix(mark).strip(), grammar), None)
    rows = [r.cells for r in chosen.records]
    if not first or len(first.cells) != chosen.width:
        return None
    if not is_header(first.cells, rows, chosen.width):
        return None
    reason = "The last comment above the table names the columns."
    bare = replace(split(head, at, grammar), width=chosen.width)
    above, header = Decision("skip", at, reason, LIKELY), Decision("header", 0, reason, LIKELY)
    place = _Place(bare, above, header, 0, 1, _header_rows(1, decisions))
    return place, Decision("comment", "", reason, LIKELY)


def _layout(place: _Place, taken: tuple[Decision, ...]) -> Layout:
    rows = place.split.records
    sample = tuple(tuple(r.cells) for r in rows[place.first :])
    header = [] if place.at is None else rows[place.at : place.first]
    every, width = names([r.cells for r in header], sample, place.split.width), place.split.width
    is_short = bool(header) and max(len(r.cells) for r in header) < width
    return Layout(
        grammar=place.split.grammar,
        names=every[:width],
        body=header[-1].last if header else int(place.skip.value),
        sample=sample,
        taken=(*taken, place.skip, place.header, place.header_rows),
        beyond=tuple(filter(None, every[width:])),
        is_short=is_short,
    )
