"""Where the table stands in a text, and whether and where it names its columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from mlcore.data.importing import looks
from mlcore.data.importing.decisions import NO_HEADER, Decisions
from mlcore.data.importing.lines import Grammar, records
from mlcore.data.importing.report import GUESS, LIKELY, SAID, SURE, Taken
from mlcore.data.importing.splitting import (
    COMMENT_MARKS,
    SAMPLE_LINES,
    Split,
    best_split,
    named_delimiter,
    split,
)
from mlcore.errors import FileError

SAMPLE_CHARACTERS = 400_000


@dataclass(frozen=True)
class Layout:
    """Where the rows are, how they split, and what the columns are called."""

    grammar: Grammar
    names: tuple[str, ...]  # as written; as many as there are columns
    body: int  # lines before the first row
    sample: tuple[tuple[str, ...], ...]  # some first rows
    taken: tuple[Taken, ...]


class _Place(NamedTuple):
    """Where the table begins in a split sample."""

    split: Split
    skip: Taken
    header: Taken
    at: int | None  # the record of the sample that holds the names
    first: int  # the record that is the first row


def sniff(text: str, decisions: Decisions) -> Layout:
    """The layout, from the first lines; what is decided already is taken as it is."""
    head = _head(text)
    named = named_delimiter(head) if decisions.delimiter is None else None
    comment = _comment(head, decisions)
    skip = decisions.skip if decisions.skip is not None else int(bool(named))
    found, delimiter = best_split(head, skip, str(comment.value), decisions, named)
    if not found.found:
        raise FileError("The file holds no table: every line is blank or a comment.")
    place = _placed(found, skip, decisions)
    if place.at is None and (under := _under_comment(head, found, decisions)):
        place, comment = under
    return _layout(place, (delimiter, comment, _quote(head, found, decisions)))


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


def _placed(found: Split, skip: int, decisions: Decisions) -> _Place:
    """Where the table begins, as far as numbers of cells and looks of the first records tell."""
    said = decisions.header
    if isinstance(said, int):
        return _said_header(found, skip, said, decisions)
    first = 0 if decisions.skip is not None else found.start
    at, why = (None, ("You chose it.", SAID)) if said else _header(found, first)
    above = _skipped(found, skip, first if at is None else at, decisions)
    value = NO_HEADER if at is None else 0
    return _Place(found, above, Taken("header", value, *why), at, first if at is None else at + 1)


def _said_header(found: Split, skip: int, said: int, decisions: Decisions) -> _Place:
    if said >= len(found.found):
        raise FileError(
            f"Record {said} cannot hold the names: the beginning of the file has "
            f"{len(found.found)} records, counted from 0. Choose an earlier one."
        )
    header = Taken("header", said, "You chose it.", SAID)
    return _Place(found, _skipped(found, skip, 0, decisions), header, said, said + 1)


def _skipped(found: Split, skip: int, first: int, decisions: Decisions) -> Taken:
    if decisions.skip is not None:
        return Taken("skip", skip, "You chose it.", SAID)
    if first:
        reason = "The lines above the table have another number of cells."
        return Taken("skip", found.found[first].line - 1, reason, LIKELY)
    reason = "The first line names the delimiter." if skip else "The table begins at the top."
    return Taken("skip", skip, reason, SURE)


def _header(found: Split, first: int) -> tuple[int | None, tuple[str, str]]:
    """The record that holds the names, or None, with reason and confidence."""
    rows = [r.cells for r in found.found]
    if why := _is_header(rows[first], rows[first + 1 :], found.width):
        return first, why
    # One name less than cells, because the names of the rows have none.
    names = rows[first - 1] if first else []
    if names and len(names) == found.width - 1:
        why = _is_header(names, [r[1:] for r in rows[first:]], len(names))
        if why:
            return first - 1, why
    return None, ("The first line looks like the lines below it.", LIKELY)


def _under_comment(head: str, found: Split, decisions: Decisions) -> tuple[_Place, Taken] | None:
    """The place where the last comment at the top names the columns."""
    mark = found.grammar.comment
    decided = (decisions.comment, decisions.header, decisions.skip)
    if not mark or any(value is not None for value in decided) or found.start:
        return None
    lines = head.split("\n")[: found.found[0].line - 1]
    at = max(at for at, line in enumerate(lines) if line.startswith(mark))
    grammar = replace(found.grammar, comment="")
    names = next(records(lines[at].removeprefix(mark).strip(), grammar), None)
    rows = [r.cells for r in found.found]
    if not names or len(names.cells) != found.width:
        return None
    if not _is_header(names.cells, rows, found.width):
        return None
    reason = "The last comment above the table names the columns."
    bare = replace(split(head, at, grammar), width=found.width)
    place = _Place(
        bare, Taken("skip", at, reason, LIKELY), Taken("header", 0, reason, LIKELY), 0, 1
    )
    return place, Taken("comment", "", reason, LIKELY)


def _layout(place: _Place, taken: tuple[Taken, ...]) -> Layout:
    found = place.split.found
    sample = tuple(tuple(r.cells) for r in found[place.first :])
    header = None if place.at is None else found[place.at]
    return Layout(
        grammar=place.split.grammar,
        names=_names(header.cells if header else [], sample, place.split.width),
        body=header.last if header else int(place.skip.value),
        sample=sample,
        taken=(*taken, place.skip, place.header),
    )


def _names(header: list[str], sample: tuple[tuple[str, ...], ...], width: int) -> tuple[str, ...]:
    """One name a column; "" where the file has none."""
    names = [name.strip() for name in header]
    if names:
        names[0] = re.sub(r"^(#|%|//)\s*", "", names[0])
    if len(names) == width - 1 and names and sample:
        ends = [row[-1].strip() for row in sample if len(row) == width]
        # One cell more than names: a delimiter at the end of each line, or names of rows.
        return (*names, "") if not any(ends) else ("", *names)
    return (*names, *[""] * (width - len(names)))


def _is_header(first: list[str], body: list[list[str]], width: int) -> tuple[str, str] | None:
    """Reason and confidence where the record names the columns of the body; else None."""
    width = width or len(first)
    texts = [looks.is_word(cell) for cell in first]
    body = [row for row in body if len(row) == width] or body
    typed = [at for at in looks.typed_columns(body, width) if at < len(first)]
    if typed:
        return _stands_out(first, body, typed, texts)
    distinct = [cell.strip() for cell in first if cell.strip()]
    if not distinct or not all(texts[at] or not first[at].strip() for at in range(len(first))):
        return None
    if not body:
        return "It is the only line, and holds text.", LIKELY
    below = any(
        row[at] == cell for row in body for at, cell in enumerate(first[: len(row)]) if cell
    )
    if below or len(set(distinct)) < len(distinct) or len(distinct) < len(first) - 1:
        return None
    return "Its words do not come again below; all columns are text.", GUESS


def _stands_out(
    first: list[str], body: list[list[str]], typed: list[int], texts: list[bool]
) -> tuple[str, str] | None:
    words = sum(texts[at] for at in typed)
    if 2 * words >= len(typed):
        return "It holds words above columns of numbers or dates.", SURE
    years = [first[at] for at in typed]
    below = [row[at] for row in body[:1] for at in typed if at < len(row)]
    distinct = len(years) > 1 and len(set(years)) == len(years)
    if distinct and all(map(looks.is_year, years)) and not all(map(looks.is_year, below)):
        return "It holds years above columns of other numbers.", LIKELY
    return None
