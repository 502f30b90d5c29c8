"""The tables that a session has: those of its browser, and those of runs shared with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mlcore.data.table import Table
from mlcore.data.upload import uploaded
from mlcore.spine.component import Component
from service.kept_tables import KeptFile, kept_tables
from service.limits import current_limits
from service.results import Key, key
from service.tasks import Stored
from ui.runs.person import browser


def session_tables() -> dict[str, Table]:
    """The tables of this session, by digest; a new one begins with those of its browser."""
    own = kept_tables().of(browser())
    return st.session_state.setdefault("session_tables", own)


def bring(file: KeptFile) -> None:
    """Take the table of a file in, for this session and those that its browser opens after it."""
    table = file.imported.table
    session_tables()[table.digest()] = table
    kept_tables().keep(browser(), table, file)


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


def kept_for() -> str:
    """How long this browser finds a table again after its last use, in words; "" if not at all."""
    hours = current_limits().table_hours
    if not hours or not browser():
        return ""
    return f"{hours:g} hour" if hours == 1 else f"{hours:g} hours"
