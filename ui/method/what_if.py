"""What if: the values of a row as controls, what is then predicted, and what would change it."""

from __future__ import annotations

from datetime import datetime, timedelta
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.drawing.traces import value_text
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.changes import Change
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.model import place_of, position_of
from mlcore.runs.explaining.what_if import Answer, text_of, value_of
from mlcore.spine.errors import MlcoreError
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, rough, told
from ui import controls as kept
from ui import frame, state
from ui.method import panels
from ui.method.explain_state import looked_at, set_to
from ui.runs.running import Shown
from ui.wording import distinct, plain, scrolling_in

FRESH = "what_if.fresh"  # in the session: how often other hands than the controls set values
EPOCH, DAY = datetime(1970, 1, 1), timedelta(days=1)
MOST_WHOLE = 2**53  # a browser counts whole numbers as far
BARS = 32  # of the histogram above a track
FIRST = 12  # variables with a control in sight; the others are folded


def go(row: int) -> None:
    """Explain another row, as it is."""
    _afresh()
    set_to(row=row, changes=())


def _afresh() -> None:
    """New controls, which begin with the values that were set elsewhere.

    A control that was moved itself stays the same: a new one would lose the moves of a hasty hand.
    """
    st.session_state[FRESH] = st.session_state.get(FRESH, 0) + 1


def answer(shown: Shown, dataset: Dataset) -> None:
    """The prediction, and the smallest changes that decide otherwise."""
    outcome = shown.outcome
    if outcome is None or outcome.joined is None:
        return
    reply: Answer = outcome.joined
    _decided(reply)
    _picture("what_if_answer", shown, dataset)
    if reply.near is not None and reply.near.is_far:
        far = panels.made(views()["nearness"], {"explanation": outcome, "dataset": dataset})
        st.warning(plain(far.reading), icon=":material/warning:")
    _changes(reply, dataset)


def _decided(reply: Answer) -> None:
    """The prediction large; what it was before, what the row is, and what a model says that had
    not seen it, in grey."""
    now, was = _says(reply, reply.after), _says(reply, reply.before)
    quiet = f"before the change {was}, " if reply.is_changed.any() else ""
    quiet += f"row {reply.row} is {reply.truth}"
    if reply.unseen is not None:
        quiet += f"; as it is, a model that had not seen it says {_says(reply, reply.unseen)}"
    st.html(f'<div class="score"><b>{escape(now)}</b><p>{escape(quiet)}</p></div>')


def _says(reply: Answer, outputs: np.ndarray) -> str:
    """The class that wins, or the quantity."""
    return reply.outputs[int(outputs.argmax())] if reply.is_class else rough(float(outputs[0]))


def nearest(shown: Shown, dataset: Dataset) -> None:
    """The nearest training rows, and how far they are beside what is usual."""
    outcome = shown.outcome
    if outcome is None or outcome.joined is None:
        return
    _picture("nearness", shown, dataset)
    _neighbours(outcome.joined, dataset)


def _picture(name: str, shown: Shown, dataset: Dataset) -> None:
    drawn = panels.made(views()[name], {"explanation": shown.outcome, "dataset": dataset})
    frame.view_heading(drawn)
    panels.show(drawn, name, stale=shown.stale, run=shown.outcome.run)


def _changes(reply: Answer, dataset: Dataset) -> None:
    """At most three, each with the press that puts it into the controls."""
    aim = (
        "that decides otherwise"
        if reply.is_class
        else f"that moves the prediction by {rough(reply.step)}"
    )
    frame.card_heading(f"Smallest change {aim}", "one or two values, within the training range")
    if not reply.changes:
        st.markdown("None was found: no such change of one or two values decides otherwise.")
    for k, one in enumerate(reply.changes):
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.markdown(f"{plain(_in_words(one, reply))} ({rough(one.size)} sd)")
        right.button(
            "Apply", key=f"what_if.apply.{k}", on_click=state.moved,
            args=(_apply, one, reply, dataset),
            help="Puts these values into the controls.",
        )  # fmt: skip


def _in_words(one: Change, reply: Answer) -> str:
    """bill depth 18.7 to 16.2."""
    return ", ".join(
        f"{reply.variables[j].name} {_in_cell(reply.variables[j], reply.now[j])} to "
        f"{_in_cell(reply.variables[j], value)}"
        for j, value in zip(one.columns, one.values, strict=True)
    )


def _in_cell(column: Column, value: float) -> str:
    return "missing" if np.isnan(value) else value_text(column, value)


def _apply(one: Change, reply: Answer, dataset: Dataset) -> None:
    columns = dataset.columns
    values = {columns[j].name: text_of(columns[j], v) for j, v in
              zip(one.columns, one.values, strict=True)}  # fmt: skip
    now = {c.name: text_of(c, v) for c, v, is_new in
           zip(columns, reply.now, reply.is_changed, strict=True) if is_new}  # fmt: skip
    _afresh()
    set_to(changes=tuple((now | values).items()))


def _neighbours(reply: Answer, dataset: Dataset) -> None:
    """The nearest training rows with their values, a row of the table a column: they are few."""
    if not len(reply.near_rows):
        return
    assert reply.near is not None  # it has rows
    lines: dict[str, Any] = {"Row": reply.near_rows, str(dataset.target): reply.near_truths}
    for column, values in zip(reply.variables, reply.near_values.T, strict=True):
        lines[column.name] = [_in_cell(column, value) for value in values]
    lines["distance"] = [rough(float(far)) for far in reply.near.distances]
    words = {str(dataset.target)} if dataset.classes else set()
    words |= {column.name for column in reply.variables if column.levels}
    body = "".join(
        f"<tr><th>{escape(name).replace('_', '_<wbr>')}</th>"
        + "".join(_cell_of(str(cell), name in words) for cell in cells)
        + "</tr>"
        for name, cells in lines.items()
    )
    st.html(scrolling_in("neighbours", "Nearest training rows", f"<table>{body}</table>"))


