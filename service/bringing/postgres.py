"""A SELECT in PostgreSQL: in a transaction that reads, with a limit of time, as one statement."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from mlcore.spine.errors import FileError
from service.bringing import sql
from service.bringing.sql import Bounds, Rows

PATIENCE = 10  # seconds for a connection
# Whoever may read or write files of the server's machine, run its programs, or become one who may:
# a transaction that reads holds none of them back.
BEYOND_READING = """
SELECT coalesce(bool_or(pg_has_role(session_user, oid, 'MEMBER')), false) FROM pg_roles
WHERE rolsuper OR rolname IN
    ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
"""
TOO_MUCH = (
    "This user of the database may do more than read tables: a SELECT of it can read files of the "
    "machine and write. Give a user who may only read, made once by CREATE ROLE reader LOGIN "
    "PASSWORD '…'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;"
)


def told(address: str) -> str:
    """The database for people and records: host and name, without who asks and the password."""
    try:
        parts = urlsplit(address)
        return f"{parts.path.strip('/') or 'PostgreSQL'} on {parts.hostname or 'this machine'}"
    except ValueError as error:
        raise FileError("The address of the database cannot be read.") from error


def ask(address: str, statement: str, bounds: Bounds) -> Rows:
    """The rows of a statement. Raises FileError where it does more than read, or takes too long."""
    psycopg: Any = import_module("psycopg")
    try:
        with psycopg.connect(address, connect_timeout=PATIENCE) as connection:
            connection.read_only = True
            _refuse_more_than_a_reader(connection)
            connection.execute(f"SET LOCAL statement_timeout = {int(bounds.seconds * 1000)}")
            connection.execute("SET LOCAL lock_timeout = 5000")
            try:
                return _read(connection, statement, bounds)
            finally:
                connection.rollback()  # large objects are made in a transaction that reads, too
    except psycopg.errors.QueryCanceled as error:
        late = "The statement takes longer than the time allowed. Ask for less."
        raise FileError(late) from error
    except psycopg.Error as error:
        raise sql.wrong(error) from error


def _refuse_more_than_a_reader(connection: Any) -> None:
    """Raises FileError for a user whom the rights of the database hold back from nothing."""
    (is_beyond,) = connection.execute(BEYOND_READING).fetchone()
    if is_beyond:
        raise FileError(TOO_MUCH)


def _read(connection: Any, statement: str, bounds: Bounds) -> Rows:
    # Inside another SELECT it can be nothing else itself, and in binary it is sent by itself: the
    # protocol then takes one statement only, so nothing can end the transaction that reads.
    asked = f"SELECT * FROM (\n{statement}\n) AS asked LIMIT {bounds.rows + 1}"
    with connection.cursor(binary=True) as cursor:
        cursor.execute(asked.encode(), prepare=False)
        names = [column.name for column in cursor.description or ()]
        return sql.gathered(names, _batches(cursor), bounds)


def _batches(cursor: Any) -> Iterator[list[tuple]]:
    while batch := cursor.fetchmany(sql.BATCH):
        yield batch
