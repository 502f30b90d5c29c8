"""The preparation as a list of steps: add, set, move, remove; and what comes out of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.runs.run import Run
from mlcore.spine.component import Component
from mlcore.spine.registry import entries
from mlcore.spine.wording import count
from ui import controls, lists, state
from ui.wording import plain

PLACE = "preparation"  # of the steps in the run


def summary(steps: tuple[Component, ...]) -> str:
    """The steps in one line."""
    return ", then ".join(step.title().lower() for step in steps) or "no steps"


def editor(steps: tuple[Component, ...]) -> tuple[Component, ...]:
    """The controls of every step, in order; the steps as they now say."""
    edited = tuple(_step(steps, at) for at in range(len(steps)))
    _to_add(edited)
    st.button(
        "Reset to the proposal", type="tertiary", key="reset.steps", on_click=_put,
        args=(Run().preparation,),
    )  # fmt: skip
    return edited


def _to_add(steps: tuple[Component, ...]) -> None:
    """The steps that there are."""
    dropped = controls.dropped_down("Add a step", "add", "add")
    lists.to_add(dropped, "add", entries("preparation"), PLACE, steps)


def _step(steps: tuple[Component, ...], at: int) -> Component:
    step, end = steps[at], len(steps) - 1
    with st.container(border=True, key=f"step-{at}"):
        with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
            st.markdown(f"**{at + 1}. {step.title()}**")
            st.space("stretch")
            for name, icon, key, change, off in (
                ("Earlier", "arrow_upward", "up", lists.moved(at, -1), at == 0),
                ("Later", "arrow_downward", "down", lists.moved(at, 1), at == end),
                ("Remove", "close", "out", lists.without(at), False),
            ):
                lists.offer("", icon, name, f"{key}.{at}", PLACE, steps, change, off)
        return controls.form(type(step), step, f"{PLACE}.{at}.{step.card.name}")


def _put(steps: tuple[Any, ...]) -> None:
    state.change(preparation=steps)


def columns_made(prepared: Prepared, dataset: Dataset, come: str = "The method gets") -> None:
    """Which columns go in and which come out, in a sentence and a line of names."""
    names = [column.name for column in prepared.columns]
    st.markdown(
        f"**{count(len(dataset.columns), 'column')} in, {len(names)} out.** "
        f"{come} {plain(', '.join(names[:16]))}{' and others' if len(names) > 16 else ''}."
    )
    for fit in prepared.fits:
        if note := fit.summary().note:
            st.caption(plain(f"{fit.made_by.title()}: {note}"))
