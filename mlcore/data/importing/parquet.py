"""Parquet files, whose columns are typed already."""

# Arrow makes its functions when it is imported, where no checker of types sees them.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mlcore.data.importing import convert
from mlcore.data.importing.assembly import Assembly, missing_markers
from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.lines import Grammar
from mlcore.data.importing.marks import marks
from mlcore.data.importing.parse import EXACT, Parsed
from mlcore.data.importing.report import SURE, Imported, Note, Taken
from mlcore.data.importing.sniff import Layout
from mlcore.spine.errors import FileError

MAGIC = b"PAR1"
MAX_UNPACKED = 2**31  # a small file may unpack to more than a machine holds
MARKED_ROWS = 100
KNOWN = {
    "sheet": "", "encoding": "utf-8", "delimiter": ",", "quote": '"', "escape": "", "header": 0,
    "header_rows": 1, "skip": 0, "footer": 0, "comment": "",
}  # fmt: skip


def is_parquet(data: bytes) -> bool:
    """Whether the bytes begin as a Parquet file."""
    return data.startswith(MAGIC)


def read(data: bytes, name: str, decisions: Decisions) -> Imported:
    """The table of a Parquet file; texts are read like those of any other file."""
    table = _table(data)
    columns = {n: _readable(table.column(n).combine_chunks()) for n in table.column_names}
    kept = {n: column for n, column in columns.items() if column is not None}
    if not kept or not table.num_rows:
        raise FileError("The Parquet file holds no rows of numbers, texts or dates. Add some.")
    kinds = {n: table.schema.field(n).type for n in columns}
    notes = tuple(_left_out(n, kinds[n]) for n in columns if n not in kept)
    notes += tuple(_in_seconds(n) for n in kept if pa.types.is_duration(kinds[n]))
    texts = [c.slice(0, MARKED_ROWS) for c in kept.values() if pa.types.is_string(c.type)]
    sample = [cell for column in texts for cell in column.drop_null().to_pylist()]
    found = marks(sample, ",", decisions)
    missing = missing_markers(decisions).value
    how = convert.Reading(found.decimal.value, found.thousands.value, missing)
    return Assembly(
        name, Layout(Grammar(","), tuple(kept), 0, (), ()), Parsed(tuple(kept.values())),
        decisions, _taken(), notes, found, how, form="parquet",
    ).imported()  # fmt: skip


def _table(data: bytes) -> pa.Table:
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > MAX_UNPACKED:
            raise FileError(
                f"The Parquet file unpacks to more than {MAX_UNPACKED / 2**20:,.0f} MB, too much "
                "to be read here. Bring a sample of its rows."
            )
        table = file.read()
    except (pa.ArrowException, OSError):
        raise FileError(
            "The Parquet file cannot be read: it is cut off, damaged or encrypted. Write it again."
        ) from None
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()  # a column for each part, called column.part
    if len(set(table.column_names)) < table.num_columns:
        raise FileError("The Parquet file gives two columns one name. Rename one of them.")
    return table


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


def _taken() -> tuple[Taken, ...]:
    reason = "A Parquet file keeps its columns apart itself."
    return tuple(Taken(name, value, reason, SURE) for name, value in KNOWN.items())
