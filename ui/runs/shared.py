"""The page of a shared run: repeated here, compared with what was stored, and a way on from it."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Any

import streamlit as st

from mlcore.runs import differences
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from mlcore.spine.errors import MlcoreError
from service.database import StoreError
from service.records import Shared, damaged
from service.starting import PROJECT
from service.store import store
from ui import frame, state
from ui.runs import progress, running, session_tables
from ui.runs.kinds import KINDS
from ui.runs.running import Shown
from ui.runs.sharing import PAGE
from ui.wording import plain

# In the session: the run that is open; the token of what was deleted, and whether it is overwritten
# on the disk; why that went wrong.
KEPT, DELETED, PROBLEM = "shared.kept", "shared.deleted", "shared.problem"
GONE = "Deleted. Its link opens nothing any more; the tables only it needed are gone."
PUT_OFF = (
    "Deleted. Its link opens nothing any more. On the disk of the server, it and the tables that "
    "only it needed could not be overwritten at once: that is done when next a run is removed or "
    "the server starts."
)
LEADS = {
    "identical": "Identical to what was shared",
    "equal": "Equal to what was shared",
    "different": "Different from what was shared",
}


def shared_page() -> None:
    """Open the run that the address names, or ask whether it is to be deleted."""
    state.inside()
    state.session().here = PAGE
    pairs = st.query_params.to_dict()
    try:
        if token := pairs.get("delete"):
            _deletion(token)
        else:
            _opened(_kept(pairs.get("id", "")))
    except MlcoreError as error:
        frame.title("Shared run")
        st.error(plain(str(error)))
        st.page_link("pages/start.py", label="Go to the start", icon=":material/home:")


def _kept(id: str) -> Shared:
    """The run as it was stored; asked for once a session, and shown again to who comes back.

    Raises an MlcoreError where it cannot be shown.
    """
    kept: tuple[str, Shared] | None = st.session_state.get(KEPT)
    if kept and not id:
        id = st.query_params["id"] = kept[0]
    if kept is None or kept[0] != id:
        shared = store().get(id)
        if not (PROJECT / "pages" / f"{shared.page}.py").is_file():
            raise damaged("page")
        st.session_state[KEPT] = kept = (id, shared)
    return kept[1]


def _opened(shared: Shared) -> None:
    """The verdict first, then score and main picture, as on the page that they come from."""
    session_tables.hold(shared.tables)
    frame.title("Shared run", _named(shared.run))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"Shared on {_day(shared.created)}, kept until {_day(shared.expires)}.",
            width="content",
        )
        st.page_link(
            f"pages/{shared.page}.py",
            label="Open on the page",
            icon=":material/open_in_new:",
            query_params={**_opened_by(shared.run).to_link(), **shared.view},
        )
    if shared.numbers is None:
        st.markdown("Nothing had been computed when this was shared: it is data and settings.")
        return
    verdict = st.container()
    # As much of the run as there was when it was shared, as far as it has come here.
    shown = running.carried(shared.run, running.dataset_if_any(shared.run), PAGE, shared.parts)
    progress.status_line(shown)
    if shown.status == "done":
        with verdict:
            _verdict(shared, shown)
    if shown.outcome is not None:
        KINDS[shared.run.card.name].draw(shared, shown)


def _verdict(shared: Shared, shown: Shown) -> None:
    """Identical, equal or different, and what both outcomes rest on."""
    now = differences.numbers(shown.outcome)
    kind, sentence = differences.verdict(shared.numbers, now)
    _, _, more = sentence.partition(": ")
    st.html(
        f'<div class="verdict" data-kind="{kind}"><p><b>{LEADS[kind]}.</b> '
        f"{escape(more[:1].upper() + more[1:])}</p></div>"
    )
    then, here = _versions(shared.numbers), _versions(now)
    st.caption(plain(f"Then and now: {then}." if then == here else f"Then: {then}. Now: {here}."))
    if shared.parts is not None:
        st.caption(
            "The run was shared before its end, and as much of it was repeated here. Open it on "
            "its page to carry out the rest."
        )


def _versions(numbers: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in numbers["versions"].items())


def _opened_by(run: AnyRun) -> AnyRun:
    return KINDS[run.card.name].opens(run)


def _deletion(token: str) -> None:
    """Ask once, delete, and say so."""
    frame.title("Delete a shared run")
    deleted: tuple[str, bool] | None = st.session_state.get(DELETED)
    if deleted and deleted[0] == token:
        st.markdown(GONE if deleted[1] else PUT_OFF)
        return
    if problem := st.session_state.pop(PROBLEM, ""):
        st.error(plain(problem))
    shared = store().get(store().named_by(token))
    st.markdown(
        f"**{plain(_named(shared.run))}**, shared on {_day(shared.created)}. Its link will open "
        "nothing any more, for anybody. This cannot be taken back."
    )
    st.button(
        "Delete it",
        type="primary",
        icon=":material/delete:",
        key="shared.delete",
        on_click=state.moved,
        args=(_delete, token),
    )


def _delete(token: str) -> None:
    try:
        st.session_state[DELETED] = (token, store().delete(token))
    except StoreError as error:
        st.session_state[PROBLEM] = str(error)


def _named(run: AnyRun) -> str:
    """A run in a few words: what was done with what."""
    kind = kind_of(run)
    if not (data := kind.data(run)):
        return kind.title(run)
    source = data[0].source
    return f"{kind.title(run)} on {getattr(source, 'name', '') or source.title()}"


def _day(seconds: float) -> str:
    day = datetime.fromtimestamp(seconds, UTC)
    return f"{day.day} {day:%B %Y}"
