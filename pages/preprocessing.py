"""Preprocessing: build the preparation step by step; see before and after, and every fold."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.runs.presets import WholePreset, preparation_presets
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from ui import controls, frame, state, tabs
from ui.data.strip import data_strip, strip_end
from ui.method import cards, labs, panels, stages, steps
from ui.method.examples import examples
from ui.runs import progress, running
from ui.wording import plain


def use(preset: WholePreset[Run]) -> None:
    """Open an example: its data and its steps, all of them together."""
    session, example = state.session(), preset.run()
    now = session.states[session.here]
    run = replace(now.run, data=example.data, preparation=example.preparation)
    state.show(replace(now, run=run, view=replace(now.view, stage=None)))


start = state.opened("preprocessing", Run(), stages.PreparationView)
labs.follow_click()
run, dataset, problem = start.run, None, ""
try:
    dataset = running.dataset_of(run)
    controls.CONTEXT.set(controls.Context(dataset.table.names))
except MlcoreError as error:
    problem = str(error)

run, end = data_strip(run, dataset)
with st.sidebar:
    examples(preparation_presets(), use)
    run = replace(run, preparation=steps.editor(run.preparation))
at = stages.looked_at(start.view, run.preparation)
view = replace(labs.chosen_view(start.view), stage=at)
state.publish("preprocessing", replace(start, run=run, view=view))
strip_end(end, run)
if run.data != start.run.data:
    state.rerun()
frame.title("Preprocessing", steps.summary(run.preparation))
frame.problems(panels.lost_axes(dataset, view))
if dataset is None:
    frame.no_data(plain(problem))
    st.stop()

shown = running.carried(stages.carried(run, dataset), dataset, "preprocessing")
progress.status_line(shown)


def before_and_after(dataset: Dataset) -> None:
    """What the steps do to all rows, together or one of them, and what each fold fits."""
    stages.remarks(run.preparation)
    if len(run.preparation) > 1:
        stages.choose(run.preparation, at)
    if shown.outcome and at and not shown.stale:
        stages.one(shown, dataset, view, at)
        return
    if shown.outcome:
        with st.container(border=True):
            steps.columns_made(shown.outcome.whole.prepared, dataset)
        for drawing in panels.drawings(panels.of_preparation(shown), shown, dataset):
            drawing.draw(shown, dataset, view)


tabs.draw(
    {
        "Before and after": partial(before_and_after, dataset),
        labs.TAB: labs.labs,
        "Guides": partial(cards.guides_of, "preprocessing"),
    }
)
