"""What is done to the table before anything else: a list of steps, each with what came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.steps import Applied, Rows, TableStep
from mlcore.data.table import Table
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import entries
from mlcore.spine.wording import count
from ui import controls, frame, lists
from ui.runs import running
from ui.wording import plain

PLACE = "data.steps"  # of the steps in the run
SHOWN = 6  # rows of the preview
MOST_LEVELS = 1000  # that are offered
MOST_ABOUT = 60  # letters of what a step does, beside its name
BY_HAND = "listed_rows"  # made of a selection alone


def changes(run: Run, dataset: Dataset | None) -> Run:
    """Draw the section; the run as its controls now say. Without rows there may be columns."""
    steps = run.data.steps
    with st.container(border=True, key="changes"):
        note = "before anything is learned; every change is in the link, the script and saved runs"
        frame.card_heading("Change the table", note)
        try:
            # Without changes the table is that of the rows, and no second one is made.
            done = running.changes_of(run.data) if steps or dataset is None else None
        except MlcoreError:  # the page says that there is no table
            return run
        edited = () if done is None else tuple(_step(steps, at, done) for at in range(len(steps)))
        _to_add(edited)
        if done and steps:
            _preview(done)
    return run if edited == steps else replace(run, data=replace(run.data, steps=edited))


def _to_add(steps: tuple[TableStep, ...]) -> None:
    options = {name: cls for name, cls in entries("table_step").items() if name != BY_HAND}
    dropped = controls.dropped_down("Add a change", "add", "changes.add")
    lists.to_add(dropped, "changes.add", options, PLACE, steps)


def _step(steps: tuple[TableStep, ...], at: int, done: Applied) -> TableStep:
    step, before = steps[at], done.stages[min(at, len(done.stages) - 1)]
    with st.container(border=True, key=f"change-{at}"):
        with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
            about = step.about() if step.is_ready() else ""
            about = about if len(about) <= MOST_ABOUT else f"{about[: MOST_ABOUT - 1]}…"
            frame.card_heading(f"{at + 1}. {step.title()}", about)
            st.space("stretch")
            for name, icon, key, change, off in (
                ("Earlier", "arrow_upward", "up", lists.moved(at, -1), at == 0),
                ("Later", "arrow_downward", "down", lists.moved(at, 1), at == len(steps) - 1),
                ("Remove", "close", "out", lists.without(at), False),
            ):
                lists.offer("", icon, name, f"changes.{key}.{at}", PLACE, steps, change, off)
        edited: Any = _settings(step, before.table, f"{PLACE}.{at}.{step.card.name}")
        _came_of(step, at, done)
    return edited


def _settings(step: TableStep, table: Table, path: str) -> TableStep:
    """The controls of a step, side by side; they offer the columns that are there before it."""
    controls.CONTEXT.set(controls.Context(table.names, _levels(step, table)))
    with st.container(key=f"settings-{path.replace('.', '-')}"):
        return controls.form(type(step), step, path)


def _levels(step: TableStep, table: Table) -> tuple[str, ...]:
    """What can be chosen of the columns that a step takes."""
    there = [table.column(name) for name in step.columns() if name in table.names]
    levels = dict.fromkeys(level for c in there for level in c.levels)
    return tuple(levels)[:MOST_LEVELS]


def _came_of(step: TableStep, at: int, done: Applied) -> None:
    """How many rows and columns are left after a step, or why it cannot be done."""
    if at + 1 < len(done.stages):
        before, after = done.stages[at], done.stages[at + 1]
        told = " ".join(after.notes[len(before.notes) :])
        sentence = f"{_size(after)}. {told}" if step.is_ready() else "Not set yet: does nothing."
        st.caption(plain(sentence))
    elif at + 1 == len(done.stages):
        st.error(plain(done.problem.partition(": ")[2]))
    else:
        st.caption("Waits for the change above.")


def _size(rows: Rows) -> str:
    table = rows.table
    return f"{count(table.n_rows, 'row')}, {count(len(table.names), 'column')}"


def _preview(done: Applied) -> None:
    """The first rows as the changes leave them."""
    rows = done.stages[-1]
    up_to = " as far as the changes can be done" if done.problem else " after the changes"
    frame.card_heading(_size(rows), f"the first rows{up_to}")
    first = np.arange(min(SHOWN, rows.table.n_rows))
    st.dataframe(shown_rows(rows.table.take(first), rows.numbers[first]), placeholder="missing")


def shown_rows(table: Table, numbers: Any) -> pd.DataFrame:
    """A few rows as they stand in the table, under their numbers, which count from 1."""
    cells = {c.name: [text or None for text in c.texts()] for c in table.columns}
    numeric = {c.name: c.values for c in table.columns if not c.is_coded and c.kind != "datetime"}
    return pd.DataFrame(cells | numeric, index=[int(n) + 1 for n in numbers])
