"""All methods: the index of everything, searchable, with cards."""

from __future__ import annotations

import streamlit as st

from figures.catalogue import catalogue
from mlcore.spine.wording import count
from ui import frame, sitemap
from ui.method.cards import card, page_of
from ui.search import KINDS as ORDER
from ui.search import search

EVERYTHING, MOST = "all", 60
KINDS = {EVERYTHING: "everything", "method": "methods", "lab": "labs", "guide": "guides",
         "view": "pictures", "part": "options", "function": "functions",
         "data": "data sets"}  # fmt: skip

places = [page.as_dict() for page in sitemap.pages() if page.name != "shared"]
entries = [e for e in catalogue() if e["kind"] in KINDS and not e["means"]]
entries = sorted([*places, *entries], key=lambda e: ORDER.index(e["kind"]))
frame.title("All methods", count(len(entries), "entry", "entries"))
left, right = st.columns([2, 3], vertical_alignment="bottom")
query = left.text_input("Search", placeholder="name, other name, idea or author", key="search")
kind = right.segmented_control(
    "Kind", list(KINDS), default=EVERYTHING, required=True, format_func=KINDS.__getitem__,
    key="kind",
)  # fmt: skip

matches = search([e for e in entries if kind in (EVERYTHING, e["kind"])], query)
if not matches:
    st.markdown("Nothing is called that here. Try a shorter word, or another kind.")
if len(matches) > MOST:
    st.caption(
        f"The first {MOST} of {count(len(matches), 'entry', 'entries')}. Search, or choose a kind."
    )
for at in range(0, min(len(matches), MOST), 2):
    for place, hit in zip(st.columns(2), matches[at : min(at + 2, MOST)], strict=False):
        with place.container(border=True, height="stretch"):
            card(hit.entry, page_of(hit.entry), hit.reason)
