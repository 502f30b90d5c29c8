"""The cells of the whole text as columns of strings, or of numbers where these are plain."""

# Arrow makes its functions when it is imported, where no checker of types sees them.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar, Record, records
from mlcore.data.importing.report import Ragged
from mlcore.data.importing.sniff import Layout
from mlcore.data.schema import CODE_WORDS, words
from mlcore.errors import FileError

BLOCK_BYTES = 1 << 22
# Whole numbers beyond this have neighbours that float64 cannot tell apart.
EXACT = 2.0**53


@dataclass(frozen=True)
class Parsed:
    """Columns of text and what did not fit into them."""

    columns: tuple[pa.Array, ...]  # equally long, of strings or of numbers; a hole may be null
    ragged: tuple[Ragged, ...] = ()


class OpenQuoteError(FileError):
    """A quotation mark opens in `line` or below, and swallows the rest of the file."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(
            f"A quotation mark in line {line} or below never closes. Read the file without "
            "quotation marks, or correct that line."
        )


def parse(decoded: Decoded, layout: Layout, decimal: str, *, only_text: bool) -> Parsed:
    """All rows. Regular text goes through Arrow's reader, the rest record by record."""
    columns = None
    if _is_regular(decoded.utf8, layout.grammar, len(layout.names)):
        numbers = set() if only_text else _plain_columns(layout, decimal)
        columns = _numbers_first(decoded.utf8, layout, numbers, decimal)
    if columns is None:
        return _padded(_records(decoded.text, layout), len(layout.names))
    return Parsed(columns)


def _numbers_first(
    utf8: bytes, layout: Layout, numbers: set[int], decimal: str
) -> tuple[pa.Array, ...] | None:
    """The columns with those read as numbers that are so in the sample; None if ragged."""
    columns = _arrow(utf8, layout, numbers, decimal) if numbers else None
    if columns is not None:
        numbers -= {at for at in numbers if _is_large(columns[at])}
        if all(pa.types.is_string(c.type) or at in numbers for at, c in enumerate(columns)):
            return columns
    # A cell beyond the sample is no plain number, or a record has another length.
    return _arrow(utf8, layout, set(), decimal)


def _plain_columns(layout: Layout, decimal: str) -> set[int]:
    """The columns that hold plain numbers, or nothing, in every record of the sample.

    Digits under a name such as zip are left to be looked at as text: zeros before them count.
    """
    number = re.compile(rf"|[+-]?(?:0|[1-9][0-9]{{0,14}})?(?:{re.escape(decimal)}[0-9]*)?"
                        r"(?:[eE][+-]?[0-9]+)?")  # fmt: skip
    return {
        at
        for at, name in enumerate(layout.names)
        if not words(name) & CODE_WORDS
        and all(at < len(row) and number.fullmatch(row[at]) for row in layout.sample)
        and any(row[at] for row in layout.sample)
    }


def _is_large(column: pa.Array) -> bool:
    """Whether it holds numbers that may be codes with more digits than a number can keep."""
    if pa.types.is_string(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return max(abs(end or 0.0) for end in ends.values()) >= EXACT


def _is_regular(utf8: bytes, grammar: Grammar, width: int) -> bool:
    """Whether Arrow reads it as we would: several columns, closed quotes, no comments."""
    has_comments = grammar.comment and f"\n{grammar.comment}".encode() in utf8
    is_open = grammar.quote and utf8.count(grammar.quote.encode()) % 2
    return width > 1 and not (grammar.spaced or has_comments or is_open)


def _start(utf8: bytes, skip: int) -> int:
    """The byte behind the first `skip` lines."""
    at = 0
    for _ in range(skip):
        at = utf8.find(b"\n", at) + 1
        if not at:
            return len(utf8)
    return at


def _arrow(
    utf8: bytes, layout: Layout, numbers: set[int], decimal: str
) -> tuple[pa.Array, ...] | None:
    """The columns by Arrow's reader; None where a record or a cell does not fit."""
    body = pa.py_buffer(utf8).slice(_start(utf8, layout.body))
    names = [str(at) for at in range(len(layout.names))]
    if not body.size or (body.size < BLOCK_BYTES and not body.to_pybytes().strip(b"\n")):
        return tuple(pa.array([], pa.string()) for _ in names)
    kinds = {n: pa.float64() if at in numbers else pa.string() for at, n in enumerate(names)}
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(body),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK_BYTES),
            parse_options=_parse_options(utf8, layout.grammar),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=kinds,
                null_values=[""],
                strings_can_be_null=True,
                check_utf8=False,
                decimal_point=decimal,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return tuple(column.combine_chunks() for column in table.columns)


def _parse_options(utf8: bytes, grammar: Grammar) -> pyarrow.csv.ParseOptions:
    # Without quoted cells Arrow can cut the text into blocks at any line end, and is faster.
    quote = grammar.quote if grammar.quote.encode() in utf8 else ""
    return pyarrow.csv.ParseOptions(
        delimiter=grammar.delimiter,
        quote_char=quote or False,
        double_quote=bool(quote),
        newlines_in_values=bool(quote),
    )


def _records(text: str, layout: Layout) -> list[Record]:
    """All records by Python's reader, which says in which line each begins."""
    grammar = layout.grammar
    try:
        rows = list(records(text, grammar, layout.body))
    except csv.Error:
        if grammar.quote and grammar.quote in text:
            raise OpenQuoteError(layout.body + 1) from None
        raise FileError(
            f"A line holds a cell of more than {csv.field_size_limit():,} characters, too long "
            "for a table. Bring a file of rows and columns."
        ) from None
    odd = grammar.quote and text.count(grammar.quote) % 2
    if odd and rows and rows[-1].last > rows[-1].line:
        raise OpenQuoteError(rows[-1].line)
    return rows


def _padded(rows: list[Record], width: int) -> Parsed:
    """Columns of equal length: short records end in holes, cells beyond the width are listed."""
    kept, ragged = [], []
    for line, _, cells in rows:
        if len(cells) == 1 and width > 1 and not cells[0].strip():
            continue
        extra = tuple(cells[width:])
        if len(cells) < width or any(cell.strip() for cell in extra):
            ragged.append(Ragged(line, width, len(cells), extra))
        kept.append(cells[:width] + [""] * (width - len(cells)))
    columns = zip(*kept, strict=True) if kept else [()] * width
    return Parsed(tuple(pa.array(column, pa.string()) for column in columns), tuple(ragged))
