"""Shared runs: kept under an id that nobody can guess, until they expire or are deleted.

Every change is one transaction under one lock of the database, so that several servers may share
it: the limits hold exactly, and no table is dropped while a new run begins to need it. Opening a
run takes no lock and waits for nobody.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sql

from mlcore.data import stored
from service import database, layout, records
from service.database import NoRoomError, StoreError
from service.layout import NEEDS, SHARES, TABLES
from service.limits import Limits, current_limits, memory
from service.records import Shared
from service.reserve import Reserve

T = TypeVar("T")

BYTES = 24  # of an id, and of the token that deletes: 192 bits
SECRET = re.compile(rf"[A-Za-z0-9_-]{{{BYTES * 8 // 6}}}")
HOUR, DAY = 3600.0, 86400.0
# What stays free on the disk, in runs of the largest size: to remove one, its pages are written to
# the log of SQLite and from there to the file, which may have to grow for what was only in the log.
SPARE = 2

NOTHING = (
    "No run is shared under this link: it was deleted, it expired, or the link was not copied "
    "whole. Ask whoever gave it to you to share the run again."
)


class Links(NamedTuple):
    """What opens a shared run, and what deletes it."""

    id: str
    token: str


class Store:
    """The shared runs of one database. Expired runs are never opened, and removed at every use.

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
        spare = SPARE * self.limits.share_mb * 2**20
        self._reserve = Reserve(database.beside(self._engine, "reserve"), spare)
        try:
            self._with_room(self._prepare)
        except StoreError:
            self.close()
            raise
        self._reserve.hold()

    def put(self, shared: Shared, owner: str, address: str = "") -> Links:
        """Keep a run for a browser; of the token that deletes it only the hash is kept.

        Raises StoreError where it is too large, or too many were stored: in all, within an hour by
        this owner, or from this network address (each where it is known).
        """
        if reason := refusal(shared.size(), self.limits):
            raise StoreError(reason)
        packed = {digest: stored.to_bytes(table) for digest, table in shared.tables.items()}
        links = Links(secrets.token_urlsafe(BYTES), secrets.token_urlsafe(BYTES))
        self._tidy()
        with database.transaction(self._engine) as db:
            now = self._clock()
            self._refuse_more(db, _hash(owner), now)
            self._refuse_address(address, now)
            expires = now + self.limits.share_days * DAY
            hashes = {"delete_hash": _hash(links.token), "owner_hash": _hash(owner)}
            times = {"created": now, "expires": expires}
            db.execute(sql.insert(SHARES), {"id": links.id, **shared.texts(), **hashes, **times})
            _keep_tables(db, links.id, packed)
            self._by_address.setdefault(address, deque()).append(now)
        return links

    def get(self, id: str) -> Shared:
        """The run with this id."""
        return records.read(*self._record(SHARES.c.id == _checked(id)))

    def named_by(self, token: str) -> str:
        """The id of the run that a token deletes."""
        row, _ = self._record(SHARES.c.delete_hash == _hash(_checked(token)))
        return row.id

    def delete(self, token: str) -> bool:
        """Remove the run that a token deletes, and every table that no other run needs.

        What is stored can be deleted on a full disk too. False: the rows are removed, but
        overwritten on the disk only when next a run is removed or a server starts.
        """
        which = SHARES.c.delete_hash == _hash(_checked(token))
        self._with_room(partial(self._delete, which))
        try:
            self._wipe()
        except StoreError:  # logged where it comes from
            return False
        self._tidy()
        return True

    def clean(self) -> None:
        """Remove what has expired: run by run, which takes less room than all at once."""
        while self._with_room(self._removed_one):
            pass
        self._wipe()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _prepare(self) -> None:
        with database.transaction(self._engine) as db:
            layout.prepare(db)

    def _record(self, which: sql.ColumnElement[bool]) -> tuple[sql.Row[Any], dict[str, bytes]]:
        """The row of a run, and its tables as they are packed."""
        record = self._with_room(partial(self._look_up, which))
        self._tidy()
        return record

    def _look_up(self, which: sql.ColumnElement[bool]) -> tuple[sql.Row[Any], dict[str, bytes]]:
        with database.reading(self._engine) as db:
            row = _only(db, which, self._clock())
            needed = sql.select(TABLES).join(NEEDS).where(NEEDS.c.share == row.id)
            return row, {table.digest: table.content for table in db.execute(needed)}

    def _delete(self, which: sql.ColumnElement[bool]) -> None:
        with database.transaction(self._engine) as db:
            _remove(db, _only(db, which, self._clock()).id)

    def _removed_one(self) -> bool:
        """Remove a run that has expired; false if there is none."""
        with database.transaction(self._engine) as db:
            expired = db.execute(self._expired()).scalar()
            if expired is not None:
                _remove(db, expired)
        return expired is not None

    def _expired(self) -> sql.Select[str]:
        return sql.select(SHARES.c.id).where(SHARES.c.expires <= self._clock()).limit(1)

    def _tidy(self) -> None:
        """Remove what has expired, if there is anything. No use of the store fails by that: it
        cannot be opened any more, what went wrong is logged, and the next use tries again."""
        with suppress(StoreError):
            with database.reading(self._engine) as db:
                is_tidy = db.scalars(self._expired()).first() is None
            if not is_tidy:
                self.clean()

    def _wipe(self) -> None:
        self._with_room(partial(database.wipe, self._engine))
        self._reserve.hold()

    def _with_room(self, use: Callable[[], T]) -> T:
        """Use the store; if the disk is full, once more with the room that was kept for this."""
        try:
            return use()
        except NoRoomError:
            with self._reserve.given_back():
                return use()

    def _refuse_more(self, db: sql.Connection, owner_hash: str, now: float) -> None:
        count = sql.select(sql.func.count()).where(SHARES.c.expires > now)
        if db.execute(count).scalar_one() >= self.limits.shares:
            raise StoreError(
                f"This installation keeps at most {self.limits.shares:,} shared runs, and has as "
                "many. Try again when some have expired, or take the run away as a file."
            )
        recent = count.where(SHARES.c.owner_hash == owner_hash, SHARES.c.created > now - HOUR)
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


def _only(db: sql.Connection, which: sql.ColumnElement[bool], now: float) -> sql.Row[Any]:
    """The one run of these that has not expired."""
    row = db.execute(sql.select(SHARES).where(which, SHARES.c.expires > now)).first()
    if row is None:
        raise StoreError(NOTHING)
    return row


def _keep_tables(db: sql.Connection, id: str, packed: Mapping[str, bytes]) -> None:
    """Store the tables that are new, and say that the run needs them all."""
    if not packed:
        return
    known = set(db.scalars(sql.select(TABLES.c.digest).where(TABLES.c.digest.in_(packed))))
    new = [{"digest": d, "content": c} for d, c in packed.items() if d not in known]
    if new:
        db.execute(sql.insert(TABLES), new)
    db.execute(sql.insert(NEEDS), [{"share": id, "digest": digest} for digest in packed])


def _remove(db: sql.Connection, id: str) -> None:
    """Remove a run, and the tables that no run needs any more."""
    db.execute(sql.delete(SHARES).where(SHARES.c.id == id))
    db.execute(sql.delete(TABLES).where(TABLES.c.digest.not_in(sql.select(NEEDS.c.digest))))
