"""Share: the link to what is on the screen."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from mlcore.run import AnyRun, Run
from ui import state

LONGEST_LINK = 6 * 1024  # bytes; what mail programs and chats still pass on whole


def share(run: AnyRun) -> None:
    """The popover with the link."""
    place = st.popover(
        "Share",
        type="tertiary",
        icon=":material/ios_share:",
        key="strip.share",
        on_change=state.moved,
    )
    if not place.open:
        return
    with place:
        if isinstance(run, Run) and run.data.source.card.name == "upload":
            st.markdown(
                "Your table stays with you: this link repeats the run for whoever uploads the "
                "same file first."
            )
        else:
            st.markdown("Whoever opens this link sees the same numbers.")
        st.code(link(), language=None, wrap_lines=True)


def link() -> str:
    """The address of this page with the pairs of its state."""
    held = state.session()
    pairs = state.address(held.states[held.here])
    base = (st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(pairs)}"
