"""The rows of one SELECT from a database on one's own machine, read only and within bounds.

SQLite is part of Python; DuckDB and PostgreSQL need their drivers. What comes is handed on as a
Parquet file, which keeps the types of the columns, and is read like any other.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mlcore.spine.errors import FileError
from mlcore.spine.wording import listed

SECONDS = 60.0  # for a statement
LONGEST = 20_000  # letters of a statement
MOST_COLUMNS = 2000
BATCH = 1000  # rows that are asked for at a time
SQLITE, DUCKDB, DUCKDB_AT = b"SQLite format 3\0", b"DUCK", 8
POSTGRESQL = ("postgresql://", "postgres://")
DRIVERS = {"duckdb": "pip install duckdb", "psycopg": 'pip install "psycopg[binary]"'}


class Bounds(NamedTuple):
    """What a statement may give and take."""

    rows: int
    seconds: float = SECONDS
    size: int = 200 * 2**20  # bytes of its values, by a rough count
    memory_mb: int = 2048


class Rows(NamedTuple):
    """What a statement gave."""

    names: Sequence[str]
    rows: list[tuple]


class Answer(NamedTuple):
    """A Parquet file with the rows, and what it is called."""

    content: bytes
    name: str
    database: str  # for people: without a password


def answer(database: str, statement: str, bounds: Bounds) -> Answer:
    """The rows of one SELECT. Raises FileError, with a sentence, where there are none to be had."""
    statement = _checked(statement)
    told, ask = _opened(database.strip())
    rows = ask(statement, bounds)
    return Answer(parquet(rows), f"SELECT from {told}", told)


def _checked(statement: str) -> str:
    """One statement without the semicolon at its end; the database sees whether it only reads."""
    text = statement.strip().rstrip(";").strip()
    if not text:
        raise FileError("There is no statement yet. Write one that begins with SELECT.")
    if len(text) > LONGEST or "\0" in text:
        raise FileError(f"A statement may have at most {LONGEST:,} letters, and no zero byte.")
    first = text.lstrip("(").split(None, 1)[0].upper()
    if first not in ("SELECT", "WITH", "VALUES"):
        raise FileError(f"The statement must begin with SELECT or WITH; got {first[:40]!r}.")
    return text


def _opened(database: str) -> tuple[str, Callable[[str, Bounds], Rows]]:
    """What a database is called, and how it is asked."""
    if not database:
        raise FileError("There is no database yet: give the path of a file, or postgresql://…")
    if database.startswith(POSTGRESQL):
        _need("psycopg", "PostgreSQL")
        postgres = import_module("service.bringing.postgres")
        return postgres.told(database), lambda text, bounds: postgres.ask(database, text, bounds)
    path = Path(database).expanduser()
    if not _is_file(path):
        raise FileError(f"There is no file {database[:200]!r}. Give its whole path.")
    begins = _begins(path)
    if begins.startswith(SQLITE):
        sqlite = import_module("service.bringing.sqlite")
        return path.name, lambda text, bounds: sqlite.ask(path, text, bounds)
    if begins[DUCKDB_AT : DUCKDB_AT + len(DUCKDB)] == DUCKDB:
        _need("duckdb", "DuckDB")
        duck = import_module("service.bringing.duck")
        return path.name, lambda text, bounds: duck.ask(path, text, bounds)
    raise FileError(
        f"{path.name!r} is no database of SQLite or DuckDB. Tables are brought as files."
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for one
        return False


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        raise FileError(f"{path.name!r} cannot be opened: {error.strerror}.") from error


def _need(module: str, what: str) -> None:
    if find_spec(module) is None:
        raise FileError(f"{what} needs its driver, which is not installed: {DRIVERS[module]}")


def gathered(names: Sequence[str], batches: Iterable[Sequence[tuple]], bounds: Bounds) -> Rows:
    """All rows of a statement, counted as they come. Raises FileError where they are too many."""
    if len(names) > MOST_COLUMNS:
        raise FileError(
            f"The statement gives {len(names):,} columns; at most {MOST_COLUMNS:,} are."
        )
    rows: list[tuple] = []
    size = 0
    for batch in batches:
        rows += batch
        size += sum(_size(value) for row in batch for value in row)
        if len(rows) > bounds.rows:
            raise FileError(
                f"The statement gives more than the {bounds.rows:,} rows that this installation "
                "takes. Add a condition, or LIMIT."
            )
        if size > bounds.size:
            raise FileError(
                f"The statement gives more than {bounds.size / 2**20:,.0f} MB. Ask for fewer rows "
                "or columns."
            )
    if not rows:
        raise FileError("The statement gives no rows.")
    return Rows(names, rows)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes) else 8


def parquet(rows: Rows) -> bytes:
    """The rows as a Parquet file; columns of one name are numbered."""
    names = _numbered(rows.names)
    columns = zip(*rows.rows, strict=True)
    frame = pd.DataFrame(
        {name: _column(name, values) for name, values in zip(names, columns, strict=True)}
    )
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


def _numbered(names: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for name in names:
        free, k = name or "column", 2
        while free in taken:
            free, k = f"{name or 'column'} ({k})", k + 1
        taken.append(free)
    return taken


def _column(name: str, values: Sequence[Any]) -> pd.Series:
    """One column: a type that all its values have, or texts where they have several."""
    kinds = {type(value) for value in values if value is not None}
    if kinds & {bytes, bytearray, memoryview}:
        raise FileError(f"The column {name!r} holds bytes. Leave it out of the SELECT.")
    if kinds & {list, dict, tuple, set}:
        raise FileError(f"The column {name!r} holds lists or records. Leave it out of the SELECT.")
    if kinds <= {int, float, Decimal} and kinds:
        return pd.Series([_as_number(value) for value in values], dtype=_number_type(values, kinds))
    if kinds <= {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds <= {date, datetime}:
        return pd.Series([_as_date(value) for value in values], dtype="datetime64[us]")
    return pd.Series([None if v is None else str(v) for v in values], dtype="string")


def _as_number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _number_type(values: Sequence[Any], kinds: set[type]) -> str:
    is_whole = kinds == {int} and all(abs(v) < 2**63 for v in values if v is not None)
    return "Int64" if is_whole else "float64"


def _as_date(value: Any) -> datetime | None:
    """A day or an instant; one with a zone as it is in UTC."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return None if value is None else datetime(value.year, value.month, value.day)


def wrong(error: Exception) -> FileError:
    """What a database said of a statement, as a sentence."""
    reason = " ".join(str(error).split())[:300].rstrip(".")
    return FileError(f"The database says: {reason}.")


def tables_of(names: Sequence[str]) -> str:
    """The tables that there are, for the sentence of one that is not."""
    return f" There are {listed(list(names)[:20])}." if names else ""
