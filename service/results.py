"""The one cache of results: bounded in bytes, shared by everybody on this server.

Values are handed out to several people at once, so they must be immutable, as every fit is. What
rests on an uploaded table is for those alone who have the table: nobody else gets a key to it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Container
from functools import cache, partial
from typing import Any, NamedTuple

from mlcore.data.upload import require
from mlcore.runs.stamp import versions
from mlcore.spine import codec
from mlcore.spine.component import Component
from service import jobs
from service.limits import current_limits
from service.pool import Pool
from service.work import Job, finished


class Key(NamedTuple):
    """What a result depends on, made by `key` alone."""

    digest: str  # of the run, which names its tables by their digests
    what: str
    versions: tuple[tuple[str, str], ...]


def key(it: Component, tables: Container[str], what: str = "run") -> Key:
    """The key of a result about `it`, a run or its data, made with the versions of this process.

    `what` tells several questions about one run apart. The cache is everybody's and an address
    names tables by their digests, so whoever asks must have the tables: DataError where one that
    `it` names, anywhere in it, is not among those `held`.
    """
    require(it, tables)
    return Key(codec.digest(it), what, versions())


class Results:
    """Complete results by key; the one unused for longest goes first when `size` bytes are full."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._entries: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Any) -> bool:
        return key in self._entries

    def put(self, key: Any, value: Any, size: int) -> None:
        """Keep a result of `size` bytes; one that is larger than the whole cache is not kept."""
        with self._lock:
            self._drop(key)
            if size > self.size:
                return
            while self.used + size > self.size:
                self._drop(next(iter(self._entries)))
            self._entries[key] = (value, size)
            self.used += size

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self.used = 0

    def obtain(
        self,
        key: Any,
        asked: tuple,
        *,
        here: bool = False,
        owner: str = "",
        replaces: str | None = None,
        pool: Pool | None = None,
        **how: Any,
    ) -> Job:
        """The job for a result: over at once if it is known, the running one if there is one,
        else a new one, for this thread to carry out (`JobHere`) if `here`.

        The older jobs of this owner at the place that it `replaces` are stopped in any case; `how`
        is handed to `Pool.submit` with them.

        Only complete results are kept: what was stopped or failed is begun anew when asked again.
        """
        with self._lock:  # between looking and submitting the result must not slip in unseen
            known, keep = self._entries.get(key), partial(self.put, key)
            if known:
                self._entries.move_to_end(key)
            elif not here:
                how |= {"owner": owner, "replaces": replaces, "key": key, "keep": keep}
                return (pool or jobs.pool()).submit(asked, **how)
        if replaces:
            (pool or jobs.pool()).replace(owner, replaces)
        return finished(known[0]) if known else jobs.JobHere(asked, keep)

    def _drop(self, key: Any) -> None:
        if key in self._entries:
            self.used -= self._entries.pop(key)[1]


@cache
def results() -> Results:
    """The results of this server process."""
    return Results(current_limits().results_mb * 2**20)
