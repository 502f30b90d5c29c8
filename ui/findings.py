"""What is worth a look in a table: each finding with its fix, and every decision to take back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.data.audit import Finding, audit
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.table import Table
from ui import frame, state
from ui.wording import count, plain

HEIGHT = 360  # pixels of the longest list; beyond it the list scrolls
FEW = 3  # that many are never higher than that
MOST_ALIKE = 6  # findings of one title that are written out
ICONS = {"stop": ":material/error:", "warning": ":material/warning:", "note": ":material/info:"}
DONE = ":material/check_circle:"
# The field of the data that a fix decides, by what the finding calls it.
FIELDS = {"role": "roles", "kind": "kinds", "missing": "missing"}
LABELS = {"role": "Set {}", "kind": "Make {}", "missing": "Read {} as missing", "drop": "Leave out"}
SAID = {
    "role": "Column {!r} is given the role {}.",
    "kind": "Column {!r} is read as {}.",
    "missing": "In column {!r}, {} is read as missing.",
}
DROPS = {
    "duplicates": "Rows that repeat an earlier one are left out.",
    "incomplete": "Rows with missing values are left out.",
}
Fix = tuple[str, str, str]


@st.cache_data(show_spinner=False, max_entries=64)
def _audited(digest: str, target: str | None, _table: Table) -> tuple[Finding, ...]:
    return audit(_table, target)


def findings(data: TableData, dataset: Dataset) -> None:
    """The findings, alike ones together, and below them what was decided."""
    audited = _audited(dataset.table.digest(), dataset.target, dataset.table)
    every = [finding for finding in audited if not _is_of_output(finding, dataset)]
    seen_to = [f for f in every if _is_seen_to(f, data, dataset)]
    found = [f for f in every if f not in seen_to]
    made = decisions(data)
    frame.card_heading("Worth a look", count(len(found), "finding"))
    if not found:
        st.markdown(_nothing(seen_to))
    is_long = len(every) + len(made) > FEW
    with st.container(height=HEIGHT if is_long else "content", border=False):
        for title in dict.fromkeys(finding.title for finding in found):
            _alike(data, found, [finding for finding in found if finding.title == title])
        if seen_to:
            st.markdown(f"{DONE} **Left out already**")
        for finding in seen_to:
            st.caption(plain(finding.sentence))
        if made:
            _decided(data, made)


def _nothing(seen_to: Sequence[Finding]) -> str:
    if seen_to:
        return "Nothing is left to decide."
    return "Nothing stands out: no holes, no constants, no identifiers, no likely leaks."


def _is_of_output(finding: Finding, dataset: Dataset) -> bool:
    """Whether it would leave out a column that is predicted itself, and so gives nothing away."""
    verb, column, value = finding.fix or ("", "", "")
    return (verb, value) == ("role", "ignore") and column in dataset.target_names


def _is_seen_to(finding: Finding, data: TableData, dataset: Dataset) -> bool:
    """Whether what a finding would leave out is left out, by a decision or as proposed."""
    if finding.fix is None:
        return False
    verb, column, value = finding.fix
    if verb == "drop":
        return value in data.drop
    return finding.fix == ("role", column, "ignore") and dict(dataset.roles)[column] == value


def _alike(data: TableData, every: Sequence[Finding], alike: Sequence[Finding]) -> None:
    st.markdown(f"{ICONS[alike[0].severity]} **{plain(alike[0].title)}**")
    fixes = [finding.fix for finding in alike if finding.fix]
    for finding in alike[:MOST_ALIKE]:
        st.caption(plain(finding.sentence))
        if finding.fix:
            _button(
                _label(finding.fix), f"fix.{every.index(finding)}", with_fixes(data, finding.fix)
            )
    if len(alike) > MOST_ALIKE:
        names = [repr(finding.column) for finding in alike[MOST_ALIKE:] if finding.column]
        more = len(alike) - MOST_ALIKE
        st.caption(plain(f"and {count(more, 'more column')}: {', '.join(names[:40])}"))
    if len({(verb, value) for verb, _, value in fixes}) == 1 and len(fixes) > 1:
        label = f"{_label(fixes[0])}: all {len(fixes)}"
        _button(label, f"fix.all.{every.index(alike[0])}", with_fixes(data, *fixes))


def _label(fix: Fix) -> str:
    return LABELS[fix[0]].format(fix[2])


def _button(label: str, key: str, data: TableData) -> None:
    st.button(label, key=key, on_click=state.change, kwargs={"data": data})


def _decided(data: TableData, made: Sequence[Fix]) -> None:
    """Every decision with a way back: of columns that no longer stand out too."""
    st.markdown(f"{DONE} **Decided by you**")
    for at, fix in enumerate(made):
        st.caption(plain(_sentence(fix)))
        _button("Take back", f"back.{at}", without(data, fix))


def _sentence(fix: Fix) -> str:
    verb, column, value = fix
    return DROPS[value] if verb == "drop" else SAID[verb].format(column, value)


def decisions(data: TableData) -> list[Fix]:
    """What was decided about columns and rows, in the words of fixes."""
    found = [
        (verb, column, value)
        for verb, field in FIELDS.items()
        for column, value in getattr(data, field)
    ]
    return found + [("drop", "", rows) for rows in data.drop]


def with_fixes(data: TableData, *fixes: Fix) -> TableData:
    """The data with these fixes decided; a further code for missing is added to the others."""
    changed: dict[str, Any] = {"drop": data.drop}
    for verb, column, value in fixes:
        if verb == "drop":
            changed["drop"] = tuple(dict.fromkeys((*changed["drop"], value)))
            continue
        held = dict(changed.get(FIELDS[verb], getattr(data, FIELDS[verb])))
        if verb == "missing" and column in held:
            value = f"{held[column]} {value}"
        changed[FIELDS[verb]] = tuple((held | {column: value}).items())
    return replace(data, **changed)


def without(data: TableData, fix: Fix) -> TableData:
    """The data with one decision taken back."""
    verb, column, value = fix
    if verb == "drop":
        return replace(data, drop=tuple(rows for rows in data.drop if rows != value))
    held = getattr(data, FIELDS[verb])
    return replace(data, **{FIELDS[verb]: tuple(pair for pair in held if pair[0] != column)})
