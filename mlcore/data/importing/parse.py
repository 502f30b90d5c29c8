"""The cells of the whole text as columns of strings, or of numbers and days that are plain."""

# Arrow makes its functions when it is imported, where no checker of types sees them.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mlcore.data import cells
from mlcore.data.importing.decode import Decoded
from mlcore.data.importing.lines import Grammar, Record, records
from mlcore.data.importing.report import Ragged
from mlcore.data.importing.sniff import Layout
from mlcore.data.schema import CODE_WORDS, words
from mlcore.errors import FileError

BLOCK_BYTES = 1 << 22
# Whole numbers beyond this have neighbours that float64 cannot tell apart.
EXACT = 2.0**53
# Below this share of different texts in the sample a column is read as codes.
FEW = 0.5
_CODES = pa.dictionary(pa.int32(), pa.string())
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}:[0-9]{2})?")


@dataclass(frozen=True)
class Parsed:
    """Columns of text and what did not fit into them."""

    # Equally long, of strings, codes of strings, numbers or moments; a hole may be null.
    columns: tuple[pa.Array, ...]
    ragged: tuple[Ragged, ...] = ()
    # Markers of holes in columns of numbers, as far as the sample shows them.
    missing: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class OpenQuoteError(FileError):
    """A quotation mark opens in `line` or below, and swallows the rest of the file."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(
            f"A quotation mark in line {line} or below never closes. Read the file without "
            "quotation marks, or correct that line."
        )


@dataclass(frozen=True)
class _Typed:
    """What the columns are in the sample: Arrow then makes numbers, moments and codes at once."""

    kinds: Mapping[int, pa.DataType]  # of the columns that are no strings
    missing: Mapping[int, tuple[str, ...]]  # markers of holes in numbers and moments
    decimal: str

    @property
    def markers(self) -> list[str]:
        """All of these markers, and the empty cell."""
        return ["", *{marker for met in self.missing.values() for marker in met}]


def parse(decoded: Decoded, layout: Layout, decimal: str, missing: tuple[str, ...]) -> Parsed:
    """All rows. Regular text goes through Arrow's reader, the rest record by record."""
    parsed = None
    if _is_regular(decoded.utf8, layout.grammar, len(layout.names)):
        typed = _typed(layout, decimal, missing)
        # Beyond the sample a cell may be no plain number, or a record may have another length.
        parsed = _typed_first(decoded.utf8, layout, typed) or _only_text(decoded.utf8, layout)
    return parsed or _padded(_records(decoded.text, layout), len(layout.names))


def _typed_first(utf8: bytes, layout: Layout, typed: _Typed) -> Parsed | None:
    columns = _arrow(utf8, layout, typed) if typed.missing else None
    if columns is None or any(map(_is_large, columns)):
        return None
    return Parsed(columns, missing=typed.missing)


def _only_text(utf8: bytes, layout: Layout) -> Parsed | None:
    columns = _arrow(utf8, layout, _Typed({}, {}, "."))
    return None if columns is None else Parsed(columns)


def _typed(layout: Layout, decimal: str, missing: tuple[str, ...]) -> _Typed:
    """What every record of the sample agrees on.

    Digits under a name such as zip are left to be looked at as text: zeros before them count.
    """
    if any(cells.number(marker, decimal) is not None for marker in missing):
        return _Typed({}, {}, decimal)  # a number that means a hole must be seen as it is written
    kinds, found = {}, {}
    for at, name in enumerate(layout.names):
        texts = {row[at] if at < len(row) else "x" for row in layout.sample}
        met = tuple(sorted(texts & set(missing)))
        filled = texts - {"", *met}
        is_plain = all(map(_plain_number(decimal).fullmatch, filled))
        if filled and is_plain and not words(name) & CODE_WORDS:
            kinds[at], found[at] = pa.float64(), met
        elif filled and all(map(_MOMENT.fullmatch, filled)):
            kinds[at], found[at] = pa.timestamp("us"), met
        elif len(texts) < FEW * len(layout.sample):
            kinds[at] = _CODES
    return _Typed(kinds, found, decimal)


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
    escaped = utf8.count(grammar.escape.encode() + quote) if grammar.escape else 0
    return utf8.count(quote) - escaped


def _start(utf8: bytes, skip: int) -> int:
    """The byte behind the first `skip` lines."""
    at = 0
    for _ in range(skip):
        at = utf8.find(b"\n", at) + 1
        if not at:
            return len(utf8)
    return at


def _arrow(utf8: bytes, layout: Layout, typed: _Typed) -> tuple[pa.Array, ...] | None:
    """The columns by Arrow's reader; None where a record or a cell does not fit."""
    body = pa.py_buffer(utf8).slice(_start(utf8, layout.body))
    names = [str(at) for at in range(len(layout.names))]
    if not body.size or (body.size < BLOCK_BYTES and not body.to_pybytes().strip(b"\n")):
        return tuple(pa.array([], pa.string()) for _ in names)
    kinds = {name: typed.kinds.get(at, pa.string()) for at, name in enumerate(names)}
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(body),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK_BYTES),
            parse_options=_parse_options(utf8, layout.grammar),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=kinds,
                null_values=typed.markers,
                # Among names, markers of holes are told apart later.
                strings_can_be_null=not typed.missing,
                check_utf8=False,
                decimal_point=typed.decimal,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return tuple(column.combine_chunks() for column in table.unify_dictionaries().columns)


def _parse_options(utf8: bytes, grammar: Grammar) -> pyarrow.csv.ParseOptions:
    # Without quoted cells Arrow can cut the text into blocks at any line end, and is faster.
    quote = grammar.quote if grammar.quote.encode() in utf8 else ""
    return pyarrow.csv.ParseOptions(
        delimiter=grammar.delimiter,
        quote_char=quote or False,
        double_quote=bool(quote),
        escape_char=grammar.escape or False,
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
    odd = grammar.quote and _quotes(text.encode(), grammar) % 2
    if odd and rows and rows[-1].last > rows[-1].line:
        raise OpenQuoteError(rows[-1].line)
    return rows


def _padded(rows: list[Record], width: int) -> Parsed:
    """Columns of equal length: short records end in holes, cells beyond the width are listed."""
    kept, ragged = [], []
    for line, _, row in rows:
        if len(row) == 1 and width > 1 and not row[0].strip():
            continue
        extra = tuple(row[width:])
        if len(row) < width or any(cell.strip() for cell in extra):
            ragged.append(Ragged(line, width, len(row), extra))
        kept.append(row[:width] + [""] * (width - len(row)))
    columns = zip(*kept, strict=True) if kept else [()] * width
    return Parsed(tuple(pa.array(column, pa.string()) for column in columns), tuple(ragged))
