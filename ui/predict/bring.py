"""New rows come in: from a file, pasted, or typed in a form; read by a worker, as all files are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from mlcore.data.importing import Decisions, Imported
from mlcore.data.table import ColumnData, Table, coded, numeric
from mlcore.data.upload import Upload
from mlcore.runs.predicting.wanted import FEATURE, TARGET, Wanted
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count
from service import limits, reading
from service.kept_tables import KeptFile
from ui import state
from ui.data import pasting, upload
from ui.runs import asked, session_tables
from ui.wording import distinct, plain

BROUGHT, PROBLEM, PLACE, TYPED = "predict.new", "predict.problem", "predict.place", "predict.typed"
MOST_TYPED = 40  # columns of a form
TYPED_NAME = "Typed rows"
MISSING = "no value"


@dataclass(frozen=True)
class Brought:
    """The new rows of this session."""

    name: str
    digest: str
    content: bytes = b""  # none where the rows were typed
    imported: Imported | None = None
    decisions: Decisions | None = None

    @property
    def source(self) -> Upload:
        """By which a run names them."""
        return Upload.of(self.digest, self.name)


def brought() -> Brought | None:
    """The new rows that are in use, if this session still has them."""
    current: Brought | None = st.session_state.get(BROUGHT)
    return current if current and current.digest in session_tables.session_tables() else None


def place(wanted: Sequence[Wanted], template: Table | None) -> Brought | None:
    """Where new rows come in: tall while there are none, a line with its buttons afterwards."""
    current = brought()
    if current is None:
        with st.container(border=True, key="predict-bring"):
            _empty(wanted, template)
    else:
        with st.container(border=True, key="predict-file"):
            _line(current, wanted)
    if problem := st.session_state.get(PROBLEM, ""):
        st.error(plain(problem))
    return current


def _empty(wanted: Sequence[Wanted], template: Table | None) -> None:
    target = next((w.column.name for w in wanted if w.role == TARGET), "")
    scored = f" With the column {plain(target)} in it they are scored, too." if target else ""
    st.markdown(f"**New rows** in a table with the columns of this one, in any order.{scored}")
    _drop(lambda: _without_file(wanted, template))


def _without_file(wanted: Sequence[Wanted], template: Table | None) -> None:
    """What there is for those who have no file."""
    _form(wanted)
    if template is not None:
        st.download_button(
            "Template CSV",
            template.to_csv,
            "new-rows.csv",
            icon=":material/download:",
            key="predict.template",
            on_click="ignore",
            help="The columns that the model wants, with three rows as an example.",
        )


def _line(current: Brought, wanted: Sequence[Wanted]) -> None:
    """What is in use, how it was read, and what else can be brought."""
    table = session_tables.session_tables()[current.digest]
    size = f"{count(table.n_rows, 'row')}, {count(len(table.names), 'column')}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/description: **{plain(current.name)}** <small>{size}</small>",
            unsafe_allow_html=True,
        )
        _how_read(current)
        with st.popover("Another file", icon=":material/upload:", key="predict.other"):
            _drop()
        _form(wanted)
        st.button(
            "Remove", icon=":material/close:", key="predict.remove", on_click=state.moved,
            args=(_remove,),
        )  # fmt: skip


def _drop(beside: Callable[[], None] | None = None) -> None:
    """The place for a file, and the one for what is pasted, with what stands `beside` that."""
    most, at = limits.current_limits(), st.session_state.get(PLACE, 0)
    file = st.file_uploader(
        "CSV, TSV or text in any habit, Excel, Parquet, ARFF",
        type=upload.TYPES,
        key=f"predict.file.{at}",  # what was read leaves its place
        on_change=state.moved,
        max_upload_size=most.upload_mb,
    )
    with st.container(horizontal=True):
        content = pasting.pasted(f"predict.paste.{at}", most.upload_mb)
        if beside is not None:
            beside()
    if content:
        _read(content, pasting.FILE, Decisions())
    elif file is not None:
        _read(file.getvalue(), file.name, Decisions())


def _read(content: bytes, name: str, decisions: Decisions) -> None:
    """Read a file; where it cannot be read, the former rows stay and the sentence is shown."""
    st.session_state[PLACE] = st.session_state.get(PLACE, 0) + 1
    st.session_state[PROBLEM] = ""
    try:
        imported = reading.read(content, name, decisions, **asked.sender())
    except MlcoreError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        session_tables.bring(KeptFile(name, content, imported, decisions))
        digest = imported.table.digest()
        st.session_state[BROUGHT] = Brought(name, digest, content, imported, decisions)
    state.rerun()


def _how_read(current: Brought) -> None:
    """How the file was read, each decision with its choices."""
    imported = current.imported
    if imported is None:
        return
    taken = imported.report.decisions
    choices = upload.choices(imported.report)
    words = [titles.get(getattr(taken, name), "") for name, titles in choices.items()
             if name in ("encoding", "delimiter", "decimal", "header")]  # fmt: skip
    with st.popover(plain(", ".join(filter(None, words)) or "How it was read"), type="tertiary"):
        for name, titles in choices.items():
            now = getattr(taken, name)
            titles = titles if now in titles else {now: str(now), **titles}
            key = f"predict.read.{current.digest[:12]}.{name}"
            st.selectbox(
                name.replace("_", " ").capitalize(), list(titles), list(titles).index(now),
                format_func=titles.__getitem__, key=key, on_change=state.moved,
                args=(_decide, current, name, key),
            )  # fmt: skip
        for note in imported.report.notes[: upload.SHOWN_NOTES]:
            st.caption(plain(note.sentence))
    if st.session_state.pop("predict.again", None) is not None:
        again: Brought = st.session_state[BROUGHT]
        _read(again.content, again.name, again.decisions or Decisions())


def _decide(current: Brought, name: str, key: str) -> None:
    changed: dict[str, Any] = {name: st.session_state[key]}
    if (other := upload.OPPOSITE.get(name)) and changed[name] == getattr(current.decisions, other):
        changed[other] = None  # one mark cannot be both
    decisions = replace(current.decisions or Decisions(), **changed)
    st.session_state[BROUGHT] = replace(current, decisions=decisions)
    st.session_state["predict.again"] = True


def _remove() -> None:
    for name in (BROUGHT, PROBLEM, TYPED):
        st.session_state.pop(name, None)


# -- a row by hand


def _form(wanted: Sequence[Wanted]) -> None:
    """A form with a field for each column that the model learns from."""
    fields = [w for w in wanted if w.role == FEATURE][:MOST_TYPED]
    with st.popover("Type a row", icon=":material/edit:", key="predict.type"):
        left, right = st.columns(2)
        for at, w in enumerate(fields):
            with (left, right)[at % 2]:
                _field(w)
        if len(fields) < sum(w.role == FEATURE for w in wanted):
            st.caption(f"The first {MOST_TYPED} columns; the others take their usual value.")
        st.button(
            "Add this row", type="primary", key="predict.type.add", on_click=state.moved,
            args=(_typed, tuple(fields)),
        )  # fmt: skip


def _key(wanted: Wanted) -> str:
    return state.key(f"predict.cell.{wanted.column.name}")


def _field(wanted: Wanted) -> None:
    column, known = wanted.column, wanted.known
    label, key = plain(column.name), _key(wanted)
    if column.levels:
        usual = int(np.bincount(known.astype(np.int64)).argmax()) if len(known) else 0
        levels = [*column.levels, None]
        words = distinct(levels, lambda level: MISSING if level is None else level)
        st.selectbox(
            label, levels, usual, key=key, on_change=state.moved, format_func=words.__getitem__,
        )  # fmt: skip
    elif column.kind in ("text", "datetime"):
        hint = "2024-05-31" if column.kind == "datetime" else "words"
        st.text_input(label, key=key, placeholder=hint, on_change=state.moved)
    else:
        # As a person would write it: half the sum of two values has digits that nobody measured.
        usual = float(f"{np.median(known):.6g}") if len(known) else None
        st.number_input(
            label, value=usual, format="%g", key=key, on_change=state.moved,
            help=f"{known.min():g} to {known.max():g} in training." if len(known) else None,
        )  # fmt: skip


def _typed(fields: tuple[Wanted, ...]) -> None:
    """Add the row of the form to those that were typed before, and take them into use."""
    cells = {w.column.name: st.session_state.get(_key(w)) for w in fields}
    before = st.session_state.get(TYPED, [])
    is_more = before and before[0].keys() == cells.keys() and _is_typed()
    rows = [*before, cells] if is_more else [cells]
    table = Table.of(*(_column(w, [row[w.column.name] for row in rows]) for w in fields))
    session_tables.hold({table.digest(): table})
    st.session_state[TYPED], st.session_state[PROBLEM] = rows, ""
    st.session_state[BROUGHT] = Brought(TYPED_NAME, table.digest())


def _is_typed() -> bool:
    current = brought()
    return current is not None and current.imported is None


def _column(wanted: Wanted, cells: list[Any]) -> ColumnData:
    column = wanted.column
    if column.levels or column.kind in ("text", "datetime"):
        return coded(column.name, cells, "text" if column.kind == "text" else "nominal")
    return numeric(column.name, [np.nan if cell is None else float(cell) for cell in cells])
