"""Below a place for files: how large they may be, who finds them again, how they are deleted."""

from __future__ import annotations

import streamlit as st

from mlcore.data.upload import uploaded
from mlcore.runs.run import Run
from service.limits import Limits
from ui import state
from ui.runs import keeping, session_tables
from ui.runs.listed import RunList

DELETED = "tables.deleted"  # in the session: whether nothing is left, once it was asked for
GONE = (
    "Deleted: this server keeps none of your tables and runs any more, in memory or on disk. What "
    "it computed of them leaves its memory with time, and is shown to nobody without the table."
)
LEFT = (
    "Deleted from what is kept in memory. On the disk of the server a sealed file could not be "
    "removed; it is removed when its days are over, and whoever runs the server finds the reason "
    "in the log."
)


def told(limits: Limits) -> None:
    """The sentences."""
    sizes = f"At most {limits.upload_mb} MB and {limits.rows:,} rows."
    st.caption(f"{sizes} {_stays()}")
    if (is_gone := st.session_state.pop(DELETED, None)) is not None:
        (st.success if is_gone else st.warning)(GONE if is_gone else LEFT)


def choices() -> None:
    """How long it stays, and the end of it, where there is anything to keep."""
    anything = session_tables.session_tables() or state.session().runs.entries
    if anything and session_tables.kept_for():
        keeping.choice()
        st.button(
            "Delete my tables and runs",
            icon=":material/delete:",
            type="tertiary",
            key="tables.delete",
            help="Removes them from what the server keeps in memory and on disk, at once and for "
            "good. Other open tabs have what they show until they are closed.",
            on_click=state.moved,
            args=(_delete,),
        )


def _stays() -> str:
    """Who has the table, and for how long, in a sentence."""
    if not (time := session_tables.kept_for()):
        return "Stays in this session; nothing is stored."
    where = (
        "On the disk of the server the table is encrypted with it; a project, saved under Runs, "
        "lasts longer."
        if session_tables.is_on_disk()
        else "Nothing is stored on a disk."
    )
    end = (
        ", also after it was closed: the key is a cookie that stays as long. "
        if keeping.is_kept()
        else " and not after it was closed: the key is a cookie that ends with the session of the "
        "browser. "
    )
    return f"This browser alone finds the table again, for {time} after its last use{end}{where}"


def _delete() -> None:
    st.session_state[DELETED] = session_tables.forget()
    keeping.let_go()
    current = state.session()
    current.runs = RunList()
    if uploaded(current.states[current.here].run.data):
        state.change(data=Run().data)
