"""A SELECT in a file of DuckDB: read only, without any other file, network or extension."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from mlcore.spine.errors import FileError
from service.bringing import sql
from service.bringing.sql import Bounds, Rows

ZONES = (
    "A column of times with a zone needs the package pytz, which is not installed: pip install "
    "pytz, or write CAST(column AS TIMESTAMP)."
)

FULL = "The statement needs more memory and disk than is allowed. Ask for less."


def ask(path: Path, statement: str, bounds: Bounds) -> Rows:
    """The rows of a statement. Raises FileError where it does more than read, or takes too long."""
    duckdb: Any = import_module("duckdb")
    settings = {
        "enable_external_access": "false",  # no other file, no network, no ATTACH, no extension
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": f"{max(64, bounds.memory_mb // 2)}MB",
        "threads": "1",
    }
    is_late = threading.Event()
    try:
        with duckdb.connect(str(path), read_only=True, config=settings) as connection:
            # Of what has no room in memory; as a setting of the connection it would bound nothing.
            connection.execute(f"SET max_temp_directory_size = '{bounds.memory_mb}MB'")
            connection.execute("SET lock_configuration = true")
            clock = threading.Timer(bounds.seconds, _stop, (connection, is_late))
            clock.daemon = True
            clock.start()
            try:
                return _read(duckdb, connection, statement, bounds)
            finally:
                clock.cancel()
    except duckdb.Error as error:
        if is_late.is_set():
            late = "The statement takes longer than the time allowed. Ask for less."
            raise FileError(late) from error
        if isinstance(error, duckdb.OutOfMemoryException):
            raise FileError(FULL) from error
        if "pytz" in str(error):  # the driver makes times of zones with it, and does not bring it
            raise FileError(ZONES) from error
        raise sql.wrong(error) from error


def _stop(connection: Any, is_late: threading.Event) -> None:
    is_late.set()
    connection.interrupt()


def _read(duckdb: Any, connection: Any, statement: str, bounds: Bounds) -> Rows:
    statements = connection.extract_statements(statement)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise FileError("A statement may only read: one SELECT.")
    connection.execute(statements[0])
    names = [column[0] for column in connection.description or ()]
    return sql.gathered(names, _batches(connection), bounds)


def _batches(connection: Any) -> Iterator[list[tuple]]:
    while batch := connection.fetchmany(sql.BATCH):
        yield batch
