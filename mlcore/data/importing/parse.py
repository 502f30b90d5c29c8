"""The cells of the whole text as columns of strings, or of numbers and days that are plain."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mlcore.data import cells
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar, records, too_long
from mlcore.data.importing.mending import Read, fitted, mended
from mlcore.data.importing.report import Ragged
from mlcore.data.importing.sniff import Layout
from mlcore.data.schema import CODE_WORDS, words
from mlcore.spine.errors import FileError
from mlcore.spine.pool import side_by_side

BLOCK_BYTES = 1 << 22
PART = 20_000  # rows that are read as Python's texts at a time
RAGGED = "CSV parse error"  # how Arrow speaks of a record with too few or too many cells
# Whole numbers beyond this have neighbours that float64 cannot tell apart.
EXACT = 2.0**53
# Below this share of different texts in the sample a column is read as codes.
FEW = 0.5
_CODES = pa.dictionary(pa.int32(), pa.string())
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}:[0-9]{2})?")


@dataclass(frozen=True)
class Parsed:
    """Columns of text and what did not fit into them."""

    # Equally long, of strings, codes of strings, numbers or moments; missing values may be null.
    columns: tuple[pa.Array, ...]
    ragged: tuple[Ragged, ...] = ()
    # Markers of missing values in columns of numbers, as far as the sample shows them.
    missing: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class OpenQuoteError(FileError):
    """A quotation mark opens in `line` or below, and swallows the rest of the file."""

    def __init__(self, line: int, delimiter: str) -> None:
        self.line, self.delimiter = line, delimiter
        super().__init__(
            f"A quotation mark in line {line} or below never closes. Read the file without "
            "quotation marks, or correct that line."
        )


@dataclass(frozen=True)
class _Typed:
    """What the columns are in the sample: Arrow then makes numbers, moments and codes at once."""

    kinds: Mapping[int, pa.DataType]  # of the columns that are no strings
    missing: Mapping[int, tuple[str, ...]]  # markers of missing numbers and moments
    decimal: str

    @property
    def markers(self) -> list[str]:
        """All of these markers, and the empty cell."""
        return ["", *{marker for met in self.missing.values() for marker in met}]


def parse(decoded: Decoded, layout: Layout, decimal: str, missing: tuple[str, ...]) -> Parsed:
    """All rows. Regular text goes through Arrow's reader, the rest record by record.

    Raises FileError if a quotation mark never closes, or a cell is too long.
    """
    parsed, utf8 = None, _without_comments(decoded.utf8, layout.grammar)
    if _is_regular(utf8, layout.grammar, len(layout.names)):
        typed = _typed(layout, decimal, missing)
        # Beyond the sample a cell may be no plain number, or a record may have another length.
        parsed = _typed_first(utf8, layout, typed) or _only_text(utf8, layout)
    return parsed or _record_by_record(decoded.text, decoded.utf8, layout)


def _without_comments(utf8: bytes, grammar: Grammar) -> bytes:
    """The text with blank lines for its comments, where no cell can go over several lines."""
    mark = grammar.comment.encode()
    if not mark or b"\n" + mark not in utf8 or (grammar.quote and grammar.quote.encode() in utf8):
        return utf8
    return _comment_lines(mark).sub(b"", utf8)


@cache
def _comment_lines(mark: bytes) -> re.Pattern[bytes]:
    return re.compile(b"^" + re.escape(mark) + rb"[^\n]*", re.MULTILINE)


def _typed_first(utf8: bytes, layout: Layout, typed: _Typed) -> Parsed | None:
    parsed = _arrow(utf8, layout, typed) if typed.missing else None
    return None if parsed is None or any(side_by_side(_is_large, parsed.columns)) else parsed


def _only_text(utf8: bytes, layout: Layout) -> Parsed | None:
    return _arrow(utf8, layout, _Typed({}, {}, "."))


def _typed(layout: Layout, decimal: str, missing: tuple[str, ...]) -> _Typed:
    """What every record of the sample agrees on.

    Digits under a name such as zip are left to be looked at as text: zeros before them count.
    """
    if any(cells.number(marker, decimal) is not None for marker in missing):
        return _Typed(
            {}, {}, decimal
        )  # a number that marks a missing value must be seen as it is written
    kinds, markers = {}, {}
    for at, name in enumerate(layout.names):
        texts = {row[at] if at < len(row) else "" for row in layout.sample}
        met = tuple(sorted(texts & set(missing)))
        filled = texts - {"", *met}
        is_plain = all(map(_plain_number(decimal).fullmatch, filled))
        if filled and is_plain and not words(name) & CODE_WORDS:
            kinds[at], markers[at] = pa.float64(), met
        elif filled and all(map(_MOMENT.fullmatch, filled)):
            kinds[at], markers[at] = pa.timestamp("us"), met
        elif len(texts) < FEW * len(layout.sample):
            kinds[at] = _CODES
    return _Typed(kinds, markers, decimal)


@cache
def _plain_number(decimal: str) -> re.Pattern[str]:
    """Digits without a zero before them, and not more than a number can keep."""
    whole, part = r"(?:0|[1-9][0-9]{0,14})?", rf"(?:{re.escape(decimal)}[0-9]*)?"
    return re.compile(rf"[+-]?{whole}{part}(?:[eE][+-]?[0-9]+)?")


def _is_large(column: pa.Array) -> bool:
    """Whether it holds numbers that may be codes with more digits than a number can keep."""
    if not pa.types.is_floating(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return max(abs(end or 0.0) for end in ends.values()) >= EXACT


def _is_regular(utf8: bytes, grammar: Grammar, width: int) -> bool:
    """Whether Arrow reads it as we would: several columns, closed quotes, no comments."""
    has_comments = grammar.comment and f"\n{grammar.comment}".encode() in utf8
    may_have_rules = grammar.delimiter == "|" and b"--" in utf8
    is_open = grammar.quote and _quotes(utf8, grammar) % 2
    return width > 1 and not (grammar.spaced or has_comments or may_have_rules or is_open)


def _quotes(utf8: bytes, grammar: Grammar) -> int:
    """How many quotation marks have no escape before them."""
    quote = grammar.quote.encode()
    if quote not in utf8:  # said sooner than counted
        return 0
    n_quotes = utf8.count(quote)
    if not grammar.escape:
        return n_quotes
    return n_quotes - utf8.count(grammar.escape.encode() + quote)


def _start(utf8: bytes, skip: int) -> int:
    """The byte behind the first `skip` lines."""
    at = 0
    for _ in range(skip):
        at = utf8.find(b"\n", at) + 1
        if not at:
            return len(utf8)
    return at


def _lines(utf8: bytes, start: int) -> int:
    """How many lines there are from a byte on, those without anything at the end aside."""
    end = len(utf8)
    while end > start and utf8[end - 1] == ord("\n"):
        end -= 1
    return utf8.count(b"\n", start, end) + 1


def _arrow(utf8: bytes, layout: Layout, typed: _Typed) -> Parsed | None:
    """The columns by Arrow's reader; None where a cell is no number, or a record not a line."""
    start = _start(utf8, layout.body)
    body = pa.py_buffer(utf8).slice(start)
    names = [str(at) for at in range(len(layout.names))]
    if not body.size or (body.size < BLOCK_BYTES and not body.to_pybytes().strip(b"\n")):
        return Parsed(tuple(pa.array([], pa.string()) for _ in names))
    # Without quoted cells Arrow can cut the text into blocks at any line end, and is faster.
    has_quotes = layout.grammar.quote.encode() in utf8
    grammar = layout.grammar if has_quotes else replace(layout.grammar, quote="")
    read, ragged = partial(_read, names, typed), ()
    try:
        table = read(body, grammar)
    except pa.ArrowInvalid as error:
        if not str(error).startswith(RAGGED):
            return None
        lines = layout.body, _lines(utf8, start)
        repaired = _mended(read, body, grammar, lines, len(names))
        if repaired is None:
            return None
        table, ragged = repaired
    columns = (column.combine_chunks() for column in table.unify_dictionaries().columns)
    return Parsed(tuple(columns), ragged, typed.missing)


