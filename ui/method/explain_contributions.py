"""Contributions to many predictions: their summary, one variable by its value, and their scale."""

from __future__ import annotations

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.contributions_of_rows import ContributionsOfMany
from mlcore.runs.explaining.explained import Explained
from mlcore.runs.explaining.short_ways import (
    AUTO,
    INTERVENTIONAL,
    OUTPUTS,
    PATH_DEPENDENT,
    expects_paths,
    expects_short_way,
)
from mlcore.runs.run import Run
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.params import params_of
from ui import selection, state
from ui.method.explain_pictures import asked, draw, take_away
from ui.method.explain_state import change, looked_at, set_to

UNKNOWN = {INTERVENTIONAL: "Interventional", PATH_DEPENDENT: "Path-dependent"}
STEPS = (50, 100, 200, 500, 1000, 2000)


def contributions(run: Run, dataset: Dataset) -> None:
    """The contributions of all variables to the predictions for rows left out."""
    at = looked_at()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explain-sharing"):
        choose_scale(run, at)
        choose_perturbation(run, at)
        _rows(at, dataset)
        _picked(dataset)
    left, right = st.columns(2)
    with left.container(border=True, height="stretch", key="explain-swarm"):
        shown = asked(run, dataset, "shapley_rows", rows=at.shared, **how(run, at))
        if shown.outcome is None:
            return
        offered = {"explanation": shown.outcome, "dataset": dataset}
        draw("contribution_points", offered, shown)
    with right.container(border=True, height="stretch", key="explain-by-value"):
        draw("contribution_dependence", offered, shown)
    take_away((shown,), dataset)


def choose_scale(run: Run, at: Explained) -> None:
    """What is shared out, where the method adds up to something other than what it predicts."""
    if not expects_short_way(run) or expects_short_way(run, OUTPUTS):
        return
    key = state.key("explain.scale")
    is_class = run.method.card.task == "classification"
    scores = "Log-odds or scores" if is_class else "Logarithm"
    predicted = "Predicted quantity"
    if is_class:
        predicted = "Probabilities" if promises(run.method, GivesProbabilities) else "Classes"
    titles = {AUTO: scores, OUTPUTS: predicted}
    st.segmented_control(
        "Contributions to", list(titles), default=at.scale, required=True, key=key,
        format_func=titles.__getitem__, on_change=state.moved, args=(change, "scale", key),
        help="The method adds up on the first scale, so contributions are exact there for any "
        "number of variables; on the other they are exact for few.",
    )  # fmt: skip


def choose_perturbation(run: Run, at: Explained) -> None:
    """What stands for a variable that is not known, where trees leave a choice."""
    if not expects_paths(run, at.scale):
        return
    key = state.key("explain.perturbation")
    st.segmented_control(
        "Unknown variables", list(UNKNOWN), default=at.perturbation, required=True, key=key,
        format_func=UNKNOWN.__getitem__, on_change=state.moved,
        args=(change, "perturbation", key), help=params_of(ContributionsOfMany)["perturbation"].doc,
    )  # fmt: skip


def how(run: Run, at: Explained) -> dict[str, str]:
    """How contributions are asked for: by path only where it is offered."""
    by_path = expects_paths(run, at.scale)
    return {"scale": at.scale, "perturbation": at.perturbation if by_path else INTERVENTIONAL}


def _rows(at: Explained, dataset: Dataset) -> None:
    """How many of the rows left out are shared out."""
    key = state.key("explain.shared")
    fitting = [n for n in STEPS if n < dataset.n] + ([dataset.n] if dataset.n <= STEPS[-1] else [])
    choices = sorted({*fitting, at.shared})
    st.select_slider(
        "Rows asked", choices, at.shared, key=key, on_change=state.moved,
        args=(change, "shared", key), width=260,
        help="How many of the rows left out are shared out, drawn from all.",
    )  # fmt: skip


def _picked(dataset: Dataset) -> None:
    """The press that leads from a point to its row."""
    for row in selection.selected()[:1]:
        if row in dataset.rows:
            st.button(
                f"Explain row {row + 1}", icon=":material/ads_click:", key="explain.picked",
                on_click=state.moved, args=(_go, row + 1),
                help="Its contributions one by one, and what if it were different.",
            )  # fmt: skip


def _go(row: int) -> None:
    set_to(row=row, changes=(), part="variables")
