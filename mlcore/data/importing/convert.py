"""Columns of text made into numbers, dates or names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mlcore.data import cells, dates
from mlcore.data.importing import digits, measures
from mlcore.data.importing.decisions import THOUSANDS
from mlcore.data.importing.levels import Levels
from mlcore.data.importing.report import Note, told
from mlcore.data.table import ColumnData

# From this share of numbers on, the other cells are more likely mistakes than names.
MOSTLY = 0.9
SHOWN = 3
PEEKED = 100
_LOSS = rf"\(|[{cells.MINUS}]$"


@dataclass(frozen=True)
class Reading:
    """How numbers and missing values are written."""

    decimal: str
    thousands: str
    missing: tuple[str, ...]
    texts: tuple[str, ...] | None = None  # columns kept as they are written, if a person says so
    all_values: tuple[str, ...] = ()  # columns in which only empty cells are missing

    @property
    def has_numeric_markers(self) -> bool:
        """Whether a number such as -9 marks a missing value: then no cell is plainly a number."""
        return any(cells.number(text, self.decimal) is not None for text in self.missing)


@dataclass
class Read:
    """A column, and what is to be said about how it was read."""

    column: ColumnData
    missing: tuple[str, ...] = ()  # the markers met
    notes: list[Note] = field(default_factory=list)
    is_kept: bool = False  # as it is written, though it holds numbers


def plain(name: str, column: pa.Array, how: Reading, met: tuple[str, ...]) -> Read | Levels:
    """The column as plain numbers, ISO dates or codes made of digits; else its texts.

    A column that is numbers already comes with the markers of missing values met in it.
    """
    if name in how.all_values:
        how = replace(how, missing=())
    if name in (how.texts or ()) and not _is_typed(column):
        return _names(name, Levels.of(column, how.missing))
    if pa.types.is_timestamp(column.type):
        return _dated(name, digits.days_of(column), met, is_typed=True)
    if pa.types.is_dictionary(column.type):
        return _plain_levels(name, Levels.of(column, how.missing), how)
    if not pa.types.is_string(column.type):
        values = column.to_numpy(zero_copy_only=False)
        may_be_days = name not in (how.texts or ())
        return _finite(name, values, met, may_be_days=may_be_days, is_typed=True)
    if not how.has_numeric_markers:
        values = digits.plain_numbers(column, how.decimal)
        if values is not None and not digits.is_code(column, values):
            return _finite(name, values, ())
        days, met = _days_with_missing(column, how.missing)
        if days is not None:
            return _dated(name, days, met)
    return _plain_levels(name, Levels.of(column, how.missing), how)


def _is_typed(column: pa.Array) -> bool:
    """Whether the cells are numbers or moments already: all of them plain, so nothing is lost."""
    return not (pa.types.is_string(column.type) or pa.types.is_dictionary(column.type))


def _days_with_missing(
    column: pa.Array, missing: tuple[str, ...]
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """ISO dates and the markers of missing values met, without a level for every moment."""
    few = pc.utf8_trim_whitespace(column.slice(0, PEEKED).drop_null()).to_pylist()
    first = next((text for text in few if text not in missing and text), "")
    if dates.day(first) is None:
        return None, ()
    is_missing = pc.is_in(column, value_set=pa.array(["", *missing]))
    met = pc.unique(pc.filter(column, is_missing)).to_pylist()
    column = pc.if_else(is_missing, pa.scalar(None, pa.string()), column)
    return digits.iso_days(column), tuple(sorted(marker for marker in met if marker))


def _plain_levels(name: str, levels: Levels, how: Reading) -> Read | Levels:
    """The same once blanks and markers of missing values are gone."""
    values = digits.plain_numbers(levels.array, how.decimal)
    if values is not None:
        if digits.is_code(levels.array, values):
            return _names(name, levels)
        return _finite(name, levels.spread(values), levels.met)
    days = digits.iso_days(levels.array)
    return levels if days is None else _dated(name, levels.spread(days), levels.met)


def convert(name: str, levels: Levels, how: Reading, date_order: str) -> Read:
    """The column as numbers with marks or units, else as dates, else as names."""
    return (
        _numbers(name, levels, how)
        or _dates(name, levels, date_order)
        or _measured(name, levels, how)
        or _nearly_dates(name, levels, how)
        or _names(name, levels)
    )


def _finite(
    name: str,
    values: np.ndarray,
    met: tuple[str, ...],
    *,
    may_be_days: bool = True,
    is_typed: bool = False,
) -> Read:
    """The column without what is no finite number; `is_typed` where the cells are no texts."""
    days = digits.days_in_digits(values) if may_be_days else None
    if days is not None:
        example = cells.number_text(float(values[np.flatnonzero(~np.isnan(values))[0]]))
        sentence = f"Column {name!r} holds numbers such as {example}; they were read as dates."
        note = Note(sentence, column=name, fix=("texts", (name,)), press="They are no dates")
        return Read(ColumnData(name, "datetime", days), met, [note])
    endless = np.isinf(values)
    if not endless.any():
        return Read(ColumnData(name, "number", values), met)
    rows = np.flatnonzero(endless)
    sentence = (
        f"Column {name!r} has {_cells(len(rows))} too large for a number or infinite, the first "
        f"in row {rows[0] + 1}; read as missing."
    )
    column = ColumnData(name, "number", np.where(endless, np.nan, values))
    return Read(column, met, [_lost(name, sentence, is_typed)])


def _lost(name: str, sentence: str, is_typed: bool) -> Note:
    """A note on cells that became missing, which stay as they are written where they are texts."""
    if is_typed:
        return Note(sentence, column=name)
    return Note(sentence, column=name, fix=("texts", (name,)), press="Keep as text")


def _numbers(name: str, levels: Levels, how: Reading) -> Read | None:
    """Numbers with thousands marks or units, or under other marks than most of the file."""
    few, best, marks = levels.few, None, (how.decimal, how.thousands)
    for pair in _pairs_of_marks(how) if few else ():
        # Few words tell already whether the rest is worth reading.
        if np.isnan(cells.numbers(few, *pair)).mean() > 1 - MOSTLY:
            continue
        parsed = levels.numbers(*pair)
        if best is None or np.isnan(parsed).sum() < np.isnan(best).sum():
            best, marks = parsed, pair
        if np.isnan(best).sum() == len(levels.missing_among_numbers):
            break
    if best is None:
        return None
    strange = np.isnan(best) & ~levels.is_missing
    if strange.any():
        return _nearly(name, levels, np.flatnonzero(strange), how, "numbers")
    return _marked(name, levels, best, marks, how)


def _pairs_of_marks(how: Reading) -> list[tuple[str, str]]:
    """Decimal and thousands marks to try, those of the file first."""
    other = "," if how.decimal == "." else "."
    spaces = [mark for mark in THOUSANDS if mark not in (".", ",")]
    pairs = [(how.decimal, how.thousands), (how.decimal, "")]
    pairs += [(how.decimal, mark) for mark in (other, *spaces)]
    pairs += [(other, mark) for mark in ("", how.decimal)]
    return list(dict.fromkeys(pairs))


def _marked(
    name: str, levels: Levels, numbers: np.ndarray, marks: tuple[str, str], how: Reading
) -> Read:
    """The numbers, with a note on units and on marks that the rest of the file does not have."""
    read = _finite(name, levels.spread(numbers), _met(levels))
    unit = levels.first(cells.UNITS)
    if unit and how.texts is None and (mix := measures.mixed(levels.words)):
        return _mixed(name, levels, mix)
    if marks[0] != how.decimal:
        why, example, fix = f"uses {marks[0]} as its decimal mark", None, ("decimal", marks[0])
    elif unit:
        why, example, fix = "has units", unit, ("texts", (name,))
    elif example := levels.first(_LOSS):
        why, fix = "writes losses as accounts do", ("texts", (name,))
    elif marks[1] not in ("", how.thousands) and (example := levels.first(re.escape(marks[1]))):
        why, fix = "has thousands marks", ("thousands", marks[1])
    else:
        return read
    example = example or levels.few[0]
    value = cells.number_text(cells.numbers([example], *marks)[0])
    sentence = f"Column {name!r} {why}; {example} was read as {value}."
    press = "Keep as text" if fix[0] == "texts" else ""
    read.notes.append(Note(sentence, column=name, fix=fix, press=press))
    return read


def _mixed(name: str, levels: Levels, mix: str) -> Read:
    """Names, with a note on why they are not made numbers, which a press makes of them."""
    read = _kept(name, levels, mix)
    note = replace(read.notes[0], fix=("texts", ()), press="Read as numbers all the same")
    return replace(read, notes=[note])


def _kept(name: str, levels: Levels, mix: str) -> Read:
    sentence = f"Column {name!r} holds {mix}, which are not one quantity; it was kept as text."
    return replace(_names(name, levels), notes=[Note(sentence, column=name)], is_kept=True)


def _measured(name: str, levels: Levels, how: Reading) -> Read | None:
    """Numbers with a unit or flags in letters, and times."""
    words = levels.words
    measured = measures.measured(words, how.decimal, how.thousands) if words else None
    if measured is None:
        mix = measures.of_several_quantities(words)
        return _kept(name, levels, mix) if mix else None
    values = np.full(len(levels.array), np.nan)
    values[~levels.is_missing] = measured.values
    value = cells.number_text(values[levels.texts.index(measured.example)]) or "missing"
    sentence = (
        f"Column {name!r} holds numbers with {measured.what}; {measured.example} was read as "
        f"{value}."
    ).replace("numbers with times", "times")
    note = Note(sentence, column=name, fix=("texts", (name,)), press="Keep as text")
    return Read(ColumnData(name, "number", levels.spread(values)), _met(levels), [note])


def _met(levels: Levels) -> tuple[str, ...]:
    return tuple(sorted({*levels.met, *levels.missing_among_numbers}))


def _nearly_dates(name: str, levels: Levels, how: Reading) -> Read | None:
    """Names, with a note that few of them are no dates; None where many are not."""
    few = levels.few
    if not few:
        return None
    tried = {order: np.isnan(dates.days(few, order)).mean() for order in dates.DATE_ORDERS}
    order = min(tried, key=tried.__getitem__)
    if tried[order] > 1 - MOSTLY:
        return None
    strange = np.isnan(levels.days(order)) & ~levels.is_missing
    return _nearly(name, levels, np.flatnonzero(strange), how, "dates")


def _nearly(name: str, levels: Levels, strange: np.ndarray, how: Reading, what: str) -> Read | None:
    """Names, with a note that few of them are no numbers or dates; None where many are not."""
    counts = levels.counts()
    others = int(counts[strange].sum())
    if others > (1 - MOSTLY) * counts.sum():
        return None
    texts = tuple(levels.array.take(pa.array(strange)).to_pylist())
    first = int(np.flatnonzero(np.isin(levels.codes, strange))[0])
    shown = ", ".join(repr(told(text)) for text in texts[:SHOWN]) + (
        " and more" if len(texts) > SHOWN else ""
    )
    sentence = (
        f"Column {name!r} holds {what} but for {_cells(others)}: {shown}, the first in row "
        f"{first + 1}. To use it as {what}, read these as missing."
    )
    read = _names(name, levels)
    read.notes.append(Note(sentence, column=name, fix=("missing", (*how.missing, *texts))))
    return read


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _dates(name: str, levels: Levels, order: str) -> Read | None:
    orders = levels.date_orders
    if not orders:
        return None
    if order in orders:
        return _dated(name, levels.spread(levels.days(order)), _met(levels))
    if len(orders) == 1:
        return _in_own_order(name, levels, min(orders), order)
    read, example = _names(name, levels), levels.words[-1]
    sentence = (
        f"Column {name!r} holds dates such as {example}, and none of them decides whether the day "
        "or the month comes first; they were kept as text. Choose the date order "
        f"{' or '.join(sorted(orders))}."
    )
    read.notes.append(Note(sentence, column=name, fix=("date_order", min(orders))))
    return read


def _in_own_order(name: str, levels: Levels, own: str, order: str) -> Read:
    """Dates of a column that can be read in one order only, another than that of the file."""
    read = _dated(name, levels.spread(levels.days(own)), _met(levels))
    sentence = (
        f"Column {name!r} holds dates such as {levels.words[-1]}, which are in the order {own}, "
        f"while the file is read in the order {order}; they were read in their own."
    )
    note = Note(sentence, column=name, fix=("texts", (name,)), press="Keep as text")
    read.notes.append(note)
    return read


def _dated(name: str, days: np.ndarray, met: tuple[str, ...], *, is_typed: bool = False) -> Read:
    outside = (days < dates.FIRST_DAY) | (days >= dates.LAST_DAY + 1)
    if not outside.any():
        return Read(ColumnData(name, "datetime", days), met)
    rows = np.flatnonzero(outside)
    sentence = (
        f"Column {name!r} has {_cells(len(rows))} with a date outside the years 1 to 9999, the "
        f"first in row {rows[0] + 1}; read as missing."
    )
    column = ColumnData(name, "datetime", np.where(outside, np.nan, days))
    return Read(column, met, [_lost(name, sentence, is_typed)])


def _names(name: str, levels: Levels) -> Read:
    codes = np.where(levels.codes < 0, np.nan, levels.codes.astype(np.float64))
    return Read(ColumnData(name, "nominal", codes, tuple(levels.texts)), levels.met)