def _cell_of(text: str, is_word: bool) -> str:
    """A cell as HTML; a long word is cut off and said whole on hovering."""
    how = f' class="word" title="{escape(text)}"' if is_word else ""
    return f"<td{how}>{escape(text)}</td>"


def controls(at: Explained, dataset: Dataset, order: list[int]) -> None:
    """The values of the row, the most important variable first; what was changed says its old."""
    try:
        place = place_of(dataset, at.row)
    except MlcoreError:  # said above, where the answer would stand
        return
    st.button(
        "Undo changes", icon=":material/undo:", key="what_if.undo", disabled=not at.changes,
        on_click=state.moved, args=(go, at.row),
    )  # fmt: skip
    _grid(at, dataset, place, order[:FIRST])
    if len(order) > FIRST:
        folded = kept.folded(count(len(order) - FIRST, "other variable"), "what_if.more")
        if folded.open:
            with folded:
                _grid(at, dataset, place, order[FIRST:])


def _grid(at: Explained, dataset: Dataset, place: int, order: list[int]) -> None:
    for j in order:
        _control(at, dataset, place, j)


def _control(at: Explained, dataset: Dataset, place: int, j: int) -> None:
    """One value: a track over the training range, or the names that there are."""
    column, was = dataset.columns[j], float(dataset.X[place, j])
    now = _now(dict(at.changes).get(column.name), column, was)
    is_new = now != was and not (np.isnan(now) and np.isnan(was))
    bare = told(column.name) + (f" (was {told(_in_cell(column, was))})" if is_new else "")
    label = plain(bare)
    key = state.key(f"what_if.{at.row}.{column.name}.{st.session_state.get(FRESH, 0)}")
    known = dataset.X[~np.isnan(dataset.X[:, j]), j]
    args = (_moved, column, was, key)
    if column.levels:
        start = None if np.isnan(now) else int(now)
        st.selectbox(
            label, list(column.levels), start, placeholder="missing", key=key,
            format_func=distinct(column.levels, told).__getitem__,
            on_change=state.moved, args=args,
        )  # fmt: skip
    elif np.isnan(was) or not len(known) or known.min() == known.max():
        start = None if np.isnan(now) else now
        st.number_input(
            label, value=start, placeholder="missing", key=key, on_change=state.moved, args=args
        )
    else:
        track = _track(column, known, was, now)
        low, high = min(known.min(), now), max(known.max(), now)
        st.html(_above(bare, np.histogram(known, BARS, (low, high))[0]))
        st.slider(
            label, **track, key=key, on_change=state.moved, args=args, label_visibility="collapsed"
        )  # fmt: skip


def _above(label: str, counts: np.ndarray) -> str:
    """The name of a control, and how many training rows lie where along its track.

    For the eye alone: the slider itself has the name, and its range.
    """
    shares = counts / max(int(counts.max()), 1)
    bars = "".join(f'<i style="height: {100 * share:.0f}%"></i>' for share in shares)
    name = f"<span>{escape(label)}</span>"
    return f'<div class="above-track" aria-hidden="true">{name}<div>{bars}</div></div>'


def _track(column: Column, known: np.ndarray, was: float, now: float) -> dict[str, Any]:
    """Over the range of the training rows, and to the value of a link that lies outside."""
    now = was if np.isnan(now) else now
    low, high = min(float(known.min()), now), max(float(known.max()), now)
    ends = {"min_value": low, "max_value": high, "value": now}
    are_whole = all(v == round(v) for v in (low, high, now))
    if column.kind == "datetime":
        how = {"format": "YYYY-MM-DD", "step": DAY} if are_whole else {"step": DAY / 24}
        return {name: EPOCH + value * DAY for name, value in ends.items()} | how
    if column.kind == "count" and are_whole and max(-low, high) < MOST_WHOLE:
        return {name: int(value) for name, value in ends.items()}
    step = float(10.0 ** np.floor(np.log10((high - low) / 50)))
    return ends | {"step": step, "format": "%.4g"}


def _now(text: str | None, column: Column, was: float) -> float:
    """The value that a change gives, or the one of the row where there is none that holds."""
    if text is None:
        return was
    try:
        return value_of(column, text)
    except MlcoreError:  # the answer says what is wrong with it
        return was


def _moved(column: Column, was: float, key: str) -> None:
    """A control was moved: a change, or none any more."""
    value = st.session_state[key]
    value = (value - EPOCH) / DAY if isinstance(value, datetime) else value
    text = "missing" if value is None else str(value) if column.levels else repr(float(value))
    _set(column, was, text)


def move(dataset: Dataset, row: int, name: str, value: float) -> None:
    """The handle of the row was moved along its curve in another picture."""
    at = position_of(dataset, name)
    _afresh()
    column, was = dataset.columns[at], float(dataset.X[place_of(dataset, row), at])
    _set(column, was, text_of(column, value))


def _set(column: Column, was: float, text: str) -> None:
    """A value of the row, written as a change; none where it has that already."""
    changes = {name: other for name, other in looked_at().changes if name != column.name}
    if text != text_of(column, was):
        changes[column.name] = text
    set_to(changes=tuple(changes.items()))