def _mended(
    read: Read, body: pa.Buffer, grammar: Grammar, lines: tuple[int, int], width: int
) -> tuple[pa.Table, tuple[Ragged, ...]] | None:
    try:
        return mended(read, body, grammar, lines, width)
    except pa.ArrowInvalid:  # beyond the first ragged record there is a cell that is no number
        return None


def _read(
    names: list[str],
    typed: _Typed,
    body: pa.Buffer,
    grammar: Grammar,
    aside: Callable[[Any], str] | None = None,
) -> pa.Table:
    """The table; `aside` gets the ragged records, which are else an error, and their numbers."""
    kinds = {name: typed.kinds.get(at, pa.string()) for at, name in enumerate(names)}
    return pyarrow.csv.read_csv(
        pa.BufferReader(body),
        read_options=pyarrow.csv.ReadOptions(
            column_names=names,
            block_size=BLOCK_BYTES,
            use_threads=aside is None,  # several threads together do not number the records
        ),
        parse_options=_parse_options(grammar, aside),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=kinds,
            null_values=typed.markers,
            # Among names, markers of missing values are told apart later.
            strings_can_be_null=not typed.missing,
            check_utf8=False,
            decimal_point=typed.decimal,
        ),
    )


def _parse_options(
    grammar: Grammar, aside: Callable[[Any], str] | None
) -> pyarrow.csv.ParseOptions:
    quote = grammar.quote
    return pyarrow.csv.ParseOptions(
        delimiter=grammar.delimiter,
        quote_char=quote or False,
        double_quote=bool(quote),
        escape_char=grammar.escape or False,
        newlines_in_values=bool(quote),
        invalid_row_handler=aside,
    )


def _record_by_record(text: str, utf8: bytes, layout: Layout) -> Parsed:
    """All records by Python's reader, which says in which line each begins.

    Some at a time become columns of Arrow, which take a fraction of the room of their cells.
    """
    grammar, width = layout.grammar, len(layout.names)
    parts, rows, ragged = [], [], []
    record = None
    try:
        for record in records(text, grammar, layout.body):
            cells_now = record.cells
            if len(cells_now) != width:
                cells_now, misfit = fitted(record, width)
                ragged += [misfit] if misfit else []
            if cells_now is not None:
                rows.append(cells_now)
            if len(rows) == PART:
                parts.append(_columns(rows))
                rows = []
    except csv.Error:
        if grammar.quote and grammar.quote in text:
            raise OpenQuoteError(layout.body + 1, grammar.delimiter) from None
        raise too_long() from None
    odd = grammar.quote and _quotes(utf8, grammar) % 2
    if odd and record and record.last > record.line:
        raise OpenQuoteError(record.line, grammar.delimiter)
    parts += [_columns(rows)] if rows else []
    # Column by column: the parts of one are gone before those of the next are joined.
    whole = [pa.concat_arrays([part.pop() for part in parts]) for _ in range(width if parts else 0)]
    whole.reverse()
    empty = [pa.array([], pa.string())] * width
    return Parsed(tuple(whole or empty), tuple(ragged))


def _columns(rows: list[list[str]]) -> list[pa.Array]:
    return [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
