"""The columns of a table: kinds, roles, distributions; findings with their fixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from mlcore import codec
from mlcore.data import schema
from mlcore.data.audit import Finding, audit
from mlcore.data.cells import date_text, number_text
from mlcore.data.dataset import KINDS, ROLES, Dataset, TableData
from mlcore.data.summary import BINS
from mlcore.data.table import ColumnData, Table
from ui import frame, state
from ui.wording import count, number, plain

PREVIEW_ROWS = 1000
FINDINGS_HEIGHT = 320  # pixels; beyond it the list scrolls
FEW_FINDINGS = 3  # that many are never higher than that
SHORT = 8  # characters of a number that is shown as it is
MOST_ALIKE = 6  # findings of one title that are written out
ICONS = {"stop": ":material/error:", "warn": ":material/warning:", "info": ":material/info:"}


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


def findings(data: TableData, dataset: Dataset) -> None:
    """What is worth a look, alike findings together, each with its fix as a button."""
    found = findings_of(dataset)
    frame.card_heading("Worth a look", count(len(found), "finding"))
    if not found:
        st.markdown("Nothing stands out: no holes, no constants, no identifiers, no likely leaks.")
    is_long = len(found) > FEW_FINDINGS
    with st.container(height=FINDINGS_HEIGHT if is_long else "content", border=False):
        for title in dict.fromkeys(finding.title for finding in found):
            alike = [finding for finding in found if finding.title == title]
            icon = ICONS.get(alike[0].severity, ICONS["info"])
            st.markdown(f"{icon} **{plain(title)}**")
            for finding in alike[:MOST_ALIKE]:
                _finding(data, finding, found.index(finding))
            if len(alike) > MOST_ALIKE:
                st.caption(f"and {len(alike) - MOST_ALIKE} more columns")


@st.cache_data(show_spinner=False, max_entries=64)
def _audited(digest: str, target: str | None, _table: Table) -> tuple[Finding, ...]:
    return audit(_table, target)


def findings_of(dataset: Dataset) -> tuple[Finding, ...]:
    """The findings of a table, kept by its digest."""
    return _audited(dataset.table.digest(), dataset.target, dataset.table)


def _finding(data: TableData, finding: Finding, at: int) -> None:
    st.caption(plain(finding.sentence))
    if finding.fix:
        st.button(_fix_label(finding.fix), key=f"fix.{at}", on_click=_fix, args=(data, finding.fix))


def _fix_label(fix: tuple) -> str:
    verb, *_, value = fix
    return {"role": f"Set {value}", "kind": f"Make {value}", "drop": "Leave out"}.get(verb, "Fix")


def _fix(data: TableData, fix: tuple) -> None:
    verb, *rest = fix
    if verb == "role":
        state.change(
            data=replace(data, roles=tuple((dict(data.roles) | {rest[0]: rest[1]}).items()))
        )
    elif verb == "kind":
        state.change(
            data=replace(data, kinds=tuple((dict(data.kinds) | {rest[0]: rest[1]}).items()))
        )
    elif verb == "drop":
        state.change(data=replace(data, drop=(*data.drop, rest[-1])))


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
