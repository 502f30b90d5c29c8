"""A table from an address, or by a SELECT from a database of one's own machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

import streamlit as st
from streamlit import config

from mlcore.data.importing import Imported, Note
from mlcore.spine.errors import MlcoreError
from service.bringing import allowed, asking
from service.bringing.allowed import Asking
from ui import state
from ui.runs import asked
from ui.wording import plain

WANTED = "elsewhere"  # the place whose button was pressed
PROBLEM = "elsewhere.problem"  # (place, sentence) of what could not be had
LONGEST_ADDRESS, LONGEST_STATEMENT = 2000, 20_000  # letters


class There(NamedTuple):
    """A file that came from elsewhere, and a sentence on where from."""

    id: str
    name: str
    content: bytes
    origin: str


def brought(key: str) -> There | None:
    """What is to be read now; None unless a button was pressed and gave something.

    Its two popovers stand in the row of the caller, beside the other ways to bring a table.
    """
    there = _popover("From an address", ":material/link:", f"{key}.address", _address)
    return _popover("From a database", ":material/database:", f"{key}.sql", _sql) or there


def with_origin(imported: Imported, origin: str) -> Imported:
    """A table and how it was read, with where it came from as the first thing to be told."""
    notes = (Note(origin), *imported.report.notes)
    return replace(imported, report=replace(imported.report, notes=notes))


def _popover(label: str, icon: str, key: str, drawn: Callable[[str], Any]) -> There | None:
    with st.popover(label, icon=icon):
        wanted = st.session_state.get(WANTED) == key
        made: Callable[[], There] | None = drawn(key)
        if made is None:
            return None
        st.button("Read it", key=f"{key}.read", on_click=state.moved, args=(_want, key))
        there = _made(key, made) if wanted else None
        where, sentence = st.session_state.get(PROBLEM, ("", ""))
        if where == key:
            st.error(plain(sentence))
    return there


def _made(key: str, made: Callable[[], There]) -> There | None:
    """What the press asked for; what is wrong with it stays until the next press."""
    del st.session_state[WANTED]
    try:
        with st.spinner("It is being fetched."):
            return made()
    except MlcoreError as error:
        st.session_state[PROBLEM] = (key, str(error))
        return None


def _want(key: str) -> None:
    st.session_state[WANTED] = key
    st.session_state.pop(PROBLEM, None)


def _address(key: str) -> Callable[[], There] | None:
    if why := allowed.why_no_address(_asking()):
        st.caption(why)
        return None
    text = st.text_input(
        "Address of a file, or of a shared Google Sheet",
        key=key,
        max_chars=LONGEST_ADDRESS,
        placeholder="https://…",
        on_change=state.moved,
    )
    st.caption(
        "CSV, Parquet, Excel, zip or gz that everybody may read. It is fetched once, now, from "
        "this machine."
    )
    return lambda: fetched(text)


def _sql(key: str) -> Callable[[], There] | None:
    if why := allowed.why_no_sql(_asking()):
        st.caption(why)
        return None
    database = st.text_input(
        "Database",
        key=key,
        max_chars=LONGEST_ADDRESS,
        placeholder="path of a file, or postgresql://…",
        help="A file of SQLite or DuckDB on this machine, or a PostgreSQL that it reaches.",
        on_change=state.moved,
    )
    statement = st.text_area(
        "SELECT",
        key=f"{key}.statement",
        max_chars=LONGEST_STATEMENT,
        placeholder="SELECT * FROM …",
        height=120,
        on_change=state.moved,
    )
    st.caption("It is opened to be read alone: one SELECT, and nothing of it is changed.")
    return lambda: queried(database, statement)


def _asking() -> Asking:
    """Where this server listens, and how this page was asked for."""
    headers = {name.lower(): value for name, value in st.context.headers.items()}
    listens = str(config.get_option("server.address") or "")
    host, origin = headers.get("host", ""), headers.get("origin", "")
    return Asking(listens, host, frozenset(headers), origin)


def fetched(text: str) -> There:
    """The file at an address. Raises FileError where it is not to be had."""
    got = asking.fetched(text, **asked.sender())
    origin = f"Fetched from {got.place} at {_now()}."
    return There(_id(got.content), f"{got.name} from {got.place}", got.content, origin)


def queried(database: str, statement: str) -> There:
    """The rows of a statement. Raises FileError where there are none to be had."""
    got = asking.queried(database, statement, **asked.sender())
    origin = f"Read from {got.database} at {_now()}: {' '.join(statement.split())}"
    return There(_id(got.content), got.name, got.content, origin)


def _id(content: bytes) -> str:
    return f"elsewhere.{sha256(content).hexdigest()[:16]}"


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
