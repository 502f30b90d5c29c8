"""Take it away: a button a file, in groups; what cannot be had says why."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import streamlit as st

from service.files import File, made
from ui.runs import asked
from ui.wording import plain


def offer(files: Iterable[File], key: str = "take") -> None:
    """A column of buttons for each group of files; a file is made when it is taken."""
    groups: dict[str, list[File]] = {}
    for file in files:
        groups.setdefault(file.group, []).append(file)
    places, sender = st.columns(max(len(groups), 2)), asked.sender()  # a download knows no session
    for place, (group, group_files) in zip(places, groups.items(), strict=False):
        with place:
            st.markdown(f"**{group}**")
            for file in group_files:
                _button(file, key, sender)
    st.caption(
        "Every file says from which run, seed and versions it is, tables by their names and in the "
        "file beside them. Pictures and their numbers are taken away below each picture."
    )


def _button(file: File, key: str, sender: dict[str, Any]) -> None:
    if file.why_not:
        st.caption(f"{file.label}: {plain(file.why_not)}")
        return
    st.download_button(
        file.label,
        partial(made, file, **sender),
        file.name,
        help=file.about,
        icon=":material/download:",
        on_click="ignore",
        key=f"{key}.{file.name}",
        width="stretch",
    )
