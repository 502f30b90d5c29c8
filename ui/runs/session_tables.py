"""The tables that a session has: those that it brought, and those of runs shared with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mlcore.data.table import Table
from mlcore.data.upload import uploaded
from mlcore.spine.component import Component
from service.results import Key, key
from service.tasks import Stored


def session_tables() -> dict[str, Table]:
    """The tables of this session, by digest."""
    return st.session_state.setdefault("session_tables", {})


def needed_tables(it: Component) -> Mapping[str, Any]:
    """The uploads that a run needs, as workers get them: sent once, then named by digest."""
    tables = session_tables()
    return {digest: Stored(digest, tables[digest]) for digest in uploaded(it) if digest in tables}


def key_of(it: Component, what: str = "run") -> Key:
    """Where the cache of all sessions keeps a result; DataError where this one lacks a table."""
    return key(it, session_tables(), what)
