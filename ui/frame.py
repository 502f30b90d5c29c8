"""The shared frame: page settings, style, warm workers, and whatever a link could not say."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import streamlit as st
from streamlit import config, runtime

from figures.view import View, views
from mlcore.data.dataset import TableData
from mlcore.data.upload import uploaded
from mlcore.spine import registry
from service import jobs, memory, store, uploads
from service.admission import PAGES
from service.limits import current_limits
from ui import state
from ui.method.sheets import Sheet
from ui.runs import asked, keeping, leaving
from ui.runs.progress import elsewhere
from ui.runs.session_tables import is_on_disk, kept_for, session_tables
from ui.wording import plain

HERE = Path(__file__).parent
STYLE = HERE / "style.css"
SIDEBAR = 320  # pixels: names of methods and of settings have room beside their boxes
FAULT = (
    "A fault in MLScope itself stopped this page here; it is noted in the log. The browser's Back "
    "takes the last change back, and what was carried out is kept."
)


def framed(page: Any, begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Run a page inside the frame: `begin` before it, and `end` once nothing of it moves."""
    title = f"{page.title} · MLScope"
    st.set_page_config(page_title=title, layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(STYLE)
    st.logo(str(STYLE.with_name("logo.svg")), size="large")
    warmed()
    with PAGES.inside(asked.sender()["person"]):
        _drawn(page, begin)
    state.at_rest()
    end()


def _drawn(page: Any, begin: Callable[[], None]) -> None:
    leaving.stay()
    keeping.hold()
    begin()
    elsewhere(page.url_path)
    try:
        page.run()
    except Exception:
        # Raised again, so that it is noted; the words of Streamlit for it are not shown.
        st.error(FAULT)
        state.say()
        raise


def warmed() -> None:
    """Begin the workers and the catalogue, once a server, without waiting for them.

    The server does so itself where it is started by `ui.serve`, else its first visitor.
    """
    with _BEGINNING:
        _begin()


_BEGINNING = threading.Lock()


@cache
def _begin() -> None:
    """Locked: memory and the limits of uploads at once, all else in the background."""
    memory.keep_together()
    _bound_uploads()
    threading.Thread(target=_get_ready, daemon=True).start()
    threading.Thread(target=store.begin, daemon=True).start()


def _get_ready() -> None:
    """First what a page is drawn with; workers import as much again, on a second processor."""
    _import_all()
    jobs.pool()


def _bound_uploads() -> None:
    """Hold Streamlit to our limits where it takes files, before any page has asked for one."""
    config.set_option("server.maxUploadSize", current_limits().upload_mb)
    if runtime.exists():  # not where a page is drawn without a server
        uploads.bound(runtime.get_instance().uploaded_file_mgr, current_limits())


def _import_all() -> None:
    """Import what pages need, and keep it out of later searches for garbage.

    That is what they are made of, the pictures, the catalogue with its index, and what files are
    read with.

    Nothing else of the server moves during a search: 0.1 s with all this, next to nothing without
    (measured).
    """
    for module in walk_packages([str(HERE)], "ui."):
        import_module(module.name)
    views()
    registry.warm()
    import_module("mlcore.data.importing")  # here alone: it takes a tenth of a second
    import_module("ui.index.entries").items()
    gc.collect()
    gc.freeze()


def problems(also: tuple[str, ...] = ()) -> None:
    """What the address said that could not be used, one sentence each; `also` of the page's own.

    Where it was the name of the table, that is told by `no_data` alone. What stands below keeps its
    place in the page, and with it what a person was typing, when the sentences come or go.
    """
    place = st.container()
    if not _names_its_table():
        return
    if sentences := (*state.session().problems, *also):
        shown = "\n".join(f"- {plain(sentence)}" for sentence in sentences[:8])
        more = f"\n- and {len(sentences) - 8} more" if len(sentences) > 8 else ""
        place.warning(f"Parts of this link could not be used; the rest is shown.\n{shown}{more}")


def _names_its_table() -> bool:
    """Whether the page knows which table it is about; a damaged link may not say so."""
    session = state.session()
    return "" not in uploaded(session.states[session.here].run)


def no_data(sentence: str) -> None:
    """Why there are no rows, and the way back to a table that works: never another one.

    Nothing where the sentence is empty.
    """
    if not sentence:
        return
    if (sentences := state.session().problems) and not _names_its_table():
        told = (*sentences, "So there is no table to look for: bring it again.")
        st.error("\n\n".join(map(plain, told)))
    else:
        st.error(sentence)
    data = state.session().states[state.session().here].run.data
    if uploaded(data).keys() <= session_tables().keys():
        st.button(
            "Use the table as it came",
            icon=":material/restart_alt:",
            key="data.reset",
            on_click=state.change,
            kwargs={"data": TableData(source=data.source)},
            help="Takes back every decision on target, roles, kinds and rows.",
        )
        return
    if hours := kept_for():
        st.caption(
            f"A browser finds a table that it brought for {hours} after its last use, unless "
            f"the server ran out of room{'' if is_on_disk() else ' or was restarted'}. When the "
            "same file is brought again, all that was decided about it holds."
        )
    if state.session().here != "data":  # where the place for the file stands open below
        label = "Bring the table again"
        st.page_link("pages/data.py", label=label, icon=":material/upload_file:")


def title(text: str, note: str = "") -> None:
    """The heading of a page with a grey note beside it."""
    state.inside()
    st.markdown(f"# {plain(text)} <small>{plain(note)}</small>", unsafe_allow_html=True)


def card_heading(text: str, note: str = "") -> None:
    """The heading of a card with a grey note: what it is computed on."""
    st.markdown(f"**{plain(text)}** <small>{plain(note)}</small>", unsafe_allow_html=True)


def view_heading(drawn: View | Sheet) -> None:
    """The heading of a picture with its grey note, and what of its options could not be had."""
    card_heading(drawn.title, drawn.note)
    lost_options(drawn)


def lost_options(drawn: View | Sheet) -> None:
    """A sentence for each option of a picture that could not be had."""
    for sentence in drawn.problems:
        st.caption(f":material/warning: {plain(sentence)}")
