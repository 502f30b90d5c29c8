"""The selected rows: as a table, under a name, as a file, and what the next run does with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.steps import TableStep
from mlcore.data.steps.keep_rows import KEEP, LEAVE_OUT
from mlcore.data.steps.picked_rows import LISTED, ListedRows, PickedRows
from mlcore.data.steps.row_numbers import LONGEST, written
from mlcore.data.table import Table
from mlcore.data.upload import Upload
from mlcore.runs.hard_rows import confused, worst
from mlcore.spine.errors import MlcoreError, ParamError
from mlcore.spine.wording import count
from service import selecting
from service.kept_tables import KeptFile
from ui import frame, selection, state
from ui.data.changes import shown_rows
from ui.data.columns import most_rows, preview
from ui.method import panels
from ui.runs import asked, session_tables
from ui.runs.running import Shown
from ui.wording import plain

MOST_SHOWN = 500  # rows of the table of a selection
MOST_NAMED = 20  # selections of a table that keep their name; beyond, the oldest goes
NAME, NAMED = "selection.name", "selection.named"
WORST = 20


def rows_and_pictures(dataset: Dataset, view: Any) -> None:
    """The rows of a table and its pictures, and below them what is selected."""
    follow(dataset)
    panels.data_tabs(dataset, view, preview)
    selected_rows(dataset)


def selected_rows(dataset: Dataset, shown: Shown | None = None) -> None:
    """Draw what is selected of a table, and the ways to select; `shown` has its predictions."""
    rows = np.array(selection.selected(), dtype=np.int64)
    rows = rows[rows < dataset.table.n_rows]
    key = "selected-rows" if len(rows) else "ways-to-select"
    with st.container(key=key, border=bool(len(rows))):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if len(rows):
                of = f"of {dataset.table.n_rows:,}"
                frame.card_heading(f"{count(len(rows), 'row')} selected", of)
            _ways(dataset, shown)
            if len(rows):
                _doings(dataset, rows)
        if len(rows):
            _table(dataset, rows)


def _ways(dataset: Dataset, shown: Shown | None) -> None:
    """Other ways to select than in a picture, made while the popover is open alone."""
    place = st.popover(
        "Select rows", icon=":material/rule:", type="tertiary", key=state.key("selection.ways"),
        on_change=state.moved, help="Lasso, box or click in a picture selects rows too.",
    )  # fmt: skip
    if not place.open:
        return
    with place:
        _by_formula()
        if shown is not None and shown.outcome is not None and dataset.y is not None:
            _by_mistake(dataset, shown.outcome)
        named = _named()
        for name, rows in named.items():
            label = f"{plain(name)} ({count(len(rows), 'row')})"
            st.button(
                label, key=f"selection.again.{name}", type="tertiary", icon=":material/bookmark:",
                on_click=state.moved, args=(_again, name),
            )  # fmt: skip


def _by_formula() -> None:
    st.text_input(
        "Rows where", key="selection.formula", on_change=state.moved, args=(_where,),
        placeholder="age > 60 and missing(income)",
        help="A condition on the columns, as in the changes of the table.",
    )  # fmt: skip
    if problem := st.session_state.get("selection.problem"):
        st.error(plain(problem))


def _where() -> None:
    """Select the rows that meet the condition, when the page is drawn with its table."""
    st.session_state["selection.asked"] = st.session_state["selection.formula"]


def follow(dataset: Dataset) -> None:
    """Select what a formula asked for, before the pictures of this table are drawn."""
    selection.about(dataset.table.digest())
    formula = st.session_state.pop("selection.asked", None)
    if formula is None:
        return
    st.session_state["selection.problem"] = ""
    try:
        rows = _meeting(formula, dataset.table)
    except MlcoreError as error:
        st.session_state["selection.problem"] = str(error)
        return
    selection.select(rows)


def _meeting(formula: str, table: Table) -> list[int]:
    if not formula.strip():
        return []
    return selecting.rows_where(formula, table, **asked.sender()).tolist()


def _by_mistake(dataset: Dataset, outcome: Any) -> None:
    """The rows that are predicted worst, and those of one cell of the confusion matrix."""
    most = int(min(dataset.n, 1000))
    k = st.number_input(
        "Predicted worst", 1, most, min(WORST, most), key="selection.worst", on_change=state.moved,
        help="By absolute error, or how little probability the true class gets, when left out.",
    )  # fmt: skip
    _pick(f"Select the worst {int(k)}", "worst", worst(outcome, dataset, int(k)))
    if not dataset.classes:
        return
    codes = range(len(dataset.classes))
    left, right = st.columns(2)
    pair = [
        place.selectbox(
            label, codes, at, format_func=dataset.classes.__getitem__,
            key=f"selection.{label}.{'~'.join(dataset.classes)}", on_change=state.moved,
        )
        for place, label, at in ((left, "True class", 0), (right, "Predicted", 1))
    ]  # fmt: skip
    rows = confused(outcome, dataset, *pair)
    _pick(f"Select {count(len(rows), 'row')}", "cell", rows)


def _pick(label: str, key: str, rows: np.ndarray) -> None:
    st.button(
        label, key=f"selection.{key}.go", disabled=not len(rows), on_click=state.moved,
        args=(selection.select, rows.tolist()),
    )  # fmt: skip


def _doings(dataset: Dataset, rows: np.ndarray) -> None:
    """Name, file, and what becomes of the rows."""
    st.text_input(
        "Name of the selection", key=NAME, placeholder="name it", max_chars=80, width=150,
        label_visibility="collapsed", on_change=state.moved, args=(_keep_name, rows.tolist()),
    )  # fmt: skip
    numbers, sender = _numbers(dataset, rows), asked.sender()  # a download knows no session
    st.download_button(
        "CSV", lambda: selecting.csv_of(rows, dataset.table, **sender), f"{_name() or 'rows'}.csv",
        icon=":material/download:", type="tertiary", on_click="ignore", key="selection.csv",
    )  # fmt: skip
    for label, icon, keep, off in (
        ("Leave out of the next run", "block", LEAVE_OUT, len(rows) == dataset.table.n_rows),
        ("Use only these", "filter_alt", KEEP, False),
    ):
        st.button(
            label, icon=f":material/{icon}:", type="tertiary", key=f"selection.{keep}",
            disabled=off, on_click=state.moved, args=(_change, keep, numbers.tolist()),
        )  # fmt: skip
    st.button(
        "Clear", icon=":material/close:", type="tertiary", key="selection.clear",
        on_click=state.moved, args=(selection.clear,),
    )  # fmt: skip


def _table(dataset: Dataset, rows: np.ndarray) -> None:
    few = rows[: most_rows(len(dataset.table.columns), MOST_SHOWN)]
    st.dataframe(
        shown_rows(dataset.table.take(few), _numbers(dataset, few)),
        height=min(36 * (len(few) + 1), 180), placeholder="missing",
    )  # fmt: skip
    if len(few) < len(rows):
        st.caption(f"The first {len(few):,} of them; the file has all.")


def _numbers(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """The numbers of rows in the table as it came, from 0."""
    return rows if dataset.numbers is None else dataset.numbers[rows]


def _named() -> dict[str, np.ndarray]:
    """The selections that have a name, of the table on the page."""
    return st.session_state.setdefault(NAMED, {}).setdefault(selection.table(), {})


def _name() -> str:
    return str(st.session_state.get(NAME, "")).strip()


def _keep_name(rows: list[int]) -> None:
    if name := _name():
        named = _named()
        named.pop(name, None)
        named[name] = np.array(rows, dtype=np.int32)  # a million rows as a tuple take 40 MB
        for old in list(named)[:-MOST_NAMED]:
            del named[old]


def _again(name: str) -> None:
    """Select the rows of a name."""
    selection.select(_named()[name])
    st.session_state[NAME] = name


def _change(keep: str, numbers: list[int]) -> None:
    """Make a change of the table of the selected rows."""
    session = state.session()
    data: Any = session.states[session.here].run.data
    try:
        state.change(data=replace(data, steps=(*data.steps, step_of(keep, numbers, _name()))))
    except ParamError as error:  # the list of changes is full
        st.toast(plain(str(error)))
        return
    selection.clear()
    st.session_state[NAME] = ""


def step_of(keep: str, numbers: Iterable[int], name: str) -> TableStep:
    """The change that keeps or leaves out rows, by their numbers in the table as it came.

    Where these are too many for a link they become a table of this session, named by its digest.
    """
    # Reading needs pyarrow, which no page should wait for.
    from mlcore.data.importing import Decisions
    from service import reading

    text = written(numbers)
    if len(text) <= LONGEST:
        return PickedRows(rows=keep, numbers=text, name=name)
    lines = "\n".join(str(number + 1) for number in numbers)
    content, file, decisions = f"{LISTED}\n{lines}\n".encode(), f"{name or 'rows'}.csv", Decisions()
    imported = reading.read(content, file, decisions, **asked.sender())
    session_tables.bring(KeptFile(file, content, imported, decisions))
    st.toast("So many rows fit no link: their list stays with this session, like an uploaded file.")
    return ListedRows(rows=keep, source=Upload.of(imported.table.digest(), file), name=name)
