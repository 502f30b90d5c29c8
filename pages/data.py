"""Data: bring, pick or generate a table; kinds, roles, findings, distributions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from ui import controls, frame, state, tabs
from ui.data import asking, bringing, changes, columns, selected, upload
from ui.data.findings import findings
from ui.data.next import ways_on
from ui.data.strip import data_strip, strip_end
from ui.method import cards, labs, panels
from ui.method.page import MethodView
from ui.predict import saved
from ui.runs import kept, running
from ui.wording import plain

start = state.opened("data", Run(), MethodView)
labs.follow_click()
run, dataset, problem = start.run, None, ""
try:
    dataset = running.dataset_of(run)
except MlcoreError as error:
    problem = str(error)
run, end = data_strip(run, dataset)
left, right = st.columns([3, 2], vertical_alignment="center")
with left:
    frame.title("Data", panels.data_note(dataset))
with right.container(horizontal=True, horizontal_alignment="right"):
    door = st.segmented_control(
        "Where the table comes from",
        ["Table", "Upload", "Pick", "Generate", "Draw"],
        default=bringing.door(run.data),
        required=True,
        label_visibility="collapsed",
        key="door",
        on_change=state.moved,
    )
frame.problems(panels.lost_axes(dataset, start.view))
with st.container():  # there also when it is empty, so that the drawing pad below keeps its place
    frame.no_data(plain(problem))
if door == "Upload":
    if upload.uploader("upload", kept.entry_of):
        state.rerun()
else:
    run = replace(run, data=bringing.through(door, run.data, dataset))
upload.problem(start.run.data)
if imported := upload.imported_now(start.run.data):
    upload.read_as(imported)
else:
    upload.how_to_read_otherwise(start.run.data)

if dataset is not None:
    asking.ask_for_target(run, dataset)
    ways_on(dataset)
    controls.CONTEXT.set(controls.Context(dataset.table.names))
    left, right = st.columns([7, 4])
    with left.container(border=True, height="stretch"):
        frame.card_heading("Columns", "change a type or a role in the table")
        columns.columns_table(run, dataset.table, dict(dataset.roles), dataset)
    with right.container(border=True, height="stretch"):
        findings(run, dataset)
    run = changes.changes(run, dataset)
    rows = partial(selected.rows_and_pictures, dataset, start.view)
    with st.container(border=True):
        opened = {"Rows and pictures": rows, saved.TAB: saved.saved}
        tabs.draw({**opened, labs.TAB: labs.labs, "Guides": partial(cards.guides_of, "data")})
else:
    columns.without_rows(run)
    run = changes.changes(run, dataset)

state.publish("data", replace(start, run=run, view=labs.chosen_view(panels.open_view())))
strip_end(end, run)
if run != start.run:
    state.rerun()
