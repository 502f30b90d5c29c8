"""What the predictions rest on: importance, the effect of a variable, one row, and what if."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from figures.drawing.marks import marked
from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.importance import ALONE, CONDITIONAL, TOGETHER, Importance
from mlcore.runs.run import Run
from mlcore.spine.params import params_of
from mlcore.spine.wording import told
from ui import frame, selection, state, tabs
from ui.method import by_group, explain_contributions, what_if
from ui.method.explain_pictures import asked, pictures, take_away
from ui.method.explain_state import change, looked_at, set_to
from ui.runs.running import Shown
from ui.wording import distinct

TAB = "Explain"
PARTS = {
    "variables": "Variables and rows", "contributions": "Contributions", "groups": "Groups of rows"
}  # fmt: skip
WAYS = {ALONE: "Alone", CONDITIONAL: "Among alike rows", TOGETHER: "With its stand-ins"}
NONE = "one variable alone"
NEAR_BORDER = 20  # rows through which its button goes


def predicts(run: Run) -> bool:
    """Whether a run predicts a target, so that there is something to explain."""
    return run.method.card.task in ("classification", "regression")


def explain(shown: Shown, dataset: Dataset) -> None:
    """The tab: each question is a run of its own, which waits where it would take long."""
    selection.about(dataset.table.digest())
    part = _part()
    if part == "groups":
        by_group.by_group(shown, dataset)
    elif part == "contributions":
        explain_contributions.contributions(shown.run, dataset)
    else:
        _variables_and_rows(shown, dataset)


def follow_click(dataset: Dataset) -> None:
    """Show the effect of a variable whose mark was clicked, before anything is drawn; the page then
    begins afresh."""
    if not tabs.is_open(TAB):
        return
    things = {number: marked(dataset, number) for number in selection.selected()}
    clicked = [k for kind, k in filter(None, things.values()) if kind == "variable"]
    if clicked and clicked[-1] < len(dataset.columns):
        selection.answer(number for number, thing in things.items() if thing is None)
        set_to(variable=dataset.columns[clicked[-1]].name)
        state.rerun()


def _part() -> str:
    """What the predictions are asked about; only the part that is open is made."""
    # Also a press leads to a part: another start is another control.
    key = state.key(f"explain.part.{looked_at().part}")
    return st.segmented_control(
        "What is explained", list(PARTS), default=looked_at().part, required=True,
        format_func=PARTS.__getitem__, label_visibility="collapsed", key=key,
        on_change=state.moved, args=(change, "part", key),
    )  # fmt: skip


def _variables_and_rows(shown: Shown, dataset: Dataset) -> None:
    """Importance, the effect of a variable, one row, and what if."""
    run, at = shown.run, looked_at()
    left, right = st.columns([4, 5])
    with left.container(border=True, height="stretch", key="explain-importance"):
        weighed = asked(run, dataset, "importance", shuffles=at.shuffles, way=at.way)
        if weighed.status == "refused" and weighed.outcome is None:
            return
        pictures(weighed, dataset)
        _way(at)
        _shuffles(at)
    answers = [weighed]
    effects = right.container(border=True, height="stretch", key="explain-effect")
    with st.container(border=True, key="explain-row"):
        _row(shown, at, dataset)
        left, middle, right = st.columns([8, 10, 11], gap="medium")
        with middle:
            answered = asked(run, dataset, "what_if", row=at.row, changes=at.changes)
            what_if.answer(answered, dataset)
        with left.container(key="what-if-values"):
            what_if.controls(at, dataset, _order(weighed, dataset))
        with right:
            what_if.nearest(answered, dataset)
    with effects:  # among its curves is that of the row
        if effect := _effect(run, at, weighed, answered, dataset):
            answers.append(effect)
    with st.container(border=True, key="explain-contributions"):
        with st.container(horizontal=True, vertical_alignment="bottom", key="explain-how"):
            explain_contributions.choose_scale(run, at)
            explain_contributions.choose_perturbation(run, at)
        one = {"row": at.row, "changes": at.changes}
        shared_out = asked(run, dataset, "shapley", **one, **explain_contributions.how(run, at))
        pictures(shared_out, dataset)
    take_away((*answers, answered, shared_out), dataset)


def _effect(
    run: Run, at: Explained, weighed: Shown, answered: Shown, dataset: Dataset
) -> Shown | None:
    """Of the variable that was chosen; unasked of the most important one, once that is known."""
    is_known = weighed.status == "done" or at.variable in [c.name for c in dataset.columns]
    if not is_known and weighed.status in ("running", "waiting"):
        frame.card_heading("Effect", "of the most important variable, once that is known")
        return None
    variable, second = _variables(at, _best(weighed, dataset), dataset)
    effect = asked(run, dataset, "effect", variable=variable, second=second)
    row = None if answered.outcome is None or answered.stale else answered.outcome.joined
    pictures(effect, dataset, what_if=row, moved=partial(what_if.move, dataset, at.row, variable))
    return effect


def _way(at: Explained) -> None:
    key = state.key("explain.way")
    st.segmented_control(
        "Shuffled", list(WAYS), default=at.way, required=True, key=key,
        format_func=WAYS.__getitem__, on_change=state.moved, args=(change, "way", key),
        help=params_of(Importance)["way"].doc,
    )  # fmt: skip


def _shuffles(at: Explained) -> None:
    steps = (1, 5, 10, 20, 50, 100)
    key = state.key("explain.shuffles")
    choices = sorted({*steps, at.shuffles})
    st.select_slider(
        "Shuffles per fold", choices, at.shuffles, key=key, on_change=state.moved,
        args=(change, "shuffles", key),
        help=params_of(Importance)["shuffles"].doc,
    )  # fmt: skip


def _best(weighed: Shown, dataset: Dataset) -> str:
    """The most important variable, or the first before that is known."""
    return dataset.columns[_order(weighed, dataset)[0]].name


def _order(weighed: Shown, dataset: Dataset) -> list[int]:
    """The variables by importance, once it is known of all folds: controls that jump cannot be
    used."""
    p, outcome = len(dataset.columns), weighed.outcome
    if (
        weighed.status != "done"
        or outcome is None
        or outcome.joined is None
        or sum(map(len, outcome.joined.members)) != p
    ):
        return list(range(p))
    ranked = np.argsort(-outcome.joined.mean, kind="stable")
    return [j for group in ranked for j in outcome.joined.members[group]]


def _variables(at: Explained, best: str, dataset: Dataset) -> tuple[str, str | None]:
    """Whose effect is shown, and with which it is crossed."""
    names = [column.name for column in dataset.columns]
    chosen = at.variable if at.variable in names else best
    second = at.second if at.second in names and at.second != chosen else None
    left, right = st.columns(2)
    key = state.key(f"explain.variable.{chosen}")  # another start is another control
    left.selectbox(
        "Variable", names, names.index(chosen),
        format_func=distinct(names, told).__getitem__, key=key, on_change=state.moved,
        args=(change, "variable", key), help="Whose effect is shown; at first the most important.",
    )  # fmt: skip
    # Not None for none: a select takes that for nothing chosen, and says "Choose an option".
    others = ["", *(name for name in names if name != chosen)]
    key = state.key(f"explain.second.{chosen}.{second}")
    right.selectbox(
        "Crossed with", others, others.index(second or ""), key=key, on_change=state.moved,
        format_func=distinct(others, lambda name: told(name) if name else NONE).__getitem__,
        args=(_cross, key),
        help="Another variable: whether the two act together.",
    )  # fmt: skip
    return chosen, second


def _cross(key: str) -> None:
    set_to(second=st.session_state[key] or None)


def _row(shown: Shown, at: Explained, dataset: Dataset) -> None:
    """Which row is explained: by number, picked in a picture, or one that is telling."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        frame.card_heading("What if", "other values of one row, and the prediction follows")
        key = state.key(f"explain.row.{at.row}")
        st.number_input(
            "Row of the table", 1, int(dataset.table.n_rows), min(at.row, dataset.table.n_rows),
            key=key, on_change=state.moved, args=(change, "row", key), width=170,
        )  # fmt: skip
        for label, icon, row in _telling(shown, dataset, at.row):
            st.button(
                label, icon=f":material/{icon}:", key=f"explain.go.{icon}", on_click=state.moved,
                args=(what_if.go, row),
            )  # fmt: skip


