"""The runs of a session taken away as a project, to go on with them elsewhere or later."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.data.upload import uploaded
from mlcore.spine.wording import count
from service import projects
from service.limits import memory
from ui import state
from ui.runs import asked
from ui.runs.listed import RunList
from ui.runs.session_tables import session_tables


def save(run_list: RunList) -> None:
    """The button that saves all runs of the list, with their tables if that is wanted."""
    tables = _needed(run_list)
    with st.container(horizontal=True, vertical_alignment="center", key="history-save"):
        wanted = bool(tables) and st.checkbox(
            f"With {count(len(tables), 'table')}, {_size(tables)}",
            value=True,
            key="history.tables",
            help="The tables that you brought and these runs need, every bit as they were read.",
            on_change=state.moved,
        )
        lines = [entry.line() for entry in run_list.entries]
        given = tables if wanted else {}
        st.download_button(
            "Save as a project",
            partial(projects.written, lines, given, **asked.sender()),
            f"project-{datetime.now(UTC):%Y-%m-%d}{projects.ENDING}",
            icon=":material/save:",
            key="history.save",
            on_click="ignore",
            help="One file with all runs of this list, their settings, names, notes and scores. "
            "Drop it on Start or Data to go on with them, here or elsewhere.",
        )


def _needed(run_list: RunList) -> dict[str, Table]:
    """The tables that the runs need, of those that are here."""
    own = session_tables()
    digests = {digest for entry in run_list.entries for digest in uploaded(entry.run)}
    return {digest: own[digest] for digest in sorted(digests & own.keys())}


def _size(tables: dict[str, Table]) -> str:
    size = sum(map(stored.size, tables.values()))
    return memory(size / 2**20) if size >= 2**20 else f"{max(1, size // 1024)} kB"
