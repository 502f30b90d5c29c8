"""The runs of a browser: their settings, names and notes, and what was being computed for it, so
that a reload, a second tab and a server that was restarted find them again.

In memory, and on disk as `service.vault` seals it. No outcome is kept: it can be computed again.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from mlcore.runs.project_lines import Line, lines_of
from service.limits import current_limits
from service.vault import Vault, vault

LOG = logging.getLogger(__name__)

FORMAT = 1  # of the document; what has another one is not read
NAME = "runs"  # on disk
MOST = 100  # runs of a browser; beyond, the oldest without a name goes
MOST_BYTES = 2 * 2**20  # of a browser
MOST_IN_MEMORY = 64 * 2**20  # of all of them
MOST_TABS = 20  # whose computations are remembered


class Computing(NamedTuple):
    """What a tab had under way: the two parts of the key of its result, and where it is shown."""

    digest: str  # of the run
    what: str
    page: str
    place: str
    title: str


class Kept(NamedTuple):
    """What there is of a browser."""

    lines: tuple[Line, ...]  # newest first
    computing: tuple[Computing, ...]


class KeptWork:
    """Runs by browser; those of the browser that was away for longest are let go first."""

    def __init__(
        self,
        seconds: float,
        vault: Vault | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds, self._vault, self._clock = seconds, vault, clock
        self._documents: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, browser: str) -> Kept:
        """What this browser has, "" for none."""
        with self._lock:
            document = self._read(browser) if browser else _empty()
        lines, problems = lines_of(document["runs"])
        for problem in problems:
            LOG.warning("A kept run is not read. %s", problem)
        done = {line.run.digest() for line in lines if line.status == "done"}
        computing = [Computing(*one) for tab in document["computing"].values() for one in tab]
        under_way = (one for one in computing if one.digest not in done)
        return Kept(lines, tuple(dict.fromkeys(under_way)))

    def change(
        self,
        browser: str,
        tab: str,
        lines: Collection[Line],
        removed: Collection[str],
        computing: Collection[Computing],
        done: Collection[str] = (),
    ) -> None:
        """Note what a tab has changed: new or other lines, the ids of those that it removed, all
        that it has under way now, and the digests of what is `done`. What other tabs have stays."""
        if not browser:
            return
        with self._lock:
            document = self._read(browser)
            runs = {run["id"]: run for run in document["runs"]} | {i.id: i.plain() for i in lines}
            document["runs"] = _few([run for id, run in runs.items() if id not in removed])
            others = ((k, v) for k, v in document["computing"].items() if k != tab)
            tabs = {k: left for k, v in others if (left := [c for c in v if c[0] not in done])}
            if computing:
                tabs[tab] = [list(one) for one in computing]
            document["computing"] = dict(list(tabs.items())[-MOST_TABS:])
            self._write(browser, json.dumps(document).encode())

    def forget(self, browser: str) -> None:
        """Delete it in memory; on disk it goes with everything of the browser."""
        with self._lock:
            self._documents.pop(browser, None)

    def _read(self, browser: str) -> dict[str, Any]:
        """What there is of a browser; from now on it is kept as long again."""
        content, used = self._documents.pop(browser, (None, 0.0))
        if content is None or self._clock() - used > self._seconds:
            content = self._vault.get(browser, NAME) if self._vault else None
        else:
            self._documents[browser] = content, self._clock()
        return _document(content)

    def _write(self, browser: str, content: bytes) -> None:
        self._documents.pop(browser, None)
        self._documents[browser] = content, self._clock()
        while sum(len(each) for each, _ in self._documents.values()) > MOST_IN_MEMORY:
            self._documents.popitem(last=False)
        if self._vault:
            self._vault.put(browser, NAME, content)


def _empty() -> dict[str, Any]:
    return {"v": FORMAT, "runs": [], "computing": {}}


def _document(content: bytes | None) -> dict[str, Any]:
    """What was written; nothing where another release wrote it in another form."""
    if content is None:
        return _empty()
    document = json.loads(content)
    return document if document.get("v") == FORMAT else _empty()


def _few(runs: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The newest of these, as many as are kept; one with a name stays longer."""
    runs = sorted(runs, key=lambda run: run["at"], reverse=True)
    sizes = {run["id"]: len(json.dumps(run)) for run in runs}
    while len(runs) > MOST or sum(sizes[run["id"]] for run in runs) > MOST_BYTES:
        unnamed = [k for k, run in enumerate(runs) if k and not run["name"]]
        del runs[max(unnamed, default=len(runs) - 1)]
    return runs


@cache
def kept_work() -> KeptWork:
    """That of this server."""
    return KeptWork(current_limits().table_hours * 3600, vault())
