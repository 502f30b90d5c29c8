"""The tables that a session has: those of its browser, and those of runs shared with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mlcore.data.stored import size
from mlcore.data.table import Table
from mlcore.data.upload import uploaded
from mlcore.runs.stamp import versions
from mlcore.spine.component import Component
from service import jobs
from service.kept_tables import SHARE, KeptFile, kept_tables
from service.kept_work import kept_work
from service.limits import current_limits
from service.results import Key, key
from service.tasks import Stored
from ui import state
from ui.runs.person import browser


def session_tables() -> dict[str, Table]:
    """The tables of this session, by digest; a new one begins with those of its browser."""
    if "session_tables" not in st.session_state:
        st.session_state["session_tables"] = kept_tables().restored(browser())
    else:
        kept_tables().of(browser())  # which are in use
    return st.session_state["session_tables"]


def hold(tables: Mapping[str, Table]) -> None:
    """Have these tables in this session, for as long as it has room for them.

    It has as much as its browser; beyond, those go that came first. What a page is about, and what
    has just come, stays.
    """
    own = session_tables()
    for digest, table in tables.items():
        own.pop(digest, None)
        own[digest] = table
    over = sum(map(size, own.values())) - current_limits().uploads_mb * 2**20 / SHARE
    for digest in [each for each in own if each not in {*tables, *_in_use()}]:
        if over <= 0:
            return
        over -= size(own.pop(digest))


def _in_use() -> set[str]:
    """The digests of the tables that a page of this session is about."""
    return {digest for page in state.session().states.values() for digest in uploaded(page.run)}


def bring(file: KeptFile) -> None:
    """Take the table of a file in, for this session and those that its browser opens after it."""
    table = file.imported.table
    hold({table.digest(): table})
    kept_tables().keep(browser(), table, file)


def take(tables: Mapping[str, Table]) -> None:
    """Take tables in that came without their files, as those of a project do."""
    hold({table.digest(): table for table in tables.values()})
    for table in tables.values():
        kept_tables().keep(browser(), table)


def forget() -> bool:
    """Delete the tables and runs of this browser from memory and disk, and those of this tab;
    whether nothing is left. Other open tabs have theirs until they are closed."""
    jobs.pool().cancel(st.session_state.get("owner", ""))
    st.session_state["session_tables"] = {}
    st.session_state.pop("brought", None)
    kept_work().forget(browser())
    return kept_tables().forget(browser())


def file_of(digest: str) -> KeptFile | None:
    """The file of a table that this browser brought, if it is still kept."""
    return kept_tables().file(browser(), digest)


def needed_tables(it: Component) -> Mapping[str, Any]:
    """The uploads that a run needs, as workers get them: sent once, then named by digest."""
    tables = session_tables()
    return {digest: Stored(digest, tables[digest]) for digest in uploaded(it) if digest in tables}


def key_of(it: Component, what: str = "run") -> Key:
    """Where the cache of all sessions keeps a result; DataError where this one lacks a table."""
    return key(it, session_tables(), what)


def key_before(digest: str, what: str) -> Key:
    """The key of a result that this browser asked for before, as its own kept work says.

    It tells whether there is one and follows its job; what comes of it is shown by `key_of` alone.
    """
    return Key(digest, what, versions())


def kept_for() -> str:
    """How long this browser finds a table again after its last use, in words; "" if not at all."""
    limits = current_limits()
    if not browser():
        return ""
    if limits.keep_days * 24 > limits.table_hours:
        return _words(limits.keep_days, "day")
    return _words(limits.table_hours, "hour") if limits.table_hours else ""


def kept_seconds() -> float:
    """The same in seconds; 0 if not at all."""
    limits = current_limits()
    return max(limits.keep_days * 24, limits.table_hours) * 3600.0 if browser() else 0.0


def is_on_disk() -> bool:
    """Whether what this browser brings is kept over a restart of the server."""
    return bool(browser() and current_limits().keep_days)


def _words(number: float, unit: str) -> str:
    return f"{number:g} {unit}" if number == 1 else f"{number:g} {unit}s"