def _telling(shown: Shown, dataset: Dataset, now: int) -> list[tuple[str, str, int]]:
    """Rows worth a look: one that was selected in a picture, one near the border, a mistake."""
    telling = [
        (f"Selected row {row + 1}", "ads_click", row + 1)
        for row in selection.selected()[:1]
        if row in dataset.rows and row + 1 != now
    ]
    folds = [f for f in shown.outcome.done if f.predictions is not None]
    if not dataset.classes or not folds:
        return telling
    rows = np.concatenate([fold.test for fold in folds])
    if all(fold.probabilities is not None for fold in folds):
        ranked = np.sort(np.concatenate([fold.probabilities for fold in folds]), axis=1)
        near = rows[np.argsort(ranked[:, -1] - ranked[:, -2], kind="stable")[:NEAR_BORDER]]
        telling += _next("A row near the border", "balance", dataset.rows[near] + 1, now)
    truth: Any = dataset.y  # it has classes
    wrong = np.concatenate([fold.predictions != truth[fold.test] for fold in folds])
    return telling + _next("A mistake", "close", np.sort(dataset.rows[rows[wrong]]) + 1, now)


def _next(label: str, icon: str, rows: np.ndarray, now: int) -> list[tuple[str, str, int]]:
    """The one after the row that is shown, or the first: a press goes through them all."""
    if not len(rows):
        return []
    at = np.flatnonzero(rows == now)
    return [(label, icon, int(rows[(at[0] + 1) % len(rows)] if len(at) else rows[0]))]
