"""A table as bytes that hold it exactly, for keeping: an Arrow stream, packed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from mlcore.data.table import ColumnData, Table
from mlcore.spine.errors import DataError, FileError

COLUMNS = b"mlscope columns"  # where names, kinds and levels stand in the metadata


def to_bytes(table: Table) -> bytes:
    """The table, every bit of it: the digest of what comes back is the same."""
    described = [{"name": c.name, "kind": c.kind, "levels": c.levels} for c in table.columns]
    # In JSON, as ASCII: a name may hold what Arrow does not take for text.
    schema = pa.schema(
        [pa.field(str(at), pa.float64()) for at in range(len(table.columns))],
        metadata={COLUMNS: json.dumps(described)},
    )
    batch = pa.record_batch([pa.array(c.values) for c in table.columns], schema=schema)
    out = pa.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_stream(out, schema, options=options) as writer:
        writer.write_batch(batch)
    return out.getvalue().to_pybytes()


def from_bytes(content: bytes, check: Callable[[int, int], None] = lambda *_: None) -> Table:
    """The table that `to_bytes` wrote. Raises FileError for any other bytes.

    `check` is asked with rows and columns before, and as far as, the rows are unpacked.
    """
    try:
        read = _unpacked(content, check)
        read.validate(full=True)
        described = json.loads((read.schema.metadata or {})[COLUMNS])
        columns = [
            _column(column["name"], column["kind"], values.to_numpy(), tuple(column["levels"]))
            for column, values in zip(described, read.columns, strict=True)
        ]
        return Table.of(*columns)
    except FileError:
        raise
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, DataError) else type(error).__name__
        raise FileError(
            f"These bytes hold no table of MLScope ({detail}). Bring the file itself again."
        ) from error


def _column(name: Any, kind: Any, values: np.ndarray, levels: tuple[Any, ...]) -> ColumnData:
    """A column as somebody described it. Raises TypeError where that says other than texts."""
    if not all(isinstance(text, str) for text in (name, kind, *levels)):
        raise TypeError("names, kinds and levels are texts")
    return ColumnData(name, kind, values, levels)


def _unpacked(content: bytes, check: Callable[[int, int], None]) -> pa.Table:
    with pyarrow.ipc.open_stream(content) as stream:
        rows, columns = 0, len(stream.schema)
        check(rows, columns)
        batches = []
        for batch in stream:
            check(rows := rows + batch.num_rows, columns)
            batches.append(batch)
        return pa.Table.from_batches(batches, stream.schema)


def size(table: Table) -> int:
    """Bytes of the values and texts of a table, before they are packed."""
    texts = (text for c in table.columns for text in (c.name, *c.levels))
    return sum(c.values.nbytes for c in table.columns) + sum(len(text) for text in texts)
