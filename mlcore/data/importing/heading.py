"""Which records of a split text name its columns: one, two with groups or units, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mlcore.data.importing import looks
from mlcore.data.importing.report import GUESS, LIKELY, SURE
from mlcore.data.importing.splitting import COMMENT_MARKS

MOST_RECORDS = 3
_KEY = "ImportId"
LONG_COUNT = 5  # columns that are rather counted 1, 2, 3 ... than begin with such a row
_COMMENT = re.compile(rf"^(?:{'|'.join(map(re.escape, COMMENT_MARKS))})\s*")
LEAST_ANSWERS = 4
LONG_QUESTION = 3  # words of a question without its mark
_ANSWERS = frozenset(("Response", "Open-Ended Response"))  # as one widely used tool says it
Cells = Sequence[str]


class Heading(NamedTuple):
    """The first record of names, how many hold them, and why."""

    at: int | None
    count: int
    why: tuple[str, str]  # reason and confidence


NO_HEADING = Heading(None, 1, ("The first line looks like the lines below it.", LIKELY))


def heading(rows: Sequence[Cells], first: int, width: int) -> Heading:
    """The records that hold the names, looked for from the first record of the usual width."""
    if named := _names_at(rows, _past_titles(rows, first, width), width):
        return named
    # One name less than cells, because the names of the rows have none.
    names, why = rows[first - 1] if first else [], None
    if names and len(names) == width - 1:
        why = is_header(names, [r[1:] for r in rows[first:]], len(names))
    elif len(names) > width:  # more names than cells
        why = is_header(names[:width], rows[first:], width)
    elif len(names) > 1 and all(map(looks.is_word, names)):  # the last columns go without
        why = is_header(names, [r[: len(names)] for r in rows[first:]], len(names))
    return Heading(first - 1, 1, why) if why else NO_HEADING


def _past_titles(rows: Sequence[Cells], first: int, width: int) -> int:
    """The record behind titles that a sheet filled up with empty cells, where names follow."""
    at = first
    while at < len(rows) - 1 and _is_title(rows[at], width):
        at += 1
    return at if _names_at(rows, at, width) else first


def _is_title(cells: Cells, width: int) -> bool:
    filled = [at for at, cell in enumerate(cells) if cell.strip()]
    if width == 2:  # where a word alone may be a row
        return filled == [0] and len(cells[0].split()) > 1
    few = 1 if width == 3 else 2
    is_left = filled == list(range(len(filled))) and len(filled) <= few
    return width > 2 and is_left and (len(filled) < 2 or looks.is_word(cells[0]))


def _names_at(rows: Sequence[Cells], at: int, width: int) -> Heading | None:
    below = rows[at + 1 :]
    if (keys := _keys_of_survey(rows, at)) is not None:
        return Heading(at, keys - at + 1, ("Below them stand the keys of a survey.", SURE))
    if below and _is_of_answers(rows[at], below[0]):
        return Heading(at, 2, ("Below them a survey says what was asked for.", LIKELY))
    why = is_header(rows[at], below, width)
    if not why and is_group(rows[at]) and below and is_header(below[0], below[1:], width):
        why = "It holds groups of the names below it.", LIKELY
    if not why:
        return None
    count = 1
    while count < MOST_RECORDS and _goes_on(rows, at + count, width):
        count += 1
    if count == 1 and _are_questions(rows, at + 1, width):
        return Heading(at, 2, ("The line below them holds the questions of a survey.", LIKELY))
    if count > 1:
        why = "These lines hold words above columns of numbers or dates.", LIKELY
    return Heading(at, count, why)


def _keys_of_survey(rows: Sequence[Cells], at: int) -> int | None:
    """The record, one or two below the names, in which a survey tool says its own keys as JSON."""
    for below in range(at + 1, min(at + MOST_RECORDS, len(rows))):
        filled = [cell for cell in rows[below] if cell.strip()]
        if not filled or not all(map(_is_object, filled)):
            continue
        answers = rows[below + 1 : below + 2]
        is_unlike = bool(answers) and not any(map(_is_object, answers[0]))
        if is_unlike or all(_KEY in cell for cell in filled):
            return below
    return None


def _is_object(cell: str) -> bool:
    """Whether it looks like an object of JSON."""
    bare = cell.strip()
    return bare.startswith('{"') and bare.endswith("}")


def _is_of_answers(names: Cells, below: Cells) -> bool:
    """Whether a survey tool says below its questions that an answer is there, or which."""
    filled = [cell.strip() for cell in below if cell.strip()]
    are_words = len(names) == len(below) and all(map(looks.is_word, filled))
    return are_words and not _ANSWERS.isdisjoint(filled)


def _are_questions(rows: Sequence[Cells], at: int, width: int) -> bool:
    """Whether a record asks what the records below answer: each of its cells stands there once,
    most are sentences longer than any answer, and answers come again."""
    below = [row for row in rows[at + 1 : at + 1 + looks.LOOKED_AT] if len(row) == width]
    if len(below) < LEAST_ANSWERS or len(rows[at]) != width:
        return False
    answers = [{row[column].strip() for row in below} - {""} for column in range(width)]
    filled = [column for column in range(width) if rows[at][column].strip()]
    asked = [c for c in filled if _is_question(rows[at][c].strip(), answers[c])]
    are_levels = sum(len(answers[c]) <= len(below) / 2 for c in asked)
    is_new = not any(rows[at][c].strip() in answers[c] for c in filled)
    is_word = all(looks.is_word(rows[at][c]) for c in filled)
    return is_new and is_word and 2 * len(asked) > width and 2 * are_levels >= len(asked) > 1


def _is_question(cell: str, answers: set[str]) -> bool:
    is_asking = cell.endswith("?") or len(cell.split()) >= LONG_QUESTION
    return is_asking and all(len(cell) > len(answer) for answer in answers)


def is_group(cells: Cells) -> bool:
    """Whether the cells stand over several columns each: a gap behind them, or repeated."""
    filled = [at for at, cell in enumerate(cells) if cell.strip()]
    if len(filled) < 2 or not all(looks.is_word(cells[at]) or looks.is_year(cells[at])
                                  for at in filled):  # fmt: skip
        return False
    has_gap = filled[-1] - filled[0] >= len(filled)
    return has_gap or len({cells[at] for at in filled}) < len(filled)


def _goes_on(rows: Sequence[Cells], at: int, width: int) -> bool:
    """Whether the record belongs to the names: units, or the names below groups."""
    below = rows[at + 1 :]
    if at < len(rows) and looks.is_rule(rows[at]):
        return bool(below)
    typed = looks.typed_columns(below, width)
    # Under a single column of numbers a word is more likely a cell of a row.
    if len(below) < 2 or (len(typed) < 2 and len(typed) < width) or len(rows[at]) < width:
        return False
    if _comes_again(rows[at], below) or any(map(looks.is_typed, rows[at])):
        return False
    over = [rows[at][column] for column in typed]
    words = [cell for cell in over if looks.is_word(cell) and not looks.is_missing(cell)]
    if not all(not cell.strip() or cell in words for cell in over):
        return False
    # A row of a table has more in it than a few words where its numbers would be.
    are_alone = len(words) > 1 and len(words) == sum(bool(cell.strip()) for cell in rows[at])
    return are_alone or 2 * len(words) >= len(over)


def _comes_again(cells: Cells, below: Sequence[Cells]) -> bool:
    """Whether a cell stands below in the column to its left: then it is a row that was shifted."""
    return any(
        at and cell.strip() and cell in row[at - 1 : at]
        for row in below
        for at, cell in enumerate(cells)
    )


def is_header(first: Cells, body: Sequence[Cells], width: int) -> tuple[str, str] | None:
    """Reason and confidence where the record names the columns of the body; else None."""
    width = width or len(first)
    texts = [looks.is_word(cell) for cell in first]
    body = [row for row in body if len(row) == width and not looks.is_rule(row)] or body
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
    first: Cells, body: Sequence[Cells], typed: list[int], texts: list[bool]
) -> tuple[str, str] | None:
    words = sum(texts[at] for at in typed)
    if 2 * words >= len(typed):
        return "It holds words above columns of numbers or dates.", SURE
    named = [at for at in typed if at > 0 or first[0].strip()]  # an index has no name
    over = [first[at] for at in named]
    below = [row[at] for row in body[:1] for at in named if at < len(row)]
    distinct = len(over) > 1 and len(set(over)) == len(over)
    if len(named) == len(first) and _are_alike(over, body, named):
        return None
    if distinct and all(map(looks.is_time, over)) and not all(map(looks.is_time, below)):
        return "It holds years or dates above columns of other numbers.", LIKELY
    beside = [at for at in range(len(first)) if at not in typed]
    are_named = all(texts[at] or (at == 0 and not first[0].strip()) for at in beside)
    if are_named and looks.counts_up(over) and not looks.counts_up(below):
        return "It counts columns of other numbers.", LIKELY
    return None


def _are_alike(over: Cells, body: Sequence[Cells], named: list[int]) -> bool:
    """Whether a line of whole numbers stands above nothing else, without the even steps of years
    or the length of a count: then it is rather a row."""
    cells = [cell.strip() for row in body for at, cell in enumerate(row) if at in named]
    if not all(map(str.isdigit, [*map(str.strip, over), *cells])):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(over)}
    if all(map(looks.is_year, over)):
        return len(steps) > 1
    return len(over) < LONG_COUNT


def names(records: Sequence[Cells], sample: Sequence[Cells], width: int) -> tuple[str, ...]:
    """One name a column from the records that hold them; "" where the file has none."""
    header = _joined(records)
    if header:
        header[0] = _COMMENT.sub("", header[0])
    if len(header) == width - 1 and header and sample:
        ends = [row[-1].strip() for row in sample if len(row) == width]
        # One cell more than names: a delimiter at the end of each line, or names of rows.
        return (*header, "") if not any(ends) else ("", *header)
    return (*header, *[""] * (width - len(header)))


def _joined(records: Sequence[Cells]) -> list[str]:
    """The parts of each name from top to bottom, each said once."""
    records = [row for row in records if not looks.is_rule(row)]
    if len(records) > 1 and any(map(_is_object, records[-1])):
        records = records[:1]  # the codes; below them the questions, and keys of the tool
    rows = [_spread(row) if is_group(row) else row for row in records[:-1]] + list(records[-1:])
    width = max(map(len, rows), default=0)
    parts = [[row[at].strip() for row in rows if at < len(row)] for at in range(width)]
    return [" ".join(dict.fromkeys(filter(None, part))) for part in parts]


def _spread(cells: Cells) -> list[str]:
    """The cells with gaps filled by the cell to their left."""
    filled: list[str] = []
    for cell in cells:
        filled.append(cell if cell.strip() or not filled else filled[-1])
    return filled
