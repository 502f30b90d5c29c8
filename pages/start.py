"""Start: one sentence, three doors, a fitted picture, lessons."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.runs.run import Run
from ui import frame, lessons, state
from ui.data import upload
from ui.method import panels
from ui.method.page import MethodView, score
from ui.runs import kept, progress, running

# All of it for the pages; of two columns the picture shows the whole truth, not a slice.
TABLE = TableData(source="penguins")
ASIDE = ("island", "flipper_length_mm", "body_mass_g", "sex", "year")
PLANE = replace(TABLE, roles=tuple((name, "ignore") for name in ASIDE))
GREETING = Run(data=PLANE, method="logistic")
FIRST_SETS = ("penguins", "wine", "iris", "digits8", "diabetes", "breast_cancer")
start = state.opened("start", Run(data=TABLE), MethodView)
left, right = st.columns([6, 7], gap="medium")
with left:
    with st.container(key="greeting"):
        st.markdown("# See what a method does with your data.")
        st.markdown(
            "Move a knob and watch the picture change. Every score comes from rows that were left "
            "out. Take the result away as a link, a script or a table."
        )
    with st.container(border=True, height="stretch", key="bring"):
        frame.card_heading("Bring your data", "any delimiter, encoding or date format")
        if upload.uploader("start.upload", kept.entry_of):
            st.switch_page("pages/data.py")
        upload.problem(start.run.data)
    pick, generate = st.columns(2)
    with pick.container(border=True, height="stretch"):
        st.markdown("**Pick a data set**")
        with st.container(horizontal=True, gap="small", key="chips"):
            for name in FIRST_SETS:
                st.page_link("pages/data.py", label=bundled.entry(name).title,
                             query_params={"data": name, "v": "1"})  # fmt: skip
    with generate.container(border=True, height="stretch"):
        st.markdown("**Draw points**")
        st.markdown("Set them by hand, or take moons, spirals and blobs whose truth is known.")
        with st.container(horizontal=True, gap="small", key="chips-points"):
            for name, label in (("drawn", "Drawing pad"), ("moons", "Generators")):
                st.page_link("pages/data.py", label=label, query_params={"data": name, "v": "1"})
with right.container(border=True, height="stretch"):
    dataset = running.dataset_of(GREETING)
    shown = running.carried(GREETING, dataset, "start")
    frame.card_heading(f"{dataset.name}, {GREETING.method.title()}", "fitted now, 5 folds")
    progress.status_line(shown)
    if shown.outcome:
        panels.greeting(shown, dataset)
        with st.container(key="score"):
            score(shown, brief=True)
    with st.container(horizontal=True, key="calls"):
        st.page_link("pages/classification.py", label="Move its knobs", icon=":material/tune:",
                     query_params=GREETING.to_link())  # fmt: skip
        pairs = {k: v for k, v in GREETING.to_link().items() if k == "v" or k.startswith("data")}
        st.page_link("pages/compare.py", label="Compare it with others", query_params=pairs)
frame.card_heading("Lessons", "each opens ready to be changed, with a thing to do")
lessons.cards()
