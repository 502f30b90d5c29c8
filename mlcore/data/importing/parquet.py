"""Parquet files, whose columns are typed already."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mlcore.data.importing import convert
from mlcore.data.importing.assembly import Assembly, missing_markers
from mlcore.data.importing.bounds import Bounds
from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.errors import as_file_error
from mlcore.data.importing.lines import Grammar
from mlcore.data.importing.marks import marks
from mlcore.data.importing.parse import EXACT, Parsed
from mlcore.data.importing.report import SURE, Decision, Imported, Note
from mlcore.data.importing.sniff import Layout
from mlcore.spine.errors import FileError

MAGIC = b"PAR1"
WRITE_AGAIN = "Write it again."
NUMBER_BYTES = 8  # of one value that is no text
MARKED_ROWS = 100
DICTIONARY = {"PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"}
KNOWN = {
    "sheet": "", "encoding": "utf-8", "delimiter": ",", "quote": '"', "escape": "", "header": 0,
    "header_rows": 1, "skip": 0, "footer": 0, "comment": "", "unclosed": (), "inner": (),
    "left_out": (),
}  # fmt: skip


def is_parquet(data: bytes) -> bool:
    """Whether the bytes begin as a Parquet file."""
    return data.startswith(MAGIC)


def read(data: bytes, name: str, decisions: Decisions, bounds: Bounds) -> Imported:
    """The table of a Parquet file; its texts are read like those of any other file.

    Raises FileError if it holds no rows of numbers, texts or dates, or more than `bounds` allow.
    """
    with as_file_error("Parquet file", WRITE_AGAIN):
        table = _table(data, bounds)
        columns = {n: _readable(table.column(n).combine_chunks()) for n in table.column_names}
    readable = {n: column for n, column in columns.items() if column is not None}
    if not readable or not table.num_rows:
        raise FileError("The Parquet file holds no rows of numbers, texts or dates. Add some.")
    kinds = {n: _kind(table.schema.field(n).type) for n in columns}
    notes = tuple(_left_out(n, kinds[n]) for n in columns if n not in readable)
    notes += tuple(_in_seconds(n) for n in readable if pa.types.is_duration(kinds[n]))
    texts = [c.slice(0, MARKED_ROWS) for c in readable.values() if pa.types.is_string(c.type)]
    sample = [cell for column in texts for cell in column.drop_null().to_pylist()]
    number_marks = marks(sample, ",", decisions)
    missing = missing_markers(decisions).value
    how = convert.Reading(
        number_marks.decimal.value,
        number_marks.thousands.value,
        missing,
        decisions.texts,
        decisions.all_values or (),
    )
    return Assembly(
        name, Layout(Grammar(","), tuple(readable), 0, (), ()), Parsed(tuple(readable.values())),
        decisions, _taken(), notes, number_marks, how, form="parquet",
    ).imported()  # fmt: skip


def _table(data: bytes, bounds: Bounds) -> pa.Table:
    source = pa.BufferReader(data)
    file = pq.ParquetFile(source)
    _check_size(file, bounds)
    # A text that stands in a million rows is kept once, as in the file, until all are counted.
    table = pq.ParquetFile(source, read_dictionary=_with_dictionary(file)).read()
    table.validate(full=True)
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()  # a column for each part, called column.part
    bounds.check_unpacked(sum(_text_bytes(column) for column in table.columns))
    if len(set(table.column_names)) < table.num_columns:
        raise FileError("The Parquet file gives two columns one name. Rename one of them.")
    return table


def _chunks(file: pq.ParquetFile) -> list[list[Any]]:
    """What the end of the file says of each column, group of rows by group of rows."""
    metadata = file.metadata
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    return [[group.column(at) for group in groups] for at in range(metadata.num_columns)]


def _check_size(file: pq.ParquetFile, bounds: Bounds) -> None:
    """Refuse by what the end of the file declares: rows, and values, of which lists have many."""
    metadata = file.metadata
    bounds.check_rows(metadata.num_rows)
    bounds.check_columns(metadata.num_columns)
    bounds.check_cells(metadata.num_rows, metadata.num_columns)
    size = 0
    for at, chunks in enumerate(_chunks(file)):
        values = sum(chunk.num_values for chunk in chunks)
        bounds.check_cells(values, 1)
        declared = values * max(file.schema.column(at).length, NUMBER_BYTES)
        size += max(declared, sum(chunk.total_uncompressed_size for chunk in chunks))
    bounds.check_unpacked(size)


def _with_dictionary(file: pq.ParquetFile) -> list[str]:
    """The columns of texts that Arrow can read as codes."""
    paths = []
    for at, chunks in enumerate(_chunks(file)):
        column = file.schema.column(at)
        written = {encoding for chunk in chunks for encoding in chunk.encodings}
        is_text = column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
        if is_text and written <= DICTIONARY:
            paths.append(column.path)
    return paths


def _text_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of a column of codes once each row holds its text."""
    kind = column.type
    if not pa.types.is_dictionary(kind) or pa.types.is_primitive(kind.value_type):
        return 0
    lengths = ((pc.binary_length(chunk.dictionary), chunk.indices) for chunk in column.chunks)
    return sum(pc.sum(sizes.cast(pa.int64()).take(at)).as_py() or 0 for sizes, at in lengths)


def _readable(column: pa.Array) -> pa.Array | None:
    """The column as texts, numbers or moments; None for what no cell can hold."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _readable(column.dictionary_decode())
    if pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0):
        ends = pc.min_max(column).as_py()
        is_exact = max(abs(end or 0) for end in ends.values()) < EXACT
        return column.cast(pa.float64() if is_exact else pa.string())
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_duration(kind):
        micros = pc.cast(column, pa.duration("us"), safe=False).cast(pa.int64())
        return pc.divide(micros.cast(pa.float64()), 1e6)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _as_text(column)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        # What is finer than a microsecond is no difference between rows of a table.
        return pc.cast(column, pa.timestamp("us", tz=getattr(kind, "tz", None)), safe=False).cast(
            pa.timestamp("us")
        )
    is_plain = pa.types.is_boolean(kind) or pa.types.is_time(kind) or pa.types.is_null(kind)
    is_text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if is_plain or is_text or pa.types.is_string(kind):
        return column.cast(pa.string())
    return None


def _kind(kind: pa.DataType) -> pa.DataType:
    """The type of the values, of which a column may hold the codes."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _as_text(column: pa.Array) -> pa.Array | None:
    """Bytes as the text that they are, as some programs write it; None for any other bytes."""
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        return None


def _in_seconds(name: str) -> Note:
    return Note(f"Column {name!r} holds spans of time; they were read as seconds.", column=name)


def _left_out(name: str, kind: pa.DataType) -> Note:
    sentence = (
        f"Column {name!r} holds values of the type {kind}, which no cell can hold, and was left "
        "out. Make columns of its parts."
    )
    return Note(sentence, column=name)


def _taken() -> tuple[Decision, ...]:
    reason = "A Parquet file keeps its columns apart itself."
    return tuple(Decision(name, value, reason, SURE) for name, value in KNOWN.items())
