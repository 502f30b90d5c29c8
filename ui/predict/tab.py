"""The tab: what comes in, what was found in it, how well it is predicted, and the predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.runs import carry_prediction
from mlcore.runs.predicting.matching import Matching
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.predicting.wanted import FEATURE, Wanted, brought_for, wanted_of
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import listed
from service import limits
from service.results import results
from service.tasks import task
from ui import state
from ui.predict import (
    absence,
    bring,
    changed,
    columns,
    promise,
    rows,
    score,
    threshold,
    why,
)  # fmt: skip
from ui.runs import asked, progress, running
from ui.runs.running import Shown
from ui.runs.session_tables import key_of, needed_tables, session_tables
from ui.wording import plain

PLACE = "predict"
EXAMPLES = 3  # rows of a template
HERE = 200_000  # cells that are compared without asking a worker


def predict(shown: Shown, dataset: Dataset) -> None:
    """New rows in, their columns, the score where they have the target, the predictions."""
    run = shown.run
    if reason := carry_prediction.why_not(run):
        st.markdown(plain(reason))
        return
    wanted = wanted_of(dataset, "lengths" in run.method.card.takes)
    source = _source(run, dataset)
    brought_columns = brought_for(dataset.new_rows, wanted, source)
    brought = bring.place(brought_columns, _template(dataset, brought_columns, source))
    if brought is None:
        st.caption(
            f"{run.method.title()} is fitted to all {dataset.n:,} rows and asked about the new "
            "ones; these change nothing of it."
        )
        st.button(
            "Open a saved model instead",
            icon=":material/model_training:",
            type="tertiary",
            key="predict.saved",
            on_click=state.moved,
            args=(_to_saved,),
        )
        return
    decided = columns.decided(brought.digest)
    new: Any = brought.source
    asked_for = Prediction.of(run, new, **decided)
    try:
        matching = _matching(asked_for, dataset, session_tables()[brought.digest])
    except MlcoreError as error:
        st.error(plain(str(error)))
        return
    if matching.is_of_another_table:
        _another_table(matching, dataset)
    columns.table(matching, brought.digest, absence.costs_of(run, dataset))
    if not matching.is_of_another_table:
        absence.together(run, dataset, matching)
        _carried(asked_for, dataset)


def _to_saved() -> None:
    """The place for a saved model, on the page of the data."""
    session = state.session()
    now = session.states[session.here]
    state.lead(replace(now, view=replace(now.view, tab="saved_model")), "data")


def _carried(asked_for: Prediction, dataset: Dataset) -> None:
    """Carry the prediction out, and show what came of it."""
    carried = running.carried(asked_for, dataset, PLACE)
    progress.status_line(carried, PLACE)
    if carried.outcome is not None:
        outcome = show(carried)
        if not carried.stale and carried.status == "done":
            why.offered(outcome, dataset, rows.first_in_sight(outcome))
            changed.offered(outcome.matching, dataset)
            rows.take_away(outcome, dataset)


def show(carried: Shown) -> Predicted:
    """The threshold, the score, then the rows, with what is promised of them as it was chosen."""
    if carried.stale:
        st.caption("Settings changed: these are the former predictions.")
    outcome = threshold.chosen(carried.outcome)
    score.card(outcome, stale=carried.stale)
    outcome = promise.chosen(outcome)
    rows.card(outcome, stale=carried.stale)
    return outcome


def _source(run: Run, dataset: Dataset) -> Table:
    """The table that was learned from, as it came: new rows go through its changes."""
    return running.changes_of(run.data).stages[0].table if run.data.steps else dataset.table


def _template(dataset: Dataset, brought: Sequence[Wanted], source: Table) -> Table:
    """The columns that new rows bring, with a few rows as an example."""
    names = [w.column.name for w in brought if w.role == FEATURE]
    rows = dataset.rows[:EXAMPLES]
    if all(name in source.names for name in names):
        numbers = rows if dataset.numbers is None else dataset.numbers[rows]
        return source.take(numbers).select(*names)
    return dataset.table.take(rows).select(*(c.name for c in dataset.columns))  # of groups


def _matching(asked_for: Prediction, dataset: Dataset, table: Table) -> Matching:
    """The columns compared: at once where they are few cells, else by a worker."""
    wanted = task(carry_prediction.matching_of, asked_for, needed_tables(asked_for))
    key = key_of(asked_for, "matching")
    here = table.n_rows * len(table.names) < HERE and dataset.X.size < 10 * HERE
    job = results().obtain(key, wanted, here=here, replaces="predict.matching", **asked.sender())
    if not job.wait(limits.current_limits().autorun_seconds):
        raise DataError("The columns are still being compared. Look again in a moment.")
    return job.result()


def _another_table(matching: Matching, dataset: Dataset) -> None:
    """The two headers side by side, where nothing of them is the same."""
    st.error("This does not look like the training table: none of its columns was found.")
    left, right = st.columns(2)
    features = [w.column.name for w in wanted_of(dataset, False) if w.role == FEATURE]
    left.markdown(f"**The model learned from** {plain(listed(features, 12))}")
    right.markdown(f"**The new table has** {plain(listed(matching.names, 12))}")
