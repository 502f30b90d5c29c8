"""What changed between the rows that were learned from and the new ones, column by column."""

from __future__ import annotations

from html import escape

import streamlit as st

from figures.drawing.traces import value_text
from mlcore.data.dataset import Dataset
from mlcore.runs.predicting.matching import Matching
from mlcore.runs.predicting.shifts import Shift, shifts
from mlcore.spine.wording import count, listed, p_value, percent, plural, told
from ui import controls
from ui.wording import plain, scrolling_in

LABEL = "What changed"
MOST = 60  # columns with a line


def offered(matching: Matching, dataset: Dataset) -> None:
    """A fold; what is in it is worked out once it is open."""
    place = controls.folded(LABEL, "predict.changed")
    if not place.open:
        return
    with place:
        every = shifts(matching, dataset)
        st.markdown(plain(reading(every)))
        if every:
            lines = "".join(map(_line, every[:MOST]))
            heads = ("Column", "Learned from", "New rows", "Distance", "p, corrected")
            head = "".join(f"<th>{name}</th>" for name in heads)
            body = f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
            st.html(scrolling_in("scores shares", LABEL, body))


def reading(every: tuple[Shift, ...]) -> str:
    """Which columns are distributed otherwise, in a sentence."""
    if not every:
        return "No column of numbers or names is in both tables with known values."
    sure = [told(one.column.name) for one in every if one.is_sure]
    of = count(len(every), "column")
    if not sure:
        return (
            f"None of {of} is distributed otherwise than in the rows learned from, beyond chance "
            "(5 %, corrected for their number)."
        )
    return (
        f"{listed(sure, 6)} {plural(len(sure), 'is', 'are')} distributed otherwise than in the "
        f"rows learned from, beyond chance (5 %, corrected for {of})."
    )


def _line(one: Shift) -> str:
    cells = (_value(one, one.before), _value(one, one.now))
    bar = f'<div class="share"><i style="width:{100 * one.distance:.0f}%"></i></div>'
    mark = "b" if one.is_sure else "span"
    return (
        f"<tr><th>{escape(told(one.column.name))}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + f"<td>{bar}<span>{one.distance:.2f}</span></td>"
        + f"<td><{mark}>{escape(p_value(one.p))}</{mark}></td></tr>"
    )


def _value(one: Shift, value: float) -> str:
    """The median, or how often the level is."""
    if one.level:
        return f"{told(one.level)} {percent(value)}"
    return f"median {value_text(one.column, value)}"
