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
            url_path=page.name,
            default=page.name == DEFAULT,
            visibility="hidden" if page.name == HIDDEN else "visible",
        )
        for page in pages
    ]
    for group, pages in GROUPS.items()
}

framed(st.navigation(PAGES, position="top"), kept.begin, kept.note)
