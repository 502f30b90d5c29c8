"""What is worth a look in a table: each finding with its fix, and every decision to take back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset, TableData
from mlcore.data.findings import Finding
from mlcore.data.table import Table
from mlcore.preparation.order import order_remarks
from mlcore.runs.run import Run
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count
from service import selecting
from ui import controls, frame, state
from ui.data.strip import counting_words
from ui.runs import asked
from ui.wording import plain

MOST_ALIKE = 6  # findings of one title that are written out
ICONS = {"stop": ":material/error:", "warning": ":material/warning:", "note": ":material/info:"}
DONE = ":material/check_circle:"
# The field of the data that a fix decides, by what the finding calls it.
FIELDS = {"role": "roles", "kind": "kinds", "missing": "missing"}
LABELS = {
    "role": "Set {}", "kind": "Make {}", "missing": "Read {} as missing", "drop": "Leave out",
    "step": "Add {}", "together": "Learn from the common names",
}  # fmt: skip
SENTENCES = {
    "role": "Column {!r} is given the role {}.",
    "kind": "Column {!r} is read as {}.",
    "missing": "In column {!r}, {} is read as missing.",
}
DROPS = {
    "duplicates": "Rows that repeat an earlier one are left out.",
    "incomplete": "Rows with missing values are left out.",
}
ALIKE_STAGES = ("fill", "scale")  # whose steps may stand for one another
ENCODER = "one_hot"
Fix = tuple[str, str, str]


@st.cache_data(show_spinner=False, max_entries=64)
def _audited(digest: str, target: str | None, _table: Table) -> tuple[Finding, ...]:
    return selecting.audited(_table, target, **asked.sender())


def audited(dataset: Dataset) -> tuple[Finding, ...]:
    """The findings on a table and what is predicted of it, worked out once.

    Raises DataError where that takes more than a run may.
    """
    return _audited(dataset.table.digest(), dataset.target, dataset.table)


def findings(run: Run, dataset: Dataset) -> None:
    """The findings, alike ones together, and below them what was decided."""
    try:
        every = [finding for finding in audited(dataset) if _concerns(finding, dataset)]
    except DataError as error:
        frame.card_heading("Worth a look")
        st.warning(plain(str(error)))
        return
    seen_to = [f for f in every if _is_seen_to(f, run, dataset)]
    open_findings = [f for f in every if f not in seen_to]
    made = decisions(run.data) + _steps_added(run, seen_to)
    frame.card_heading("Worth a look", count(len(open_findings), "finding"))
    if not open_findings:
        st.markdown(_nothing(seen_to))
    for alike in _by_title(open_findings):
        _alike(run, dataset, alike, every.index(alike[0]))
    if seen_to:
        _seen_to_already(run, seen_to)
    if made:
        _decided(run, made)


def _seen_to_already(run: Run, seen_to: Sequence[Finding]) -> None:
    """What needs no decision any more, to be unfolded: what is open stands alone in sight."""
    label = f"{DONE} Seen to already: {count(len(seen_to), 'finding')}"
    if not (place := controls.folded(label, "findings.seen")).open:
        return
    with place:
        for alike in _by_title(seen_to):
            for finding in alike[:MOST_ALIKE]:
                st.caption(plain(f"{finding.sentence} {_seen_by(finding, run)}"))
            _others(alike)


def _by_title(findings: Sequence[Finding]) -> list[list[Finding]]:
    titles = dict.fromkeys(finding.title for finding in findings)
    return [[finding for finding in findings if finding.title == title] for title in titles]


def _nothing(seen_to: Sequence[Finding]) -> str:
    if seen_to:
        return "Nothing is left to decide."
    return "Nothing stands out: no missing values, no constants, no identifiers, no likely leaks."


def _concerns(finding: Finding, dataset: Dataset) -> bool:
    """Whether it is about what its column is used for.

    What is predicted itself gives nothing away, and names that are only grouped by are not encoded.
    """
    verb, column, value = finding.fix or ("", "", "")
    if verb == "together":
        return dict(dataset.roles).get(column) in ("feature", "ignore")
    return (verb, value) != ("role", "ignore") or column not in dataset.target_names


def _is_seen_to(finding: Finding, run: Run, dataset: Dataset) -> bool:
    """Whether what a finding asks for is so, by a decision or as proposed."""
    if finding.fix is None:
        return False
    verb, column, value = finding.fix
    if verb == "drop":
        return value in run.data.drop
    role = dict(dataset.roles).get(column)
    if verb == "step":
        return role not in ("feature", "target") or _doing(value, run) is not None
    if verb == "together":
        is_encoded = any(least >= int(value) for least in _least_counts(run.preparation))
        return is_encoded if role == "feature" else (column, "ignore") in run.data.roles
    return verb == "role" and role == value


def _least_counts(steps: Sequence[Component]) -> list[int]:
    """Rows that a name of its own column must have, of each one-hot encoding."""
    # The encoder has it.
    # pyrefly: ignore[missing-attribute]
    return [step.min_count for step in steps if step.card.name == ENCODER]


def _doing(name: str, run: Run) -> Component | None:
    """The step of the preparation that does what the named one would."""
    stage = lookup("preparation", name).card.stage
    for step in run.preparation:
        if step.card.name == name or (stage in ALIKE_STAGES and step.card.stage == stage):
            return step
    return None


def _seen_by(finding: Finding, run: Run) -> str:
    """Which step sees to it, if one does."""
    step = _doing(finding.fix[2], run) if finding.fix and finding.fix[0] == "step" else None
    return f"{step.title()} is in the preparation." if step else ""


def _steps_added(run: Run, seen_to: Sequence[Finding]) -> list[Fix]:
    """The steps that see to a finding and are not among those that are proposed."""
    proposed = {step.card.name for step in Run().preparation}
    there = {step.card.name for step in run.preparation} - proposed
    wanted = [f.fix[2] for f in seen_to if f.fix and f.fix[0] == "step"]
    return [("step", "", name) for name in dict.fromkeys(wanted) if name in there]


def _alike(run: Run, dataset: Dataset, alike: Sequence[Finding], at: int) -> None:
    """Findings of one title; what puts all of them right at once has one button."""
    st.markdown(f"{ICONS[alike[0].severity]} **{plain(alike[0].title)}**")
    for k, finding in enumerate(alike[:MOST_ALIKE]):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(plain(finding.sentence), width="stretch")
            if finding.fix and finding.fix[0] != "step":
                _button(_label(finding.fix), f"fix.{at}.{k}", fixed(run, dataset, finding.fix))
    _others(alike)
    steps, fixes = (
        [f.fix for f in alike if f.fix and (f.fix[0] == "step") is own] for own in (True, False)
    )
    if steps:
        _button(_label(steps[0]), f"fix.step.{at}", fixed(run, dataset, steps[0]))
    if len(fixes) > 1:
        label = f"Mend all {len(fixes)} like this"
        _button(label, f"fix.all.{at}", fixed(run, dataset, *fixes))


def _others(alike: Sequence[Finding]) -> None:
    """The columns of the findings that are not written out."""
    if more := alike[MOST_ALIKE:]:
        names = [repr(finding.column) for finding in more if finding.column]
        st.caption(plain(f"and {count(len(more), 'more column')}: {', '.join(names[:40])}"))


def _label(fix: Fix) -> str:
    verb, _, value = fix
    return LABELS[verb].format(_title(value).lower() if verb == "step" else plain(str(value)))


def _title(step: str) -> str:
    return lookup("preparation", step).title()


def _button(label: str, key: str, run: Run) -> None:
    changed = {"data": run.data, "preparation": run.preparation}
    st.button(label, key=key, on_click=state.change, kwargs=changed)


def _decided(run: Run, made: Sequence[Fix]) -> None:
    """Every decision with a way back: of columns that no longer stand out too."""
    st.markdown(f"{DONE} **Decided by you**")
    for at, fix in enumerate(made):
        st.caption(plain(_sentence(fix)))
        _button("Take back", f"back.{at}", taken_back(run, fix))


def _sentence(fix: Fix) -> str:
    verb, column, value = fix
    if verb == "step":
        return f"{_title(value)} is in the preparation."
    return DROPS[value] if verb == "drop" else SENTENCES[verb].format(column, value)


def fixed(run: Run, dataset: Dataset, *fixes: Fix) -> Run:
    """The run with these fixes decided: of the table, or by a step of the preparation."""
    steps = run.preparation
    for name in dict.fromkeys(value for verb, _, value in fixes if verb == "step"):
        steps = with_step(steps, name)
    if together := [int(value) for verb, _, value in fixes if verb == "together"]:
        steps = with_rare_together(steps, max(together))
    decided = [
        ("role", column, "feature") if verb == "together" else (verb, column, value)
        for verb, column, value in fixes
        if verb != "step"
    ]
    data = with_fixes(run.data, *decided)
    # A column of text that is now learned from needs its words counted.
    return counting_words(run, replace(run, data=data, preparation=steps), dataset)


def with_step(steps: tuple[Component, ...], name: str) -> tuple[Component, ...]:
    """The steps and one more, where it stands in the usual order: imputation comes first."""
    step = lookup("preparation", name)()
    places = range(len(steps) + 1)
    every = [(*steps[:at], step, *steps[at:]) for at in places]
    # Of equally good places the last, as for a step that is added by hand.
    return min(every if step.card.stage == "fill" else every[::-1], key=_questionable)


def with_rare_together(steps: tuple[Component, ...], least: int) -> tuple[Component, ...]:
    """The steps with names in fewer rows than this in one column of the one-hot encoding."""
    if not _least_counts(steps):
        steps = with_step(steps, ENCODER)
    changed: list[Any] = [
        # pyrefly: ignore[missing-attribute, unexpected-keyword]  # the encoder has it
        replace(step, min_count=max(least, step.min_count)) if step.card.name == ENCODER else step
        for step in steps
    ]
    return tuple(changed)


def _questionable(steps: tuple[Component, ...]) -> int:
    return len(order_remarks(steps))


def taken_back(run: Run, fix: Fix) -> Run:
    """The run with one decision taken back."""
    verb, _, value = fix
    if verb != "step":
        return replace(run, data=without(run.data, fix))
    kept = tuple(step for step in run.preparation if step.card.name != value)
    return replace(run, preparation=kept)


def decisions(data: TableData) -> list[Fix]:
    """What was decided about columns and rows, in the words of fixes."""
    fixes = [
        (verb, column, value)
        for verb, field in FIELDS.items()
        for column, value in getattr(data, field)
    ]
    return fixes + [("drop", "", rows) for rows in data.drop]


def with_fixes(data: TableData, *fixes: Fix) -> TableData:
    """The data with these fixes decided; a further code for missing is added to the others."""
    changed: dict[str, Any] = {"drop": data.drop}
    for verb, column, value in fixes:
        if verb == "drop":
            changed["drop"] = tuple(dict.fromkeys((*changed["drop"], value)))
            continue
        decided = dict(changed.get(FIELDS[verb], getattr(data, FIELDS[verb])))
        if verb == "missing" and column in decided:
            value = f"{decided[column]} {value}"
        changed[FIELDS[verb]] = tuple((decided | {column: value}).items())
    return replace(data, **changed)


def without(data: TableData, fix: Fix) -> TableData:
    """The data with one decision taken back."""
    verb, column, value = fix
    if verb == "drop":
        return replace(data, drop=tuple(rows for rows in data.drop if rows != value))
    decided = getattr(data, FIELDS[verb])
    left: dict[str, Any] = {FIELDS[verb]: tuple(pair for pair in decided if pair[0] != column)}
    return replace(data, **left)
