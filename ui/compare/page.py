"""The page that compares: the methods at the left, verdict and scores first, then what is behind.

Controls are read before they are drawn, as on the pages of methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.upload import uploaded
from mlcore.runs import carry_comparison
from mlcore.runs.carry import splits_of
from mlcore.runs.comparable import labels, standing
from mlcore.runs.presets import comparison_presets
from mlcore.runs.run import Comparison
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count
from ui import controls, frame, state, tabs
from ui.compare import looks as compare_looks
from ui.compare import scores as compare_scores
from ui.compare import sets as compare_sets
from ui.compare import tabs as compare_tabs
from ui.compare.controls import comparison_controls
from ui.compare.looks import PAGE, ComparisonView
from ui.compare.methods import first_methods
from ui.data.asking import ask_for_leaks
from ui.data.strip import data_strip, strip_end
from ui.method import cards, labs
from ui.reading import reading
from ui.runs import progress, running
from ui.runs.running import Shown
from ui.runs.session_tables import session_tables
from ui.wording import plain


def compare_page() -> None:
    """Draw the page: read state, controls, carry out, show."""
    start = state.opened(PAGE, _greeting(), ComparisonView)
    labs.follow_click()
    dataset, problem = _dataset(start.run)
    start = replace(start, run=_suited(start.run, dataset))
    state.session().states[PAGE] = start  # as if it had always been so: nothing to undo
    chosen, end = data_strip(start.run, dataset)
    run: Any = chosen  # of the kind that was given
    if run.data != start.run.data:
        state.show(replace(start, run=_suited(run, _dataset(run)[0])))
        state.rerun()
    if dataset is not None:
        controls.CONTEXT.set(controls.Context(tuple(c.name for c in dataset.columns)))
    with reading():
        now = _chosen_state(replace(start, run=run), dataset)
    state.publish(PAGE, now)
    strip_end(end, now.run)
    frame.title("Compare", _note(now.run, dataset))
    frame.problems()
    doubts = st.container()
    result = _result(now, dataset) if dataset is not None else iter(())
    next(result, None)  # verdict and scores go first: they are what a person waits for
    if dataset is None:
        frame.no_data(plain(problem))
        return
    with doubts:
        ask_for_leaks(now.run.runs(), dataset)
    with st.sidebar:
        run = comparison_controls(replace(run, more=now.run.more), dataset, comparison_presets())
        drawn = replace(now, run=run)
    if drawn != now and drawn != start:  # a control that did not keep what was read
        state.publish(PAGE, drawn)
        state.rerun()
    for _ in result:
        pass


def _greeting() -> Comparison:
    return comparison_presets()[0].run()


def _dataset(run: Comparison) -> tuple[Dataset | None, str]:
    try:
        return running.dataset_of(run), ""
    except MlcoreError as error:
        return None, str(error)


def _suited(run: Comparison, dataset: Dataset | None) -> Comparison:
    """With methods for this target where none of those that it has can be used."""
    if dataset is None or carry_comparison.does_not_apply(run, dataset) is None:
        return run
    return replace(run, methods=first_methods(dataset))


def _chosen_state(start: state.PageState, dataset: Dataset | None) -> state.PageState:
    """What the controls say: those of the sidebar, and those beside the result."""
    if dataset is None:
        return start
    run = comparison_controls(start.run, dataset, comparison_presets())
    if tabs.is_open(compare_sets.TAB):
        run = compare_sets.further(run, dataset)
    view = compare_looks.chosen_view(labs.chosen_view(start.view), run, dataset)
    return replace(start, run=run, view=view)


def _note(run: Comparison, dataset: Dataset | None) -> str:
    """How many methods on how many folds."""
    methods = count(len(run.methods), "method")
    if dataset is None:
        return methods
    try:
        folds = len(splits_of(run.runs()[0], dataset))
    except MlcoreError:  # more folds than rows: the page says so below
        return methods
    return f"{methods} on the same {count(folds, 'fold')}"


def _result(now: state.PageState, dataset: Dataset) -> Iterator[None]:
    """Draw the result; yields when verdict and scores are on their way."""
    shown = running.carried(now.run, dataset, PAGE)
    if shown.does_not_apply:
        _does_not_apply(shown, now.run)
        return
    progress.status_line(shown)
    if shown.outcome is None:
        _left_out(now.run, dataset)
        st.container(border=True, height=420, key="skeleton")
        return
    compare_scores.verdict(shown, dataset, now.view)
    with st.container(border=True, key="scores"):
        compare_scores.scores(shown, dataset, now.view)
    yield
    compare_tabs.below(shown, dataset, now.view)


def _left_out(run: Comparison, dataset: Dataset) -> None:
    """The methods that are known to have no scores here before anything is fitted, and why."""
    for label, why in zip(labels(run), standing(run, dataset).reasons, strict=True):
        if why:
            st.caption(plain(f"{label} is left out. {why}"))


def _does_not_apply(shown: Shown, run: Comparison) -> None:
    """Why there is nothing to compare, and what to do about it."""
    with st.container(border=True, key="empty", horizontal_alignment="center"):
        st.markdown("## Not with this data yet")
        st.markdown(plain(shown.sentence))
        progress.offer_smaller(shown)
        st.page_link("pages/data.py", label="Look at the data", icon=":material/table:")
        here = tuple(data for data in run.more if uploaded(data).keys() <= session_tables().keys())
        if here != run.more:
            st.button(
                "Compare without it",
                icon=":material/remove:",
                key="more.without",
                help="Leaves out the further data sets that are not here.",
                on_click=state.change,
                kwargs={"more": here},
            )
    tabs.draw({"How it works": lambda: cards.guides_of(PAGE), labs.TAB: labs.labs})
