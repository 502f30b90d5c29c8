"""Share: a link that is complete in itself, or one to a run that the server keeps.

What a link cannot carry is stored: a table that a person brought, and drawings too large for an
address. Nothing is stored before the person has read what, where and for how long, and agreed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin

import streamlit as st

from mlcore.data.table import Table
from mlcore.data.upload import Upload, uploaded
from mlcore.runs import differences, repeat
from mlcore.runs.run import AnyRun
from mlcore.spine.wording import count
from service.database import StoreError
from service.limits import current_limits
from service.records import Shared
from service.store import Links, refusal, store
from ui import state
from ui.runs import asked, running
from ui.runs.person import person
from ui.wording import plain

LONGEST_LINK = 6 * 1024  # bytes; what mail programs and chats still pass on whole
PAGE = running.SHARED  # where stored runs are opened and deleted
MADE, PROBLEM = "share.made", "share.problem"  # in the session: links by state; why there is none


@dataclass(frozen=True)
class Shareable:
    """What is on the screen, and what a link to it can carry."""

    run: AnyRun
    page: str
    view: dict[str, str]  # pairs of a link
    link: str  # that is complete in itself; "" where there can be none

    @property
    def key(self) -> tuple[str, str]:
        """By which a session knows the links that were made for it."""
        return self.run.digest(), self.link


def share(run: AnyRun) -> None:
    """The popover with the link to what is on the screen."""
    place = _popover("Share", "strip.share", "tertiary")
    if not place.open:
        return
    session, address = state.session(), link()
    pairs = state.address(session.states[session.here])
    view = {name: value for name, value in pairs.items() if name.startswith("view.")}
    with place:
        if not uploaded(run) and len(address) <= LONGEST_LINK:
            st.markdown("Whoever opens this link sees the same numbers.")
            st.code(address, language=None, wrap_lines=True)
        else:
            _stored(Shareable(run, session.here, view, address))


def share_search(run: AnyRun, what: str = "this search") -> None:
    """The popover of a search for settings, or of another run that no link can carry."""
    place = _popover(f"Share {what}", "search.share", "secondary")
    if place.open:
        with place:
            _stored(Shareable(run, state.session().here, {}, ""))


def _popover(label: str, key: str, type: Any) -> Any:
    icon = ":material/ios_share:"
    return st.popover(label, type=type, icon=icon, key=key, on_change=state.moved)


def link() -> str:
    """The address of this page with the pairs of its state."""
    session = state.session()
    pairs = state.address(session.states[session.here])
    return f"{_here()}?{urlencode(pairs)}"


def link_to(page: str, at: state.PageState) -> str:
    """The address of a page in a state that it will have."""
    return f"{urljoin(_here(), page)}?{urlencode(state.address(at))}"


def _here() -> str:
    return (st.context.url or "").split("?")[0]


def _stored(what: Shareable) -> None:
    """The links that were made, or what would be stored."""
    if made := st.session_state.get(MADE, {}).get(what.key):
        _links(made)
    else:
        _offer(what)


def _offer(what: Shareable) -> None:
    """What would be stored, and the button that does so."""
    uploads, session_tables = uploaded(what.run), running.session_tables()
    if uploads.keys() - session_tables.keys():
        st.markdown("This run needs a table that is not here. Bring it first, then share the run.")
        return
    tables = {digest: session_tables[digest] for digest in uploads}
    st.markdown(_why(what, uploads, tables))
    st.markdown(
        f"It is kept for {count(current_limits().share_days, 'day')}. Whoever has the link sees "
        f"the {'rows, the ' if tables else ''}settings and the scores, and so can those who run "
        "the server. You get a second link that deletes everything at any time."
    )
    refused = refusal(_shared(what, tables).size(), current_limits())
    if reason := st.session_state.pop(PROBLEM, "") or refused:
        st.error(plain(reason))
    st.button(
        "Store and make a link",
        type="primary",
        key=f"share.store.{'link' if what.link else 'search'}",
        on_click=state.moved,
        args=(_store, what, tables),
        disabled=bool(refused),
        help="Nothing is stored before you press this.",
    )
    job = asked.job_of(what.run)
    if job is not None and not job.is_over:
        st.caption("The run is still going on: what is finished now is stored with it.")


def _why(what: Shareable, uploads: dict[str, Upload], tables: dict[str, Table]) -> str:
    """Why no link is enough, and what is stored instead."""
    if not tables and not what.link:
        return (
            "The address of the page does not carry a search. Its settings and scores can be "
            "stored on the server of this page."
        )
    if not tables:
        return (
            f"A link to this would be {len(what.link) / 1024:.0f} KB long, and many programs cut "
            "it. Settings, points and scores can be stored on the server of this page instead."
        )
    named = ", ".join(
        f"**{plain(uploads[digest].name)}** ({count(table.n_rows, 'row')}, "
        f"{count(len(table.names), 'column')})"
        for digest, table in tables.items()
    )
    return (
        f"Your table {named} is known to this browser alone. For a link that works for others, the "
        "table, the name of its file, the settings and the scores must be stored on the server "
        "of this page."
    )


def _store(what: Shareable, tables: dict[str, Table]) -> None:
    """The person agreed: keep what is on the screen, with the numbers that are there."""
    outcome, parts = _computed(what.run)
    numbers = None if outcome is None else differences.numbers(outcome)
    try:
        who = person(asked.owner())
        shared = _shared(what, tables, numbers, parts)
        links = store().put(shared, who.browser or who.address, who.address)
    except StoreError as error:
        st.session_state[PROBLEM] = str(error)
        return
    st.session_state[MADE] = st.session_state.get(MADE, {}) | {what.key: links}


def _computed(run: AnyRun) -> tuple[Any, tuple[str, ...] | None]:
    """What this session has of a run, and which parts of it if that is not all."""
    job = asked.job_of(run)
    if job is None:
        return None, None
    if job.state == "done":
        return job.result(), None
    events = job.events
    return repeat.so_far(run, events, running.session_tables()), tuple(map(repeat.part, events))


def _shared(
    what: Shareable, tables: dict[str, Table], numbers: Any = None, parts: Any = None
) -> Shared:
    return Shared(
        run=what.run, page=what.page, view=what.view, numbers=numbers, parts=parts, tables=tables
    )


def _links(made: Links) -> None:
    """The two links of a run that was stored."""
    root = urljoin(_here(), PAGE)
    with st.container(key="share-show", gap="small"):
        st.markdown(
            ":material/link: **To pass on.** Stored: whoever opens this link sees the run, and "
            "whether its numbers repeat."
        )
        st.code(f"{root}?id={made.id}", language=None, wrap_lines=True)
    with st.container(border=True, key="share-delete", gap="small"):
        st.markdown(
            ":material/delete: **For you alone.** This link deletes the run. It is shown as long "
            "as you stay on this state of the page, and cannot be found again."
        )
        st.code(f"{root}?delete={made.token}", language=None, wrap_lines=True)
