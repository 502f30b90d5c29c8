"""What it costs that new rows lack columns: what permutation importance says of them."""

from __future__ import annotations

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.importance import TOGETHER, Importance, Importances, cost_in_words
from mlcore.runs.predicting.matching import MISSING, Matching
from mlcore.runs.predicting.wanted import FEATURE
from mlcore.runs.run import Run
from mlcore.spine.wording import listed
from ui.runs import progress, running
from ui.wording import plain

PLACE = "predict.absent"


def costs_of(run: Run, dataset: Dataset) -> dict[str, str]:
    """By variable, a sentence; of none before importance was computed on all folds of this run.

    Nothing is asked here: it would cost as much as the run itself.
    """
    outcome = running.last_of("explain.importance")
    if outcome is None or outcome.run.run() != run or len(outcome.answered) < outcome.planned:
        return {}
    importances: Importances | None = outcome.joined
    if importances is None or importances.way == TOGETHER:  # of several variables at once
        return {}
    return {
        dataset.columns[j].name: f"the model uses it; shuffled, {cost_in_words(importances, at)}"
        for at, members in enumerate(importances.members)
        for j in members
    }


def together(run: Run, dataset: Dataset, matching: Matching) -> None:
    """What several that are missing cost at once: one may have stood in for another."""
    names = _missing(dataset, matching)
    if len(names) < 2 or len(names) == len(dataset.columns):
        return
    question = Importance(group=names)
    shown = running.carried(Explanation.of(run, question), dataset, PLACE)
    progress.status_line(shown, PLACE)
    if shown.status == "done" and shown.outcome.joined is not None:
        cost = cost_in_words(shown.outcome.joined, 0)
        st.caption(plain(f"{listed(names, 8)} are missing. Shuffled together, {cost}."))


def _missing(dataset: Dataset, matching: Matching) -> tuple[str, ...]:
    there = {column.name for column in dataset.columns}
    missing = (m for m in matching.matches if m.state == MISSING and m.role == FEATURE)
    return tuple(match.name for match in missing if match.name in there)
