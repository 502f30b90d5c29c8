"""The database of shared runs: which one, how it is opened, and one transaction at a time.

SQLite in a folder of this installation, or the PostgreSQL that DATABASE_URL names.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from mlcore.spine.errors import MlcoreError
from service.process import PROJECT

LOG = logging.getLogger(__name__)

DATABASE, FOLDER = "DATABASE_URL", "MLSCOPE_STORE"
LOCK = 0x6D6C73636F7065  # among PostgreSQL's advisory locks: "mlscope"
BUSY_SECONDS = 15  # that a server waits for another one to be done with the database


class StoreError(MlcoreError):
    """What was asked of the store of shared runs cannot be done."""


def address(environment: Mapping[str, str]) -> str:
    """The database that the environment names, or a file in this installation's own folder."""
    if named := environment.get(DATABASE, "").strip():
        return named
    folder = environment.get(FOLDER, "").strip() or PROJECT / ".mlscope"
    return f"sqlite:///{Path(folder) / 'shared.sqlite'}"


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
        return sql.create_engine(url, pool_pre_ping=True, pool_size=2)
    except (ArgumentError, ModuleNotFoundError, OSError) as error:
        LOG.exception("The store of shared runs cannot be opened.")
        raise StoreError(
            f"Runs cannot be stored here: {DATABASE} or {FOLDER} is not set as the hosting guide "
            f"says ({type(error).__name__}). Whoever runs the server finds the reason in its log."
        ) from error


@contextmanager
def transaction(engine: sql.Engine) -> Iterator[sql.Connection]:
    """One transaction while no other server has one; StoreError where the database fails."""
    try:
        with engine.begin() as db:
            if engine.dialect.name == "postgresql":
                db.execute(sql.select(sql.func.pg_advisory_xact_lock(LOCK)))
            yield db
    except SQLAlchemyError as error:
        LOG.exception("The store of shared runs failed.")
        raise StoreError(
            "The store of shared runs cannot be used at the moment. Try again later; whoever runs "
            "the server finds the reason in its log."
        ) from error


def wipe(engine: sql.Engine) -> None:
    """Have SQLite drop its log, where removed rows still stand; PostgreSQL vacuums by itself."""
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as db:
            db.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")


def is_begun(environment: Mapping[str, str]) -> bool:
    """Whether anything may be stored already: nothing is made before somebody shares a run."""
    file = Path(address(environment).removeprefix("sqlite:///"))
    return bool(environment.get(DATABASE, "").strip()) or file.exists()


def _sqlite(url: sql.URL) -> sql.Engine:
    Path(url.database or "").parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sql.create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        # What is deleted is overwritten: people are told that it is gone.
        for setting in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begun(db: sql.Connection) -> None:
        db.exec_driver_sql("BEGIN IMMEDIATE")  # takes the lock at once, as PostgreSQL's does

    return engine
