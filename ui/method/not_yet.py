"""A method that does not fit the data: why, and the ways on as buttons."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mlcore.data import schema
from mlcore.data.dataset import Dataset
from ui import state, tabs
from ui.data import strip as data_strip
from ui.method import cards, labs
from ui.runs import progress
from ui.runs.running import Shown
from ui.wording import plain

FEW = 4  # targets offered as buttons; the strip lists all
LONGEST = 32  # characters of a name on a button
PAGES = {"classification": "Classification", "regression": "Regression"}


def not_yet(shown: Shown, dataset: Dataset) -> None:
    """Say why there is nothing to show, offer what changes that, and what the method is."""
    method = shown.run.method
    with st.container(border=True, key="empty"):
        st.markdown("## Not with this data yet")
        st.markdown(plain(shown.sentence))
        progress.offer_smaller(shown)
        task = method.card.task
        if task in PAGES and task != dataset.task:
            _targets(shown, dataset, targets(dataset, task))
        with st.container(horizontal=True):
            if task in PAGES and dataset.task in PAGES and task != dataset.task:
                label = f"{PAGES[dataset.task]} of {plain(_short(dataset.target or ''))}"
                st.page_link(f"pages/{dataset.task}.py", label=label, icon=":material/east:")
            st.page_link("pages/data.py", label="Look at the data", icon=":material/table:")
    tabs.draw({"How it works": partial(cards.how_it_works, method), labs.TAB: labs.labs})


def targets(dataset: Dataset, task: str) -> list[str]:
    """The columns in use whose prediction would be this task; the last first, as tables go."""
    in_use = (name for name, role in reversed(dataset.roles) if role in ("feature", "label"))
    table = dataset.table
    return [name for name in in_use if schema.task(table.column(name)).value == task]


def _targets(shown: Shown, dataset: Dataset, names: list[str]) -> None:
    """A button for each of the first few targets that would do."""
    if not names:
        st.markdown("No column of this table would do as its target.")
        return
    with st.container(horizontal=True, gap="small"):
        for at, name in enumerate(names[:FEW]):
            st.button(
                f"Predict {plain(_short(name))}",
                key=f"target.{at}",
                on_click=state.change,
                kwargs={"data": data_strip.aimed(shown.run.data, dataset, name)},
            )
    if len(names) > FEW:
        st.caption("*Target*, in the line above, lists all columns.")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
