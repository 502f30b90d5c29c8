"""A file becomes the data: every reading decision is shown and can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import TableData
from mlcore.data.importing import Decisions, Imported, Note, Ragged, Report
from mlcore.data.importing.decisions import EVEN
from mlcore.data.upload import Upload, uploaded
from mlcore.runs.project_lines import Line
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count
from service import limits, projects, reading
from service.kept_tables import KeptFile
from ui import state
from ui.data import elsewhere, opening, pasting, staying
from ui.runs import asked, session_tables
from ui.runs.listed import Entry
from ui.wording import plain

TYPES = [
    "csv", "tsv", "txt", "tab", "dat", "xlsx", "xls", "ods", "parquet", "arff", "htm", "html",
    "zip", "gz",
]  # fmt: skip
MARKS = {
    ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space", "^": "caret",
    "~": "tilde", ":": "colon", "\x1f": "unit separator", "\x01": "control sign", EVEN: EVEN,
}  # fmt: skip
DATES = {"dmy": "day.month.year", "mdy": "month/day/year", "ymd": "year-month-day"}
FIRST = {"dmy": "Day first", "mdy": "Month first"}
FIXES = {
    "missing": "Read as missing",
    "footer": "Keep as rows",
    "decimal": "Decimal mark {}",
    "thousands": "Thousands mark {}",
}
DECIMALS = {".": "decimal point", ",": "decimal comma"}
GROUPS = {
    "": "no thousands mark", ",": "1,000", ".": "1.000", "'": "1'000", "\u2019": "1\u2019000",
    " ": "1 000", "_": "1_000",
}  # fmt: skip
OPPOSITE = {"decimal": "thousands", "thousands": "decimal"}
SHOWN_NOTES = 6
ENCODINGS = (
    "utf-8", "cp1252", "latin-1", "iso-8859-15", "utf-16", "iso-8859-2", "cp1250", "cp1251",
    "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "mac-roman", "cp850", "shift_jis", "euc-jp",
    "euc-kr", "gb18030", "big5",
)  # fmt: skip


def uploader(key: str, entry_of: Callable[[Line], Entry | None]) -> bool:
    """A place to drop a file; whether what it holds has now become the data of every page.

    `entry_of` makes an entry of the list from a run of a project.
    """
    brought = _brought()
    place = brought.place if brought else ""
    file = st.file_uploader(
        "CSV, TSV or text in any habit, Excel, Parquet, ARFF; a project or a saved run",
        type=[*TYPES, *opening.TYPES],
        # Streamlit copies the file of a place at every rerun: what was read leaves its place.
        key=key + place + opening.place(),
        on_change=state.moved,
        max_upload_size=(most := limits.current_limits()).upload_mb,
    )
    staying.told(most)
    with st.container(horizontal=True, vertical_alignment="center"):
        content = pasting.pasted(f"{key}.paste{place}", most.upload_mb)
        there = elsewhere.brought(f"{key}.elsewhere{place}")
        staying.choices()
    opening.told()
    if content:
        return _bring(Brought(pasting.name_of(content), pasting.FILE, content, place))
    if there:
        return _bring(Brought(there.id, there.name, there.content, place, there.origin))
    if file is None or (brought and brought.id == file.file_id):
        return False
    if projects.is_one(file.name, content := file.getvalue()):
        opening.bring(file.name, content, entry_of)
        state.rerun()
    return _bring(Brought(file.file_id, file.name, content, place))


def _bring(brought: Brought) -> bool:
    """Read a new file; whether its table has become the data. Else the former one stays."""
    former = _brought()
    st.session_state["brought"] = brought
    if not _read(Decisions()):
        if former is not None:  # how that is read can still be changed
            st.session_state["brought"] = replace(
                former, id=brought.id, problem=brought.problem, shown=brought.shown
            )
        return False
    brought.place = f".{brought.id}"
    return True


@dataclass
class Brought:
    """The file of this session, and every way in which it was read."""

    id: str
    name: str
    content: bytes
    place: str  # the end of the key of the place where the next file is dropped
    origin: str = ""  # a sentence, of what came by an address or from a database
    problem: str = ""
    shown: Any = None  # the data that were on the page when the problem came
    readings: dict[str, tuple[Imported, Decisions]] = field(default_factory=dict)  # by digest


def _brought() -> Brought | None:
    return st.session_state.get("brought")


def _read(decisions: Decisions) -> bool:
    """Read the file that was brought, by the decisions taken so far; whether that went well."""
    brought = st.session_state["brought"]
    data: Any = state.session().states[state.session().here].run.data
    brought.shown = data
    try:
        imported = reading.read(brought.content, brought.name, decisions, **asked.sender())
    except MlcoreError as error:
        brought.problem = str(error)
        return False
    if brought.origin:
        imported = elsewhere.with_origin(imported, brought.origin)
    brought.problem = ""
    digest = imported.table.digest()
    now = getattr(data.source, "digest", "")
    is_same_file = now == digest or now in brought.readings  # or its link came before the file
    session_tables.bring(KeptFile(brought.name, brought.content, imported, decisions))
    here = session_tables.session_tables()
    former = {key: reading for key, reading in brought.readings.items() if key in here}
    brought.readings = former | {digest: (imported, decisions)}
    source: Any = Upload.of(digest, brought.name)
    kept = _kept(data, imported.table.names) if is_same_file else {}
    state.change(data=TableData(source=source, **kept))
    return True


def _kept(data: TableData, names: tuple[str, ...]) -> dict[str, Any]:
    """What was decided about columns that are still there."""
    is_there = data.target in (None, "proposed", *names)
    return {
        "target": data.target if is_there else "proposed",
        "roles": tuple(pair for pair in data.roles if pair[0] in names),
        "kinds": tuple(pair for pair in data.kinds if pair[0] in names),
        "missing": tuple(pair for pair in data.missing if pair[0] in names),
        "drop": data.drop,
        "steps": data.steps,  # one whose column is gone says so
    }


def problem(data: TableData) -> None:
    """The sentence of a file that could not be read; the data that were there stay."""
    brought = _brought()
    if brought and brought.problem and brought.shown == data:
        st.error(plain(brought.problem))


def imported_now(data: TableData) -> Imported | None:
    """What the reading of the shown table gave, if its file is here: brought now, or kept."""
    digest = getattr(data.source, "digest", "")
    brought = _brought()
    if brought is None or digest not in brought.readings:
        brought = _brought_before(digest)
    return brought.readings[digest][0] if brought else None


def _brought_before(digest: str) -> Brought | None:
    """The file of a table that this browser brought before, which is now that of the session."""
    if not digest or (file := session_tables.file_of(digest)) is None:
        return None
    place = former.place if (former := _brought()) else ""
    readings = {digest: (file.imported, file.decisions)}
    again = Brought(former.id if former else "", file.name, file.content, place, readings=readings)
    if former is not None:  # a problem with the file that was brought last is still one
        again = replace(again, problem=former.problem, shown=former.shown)
    st.session_state["brought"] = again
    return again


def how_to_read_otherwise(data: TableData) -> None:
    """What to do for other decisions, where the table is here and its file is not."""
    if uploaded(data).keys() & session_tables.session_tables().keys():
        st.caption("To change how this table is read, bring its file again.")


def read_as(imported: Imported) -> None:
    """Every decision of the reading, each of which can be changed."""
    taken = imported.report.decisions
    with st.container(horizontal=True, vertical_alignment="center", key="read-as"):
        st.markdown("Read as", width="content")
        for name, titles in choices(imported.report).items():
            _decision(imported, name, titles, getattr(taken, name))
        st.caption("every decision can be changed", width="content")
    _notes(imported)


def choices(report: Report) -> dict[str, dict[Any, str]]:
    """What can be chosen for each decision that a file of this form leaves open."""
    files = {"file": {name: name for name in report.files}} if len(report.files) > 1 else {}
    return files | _choices_of_form(report)


def _choices_of_form(report: Report) -> dict[str, dict[Any, str]]:
    if report.form == "parquet":
        return {"date_order": DATES}
    encodings: dict[Any, str] = {name: name.upper() for name in ENCODINGS}
    if report.form == "arff":  # says itself how it is written
        return {"encoding": encodings, "date_order": DATES}
    header = {n: f"header in row {n + 1}" for n in range(6)} | {"none": "no header"}
    place = {
        "header": header,
        "header_rows": {n: f"names in {count(n, 'row')}" for n in range(1, 5)},
        "skip": {n: f"skip {count(n, 'line')}" for n in range(11)},
        "footer": {n: f"leave out {count(n, 'line')} below" for n in range(11)},
        "date_order": DATES,
    }
    if report.form == "workbook":
        return {"sheet": {name: name for name in report.sheets}, **place}
    marks = {"delimiter": MARKS, "decimal": DECIMALS, "thousands": GROUPS}
    return {"encoding": encodings, **marks, **place}


def _decision(imported: Imported, name: str, titles: dict[Any, str], now: Any) -> None:
    titles = titles if now in titles else {now: str(now), **titles}
    why = imported.report.why(name)
    with st.popover(plain(titles[now]), key=state.key(f"read.{name}")):
        st.markdown(plain(f"{why.reason} ({why.confidence})"))
        st.selectbox(
            name.replace("_", " ").capitalize(),
            list(titles),
            list(titles).index(now),
            format_func=titles.__getitem__,
            key=state.key(f"decision.{name}"),
            on_change=_decide,
            args=(imported, name),
        )


def _decide(imported: Imported, name: str, value: Any = None) -> None:
    """Read again with one decision changed; what cannot be read that way is read as before."""
    state.moved()
    widget = state.key(f"decision.{name}")
    value = st.session_state[widget] if value is None else value
    _, decisions = st.session_state["brought"].readings[imported.table.digest()]
    changed = {name: value}
    # One mark cannot be both: what is chosen now takes it from the other.
    if (other := OPPOSITE.get(name)) and getattr(decisions, other) == value:
        changed[other] = None
    if not _read(replace(decisions, **changed)):
        st.session_state[widget] = getattr(imported.report.decisions, name)


def _notes(imported: Imported) -> None:
    """What to look at in the file, with the fix as a button."""
    report = imported.report
    if report.renamed:
        named = ", ".join(f"{old!r} is {new!r}" for old, new in report.renamed[:6])
        st.markdown(f":material/info: Columns without a name of their own: {plain(named)}.")
    for at, note in enumerate(report.notes[:SHOWN_NOTES]):
        _note(imported, at, note)
    if more := report.notes[SHOWN_NOTES:]:
        with st.expander(f"{count(len(more), 'more remark')}"):
            for at, note in enumerate(more, start=SHOWN_NOTES):
                _note(imported, at, note)
    if report.ragged:
        with st.expander(f"{count(len(report.ragged), 'line')} with too few or too many cells"):
            st.dataframe(_ragged(report.ragged), hide_index=True)


def _note(imported: Imported, at: int, note: Note) -> None:
    left, right = st.columns([5, 2], vertical_alignment="center")
    left.markdown(f":material/info: {plain(note.sentence)}")
    with right.container(horizontal=True, gap="small"):
        for which, (value, label) in enumerate(_ways(note).items()):
            name = note.fix[0] if note.fix else ""
            key = f"note.{at}.{which}"
            st.button(plain(label), key=key, on_click=_decide, args=(imported, name, value))


def _ways(note: Note) -> dict[Any, str]:
    """The values that would put it right, with the words on their buttons."""
    if note.fix is None:
        return {}
    name, value = note.fix
    if name == "date_order":
        return {**FIRST}
    return {value: note.press or FIXES[name].format(value)}


def _ragged(lines: Sequence[Ragged]) -> dict[str, list]:
    """Lines, their numbers of cells, and what is in no column."""
    return {
        "Line": [it.line for it in lines],
        "Cells": [it.got for it in lines],
        "Columns": [it.expected for it in lines],
        "In no column": [", ".join(filter(None, it.extra)) for it in lines],
    }
