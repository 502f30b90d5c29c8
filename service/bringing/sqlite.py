"""A SELECT in a file of SQLite: opened to be read, and allowed nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from mlcore.spine.errors import FileError
from service.bringing import sql
from service.bringing.sql import Bounds, Rows

# A statement may do this and nothing else: no ATTACH, no PRAGMA, no writing, no transaction.
ALLOWED = (
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
)  # fmt: skip
# Functions that reach beyond the file, where a build of SQLite has them.
CLOSED = ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fsdir", "lsmode")
STEPS = 10_000  # of SQLite's machine between two looks at the clock
LONGEST_VALUE = 50 * 2**20  # bytes


def ask(path: Path, statement: str, bounds: Bounds) -> Rows:
    """The rows of a statement. Raises FileError where it does more than read, or takes too long."""
    end, names = time.monotonic() + bounds.seconds, []
    try:
        with closing(_opened(path)) as connection:
            names = _tables(connection)
            connection.set_authorizer(_may)
            connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
            cursor = connection.execute(statement)
            columns = [column[0] for column in cursor.description or ()]
            return sql.gathered(columns, _batches(cursor), bounds)
    except sqlite3.Error as error:
        raise _sentence(error, end, names) from error
    except sqlite3.Warning as error:  # of Python 3.11: more than one statement
        raise sql.wrong(error) from error


def _opened(path: Path) -> sqlite3.Connection:
    """The file, so that nothing of it can be changed.

    It is taken as unchanging too, without locks or files beside it, unless there is a journal of
    changes that are not in it yet: these would be passed over.
    """
    journal = path.with_name(f"{path.name}-wal")
    is_whole = not (journal.is_file() and journal.stat().st_size)
    how = "mode=ro&immutable=1" if is_whole else "mode=ro"
    uri = f"file:{quote(str(path.resolve()))}?{how}"
    connection = sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    with suppress(sqlite3.NotSupportedError, AttributeError):  # a build without extensions
        connection.enable_load_extension(False)
    connection.execute("PRAGMA trusted_schema = OFF")  # views call no function with effects
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    return connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name LIMIT 50"
    return [name for (name,) in connection.execute(listed)]


def _may(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
    is_closed = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in CLOSED
    return sqlite3.SQLITE_OK if action in ALLOWED and not is_closed else sqlite3.SQLITE_DENY


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[tuple]]:
    while batch := cursor.fetchmany(sql.BATCH):
        yield batch


def _sentence(error: sqlite3.Error, end: float, names: list[str]) -> FileError:
    reason = str(error)
    if "interrupted" in reason and time.monotonic() > end:
        return FileError("The statement takes longer than the time allowed. Ask for less.")
    if "not authorized" in reason or "prohibited" in reason:
        return FileError("A statement may only read: one SELECT, without ATTACH or PRAGMA.")
    if "no such table" in reason:
        return FileError(f"The database says: {reason}.{sql.tables_of(names)}")
    return sql.wrong(error)
