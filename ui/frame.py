"""The shared frame: page settings, style, warm workers, and whatever a link could not say."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import streamlit as st

from mlcore import component
from service import jobs
from ui import state
from ui.wording import plain

STYLE = Path(__file__).with_name("style.css")


def framed(page: Any) -> None:
    """Run a page inside the frame."""
    st.set_page_config(page_title=f"{page.title} · MLScope", layout="wide")
    st.html(STYLE)
    st.logo(str(STYLE.with_name("logo.svg")), size="large")
    warmed()
    page.run()


@st.cache_resource(show_spinner=False)
def warmed() -> bool:
    """Begin the workers and the catalogue, once a server, without waiting for them."""
    threading.Thread(target=component.warm, daemon=True).start()
    jobs.pool()
    return True


def problems() -> None:
    """What the address said that could not be used, one sentence each."""
    if found := state.session().problems:
        shown = "\n".join(f"- {plain(sentence)}" for sentence in found[:8])
        more = f"\n- and {len(found) - 8} more" if len(found) > 8 else ""
        st.warning(f"Parts of this link could not be used; the rest is shown.\n{shown}{more}")


def title(text: str, note: str = "") -> None:
    """The heading of a page with a grey note beside it."""
    state.inside()
    st.markdown(f"# {plain(text)} <small>{plain(note)}</small>", unsafe_allow_html=True)


def card_heading(text: str, note: str = "") -> None:
    """The heading of a card with a grey note: what it is computed on."""
    st.markdown(f"**{plain(text)}** <small>{plain(note)}</small>", unsafe_allow_html=True)
