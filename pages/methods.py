"""All methods: the index of everything, searchable, with cards."""

from __future__ import annotations

import streamlit as st

from figures.catalogue import catalogue
from mlcore.spine.wording import count
from ui import frame
from ui.method.cards import card

PAGE_OF = {
    "reduction": "dimensionality_reduction",
    "clustering": "clustering",
    "classification": "classification",
    "regression": "regression",
    "svm": "kernels",
    "bandit": "sequential_decision_making",
    "planning": "sequential_decision_making",
    "learning": "sequential_decision_making",
    "problem": "sequential_decision_making",
    "data": "data",
    "source": "data",
}
KINDS = {"method": "methods", "function": "functions", "view": "pictures", "data": "data sets",
         "lab": "labs", "guide": "guides"}  # fmt: skip

entries = [e for e in catalogue() if e["kind"] in KINDS and not e["means"]]
frame.title("All methods", count(len(entries), "entry", "entries"))
left, right = st.columns([3, 2], vertical_alignment="bottom")
words = left.text_input("Search", placeholder="name, idea or author", key="search").lower().split()
kind = right.segmented_control(
    "Kind", list(KINDS), default="method", required=True, format_func=KINDS.__getitem__, key="kind"
)


def text_of(entry: dict) -> str:
    """Everything of an entry that a search may mean."""
    fields = ("name", "also", "title", "summary", "paper", "family", "peer")
    return " ".join(str(entry[k]) for k in fields).lower()


found = [e for e in entries if e["kind"] == kind and all(w in text_of(e) for w in words)]
if not found:
    st.markdown("Nothing is called that here. Try a shorter word, or another kind.")
for at in range(0, len(found), 2):
    for place, entry in zip(st.columns(2), found[at : at + 2], strict=False):
        with place.container(border=True, height="stretch"):
            card(entry, entry["page"] or PAGE_OF.get(entry["family"]))
