"""Tables that people brought, kept in memory so that a browser finds its own after a reload, with
their files, so that it can still say how they are to be read; and on disk, sealed with the key of
the browser, so that it finds them after the server was restarted (`service.vault`).

A table is kept for the browser that brought it, by a key that nobody can guess and that stands in
no address; another browser gets none, whatever it asks for.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.spine.errors import FileError
from service.limits import current_limits
from service.vault import Vault, vault

if TYPE_CHECKING:  # else every page would wait for the libraries that files are read with
    from mlcore.data.importing import Decisions, Imported

LOG = logging.getLogger(__name__)

SHARE = 4  # a browser may hold this part of all memory for tables
AT_ONCE = 8 * 2**20  # bytes of a table that is on disk before its page is drawn
NAME = "table "  # what its name begins with on disk


class KeptFile(NamedTuple):
    """A file as it was brought, and how its table was read."""

    name: str
    content: bytes
    imported: Imported
    decisions: Decisions


class _Entry(NamedTuple):
    table: Table
    file: KeptFile | None  # None where there was no room for it, or the table came without one
    size: int  # bytes of both
    used: float  # when the browser last asked for it


class _Writing:
    """A table on its way to the disk."""

    def __init__(self, browser: str) -> None:
        self.browser, self.is_wanted = browser, True
        self.lock = threading.Lock()  # held while it is written


class KeptTables:
    """Tables by browser and digest; those that were not asked for longest are let go first."""

    def __init__(
        self,
        most_bytes: float,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        vault: Vault | None = None,
    ) -> None:
        self._most, self._seconds, self._clock = most_bytes, seconds, clock
        self._vault = vault
        self._entries: OrderedDict[tuple[str, str], _Entry] = (
            OrderedDict()
        )  # the longest unused first
        self._lock = threading.Lock()
        self._packs = threading.Lock()  # large tables are packed one at a time: each takes as much
        self._writes = threading.Lock()
        self._under_way: set[_Writing] = set()

    def keep(self, browser: str, table: Table, file: KeptFile | None = None) -> None:
        """Keep a table for a browser, "" for none, and its file, as far as there is room."""
        self._hold(browser, table, file)
        if self._vault and browser and stored.size(table) <= self._most / SHARE:
            writing = _Writing(browser)
            with self._writes:
                self._under_way.add(writing)
            if stored.size(table) <= AT_ONCE:
                self._write(writing, table)
            else:  # to pack one takes seconds, in which nobody has to wait for the page
                given = (writing, table)
                threading.Thread(target=self._write_alone, args=given, daemon=True).start()

    def _write_alone(self, writing: _Writing, table: Table) -> None:
        with self._packs:
            self._write(writing, table)

    def _write(self, writing: _Writing, table: Table) -> None:
        """Keep it on disk, unless all of its browser was deleted meanwhile."""
        try:
            if writing.is_wanted and self._vault:
                packed = stored.to_bytes(table)
                with writing.lock:
                    if writing.is_wanted:
                        self._vault.put(writing.browser, f"{NAME}{table.digest()}", packed)
        finally:
            with self._writes:
                self._under_way.discard(writing)

    def restored(self, browser: str) -> dict[str, Table]:
        """The tables of a browser as a session begins: those on disk too, without their files.

        The last used ones, as many as a browser may hold in memory: they may be many times as large
        as they are on disk.
        """
        here = self.of(browser)
        if self._vault is None:
            return here
        room = self._most / SHARE - sum(map(stored.size, here.values()))
        for content in self._vault.every(browser, NAME, [f"{NAME}{digest}" for digest in here]):
            try:
                table = stored.from_bytes(content)
            except FileError:
                LOG.exception("A kept table was written by another release, and is not read.")
                continue
            if (room := room - stored.size(table)) < 0:
                break
            self._hold(browser, table)
            here[table.digest()] = table
        return here

    def forget(self, browser: str) -> bool:
        """Delete all tables of a browser, in memory and on disk; whether none is left."""
        with self._lock:
            for key in [key for key in self._entries if key[0] == browser]:
                del self._entries[key]
        with self._writes:
            own = [writing for writing in self._under_way if writing.browser == browser]
        for writing in own:
            with writing.lock:  # what is written by now is deleted, and nothing follows
                writing.is_wanted = False
        return self._vault is None or self._vault.delete(browser)

    def _hold(self, browser: str, table: Table, file: KeptFile | None = None) -> None:
        """Keep it in memory."""
        size = stored.size(table)
        if file is not None and size + len(file.content) > self._most / SHARE:
            file = None
        size += len(file.content) if file else 0
        if not browser or not self._seconds or size > self._most / SHARE:
            return
        key = (browser, table.digest())
        with self._lock:
            self._entries.pop(key, None)
            own = [each for each in self._entries if each[0] == browser]
            self._let_go(own, self._most / SHARE - size)
            self._let_go(list(self._entries), self._most - size)
            self._entries[key] = _Entry(table, file, size, self._clock())

    def of(self, browser: str) -> dict[str, Table]:
        """The tables of a browser, by digest; from now on they are kept as long again."""
        now = self._clock()
        with self._lock:
            self._let_go_of_old(now)
            own = [key for key in self._entries if key[0] == browser]
            for key in own:
                self._entries[key] = self._entries.pop(key)._replace(used=now)
            return {digest: self._entries[browser, digest].table for _, digest in own}

    def file(self, browser: str, digest: str) -> KeptFile | None:
        """The file of which this browser has the table with this digest."""
        with self._lock:
            self._let_go_of_old(self._clock())
            entry = self._entries.get((browser, digest))
            return entry.file if entry else None

    def _let_go(self, keys: list[tuple[str, str]], most: float) -> None:
        """Let go of the first of these until the others have at most so many bytes."""
        used = sum(self._entries[key].size for key in keys)
        for key in keys:
            if used <= most:
                return
            used -= self._entries.pop(key).size

    def _let_go_of_old(self, now: float) -> None:
        for key, entry in list(self._entries.items()):
            if now - entry.used <= self._seconds:
                return
            del self._entries[key]


@cache
def kept_tables() -> KeptTables:
    """Those of this server."""
    limits = current_limits()
    return KeptTables(limits.uploads_mb * 2**20, limits.table_hours * 3600, vault=vault())
