"""The table of predictions: a line a new row, a picture of how sure, and what there is to know."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.theme import class_color
from mlcore.runs.predicting.predicted import Predicted
from mlcore.spine.wording import count, told
from service.files import made
from service.kinds import files_of
from ui import downloads, frame, state
from ui.compare.scores import scrolling
from ui.predict import promise
from ui.runs import asked, running, sharing

PAGE = 10  # rows at a time
SHOWN_COLUMNS = 4  # of the new table, before the prediction
SYMBOLS = "●◆■▲✚▼✖★"
ORDERS = ("Row", "Least sure first", "Prediction")
AT, WHICH, ORDER = "predict.at", "predict.which", "predict.order"


def card(outcome: Predicted, *, stale: bool = False) -> None:
    """Segments, the table, its pages, and the download."""
    chosen = _segments(outcome)
    with st.container(border=True, key="predict-rows"):
        with st.container(horizontal=True, vertical_alignment="center"):
            frame.card_heading("Predictions", _note(outcome))
            names = [name for name, rows in chosen.items() if len(rows) or name == "All"]
            which = st.segmented_control(
                "Rows", names, default="All", key=WHICH, label_visibility="collapsed",
                format_func=lambda name: f"{name} {len(chosen[name]):,}", required=True,
                on_change=state.moved, args=(_to, 0),
            )  # fmt: skip
            order = st.selectbox(
                "Order", ORDERS, key=ORDER, label_visibility="collapsed", width=170,
                on_change=state.moved, args=(_to, 0),
            )  # fmt: skip
            _download(outcome, stale)
        rows = _ordered(outcome, chosen.get(which or "All", chosen["All"]), order or ORDERS[0])
        at = _at(rows)
        st.html(table(outcome, rows[at : at + PAGE], stale=stale))
        _pages(outcome, at, len(rows))


def first_in_sight(outcome: Predicted) -> int:
    """The position of the first row that the table shows."""
    chosen, order = _segments(outcome), st.session_state.get(ORDER) or ORDERS[0]
    rows = chosen.get(st.session_state.get(WHICH) or "All", chosen["All"])
    return int(_ordered(outcome, rows, order)[_at(rows)]) if len(rows) else 0


def _at(rows: np.ndarray) -> int:
    """Where the page begins that is in sight."""
    return min(st.session_state.get(AT, 0), max(len(rows) - 1, 0) // PAGE * PAGE)


def _note(outcome: Predicted) -> str:
    note = count(outcome.new.n_rows, "row")
    if outcome.classes and outcome.ranges is not None:  # of a number the bar is its interval
        note += f"; dot: model of all rows, bar: range over {count(outcome.done, 'fold')}"
    return note


def _segments(outcome: Predicted) -> dict[str, np.ndarray]:
    return {
        "All": np.arange(outcome.new.n_rows),
        "Unsure": np.flatnonzero(outcome.unsure),
        "Wrong": np.flatnonzero(outcome.wrong),
        "Flagged": np.flatnonzero(outcome.flagged()),
    }


def _ordered(outcome: Predicted, rows: np.ndarray, order: str) -> np.ndarray:
    if order == ORDERS[1] and outcome.probabilities is not None:
        return rows[np.argsort(outcome.probabilities[rows].max(axis=1), kind="stable")]
    if order == ORDERS[1] and outcome.ends is not None:
        return rows[np.argsort(-np.ptp(outcome.ends[rows], axis=1), kind="stable")]
    if order == ORDERS[2] and outcome.values is not None and outcome.values.ndim == 1:
        return rows[np.argsort(outcome.values[rows], kind="stable")]
    return rows


def _to(at: int) -> None:
    st.session_state[AT] = at


def _pages(outcome: Predicted, at: int, n: int) -> None:
    """What was promised against what was found, and the way to the other rows."""
    promised, way = st.columns([5, 2], vertical_alignment="center")
    promised.caption(promise.sentence(outcome))
    with way.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if n > PAGE:
            st.caption(f"{at + 1:,} to {min(at + PAGE, n):,} of {n:,}", width="content")
            for label, icon, to in (
                ("Rows before", "chevron_left", at - PAGE),
                ("Rows after", "chevron_right", at + PAGE),
            ):
                st.button(
                    "", icon=f":material/{icon}:", key=f"predict.{icon}", help=label,
                    disabled=not 0 <= to < n, on_click=state.moved, args=(_to, to),
                )  # fmt: skip


def _download(outcome: Predicted, stale: bool) -> None:
    """The one filled button: every column after the changes, with what the model says."""
    file = files_of(outcome.run, outcome)[0]
    st.download_button(
        "Download CSV", partial(made, file, **asked.sender()), file.name, help=file.about,
        type="primary", icon=":material/download:", key="predict.csv", on_click="ignore",
        disabled=stale,
    )  # fmt: skip


def take_away(outcome: Predicted, dataset: Any) -> None:
    """Link, and every other file of the prediction."""
    place = st.expander("Share it, repeat it", key="predict.take", on_change=state.moved)
    if place.open:
        with place:
            sharing.share_search(outcome.run, "these predictions")
            tables = running.session_tables()
            downloads.offer(files_of(outcome.run, outcome, dataset, uploads=tables), "predict")


# -- the table


def table(outcome: Predicted, rows: np.ndarray, *, stale: bool = False) -> str:
    """These rows as HTML."""
    names = _columns(outcome)
    flags = outcome.flags()
    heads = ["Row", *names, *_answer_heads(outcome), "To know"]
    head = "".join(f"<th>{escape(told(name))}</th>" for name in heads)
    lines = ""
    for row in rows.tolist():
        cells = [f"{row + 1:,}", *(_cell(outcome, name, row) for name in names)]
        cells += _answer(outcome, row)
        cells.append(escape("; ".join(flags.get(row, ()))))
        lines += _line(heads, cells, len(names))
    kinds = ["predicted", *(["stale"] if stale else [])]
    return scrolling(f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>", *kinds)


def _line(heads: list[str], cells: list[str], n_columns: int) -> str:
    """One row; on a phone without its columns but the first, and without what is empty."""
    line = ""
    for k, (head, cell) in enumerate(zip(heads, cells, strict=True)):
        kind = ' class="more"' if 1 < k <= n_columns or not cell else ""
        line += f'<td{kind} data-head="{escape(told(head))}">{cell}</td>'
    return f"<tr>{line}</tr>"


def _columns(outcome: Predicted) -> list[str]:
    """The first few columns of the new table, those that the model uses first."""
    used = [m.source for m in outcome.matching.matches if m.source and m.role != "target"]
    return (used or list(outcome.new.names))[:SHOWN_COLUMNS]


def _cell(outcome: Predicted, name: str, row: int) -> str:
    return escape(told(outcome.new.cell(row, name))) or "–"


def _answer_heads(outcome: Predicted) -> list[str]:
    heads = []
    if outcome.classes:
        heads = ["Predicted"]
        if outcome.probabilities is not None:
            heads += [_picture_head(outcome), "Probability"]
        if outcome.sets is not None:
            heads.append(f"Labels, {_promised(outcome)}")
    else:
        heads = [name for name in outcome.outputs if name != "row"][:6]
        if outcome.ends is not None:
            heads += ["Interval", f"From, to, {_promised(outcome)}"]
    return heads + (["True"] if outcome.truth is not None else [])


def _promised(outcome: Predicted) -> str:
    return f"{100 * outcome.run.coverage:g} %"


def _picture_head(outcome: Predicted) -> str:
    if len(outcome.classes) == 2:
        return f"{outcome.classes[0]} … {outcome.classes[1]}"
    return "of the predicted class"


def _answer(outcome: Predicted, row: int) -> list[str]:
    """What the model says of one row, a cell each, as HTML."""
    n = len(_answer_heads(outcome)) - (outcome.truth is not None)
    if not outcome.usable[row]:
        cells = ["–"] * n
    elif outcome.classes:
        cells = _class_cells(outcome, row)
    else:
        cells = _number_cells(outcome, row)
    return cells + ([_true(outcome, row)] if outcome.truth is not None else [])


def _named(outcome: Predicted, k: int) -> str:
    """A class by colour, shape and name."""
    symbol = SYMBOLS[k % len(SYMBOLS)]
    mark = f'<i style="color:{class_color(k)}">{symbol}</i>'
    return f"{mark} <b>{escape(told(outcome.classes[k]))}</b>"


def _class_cells(outcome: Predicted, row: int) -> list[str]:
    assert outcome.values is not None  # a classifier predicts
    k = int(outcome.values[row])
    cells = [_named(outcome, k)]
    if outcome.probabilities is not None:
        shown = 1 if len(outcome.classes) == 2 else k
        p = float(outcome.probabilities[row, shown])
        low, high, words = p, p, ""
        if outcome.ranges is not None:
            low, high = outcome.ranges[row, shown].tolist()
            words = f" <span>[{low:.2f}, {high:.2f}]</span>"
        cells += [_bar(p, low, high, class_color(k)), f"{_share(p)}{words}"]
    if outcome.sets is not None:
        labels = [outcome.classes[c] for c in np.flatnonzero(outcome.sets[row])]
        cells.append(" <span>or</span> ".join(escape(told(name)) for name in labels) or "none")
    return cells


def _share(p: float) -> str:
    return "&lt; 0.01" if p < 0.005 else "&gt; 0.99" if p > 0.995 else f"{p:.2f}"


def _bar(value: float, low: float, high: float, color: str) -> str:
    """A dot on a line from 0 to 1, with a bar from `low` to `high`, as HTML."""
    if not np.isfinite([value, low, high]).all():
        return ""
    return (
        f'<div class="sure" style="--class:{color}"><q style="left:{100 * low:.1f}%;'
        f'width:{100 * (high - low):.1f}%"></q><i style="left:{100 * value:.1f}%"></i></div>'
    )


def _plain(value: float) -> str:
    """A number with four digits and no zeros behind them."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")  # a minus, as in every table
    return f"{value:.4g}".replace("-", "−")


