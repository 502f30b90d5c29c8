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

LIST_HEIGHT = 480  # pixels of the list of steps; the rest scrolls


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
    """The steps that there are; made while the list is open alone."""
    place = controls.dropped_down("Add a step", "add", "add")
    # It has its height before it is filled, or it would open where there is room for nothing.
    box = place.container(height=LIST_HEIGHT, border=False, gap=None, key="steps-to-add")
    if not place.open:
        return
    with box:
        for name, step in entries("preparation").items():
            st.button(
                step.title(),
                key=f"add.{name}",
                type="tertiary",
                help=(step.__doc__ or "").split("\n")[0],
                on_click=lists.press,
                args=("preparation", steps, lists.longer(step())),
            )


def _step(steps: tuple[Component, ...], at: int) -> Component:
    step, end = steps[at], len(steps) - 1
    with st.container(border=True, key=f"step-{at}"):
        with st.container(horizontal=True, vertical_alignment="center", gap=None, wrap=False):
            st.markdown(f"**{at + 1}. {step.title()}**")
            st.space("stretch")
            up, down = lists.moved(at, -1), lists.moved(at, 1)
            _button(":material/arrow_upward:", "Earlier", f"up.{at}", steps, up, at == 0)
            _button(":material/arrow_downward:", "Later", f"down.{at}", steps, down, at == end)
            _button(":material/close:", "Remove", f"out.{at}", steps, lists.without(at))
        return controls.form(type(step), step, f"preparation.{at}.{step.card.name}")


def _button(
    icon: str,
    tooltip: str,
    key: str,
    steps: tuple[Any, ...],
    change: lists.Change,
    off: bool = False,
) -> None:
    st.button(
        "", icon=icon, help=tooltip, key=key, type="tertiary", disabled=off, on_click=lists.press,
        args=("preparation", steps, change),
    )  # fmt: skip


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
