"""The columns of a table: kinds, roles, distributions; its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from mlcore.data import schema
from mlcore.data.cells import date_text, number_text
from mlcore.data.dataset import KINDS, Dataset, TableData
from mlcore.data.roles import ROLES
from mlcore.data.summary import BINS
from mlcore.data.table import ColumnData, Table
from mlcore.runs.run import Run
from mlcore.spine import codec
from mlcore.spine.random import generator
from mlcore.spine.wording import count, number, typeset
from ui import frame, state
from ui.data.strip import counting_words
from ui.runs import running

PREVIEW_ROWS = 1000
PREVIEW_CELLS = 100_000  # of a wide table fewer rows: a browser gets all that are shown at once
MOST_HELP = 100  # columns whose kind and role are told at their names
Edit = tuple[str, Literal["Type", "Role"]]  # a column, and what of it is chosen
LINE, MOST_LINES = 35, 16  # pixels of a line of the table of columns, and how many are in sight
MEAN = 95  # pixels of the column of means, which a date fills
SHORT = 8  # characters of a number that is shown as it is


def columns_table(
    run: Run, table: Table, roles: Mapping[str, str], dataset: Dataset | None = None
) -> None:
    """The table of columns; a kind or a role that is changed in it is a decision.

    Decisions are taken when the browser tells them, not where the table is drawn: a second one may
    come from the table as it was before the first.
    """
    key = state.key(f"columns.{codec.digest(run.data)}")  # earlier edits are in `run.data` now
    st.data_editor(
        pd.DataFrame([_line(column, roles[column.name]) for column in table.columns]),
        hide_index=True,
        height=LINE * (MOST_LINES + 1) if len(table.columns) > MOST_LINES else "content",
        key=key,
        on_change=state.moved,
        args=(_take, key, table, dataset, {}),
        disabled=["Column", "Distribution", "Range", "Mean", "Missing"],
        column_config={
            "Type": st.column_config.SelectboxColumn(options=list(KINDS), required=True),
            "Role": st.column_config.SelectboxColumn(options=list(ROLES), required=True),
            "Distribution": st.column_config.BarChartColumn(y_min=0),
            "Mean": st.column_config.Column(width=MEAN),
        },
    )


def without_rows(run: Run) -> None:
    """The table of columns where there are no rows to learn from, if there are columns."""
    if columns := running.columns_of(run):
        with st.container(border=True):
            frame.card_heading("Columns", "change a type or a role in the table")
            columns_table(run, *columns)


def _take(key: str, table: Table, dataset: Dataset | None, taken: dict[Edit, str]) -> None:
    """Decide what was edited in the table with this key, what was `taken` from it before aside."""
    lines = st.session_state[key]["edited_rows"].items()
    edits = {(table.names[int(k)], what): v for k, line in lines for what, v in line.items()}
    session = state.session()
    for edit, value in edits.items():
        if taken.get(edit) != value:
            now = session.states[session.here]
            state.keep(session.here, replace(now, run=decided(now.run, dataset, edit, value)))
    taken |= edits


def decided(run: Run, dataset: Dataset | None, edit: Edit, value: str) -> Run:
    """The run with another type or role of a column; `dataset` are its rows, if it has any."""
    name, what = edit
    if what == "Type":
        kinds = dict(run.data.kinds) | {name: value}
        return replace(run, data=replace(run.data, kinds=tuple(kinds.items())))
    columns = running.columns_of(run)
    if columns is None:  # an earlier choice spoiled the table, and the page says so
        return run
    table, roles = columns
    after = replace(run, data=with_role(run.data, table, roles, name, value))
    return counting_words(run, after, dataset) if dataset else after


def _line(column: ColumnData, role: str) -> dict[str, Any]:
    return {
        "Column": column.name,
        "Type": column.kind,
        "Role": role,
        "Distribution": _bars(column),
        "Range": _range(column),
        "Mean": _mean(column),
        "Missing": column.missing,
    }


def _mean(column: ColumnData) -> str:
    mean = column.summary.mean
    if mean != mean or column.is_coded:
        return "–"
    return date_text(round(mean)) if column.kind == "datetime" else number(mean).replace(",", "")


def _bars(column: ColumnData) -> list[int]:
    if column.kind in ("identifier", "text"):
        return []
    counts = column.summary.counts
    return sorted(counts, reverse=True)[:BINS] if column.is_coded else list(counts)


def _range(column: ColumnData) -> str:
    summary = column.summary
    if not summary.counts:
        return "no values"
    if column.is_coded:
        return count(len(summary.counts), "value")
    return typeset(" to ".join(_end(column, value) for value in (summary.low, summary.high)))


def _end(column: ColumnData, value: float) -> str:
    if column.kind == "datetime":
        return date_text(value)
    text = number_text(value)
    return text if len(text) <= SHORT or column.kind != "number" else number(value)


def with_role(
    data: TableData, table: Table, roles: Mapping[str, str], name: str, role: str
) -> TableData:
    """The data with another role of a column, given the roles of all as they are."""
    if roles[name] == role:
        return data
    decided, target = dict(data.roles), data.target
    if role != "target" or _goes_with_targets(table, roles, name):
        decided[name] = role
    else:
        target = name
        decided = {n: each for n, each in decided.items() if each != "target" and n != name}
    if roles[name] == "target":
        others = [n for n in _targets(roles) if n != name]
        target = target if target in others else next(iter(others), None)
    return replace(data, roles=tuple(decided.items()), target=target)


def _goes_with_targets(table: Table, roles: Mapping[str, str], name: str) -> bool:
    """Whether a target is one more, as quantities are, and not another in place of the former."""
    every = [name, *_targets(roles)]
    tasks = [schema.task(table.column(each)).value for each in every]
    return len(every) > 1 and set(tasks) == {"regression"}


def _targets(roles: Mapping[str, str]) -> list[str]:
    return [name for name, role in roles.items() if role == "target"]


def preview(dataset: Dataset) -> None:
    """Some rows as they are in the table: the first, the last, or any."""
    table = dataset.table
    which, most = "First", most_rows(len(table.columns))
    if table.n_rows > most:
        which = st.segmented_control(
            "Rows to look at", ["First", "Last", "Random"], default="First", required=True,
            label_visibility="collapsed", key="preview.rows", on_change=state.moved,
        )  # fmt: skip
    rows = _shown(table.n_rows, which, most)
    roles = dict(dataset.roles)
    st.dataframe(
        pd.DataFrame(
            {c.name: _cells(c, rows) for c in table.columns}, index=_numbers(dataset, rows)
        ),
        height=380,
        placeholder="missing",
        column_config={
            c.name: st.column_config.Column(help=f"{c.kind}, {roles[c.name]}")
            for c in table.columns[:MOST_HELP]
        },
    )
    if table.n_rows > most:
        what = "at random" if which == "Random" else f"the {which.lower()} ones"
        st.caption(f"{most:,} of {table.n_rows:,} rows, {what}.")


def _numbers(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """What rows of the table are called: by their number in the table as it came, from 1."""
    return (rows if dataset.numbers is None else dataset.numbers[rows]) + 1


def most_rows(columns: int, most: int = PREVIEW_ROWS) -> int:
    """How many rows of a table with so many columns are shown at once."""
    return min(most, max(PREVIEW_CELLS // columns, 10))


def _shown(n: int, which: str, most: int) -> np.ndarray:
    """The numbers of the rows that are shown, at most so many, rising."""
    if which == "Random":
        return np.sort(generator(0, "rows to look at").choice(n, most, replace=False))
    start = max(n - most, 0) if which == "Last" else 0
    return np.arange(start, min(start + most, n))


def _cells(column: ColumnData, rows: np.ndarray) -> Any:
    if column.levels or column.kind == "datetime":
        return [column.cell(row) or None for row in rows]
    return column.values[rows]
