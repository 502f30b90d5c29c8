"""The columns of a table: kinds, roles, distributions; its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from mlcore import codec
from mlcore.data import schema
from mlcore.data.cells import date_text, number_text
from mlcore.data.dataset import KINDS, ROLES, Dataset, TableData
from mlcore.data.summary import BINS
from mlcore.data.table import ColumnData, Table
from ui import state
from ui.wording import count, number

PREVIEW_ROWS = 1000
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
    """The first rows as they are in the table."""
    table = dataset.table
    n = min(table.n_rows, PREVIEW_ROWS)
    frame = pd.DataFrame({c.name: _cells(c, n) for c in table.columns}, index=range(1, n + 1))
    st.dataframe(frame, height=380)
    if n < table.n_rows:
        st.caption(f"The first {n:,} of {table.n_rows:,} rows.")


def _cells(column: ColumnData, n: int) -> Any:
    if column.levels or column.kind == "datetime":
        return [column.cell(row) for row in range(n)]
    return column.values[:n]
