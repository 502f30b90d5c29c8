"""The database of shared runs: which one, how it is opened, and one transaction at a time.

SQLite in a folder of this installation, or the PostgreSQL that DATABASE_URL names.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, SQLAlchemyError, StatementError, TimeoutError

from mlcore.spine.errors import MlcoreError
from service.starting import PROJECT

LOG = logging.getLogger(__name__)

DATABASE, FOLDER = "DATABASE_URL", "MLSCOPE_STORE"
LOCK = 0x6D6C73636F7065  # among PostgreSQL's advisory locks: "mlscope"
BUSY_SECONDS = 2  # that a person waits for others to be done with the database, or to be reached
READS = "reads"  # option of a connection of SQLite: it takes no lock
OTHERS = "Others are using the store of shared runs at this moment. Try again in a minute."
# As the drivers name what went wrong: SQLite by words, PostgreSQL by codes.
BUSY = {"SQLITE_BUSY", "SQLITE_LOCKED", "55P03"}
FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "53100"}


class StoreError(MlcoreError):
    """What was asked of the store of shared runs cannot be done."""


class NoRoomError(StoreError):
    """The disk of the store is full."""


@runtime_checkable
class HasState(Protocol):
    """An error of PostgreSQL; its driver need not be installed, so its class has no name here."""

    sqlstate: str | None


def address(environment: Mapping[str, str]) -> str:
    """The database that the environment names, or a file in this installation's own folder."""
    if named := environment.get(DATABASE, "").strip():
        return named
    return f"sqlite:///{folder(environment) / 'shared.sqlite'}"


def folder(environment: Mapping[str, str]) -> Path:
    """Where this installation keeps files: the folder that is named, or its own."""
    return Path(environment.get(FOLDER, "").strip() or PROJECT / ".mlscope")


def opened(address: str) -> sql.Engine:
    """The way to a database; StoreError where the address names none that we know."""
    try:
        url = sql.make_url(address)
        if url.drivername in ("postgres", "postgresql"):
            url = url.set(drivername="postgresql+psycopg")
        if url.get_backend_name() == "sqlite":
            return _sqlite(url)
        if url.get_backend_name() != "postgresql":
            raise ArgumentError(f"{url.drivername} is not supported")
        # One that was restarted meanwhile is called again.
        reached = {} if "connect_timeout" in url.query else {"connect_timeout": BUSY_SECONDS}
        return sql.create_engine(
            url, pool_pre_ping=True, pool_size=2, pool_timeout=BUSY_SECONDS, connect_args=reached
        )
    except (ArgumentError, ModuleNotFoundError, OSError) as error:
        LOG.exception("The store of shared runs cannot be opened.")
        raise StoreError(
            f"Runs cannot be stored here: {DATABASE} or {FOLDER} is not set as the hosting guide "
            f"says ({type(error).__name__}). Whoever runs the server finds the reason in its log."
        ) from error


@contextmanager
def transaction(engine: sql.Engine) -> Iterator[sql.Connection]:
    """One transaction while no other server changes anything.

    StoreError where the database fails, or others are at it for too long.
    """
    with _in_sentences(), engine.begin() as db:
        if engine.dialect.name == "postgresql":
            db.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")
            db.execute(sql.select(sql.func.pg_advisory_xact_lock(LOCK)))
        yield db


@contextmanager
def reading(engine: sql.Engine) -> Iterator[sql.Connection]:
    """The database as it is at one moment, whoever changes it meanwhile; nobody is waited for."""
    with _in_sentences(), engine.connect() as db:
        if engine.dialect.name == "postgresql":
            db.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        else:
            db.execution_options(**{READS: True})
        with db.begin():
            yield db


def wipe(engine: sql.Engine) -> None:
    """Have SQLite drop its log, where removed rows still stand; PostgreSQL vacuums by itself.

    StoreError where somebody still reads what stands there.
    """
    if engine.dialect.name == "sqlite":
        with _in_sentences(), closing(engine.raw_connection()) as db:
            refused, *_ = db.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if refused:
                LOG.warning("The log of the store is in use; it is dropped at the next removal.")
                raise StoreError(OTHERS)


def beside(engine: sql.Engine, name: str) -> Path | None:
    """A file beside the one of SQLite; None where the database is a server or in memory."""
    where = engine.url.database
    return Path(f"{where}-{name}") if engine.dialect.name == "sqlite" and where else None


def is_begun(environment: Mapping[str, str]) -> bool:
    """Whether anything may be stored already: nothing is made before somebody shares a run."""
    file = Path(address(environment).removeprefix("sqlite:///"))
    return bool(environment.get(DATABASE, "").strip()) or file.exists()


def _sqlite(url: sql.URL) -> sql.Engine:
    Path(url.database or "").parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sql.create_engine(
        url, connect_args={"timeout": BUSY_SECONDS}, pool_timeout=BUSY_SECONDS
    )

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        # What is deleted is overwritten: people are told that it is gone.
        for setting in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begun(db: sql.Connection) -> None:
        # Who changes something takes the lock at once, as with PostgreSQL.
        reads = db.get_execution_options().get(READS, False)
        db.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def _in_sentences() -> Iterator[None]:
    """Log what a database reports, and say it in a sentence."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        LOG.exception("The store of shared runs failed.")
        raise _sentence(error) from error


def _sentence(error: Exception) -> StoreError:
    name = _name(error.orig if isinstance(error, StatementError) else error)
    if name in FULL:
        return NoRoomError(
            "The disk of the server is full, so the store of shared runs cannot be changed. Try "
            "again later; whoever runs the server must make room."
        )
    if name in BUSY or isinstance(error, TimeoutError):
        return StoreError(OTHERS)
    return StoreError(
        "The store of shared runs cannot be used at the moment. Try again later; whoever runs "
        "the server finds the reason in its log."
    )


def _name(error: BaseException | None) -> str | None:
    """What went wrong, as the driver of a database names it."""
    if isinstance(error, sqlite3.Error):
        return error.sqlite_errorname
    return error.sqlstate if isinstance(error, HasState) else None
