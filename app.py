"""The list of pages and the shared frame; nothing else."""

import streamlit as st

from ui.frame import framed
from ui.runs import kept
from ui.sitemap import GROUPS

DEFAULT, HIDDEN = "start", "shared"
PAGES = {
    group: [
        st.Page(
            f"pages/{page.name}.py",
            title=page.title,
            url_path="" if page.name == DEFAULT else page.name,
            default=page.name == DEFAULT,
            visibility="hidden" if page.name == HIDDEN else "visible",
        )
        for page in pages
    ]
    for group, pages in GROUPS.items()
}

# The default page is at the root alone; its own name in the address leads there.
NAMED = st.Page(
    lambda: st.switch_page(PAGES[""][0], query_params=st.query_params.to_dict()),
    title="Start",
    url_path=DEFAULT,
    visibility="hidden",
)

page = st.navigation(PAGES | {"": [*PAGES[""], NAMED]}, position="top", expanded=True)
if page is NAMED:
    page.run()  # outside the frame, where a page may not leave
framed(page, kept.begin, kept.note)
