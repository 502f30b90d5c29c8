"""What of a result is explained, in the address: read by the tab, changed by its controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.runs.explaining.explained import Explained
from ui import state


def looked_at() -> Explained:
    """What the page that is open explains."""
    session = state.session()
    return session.states[session.here].view.explain or Explained()


def set_to(**values: Any) -> None:
    """Explain something else; what the page shows next, and its address, say so."""
    session = state.session()
    now = session.states[session.here]
    explain = replace(looked_at(), **values)
    state.keep(session.here, replace(now, view=replace(now.view, explain=explain)))


def change(name: str, key: str) -> None:
    """The control with this key was moved. Another row has none of the changes of the last."""
    value = st.session_state[key]
    set_to(**({name: value, "changes": ()} if name == "row" else {name: value}))
