"""One picture of a comparison in a card."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from figures.view import View, views
from mlcore.spine.errors import MlcoreError
from ui import frame
from ui.method import panels
from ui.runs.running import Shown
from ui.wording import plain


def card(shown: Shown, name: str, make: Callable[[], View], key: str = "", of: str = "") -> None:
    """One picture in a card with its heading, or the sentence why there is none.

    `of` names the method that it shows, where the page has several of its kind.
    """
    with st.container(border=True):
        try:
            view = make()
        except MlcoreError as error:
            frame.card_heading(views()[name].record.title)
            st.markdown(plain(str(error)))
            return
        frame.card_heading(f"{view.title}: {of}" if of else view.title, view.note)
        panels.show(view, key or name, stale=shown.stale, run=shown.outcome.run)
