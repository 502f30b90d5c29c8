"""How rows are left out where the proposed folds are more than there are rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.runs.run import AnyRun, Run
from mlcore.spine.registry import lookup

KEY = "few_rows.source"  # the table for which leaving out each row once was proposed


def suited_folds(run: Any, dataset: Dataset) -> Any:
    """The run, with leave-one-out on a table of fewer rows or groups than the folds proposed.

    It goes with that table: on another one the folds are those that are proposed for any.
    """
    alone, source = lookup("splits", "leave_one_out")(), run.data.source
    if _is_too_short(run, dataset):
        run = replace(run, evaluation=alone)
    if run.evaluation != alone:
        return run
    if n_apart(dataset) < _proposed().n_splits:
        st.session_state[KEY] = source
    elif st.session_state.pop(KEY, source) != source:
        return replace(run, evaluation=_proposed())
    return run


def n_apart(dataset: Dataset) -> int:
    """How many rows, groups or sequences can be left out."""
    return dataset.n if dataset.together is None else len(np.unique(dataset.together))


def _is_too_short(run: AnyRun, dataset: Dataset) -> bool:
    # pyrefly: ignore[missing-attribute]  # who asks has a run with folds
    splits: Any = run.evaluation
    n = n_apart(dataset)
    is_folds = splits.card.name == _proposed().card.name
    return is_folds and 2 <= n < min(splits.n_splits, _proposed().n_splits)


def _proposed() -> Any:
    return Run().evaluation
