"""What if: the values of a row as controls, what is then predicted, and what would change it."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.drawing.traces import value_text
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.changes import Change
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.model import place_of
from mlcore.runs.explaining.what_if import Answer, text_of, value_of
from mlcore.spine.errors import MlcoreError
from mlcore.spine.fit import Column
from mlcore.spine.wording import rough
from ui import controls as kept
from ui import frame, state
from ui.method import panels
from ui.method.explain_state import set_to
from ui.runs.running import Shown
from ui.wording import plain

FIRST = 12  # variables with a control in sight; the others are folded
IN_A_LINE = 3


def go(row: int) -> None:
    """Explain another row, as it is."""
    set_to(row=row, changes=())


def answer(shown: Shown, dataset: Dataset, at: Explained) -> None:
    """The prediction, how far to trust it, and the smallest changes that decide otherwise."""
    outcome = shown.outcome
    if outcome is None or outcome.joined is None:
        return
    found: Answer = outcome.joined
    offered = {"explanation": outcome, "dataset": dataset}
    for name in ("what_if_answer", "nearness"):
        drawn = panels.made(views()[name], offered)
        frame.view_heading(drawn)
        if name == "nearness" and found.near is not None and found.near.is_far:
            st.warning(plain(drawn.reading), icon=":material/warning:")
        panels.show(drawn, name, stale=shown.stale, run=outcome.run)
        if name == "what_if_answer":
            _changes(found, dataset)
    _neighbours(found, dataset)


def _changes(found: Answer, dataset: Dataset) -> None:
    """At most three, each with the press that puts it into the controls."""
    aim = (
        "that decides otherwise"
        if found.is_class
        else f"that moves the prediction by {rough(found.step)}"
    )
    frame.card_heading(f"Smallest change {aim}", "one or two values, within the training range")
    if not found.changes:
        st.markdown("None was found: no such change of one or two values decides otherwise.")
    for k, one in enumerate(found.changes):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{plain(_in_words(one, found))} ({rough(one.size)} sd)")
            st.button(
                "Apply", key=f"what_if.apply.{k}", on_click=state.moved,
                args=(_apply, one, found, dataset),
                help="Puts these values into the controls below.",
            )  # fmt: skip


def _in_words(one: Change, found: Answer) -> str:
    """bill depth 18.7 to 16.2."""
    return ", ".join(
        f"{found.variables[j].name} {_said(found.variables[j], found.now[j])} to "
        f"{_said(found.variables[j], value)}"
        for j, value in zip(one.columns, one.values, strict=True)
    )


def _said(column: Column, value: float) -> str:
    return "missing" if np.isnan(value) else value_text(column, value)


def _apply(one: Change, found: Answer, dataset: Dataset) -> None:
    columns = dataset.columns
    values = {columns[j].name: text_of(columns[j], v) for j, v in
              zip(one.columns, one.values, strict=True)}  # fmt: skip
    now = {c.name: text_of(c, v) for c, v, is_new in
           zip(columns, found.now, found.is_changed, strict=True) if is_new}  # fmt: skip
    set_to(changes=tuple((now | values).items()))


def _neighbours(found: Answer, dataset: Dataset) -> None:
    """The nearest training rows with their values."""
    if not len(found.near_rows):
        return
    head = ["Row", str(dataset.target), *(c.name for c in found.variables), "distance"]
    assert found.near is not None  # it has rows
    lines = [
        [str(row), truth, *(_said(c, v) for c, v in zip(found.variables, values, strict=True)),
         rough(float(far))]
        for row, truth, values, far in zip(
            found.near_rows, found.near_truths, found.near_values, found.near.distances, strict=True
        )
    ]  # fmt: skip
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines
    )
    st.html(f'<div class="neighbours"><table><tr>{cells}</tr>{body}</table></div>')


def controls(at: Explained, dataset: Dataset, order: list[int]) -> None:
    """The values of the row, the most important variable first; what was changed says its old."""
    try:
        place = place_of(dataset, at.row)
    except MlcoreError:  # said above, where the answer would stand
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        frame.card_heading("What if", f"other values of row {at.row}: the prediction follows")
        st.button(
            "Undo changes", icon=":material/undo:", key="what_if.undo", disabled=not at.changes,
            on_click=state.moved, args=(go, at.row),
        )  # fmt: skip
    _grid(at, dataset, place, order[:FIRST])
    if len(order) > FIRST:
        folded = kept.folded(f"{len(order) - FIRST} other variables", "what_if.more")
        if folded.open:
            with folded:
                _grid(at, dataset, place, order[FIRST:])


def _grid(at: Explained, dataset: Dataset, place: int, order: list[int]) -> None:
    places = st.columns(IN_A_LINE)
    for i, j in enumerate(order):
        with places[i % IN_A_LINE]:
            _control(at, dataset, place, j)


def _control(at: Explained, dataset: Dataset, place: int, j: int) -> None:
    """One value: a track over the training range, or the names that there are."""
    column, was = dataset.columns[j], float(dataset.X[place, j])
    now = _now(dict(at.changes).get(column.name), column, was)
    is_new = now != was and not (np.isnan(now) and np.isnan(was))
    label = plain(column.name) + (f" (was {plain(_said(column, was))})" if is_new else "")
    # The value is in the key: what was applied or undone elsewhere begins a new control.
    key = state.key(f"what_if.{at.row}.{column.name}.{text_of(column, now)}")
    known = dataset.X[~np.isnan(dataset.X[:, j]), j]
    how: dict[str, Any] = {"key": key, "on_change": state.moved}
    how["args"] = (_moved, at, column, was, key)
    if column.levels:
        names = list(column.levels)
        start = None if np.isnan(now) else int(now)
        st.selectbox(label, names, start, format_func=plain, placeholder="missing", **how)
    elif np.isnan(now) or not len(known) or known.min() == known.max():
        value = None if np.isnan(now) else now
        st.number_input(label, value=value, placeholder="missing", **how)
    else:
        _track(label, known, now, column.kind == "count", how)


def _track(label: str, known: np.ndarray, now: float, is_whole: bool, how: dict[str, Any]) -> None:
    """A slider over the range of the training rows, and to the value where that lies outside."""
    low, high = min(float(known.min()), now), max(float(known.max()), now)
    if is_whole and all(v == round(v) for v in (low, high, now)):
        st.slider(label, int(low), int(high), int(now), **how)
        return
    step = 10.0 ** np.floor(np.log10((high - low) / 50))
    st.slider(label, low, high, now, step=float(step), format="%.4g", **how)


def _now(text: str | None, column: Column, was: float) -> float:
    """The value that a change gives, or the one of the row where there is none that holds."""
    if text is None:
        return was
    try:
        return value_of(column, text)
    except MlcoreError:  # the answer says what is wrong with it
        return was


def _moved(at: Explained, column: Column, was: float, key: str) -> None:
    """A control was moved: a change, or none any more."""
    value = st.session_state[key]
    changes = {name: text for name, text in at.changes if name != column.name}
    text = "missing" if value is None else str(value) if column.levels else repr(float(value))
    if text != text_of(column, was):
        changes[column.name] = text
    set_to(changes=tuple(changes.items()))
