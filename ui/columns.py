"""The columns of a table: kinds, roles, distributions; its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mlcore import codec
from mlcore.data import schema
from mlcore.data.cells import date_text, number_text
from mlcore.data.dataset import KINDS, ROLES, Dataset, TableData
from mlcore.data.summary import BINS
from mlcore.data.table import ColumnData, Table
from mlcore.random import generator
from ui import state
from ui.wording import count, number

PREVIEW_ROWS = 1000
MOST_HELP = 100  # columns whose kind and role are told at their names
SHORT = 8  # characters of a number that is shown as it is


def columns_table(data: TableData, table: Table, roles: Mapping[str, str]) -> TableData:
    """The table of columns; a kind or a role that is changed in it is a decision."""
    rows = [_line(column, roles[column.name]) for column in table.columns]
    shown = pd.DataFrame(rows)
    edited = st.data_editor(
        shown,
        hide_index=True,
        key=state.key(f"columns.{codec.digest(data)}"),  # edits of it are in `data` now
        on_change=state.moved,
        disabled=["Column", "Distribution", "Range", "Mean", "Missing"],
        column_config={
            "Type": st.column_config.SelectboxColumn(options=list(KINDS), required=True),
            "Role": st.column_config.SelectboxColumn(options=list(ROLES), required=True),
            "Distribution": st.column_config.BarChartColumn(y_min=0),
        },
    )
    return _decided(data, table, shown, edited)


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
    return date_text(round(mean)) if column.kind == "datetime" else number(mean)


def _bars(column: ColumnData) -> list[int]:
    if column.kind in ("identifier", "text"):
        return []
    counts = column.summary.counts
    return sorted(counts, reverse=True)[:BINS] if column.is_coded else list(counts)


def _range(column: ColumnData) -> str:
    held = column.summary
    if not held.counts:
        return "no values"
    if column.is_coded:
        return count(len(held.counts), "value")
    return " to ".join(_end(column, value) for value in (held.low, held.high))


def _end(column: ColumnData, value: float) -> str:
    if column.kind == "datetime":
        return date_text(value)
    text = number_text(value)
    return text if len(text) <= SHORT or column.kind != "number" else number(value)


def _decided(data: TableData, table: Table, before: pd.DataFrame, after: pd.DataFrame) -> TableData:
    kinds, roles = dict(data.kinds), dict(data.roles)
    target: str | None = data.target
    for was, now in zip(before.to_dict("records"), after.to_dict("records"), strict=True):
        name = was["Column"]
        if was["Type"] != now["Type"]:
            kinds[name] = now["Type"]
        if was["Role"] == now["Role"]:
            continue
        if now["Role"] != "target":
            roles[name] = now["Role"]
        elif _goes_with_targets(table, before, name):
            roles[name] = "target"
        else:
            target = name
            roles = {n: role for n, role in roles.items() if role != "target" and n != name}
        if was["Role"] == "target":
            others = after.loc[after["Role"] == "target", "Column"]
            target = target if target in set(others) else next(iter(others), None)
    return replace(data, kinds=tuple(kinds.items()), roles=tuple(roles.items()), target=target)


def _goes_with_targets(table: Table, before: pd.DataFrame, name: str) -> bool:
    """Whether a target is one more, as quantities are, and not another in place of the former."""
    every = [name, *before.loc[before["Role"] == "target", "Column"]]
    tasks = [schema.task(table.column(each)).value for each in every]
    return len(every) > 1 and set(tasks) == {"regression"}


def preview(dataset: Dataset) -> None:
    """Some rows as they are in the table: the first, the last, or any."""
    table = dataset.table
    which = "First"
    if table.n_rows > PREVIEW_ROWS:
        which = st.segmented_control(
            "Rows to look at", ["First", "Last", "Random"], default="First", required=True,
            label_visibility="collapsed", key="preview.rows", on_change=state.moved,
        )  # fmt: skip
    rows = _shown(table.n_rows, which)
    roles = dict(dataset.roles)
    st.dataframe(
        pd.DataFrame({c.name: _cells(c, rows) for c in table.columns}, index=rows + 1),
        height=380,
        placeholder="missing",
        column_config={
            c.name: st.column_config.Column(help=f"{c.kind}, {roles[c.name]}")
            for c in table.columns[:MOST_HELP]
        },
    )
    if table.n_rows > PREVIEW_ROWS:
        what = "at random" if which == "Random" else f"the {which.lower()} ones"
        st.caption(f"{PREVIEW_ROWS:,} of {table.n_rows:,} rows, {what}.")


def _shown(n: int, which: str) -> np.ndarray:
    """The numbers of the rows that are shown, rising."""
    if which == "Random":
        return np.sort(generator(0, "rows to look at").choice(n, PREVIEW_ROWS, replace=False))
    start = max(n - PREVIEW_ROWS, 0) if which == "Last" else 0
    return np.arange(start, min(start + PREVIEW_ROWS, n))


def _cells(column: ColumnData, rows: np.ndarray) -> Any:
    if column.levels or column.kind == "datetime":
        return [column.cell(row) or None for row in rows]
    return column.values[rows]
