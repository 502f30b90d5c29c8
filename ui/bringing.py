"""How data come in: a file with every reading decision shown, a bundled set, a generator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.component import entries
from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.importing import Decisions, Imported, read
from mlcore.data.upload import Upload
from mlcore.errors import MlcoreError
from ui import controls, running, state
from ui.wording import count, plain

TYPES = ["csv", "tsv", "txt", "tab", "dat"]
MARKS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
DATES = {"dmy": "day.month.year", "mdy": "month/day/year", "ymd": "year-month-day"}
DECIMALS = {".": "decimal point", ",": "decimal comma"}
ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16", "iso-8859-2", "cp1250", "cp1251", "mac-roman")


def uploader(key: str) -> None:
    """A place to drop a file; what it holds becomes the data of every page."""
    file = st.file_uploader(
        "CSV, TSV or text: any delimiter, encoding, decimal mark or date format",
        type=TYPES,
        key=key,
    )
    st.caption("Stays in this session. Nothing is stored.")
    brought = st.session_state.get("brought")
    if file is None or (brought and brought["id"] == file.file_id):
        return
    st.session_state["brought"] = {
        "id": file.file_id, "name": file.name, "bytes": file.getvalue(), "decisions": Decisions(),
    }  # fmt: skip
    if _read():
        st.rerun()


def _read() -> bool:
    """Read the file that was brought, by the decisions taken so far; whether that went well."""
    brought = st.session_state["brought"]
    try:
        imported = read(brought["bytes"], brought["name"], brought["decisions"])
    except MlcoreError as error:
        brought["problem"] = str(error)
        return False
    brought["problem"] = ""
    brought["imported"] = imported
    digest = imported.table.digest()
    running.held_tables()[digest] = imported.table
    source: Any = Upload(digest=digest, name=brought["name"])
    data: Any = state.session().states[state.session().here].run.data
    is_awaited = getattr(data.source, "digest", "") == digest  # its link came before the file
    state.change(data=replace(data, source=source) if is_awaited else TableData(source=source))
    return True


def problem() -> None:
    """The sentence of a file that could not be read; the data that were there stay."""
    if said := st.session_state.get("brought", {}).get("problem"):
        st.error(plain(said))


def imported_now(data: TableData) -> Imported | None:
    """What the reading of the shown table gave, if it is the file that was brought."""
    found = st.session_state.get("brought", {}).get("imported")
    source: Any = data.source
    is_shown = found and getattr(source, "digest", "") == found.table.digest()
    return found if is_shown else None


def read_as(imported: Imported) -> None:
    """Every decision of the reading, each of which can be changed."""
    taken = imported.report.decisions
    with st.container(horizontal=True, vertical_alignment="center", key="read-as"):
        st.markdown("Read as", width="content")
        _decision(imported, "encoding", {e: e.upper() for e in ENCODINGS}, taken.encoding)
        _decision(imported, "delimiter", MARKS, taken.delimiter)
        _decision(imported, "decimal", DECIMALS, taken.decimal)
        header = {n: f"header in row {n + 1}" for n in range(6)} | {"none": "no header"}
        _decision(imported, "header", header, taken.header)
        _decision(imported, "date_order", DATES, taken.date_order)
        _decision(imported, "skip", {n: f"skip {count(n, 'line')}" for n in range(11)}, taken.skip)
        st.caption("every decision can be changed", width="content")
    _notes(imported)


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
            args=(name,),
        )


def _decide(name: str, value: Any = None) -> None:
    brought = st.session_state["brought"]
    value = st.session_state[state.key(f"decision.{name}")] if value is None else value
    brought["decisions"] = replace(brought["decisions"], **{name: value})
    _read()


def _notes(imported: Imported) -> None:
    """What to look at in the file, with the fix as a button."""
    report = imported.report
    for at, note in enumerate(report.notes[:6]):
        left, right = st.columns([6, 1], vertical_alignment="center")
        left.markdown(f":material/info: {plain(note.sentence)}")
        if note.fix:
            right.button("Change", key=f"note.{at}", on_click=_decide, args=note.fix)
    if len(report.notes) > 6:
        st.caption(f"and {len(report.notes) - 6} more remarks")


def pick(data: TableData) -> None:
    """The bundled sets as cards."""
    sets = [bundled.entry(name) for name in bundled.names()]
    for at in range(0, len(sets), 3):
        for place, entry in zip(st.columns(3), sets[at : at + 3], strict=False):
            with place.container(border=True, height="stretch"):
                st.markdown(f"**{entry.title}** <small>{entry.rows:,} × {entry.columns}</small>",
                            unsafe_allow_html=True)  # fmt: skip
                st.markdown(entry.shows)
                st.button(
                    "Use it",
                    key=f"pick.{entry.name}",
                    on_click=state.change,
                    kwargs={"data": TableData(source=entry.name)},
                    disabled=getattr(data.source, "name", "") == entry.name,
                )


def generate(data: TableData) -> TableData:
    """A generator with its knobs."""
    makers = {n: c for n, c in entries("source").items() if n not in ("bundled", "upload")}
    titles = {name: cls.title() for name, cls in makers.items()}
    now = data.source.card.name
    left, right = st.columns([2, 3])
    with left:
        chosen = controls.listed(
            "Generator", {None: "Choose one", **titles}, now if now in makers else None,
            "generate", "Rows drawn from a recipe whose truth is known.",
        )  # fmt: skip
    if chosen is None:
        return data
    source = data.source if chosen == now else makers[chosen]()
    with left:
        source = controls.form(makers[chosen], source, f"generate.{chosen}")
    right.markdown(makers[chosen].__doc__ or "")
    return replace(data, source=source) if chosen == now else TableData(source=source)
