"""Shared runs: kept under an id that nobody can guess, until they expire or are deleted.

Every use is one transaction under one lock of the database, so that several servers may share it:
the limits hold exactly, and no table is dropped while a new run begins to need it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sql

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.runs.run import from_json
from service import database
from service.database import StoreError
from service.limits import Limits, current_limits, memory

BYTES = 24  # of an id, and of the token that deletes: 192 bits
SECRET = re.compile(rf"[A-Za-z0-9_-]{{{BYTES * 8 // 6}}}")
HOUR, DAY = 3600.0, 86400.0

NOTHING = (
    "No run is shared under this link: it was deleted, it expired, or the link was not copied "
    "whole. Ask whoever gave it to you to share the run again."
)

_SCHEMA = sql.MetaData()
_TABLES = sql.Table(
    "tables",
    _SCHEMA,
    sql.Column("digest", sql.String(64), primary_key=True),
    sql.Column("content", sql.LargeBinary, nullable=False),
)
_SHARES = sql.Table(
    "shares",
    _SCHEMA,
    sql.Column("id", sql.String(64), primary_key=True),
    sql.Column("delete_hash", sql.String(64), nullable=False, unique=True),
    sql.Column("owner_hash", sql.String(64), nullable=False),
    sql.Column("page", sql.String(64), nullable=False),
    sql.Column("run", sql.Text, nullable=False),  # JSON, as the next three
    sql.Column("view", sql.Text, nullable=False),
    sql.Column("numbers", sql.Text, nullable=False),
    sql.Column("parts", sql.Text, nullable=False),
    sql.Column("created", sql.Double, nullable=False),  # seconds since 1970
    sql.Column("expires", sql.Double, nullable=False, index=True),
)
_NEEDS = sql.Table(
    "needs",
    _SCHEMA,
    sql.Column("share", sql.ForeignKey(_SHARES.c.id, ondelete="CASCADE"), primary_key=True),
    sql.Column("digest", sql.ForeignKey(_TABLES.c.digest), primary_key=True),
)


class Links(NamedTuple):
    """What opens a shared run, and what deletes it."""

    id: str
    token: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Shared:
    """A run as somebody shared it."""

    run: Any  # of any kind
    page: str  # where it was looked at
    view: Mapping[str, str]  # pairs of a link
    numbers: Any  # as mlcore.runs.differences gives them; None if nothing was computed
    parts: tuple[str, ...] | None  # of a run that was stopped, as mlcore.runs.repeat names them
    tables: Mapping[str, Table]  # the uploads that the run needs, by digest
    created: float = 0.0  # seconds since 1970
    expires: float = 0.0

    def texts(self) -> dict[str, str]:
        """Everything but the tables, as it is stored."""
        return {
            "page": self.page,
            "run": self.run.to_json(),
            "view": json.dumps(dict(self.view)),
            "numbers": json.dumps(self.numbers),
            "parts": json.dumps(self.parts),
        }

    def size(self) -> int:
        """Bytes that it takes, before tables are packed."""
        texts = sum(map(len, self.texts().values()))
        return texts + sum(map(stored.size, self.tables.values()))


class Store:
    """The shared runs of one database. Expired runs are removed at every use.

    StoreError says what cannot be done and why.
    """

    def __init__(
        self,
        address: str,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.limits, self._clock = limits or current_limits(), clock
        self._by_address: dict[str, deque[float]] = {}  # when it stored; in this process alone
        self._engine = database.opened(address)
        with database.transaction(self._engine) as db:
            _SCHEMA.create_all(db)

    def put(self, shared: Shared, owner: str, address: str = "") -> Links:
        """Keep a run for a browser; of the token that deletes it only the hash is kept.

        Raises StoreError where it is too large, or too many were stored: in all, within an hour by
        this owner, or from this network address (each where it is known).
        """
        if reason := refusal(shared.size(), self.limits):
            raise StoreError(reason)
        packed = {digest: stored.to_bytes(table) for digest, table in shared.tables.items()}
        links = Links(secrets.token_urlsafe(BYTES), secrets.token_urlsafe(BYTES))
        with self._using() as (db, now):
            self._refuse_more(db, _hash(owner), now)
            self._refuse_address(address, now)
            expires = now + self.limits.share_days * DAY
            hashes = {"delete_hash": _hash(links.token), "owner_hash": _hash(owner)}
            times = {"created": now, "expires": expires}
            db.execute(sql.insert(_SHARES), {"id": links.id, **shared.texts(), **hashes, **times})
            _keep_tables(db, links.id, packed)
            self._by_address.setdefault(address, deque()).append(now)
        return links

    def get(self, id: str) -> Shared:
        """The run with this id."""
        with self._using() as (db, _):
            row = _only(db, _SHARES.c.id == _checked(id))
            needed = sql.select(_TABLES).join(_NEEDS).where(_NEEDS.c.share == id)
            packed = {row.digest: row.content for row in db.execute(needed)}
        return Shared(
            run=from_json(row.run),
            page=row.page,
            view=json.loads(row.view),
            numbers=json.loads(row.numbers),
            parts=_tuple(json.loads(row.parts)),
            tables={digest: _table(digest, content) for digest, content in packed.items()},
            created=row.created,
            expires=row.expires,
        )

    def named_by(self, token: str) -> str:
        """The id of the run that a token deletes."""
        with self._using() as (db, _):
            return _only(db, _SHARES.c.delete_hash == _hash(_checked(token))).id

    def delete(self, token: str) -> None:
        """Remove the run that a token deletes, and every table that no other run needs."""
        which = _SHARES.c.delete_hash == _hash(_checked(token))
        with self._using() as (db, _):
            _only(db, which)
            _remove(db, which)
        database.wipe(self._engine)

    def clean(self) -> None:
        """Remove what has expired."""
        with self._using():
            pass  # every use begins so
        database.wipe(self._engine)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextmanager
    def _using(self) -> Iterator[tuple[sql.Connection, float]]:
        """A transaction on a store without expired runs, and the time."""
        with database.transaction(self._engine) as db:
            now = self._clock()
            _remove(db, _SHARES.c.expires <= now)
            yield db, now

    def _refuse_more(self, db: sql.Connection, owner_hash: str, now: float) -> None:
        count = sql.select(sql.func.count()).select_from(_SHARES)
        if db.execute(count).scalar_one() >= self.limits.shares:
            raise StoreError(
                f"This installation keeps at most {self.limits.shares:,} shared runs, and has as "
                "many. Try again when some have expired, or take the run away as a file."
            )
        recent = count.where(_SHARES.c.owner_hash == owner_hash, _SHARES.c.created > now - HOUR)
        if db.execute(recent).scalar_one() >= self.limits.shares_hour:
            raise StoreError(
                f"A browser may store {self.limits.shares_hour:,} runs within an hour. Try again "
                "later, or delete one of them by its delete link."
            )

    def _refuse_address(self, address: str, now: float) -> None:
        """Many browsers at one address may not use up what there is for everybody.

        Addresses are never written to the database: they say who somebody is.
        """
        for known, times in list(self._by_address.items()):
            while times and times[0] <= now - HOUR:
                times.popleft()
            if not times:
                del self._by_address[known]
        if address and len(self._by_address.get(address, ())) >= self.limits.shares_address:
            raise StoreError(
                f"From one network address {self.limits.shares_address:,} runs may be stored "
                "within an hour. Try again later, or take the run away as a file."
            )


@cache
def store() -> Store:
    """The store of this installation; StoreError where there can be none."""
    return Store(database.address(os.environ))


def begin() -> None:
    """Remove what expired while no server ran. What is wrong with the store is logged, and said to
    those who use it."""
    if database.is_begun(os.environ):
        with suppress(StoreError):
            store().clean()


def refusal(size: int, limits: Limits) -> str | None:
    """Why a run of so many bytes is not stored, or None."""
    if limits.shares == 0:
        return "This installation stores no runs. Take the run and its table away as files."
    if size <= limits.share_mb * 2**20:
        return None
    return (
        f"This run and its tables take {memory(size / 2**20)}; this installation stores at most "
        f"{memory(limits.share_mb)} of a shared run. Share a sample of the rows, or take the run "
        "away as a file."
    )


def _checked(secret: str) -> str:
    """An id or a token; StoreError for text that cannot be one."""
    if not SECRET.fullmatch(secret):
        raise StoreError(NOTHING)
    return secret


def _hash(secret: str) -> str:
    # Random secrets need no slow hash: there is no list of likely ones to try.
    return hashlib.sha256(secret.encode()).hexdigest()


def _only(db: sql.Connection, which: sql.ColumnElement[bool]) -> sql.Row[Any]:
    row = db.execute(sql.select(_SHARES).where(which)).first()
    if row is None:
        raise StoreError(NOTHING)
    return row


def _tuple(listed: list[str] | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(listed)


def _keep_tables(db: sql.Connection, id: str, packed: Mapping[str, bytes]) -> None:
    """Store the tables that are new, and say that the run needs them all."""
    if not packed:
        return
    known = set(db.scalars(sql.select(_TABLES.c.digest).where(_TABLES.c.digest.in_(packed))))
    new = [{"digest": d, "content": c} for d, c in packed.items() if d not in known]
    if new:
        db.execute(sql.insert(_TABLES), new)
    db.execute(sql.insert(_NEEDS), [{"share": id, "digest": digest} for digest in packed])


def _table(digest: str, content: bytes) -> Table:
    """The table that was stored under this digest; StoreError where it is another one now."""
    table = stored.from_bytes(content)
    if table.digest() != digest:
        raise StoreError(
            "The table of this shared run is damaged. Ask whoever gave you the link to share the "
            "run again."
        )
    return table


def _remove(db: sql.Connection, which: sql.ColumnElement[bool]) -> None:
    """Remove runs, and the tables that no run needs any more."""
    if db.execute(sql.delete(_SHARES).where(which)).rowcount:
        needed = sql.select(_NEEDS.c.digest)
        db.execute(sql.delete(_TABLES).where(_TABLES.c.digest.not_in(needed)))
