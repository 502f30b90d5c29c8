"""From the prediction for a new row to its reasons: *Explain*, with the values of that row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.preparation.step import holds_text
from mlcore.runs.carry_explanation import does_not_apply
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.what_if import WhatIf, as_changes
from mlcore.runs.predicting.predicted import Predicted
from mlcore.spine.errors import DataError
from ui import state
from ui.method.explain_state import looked_at

MOST_COLUMNS = 100  # that an address can say the values of


def offered(outcome: Predicted, dataset: Dataset, first: int) -> None:
    """Which row, from `first` on, and the press that leads to its reasons."""
    if not _can_be_asked(outcome, dataset):
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="predict-why"):
        row = st.number_input(
            "New row", 1, outcome.new.n_rows, first + 1, key=f"predict.why.{first}", width=150,
            on_change=state.moved,
        )  # fmt: skip
        st.button(
            "Why this prediction?", icon=":material/help_center:", key="predict.why.go",
            on_click=state.moved, args=(_explain, outcome, dataset, int(row) - 1),
            help="Opens Explain with the values of this row, beside the training row that is "
            "nearest: what contributes to the prediction, how far the row lies from all others, "
            "and the smallest change that decides otherwise.",
        )  # fmt: skip


def _can_be_asked(outcome: Predicted, dataset: Dataset) -> bool:
    columns, run = dataset.columns, outcome.run.run()
    if len(columns) > MOST_COLUMNS or any(holds_text(column) for column in columns):
        return False
    try:
        return does_not_apply(Explanation.of(run, WhatIf(row=_some(dataset))), dataset) is None
    except DataError:
        return False


def _some(dataset: Dataset) -> int:
    return int(dataset.rows[0]) + 1


def _explain(outcome: Predicted, dataset: Dataset, row: int) -> None:
    new = outcome.matching.rows
    values = np.array([new.column(column.name).values[row] for column in dataset.columns])
    at, changes = as_changes(dataset, values)
    session = state.session()
    now = session.states[session.here]
    before = looked_at()
    explain: Explained = replace(before, row=at, changes=changes, part="variables")
    state.show(replace(now, view=replace(now.view, tab="explain", explain=explain)))
