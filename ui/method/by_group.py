"""Scores by group of rows, and fairness between the groups of one column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.runs import carry_explanation
from mlcore.runs.carry import FoldResult, Outcome
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.fairness import FairnessQuestion
from mlcore.runs.explaining.left_out import groupable
from mlcore.runs.explaining.slices import (
    MOST_COLUMNS,
    OF_CLASSES,
    OF_NUMBERS,
    OF_PROBABILITIES,
    TITLES,
    SlicesQuestion,
)
from mlcore.runs.kinds import kind_of
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import params_of
from mlcore.spine.wording import count, told
from service.tasks import task
from ui import frame, state
from ui.method.explain_pictures import pictures, take_away
from ui.method.explain_state import change, looked_at
from ui.runs import progress, running
from ui.runs.orders import Order
from ui.runs.running import Shown
from ui.runs.session_tables import needed_tables
from ui.wording import distinct

A_CELL = 2e-7  # seconds to count one row in one column or pair
NO_COLUMN = "no column"
WAITING = "The groups are scored once the run has predictions for rows left out."


def by_group(shown: Shown, dataset: Dataset) -> None:
    """Both questions; they are answered by the predictions that the run has, without a fit."""
    at = looked_at()
    with st.container(border=True, key="explain-slices"):
        _choose_groups(at, dataset)
        asked = [_asked(shown, dataset, _slices(at))]
    with st.container(border=True, key="explain-fairness"):
        _choose_protected(at, dataset)
        if at.protected is None:
            frame.card_heading("Fairness", "between the groups of a protected column")
            st.caption(
                "Choose a protected column: it need not be a variable of the model, and one that "
                "was left out can still be told from others."
            )
        else:
            asked.append(_asked(shown, dataset, _fairness(at)))
    take_away(tuple(one for one in asked if one is not None), dataset)


def _slices(at: Explained) -> SlicesQuestion:
    return SlicesQuestion(
        columns=at.by, pairs=at.crossed, smallest=at.smallest, measure=at.measure
    )  # fmt: skip


def _fairness(at: Explained) -> FairnessQuestion:
    return FairnessQuestion(
        protected=at.protected, positive=at.positive, smallest=at.smallest
    )  # fmt: skip


def _asked(shown: Shown, dataset: Dataset, question: Any) -> Shown | None:
    """A question as far as it is answered, with its pictures; None before there are predictions."""
    place = f"explain.{question.card.name}"
    asked = Explanation.of(shown.run, question)
    if shown.outcome is None or shown.stale or not shown.outcome.folds:
        st.caption(WAITING)
        return None
    if reason := kind_of(asked).why_not(asked, (dataset,)):
        answered = Shown("refused", asked, sentence=reason)
    else:
        answered = running.ordered(_order(asked, shown.outcome, dataset), place)
    if answered.status != "done":
        progress.status_line(answered, place)
    pictures(answered, dataset)
    return answered


def _order(asked: Explanation, outcome: Outcome, dataset: Dataset) -> Order:
    """The answer of these folds: nothing is fitted, rows are counted, by a worker if many."""
    columns = min(len(dataset.table.names), MOST_COLUMNS)
    cells = dataset.n * columns * (columns + 1) / 2
    name, folds = asked.question.card.name, outcome.folds
    return Order(
        asked,
        task(carry_explanation.of_folds, asked, folds, needed_tables(asked)),
        lambda run, events: None,
        cells * A_CELL,
        8.0 * dataset.n * 20,
        f"{count(dataset.n, 'row')} in {count(columns, 'column')}",
        what=_which(folds, outcome.planned),
        pace_of=f"explanation {name} of folds",
        is_of_calls=False,
    )


def _which(folds: Sequence[FoldResult], planned: int) -> str:
    """Of which folds an answer is: they end in any order, and everybody's answers are kept."""
    if len(folds) == planned:
        return "run"
    return f"of folds {', '.join(str(fold.k) for fold in sorted(folds, key=lambda fold: fold.k))}"


def _choose_groups(at: Explained, dataset: Dataset) -> None:
    """Columns, pairs, the smallest group and the measure."""
    names = list(groupable(dataset))
    options = [*names, *(name for name in at.by if name not in names)]
    left, pairs, smallest, measure = st.columns([6, 3, 3, 4], vertical_alignment="bottom")
    key = state.key("explain.by")
    left.multiselect(
        "Columns", options, list(at.by), key=key, on_change=state.moved,
        format_func=distinct(options, told).__getitem__, args=(change, "by", key),
        placeholder=_all(names), max_selections=MOST_COLUMNS,
        help="Columns of the table whose levels or bins are groups, also those that are no "
        "variables of the model.",
    )  # fmt: skip
    params = params_of(SlicesQuestion)
    key = state.key("explain.crossed")
    pairs.toggle(
        params["pairs"].label, at.crossed, key=key, on_change=state.moved,
        args=(change, "crossed", key), help=params["pairs"].doc,
    )  # fmt: skip
    key, rows = state.key("explain.smallest"), params["smallest"]
    assert isinstance(rows, Number)
    smallest.number_input(
        rows.label, rows.low, rows.high, at.smallest, key=key, on_change=state.moved,
        args=(change, "smallest", key), help=rows.doc,
    )  # fmt: skip
    fitting = (*OF_CLASSES, *OF_PROBABILITIES) if dataset.classes else OF_NUMBERS
    known = ["auto", *fitting, *(() if at.measure in ("auto", *fitting) else (at.measure,))]
    key = state.key("explain.measure")
    measure.selectbox(
        "Measure", known, known.index(at.measure), key=key, on_change=state.moved,
        args=(change, "measure", key),
        format_func=lambda name: TITLES.get(name, f"automatic: {TITLES[fitting[0]]}"),
        help=params["measure"].doc,
    )  # fmt: skip


def _all(names: list[str]) -> str:
    """What stands in the box where no column is chosen."""
    if len(names) <= MOST_COLUMNS:
        return f"all {len(names)}"
    return f"the first {MOST_COLUMNS} of {len(names)}"


def _choose_protected(at: Explained, dataset: Dataset) -> None:
    """The column between whose groups fairness is asked for, and the class that is selected."""
    names = list(groupable(dataset))
    options = [None, *names, *([at.protected] if at.protected not in (None, *names) else [])]
    left, right, _ = st.columns([4, 4, 8])
    key = state.key("explain.protected")
    left.selectbox(
        "Protected column", options, options.index(at.protected), key=key, on_change=state.moved,
        args=(change, "protected", key),
        format_func=distinct(
            options, lambda name: NO_COLUMN if name is None else told(name)
        ).__getitem__,
        help="Such as sex, age or origin: its groups are compared with the largest of them.",
    )  # fmt: skip
    if at.protected is None or len(dataset.classes) < 2:
        return
    classes = ["", *dataset.classes]
    classes += [at.positive] if at.positive not in classes else []
    key = state.key("explain.positive")
    right.selectbox(
        "Selected class", classes, classes.index(at.positive), key=key, on_change=state.moved,
        args=(change, "positive", key),
        format_func=distinct(
            classes, lambda name: told(name or f"automatic: {dataset.classes[1]}")
        ).__getitem__,
        help="The class that counts as selected, such as a granted loan.",
    )  # fmt: skip
