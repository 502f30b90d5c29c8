"""Buttons below a picture for the settings that it speaks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from figures.view import Press
from mlcore.spine.params import params_of
from ui import state


def offered(presses: tuple[Press, ...], run: Any, name: str) -> None:
    """A button for each setting that the picture of one method speaks for, if it has it."""
    with st.container(horizontal=True):
        for press in presses:
            if press.setting in params_of(type(run.method)):
                st.button(
                    press.text,
                    key=f"press.{name}.{press.key}",
                    disabled=getattr(run.method, press.setting) == press.value,
                    help=f"{press.why} Undo brings the other value back.",
                    on_click=state.moved,
                    args=(_set, run, press),
                )


def _set(run: Any, press: Press) -> None:
    state.change(method=replace(run.method, **{press.setting: press.value}))