def _number_cells(outcome: Predicted, row: int) -> list[str]:
    names = [name for name in outcome.outputs if name != "row"][:6]
    cells = []
    for name in names:
        value = outcome.outputs[name][row]
        is_number = isinstance(value, float | np.floating)
        cells.append(f"<b>{_plain(float(value))}</b>" if is_number else escape(str(value)))
    if outcome.ends is not None:
        low, high = outcome.ends[row]
        cells += [_interval(outcome, row), f"{_plain(low)} <span>to</span> {_plain(high)}"]
    return cells


def _interval(outcome: Predicted, row: int) -> str:
    """The interval as a line on the axis of all of them, with a dot for the prediction."""
    assert outcome.ends is not None  # asked for where there are some
    assert outcome.values is not None
    finite = outcome.ends[np.isfinite(outcome.ends)]
    if not len(finite):
        return ""
    low, high = float(finite.min()), float(finite.max())
    width = (high - low) or 1.0
    first, last = (np.clip((outcome.ends[row] - low) / width, 0, 1)).tolist()
    return _bar((float(outcome.values[row]) - low) / width, first, last, class_color(0))


def _true(outcome: Predicted, row: int) -> str:
    assert outcome.truth is not None  # asked for where it is known
    value = outcome.truth[row]
    if np.isnan(value):
        return "–"
    if outcome.classes:
        cross = ' <em title="wrong">✕</em>' if outcome.wrong[row] else ""
        return f"{escape(told(outcome.classes[int(value)]))}{cross}"
    if not outcome.usable[row] or outcome.values is None or outcome.values.ndim > 1:
        return _plain(float(value))
    error = float(value - outcome.values[row])
    return f"{_plain(float(value))} <span>{'+' if error > 0 else ''}{_plain(error)}</span>"
