"""One step of a preparation at a time: before and after it, and what every fold taught it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from figures.numbers.stages import stage
from figures.view import View, views, views_of_steps
from mlcore.data.dataset import Dataset
from mlcore.preparation.order import order_remarks
from mlcore.preparation.selection.choice import learner_of
from mlcore.runs.run import Run
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import MlcoreError
from mlcore.spine.params import integer
from ui import frame, state
from ui.method import panels
from ui.method.page import MethodView
from ui.method.steps import columns_made
from ui.runs.running import Shown
from ui.wording import plain

TITLES = {"before_after": "Before and after this step", "missing_map": "What it fills in"}
ALL = 0  # in the control; None in the link
# The cheapest method of each task: the folds are there to show what the steps fit in them.
PLAIN = {"classification": "constant", "regression": "constant_regression", "": "kmeans"}


@enter(Card("preparation_view", "View", ("view",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class PreparationView(MethodView):
    """What of a preparation is looked at: all of it, or one step."""

    stage: int | None = integer(
        None, low=1, soft=(1, 10), or_none="all steps together", doc="Step that is looked at."
    )


def carried(run: Run, dataset: Dataset) -> Run:
    """The run whose folds show what the steps fit in them.

    Where a step chooses variables by fits of a method, that method: how well it does on rows left
    out belongs beside how well the search says that it does.
    """
    method = learner_of(run.preparation)
    if method is None or method.card.task != dataset.task:
        return replace(run, method=Run(method=PLAIN[dataset.task]).method)
    return replace(run, method=method)


def looked_at(view: PreparationView, steps: tuple[Component, ...]) -> int | None:
    """The step that is looked at, from 1, read before its control is drawn; None is all."""
    at = st.session_state.get(_stage_key(steps), view.stage or ALL) or ALL
    return at if ALL < at <= len(steps) else None


def _stage_key(steps: tuple[Component, ...]) -> str:
    return state.key(f"stage.{len(steps)}")


def choose(steps: tuple[Component, ...], now: int | None) -> None:
    """The control for the step that is looked at."""
    titles = {ALL: "All steps"} | {k: f"{k}. {it.title()}" for k, it in enumerate(steps, start=1)}
    st.segmented_control(
        "Step to look at", list(titles), default=now or ALL, required=True,
        format_func=titles.__getitem__, label_visibility="collapsed", key=_stage_key(steps),
        on_change=state.moved,
    )  # fmt: skip


def remarks(steps: tuple[Component, ...]) -> None:
    """What is questionable about the order of the steps."""
    for sentence in order_remarks(steps):
        st.markdown(f":material/warning: {plain(sentence)}")


def one(shown: Shown, dataset: Dataset, view: PreparationView, k: int) -> None:
    """Before and after one step, and what it learned in every fold."""
    outcome = shown.outcome
    before, whole = stage(dataset, outcome.whole, k)
    with st.container(border=True):
        columns_made(whole.prepared, before, "Out of this step come")
    offered = panels.known(before, shown, view) | {"whole": whole, "prepared": whole.prepared}
    offered |= {"dataset": before}
    # Folds are of the rows of the data, not of those that an earlier step made of them.
    of_folds = offered | {"dataset": dataset, "stage": k}
    names = ["before_after"]
    if np.isnan(before.X).any():
        names.append("missing_map")
    names += [name for name in views_of_steps(whole.prepared) if name not in names]
    for name in names:
        entry = views()[name]
        title = TITLES.get(name, entry.record.title)
        with st.container(border=True):
            own = of_folds if entry.takes("outcome") else offered
            heading, chosen = panels.head(entry, own, view)
            try:
                drawn = replace(panels.made(entry, own, chosen), title=title)
            except MlcoreError as error:  # one column makes no plane
                with heading:
                    frame.card_heading(title)
                    st.markdown(plain(str(error)))
                continue
            _show(heading, drawn, name, shown)
    with st.container(border=True):
        drawn = views()["step_values"].make(dataset, outcome, stage=k)
        _show(st.container(), drawn, "step_values", shown)


def _show(heading: Any, drawn: View, name: str, shown: Shown) -> None:
    with heading:
        frame.view_heading(drawn)
    panels.show(drawn, f"stage.{name}", stale=shown.stale, run=shown.run)
