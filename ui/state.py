"""Address <-> state <-> widgets. The state (run + view) is the truth, the others its pictures.

At each rerun: if it was a control, or we ourselves, that asked for it (`moved`, `rerun`), then the
state wins, because the address that came with the request may still be an older one of ours: the
browser hears of a new address late, or never if the rerun that published it was interrupted. Else,
if the address is not what was last published, somebody went Back, edited it or opened a link: it is
read, and the generation rises, which gives every widget a new key and so a new start value. `show`
does the same for resets, presets and undo.

A rerun that is overtaken goes on beside the next one, in a thread of its own, until it meets
Streamlit again. So who asked for a rerun is noted where that rerun alone looks, in its thread.

The moves of one number that follow each other are one change, of the address, of Back and of undo:
what they lead to is said when the number has come to rest (`at_rest`), or something else changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from mlcore.spine import codec
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import fits
from service.admission import pause
from ui.runs.listed import RunList
from ui.runs.walks import Walks

SHARED = ("data", "preparation", "evaluation", "seed")  # the same on every page of a session
GREETER = "start"  # its run was asked for by nobody
# Seconds, once a page is drawn, in which the next move of a number belongs to the one before.
REST = 0.6
RESPONSE = 0.02  # seconds between looks for it

# The page whose control, or our own code, asked for this rerun; "" where somebody went Back.
ASKED: ContextVar[str] = ContextVar("asked", default="")
# The number whose track or box asked for it, by its path; "" where it was something else.
MOVED: ContextVar[str] = ContextVar("moved", default="")


@dataclass(frozen=True)
class PageState:
    """What one page shows."""

    run: Any  # of the kind that the page is for: a Run, a Comparison, or a Trial
    view: Any  # what is looked at: a component of the page's own kind


@dataclass
class Session:
    """What one browser session holds of all pages."""

    generation: int = 0
    here: str = ""  # the page of this rerun
    shared: dict[str, Any] = field(default_factory=dict)
    states: dict[str, PageState] = field(default_factory=dict)
    published: tuple[str, dict[str, str]] | None = None
    on_the_move: str = ""  # the number whose last moves the address does not say yet, by its path
    problems: tuple[str, ...] = ()
    walks: Walks = field(default_factory=Walks)
    runs: RunList = field(default_factory=RunList)
    leads: str = ""  # the page that `lead` asked for, until it is there


def session() -> Session:
    """The session of this browser tab."""
    return st.session_state.setdefault("mlscope", Session())


def inside() -> None:
    """Make sure that a page runs inside the frame.

    A server that has not run app.py yet takes the folder `pages` for Streamlit's older way of
    multipage apps, and runs a page that is opened by its address alone, without the frame. Once
    the flag is down, the same address goes through app.py.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def moved(after: Callable[..., None] | None = None, *args: Any) -> None:
    """To be called by every control that asks for a rerun: the state wins over the address."""
    ASKED.set(session().here)
    if after:
        after(*args)


def moved_number(number: str, after: Callable[..., None], *args: Any) -> None:
    """The same for a control that a person may move many times in a second."""
    MOVED.set(number)
    moved(after, *args)


def rerun() -> NoReturn:
    """Run the page again from its top, in the state that it is in."""
    moved()
    st.rerun()
    raise AssertionError("st.rerun() returns only where there is no page")


def key(path: str) -> str:
    """The key of the widget for `path` on this page, new in every generation."""
    current = session()
    return f"{current.generation}.{current.here}.{path}"


def arrived(page: str) -> None:
    """Be on `page`, unless another one is where the person is led to."""
    inside()
    current = session()
    if current.leads and current.leads != page:
        # With its address, or Back would first come by the page without one, and stay there.
        pairs = address(current.states[current.leads])
        st.switch_page(f"pages/{current.leads}.py", query_params=pairs)
    current.leads = ""
    if current.here != page:
        current.here, current.on_the_move = page, ""


def opened(page: str, default: AnyRun, view: type[Component], slot: str = "method") -> PageState:
    """The state that `page` shows in this rerun."""
    arrived(page)
    current = session()
    state = current.states.get(page) or PageState(default, view())
    state = replace(state, run=replace(state.run, **_shared(current, state.run)))
    pairs, was_asked = st.query_params.to_dict(), ASKED.get() == page
    ASKED.set("")
    if not was_asked and pairs and (page, pairs) != current.published:
        before = state
        state, current.problems = read(pairs, state, slot, default)
        current.on_the_move = ""
        current.generation += state != before
        if page in current.states and _is_change(before, state):
            current.walks.reached(page, before, state)
    _keep(page, state)
    return state


def read(
    pairs: dict[str, str], state: PageState, slot: str, default: Any
) -> tuple[PageState, tuple[str, ...]]:
    """The state that a link describes, and a sentence for each pair that could not be used."""
    try:
        own, problems = _read_run(pairs, default)
        run: Any = own  # with what its kind has
        reading = codec.Reading(pairs, 1)
        view = reading.component(type(state.view), "view.")
    except MlcoreError as error:
        return state, (str(error),)
    if hasattr(run, "method") and not fits(run.method, slot):
        if run.method.card.name == pairs.get("method"):  # and not in place of an unknown one
            problems += (f"{run.method.title()} belongs to another page and is not shown here.",)
        run = replace(run, method=state.run.method)
    sentences = [*problems, *reading.problems, *reading.unread(of_view=True)]
    return PageState(run, view), tuple(sentences)


def _read_run(pairs: dict[str, str], default: AnyRun) -> tuple[AnyRun, tuple[str, ...]]:
    """The run of a link, of the same kind as the one that the page begins with."""
    return type(default).from_link(_filled(default, pairs) | pairs)


def _filled(default: AnyRun, pairs: dict[str, str]) -> dict[str, str]:
    """Of what the page begins with, that which a link may be silent on."""
    silent = [name for name in kind_of(default).filled if name not in pairs]
    return {k: v for k, v in default.to_link().items() if k.split(".")[0] in silent}


def publish(page: str, state: PageState) -> None:
    """Take `state` as what the page shows now, and make the address say so.

    While a number is on the move that waits until it has come to rest.
    """
    current, number = session(), MOVED.get()
    if not number or number != current.on_the_move:
        if current.on_the_move and page == current.here:
            _say(page, current.states[page])  # where another number came to rest
        _leave(page, state)
    _keep(page, state)
    current.on_the_move = number
    if not number:
        _say(page, state)


def at_rest() -> None:
    """Say the address of a page whose number was moved, once it is not moved any more.

    Another move ends this rerun: Streamlit looks for it whenever the session is asked for.
    """
    until = time.monotonic() + REST
    while session().on_the_move and time.monotonic() < until:
        pause(RESPONSE)
    say()


def say() -> None:
    """Make the address say what the page shows, if it does not yet."""
    current = session()
    MOVED.set("")
    if current.on_the_move:
        _say(current.here, current.states[current.here])
        current.on_the_move = ""


def _say(page: str, state: PageState) -> None:
    pairs = address(state)
    # Always: an earlier rerun that said the same may have been interrupted before it was heard.
    # The browser makes no new entry of its history where nothing changes.
    st.query_params.from_dict(pairs)
    session().published = (page, pairs)


def address(state: PageState) -> dict[str, str]:
    """The pairs of the link to a state."""
    view = {f"view.{k}": v for k, v in codec.flatten(state.view).items()}
    return state.run.to_link() | view


def show(state: PageState, page: str | None = None) -> None:
    """Replace the state of a page from outside its widgets: reset, preset, undo, a fix."""
    current = session()
    page = page or current.here
    _leave(page, state)
    _replaced(page, state)


def keep(page: str, state: PageState) -> None:
    """Change what a page will show when it is drawn next: another one, or this by its control."""
    _leave(page, state)
    _keep(page, state)


def lead(state: PageState, page: str) -> None:
    """Show a state on its own page, going there from another one."""
    show(state, page)
    session().leads = page


def note(run: Any, status: str, outcome: Any) -> None:
    """List how far a run has come, if it is what this page is about."""
    current = session()
    now = current.states.get(current.here)
    if now is not None and now.run == run and current.here != GREETER:
        current.runs.record(current.here, run, now.view, status, outcome)


def change(**values: Any) -> None:
    """Change fields of the run of this page: a fix offered by a finding, a new data set."""
    current = session()
    state = current.states[current.here]
    show(replace(state, run=replace(state.run, **values)))


def undo() -> None:
    """Go back to the state before the last change on this page."""
    _walk("past")


def redo() -> None:
    """Take the last undo back."""
    _walk("future")


def can_walk(towards: str) -> bool:
    """Whether there is something to undo ("past") or redo ("future") on this page."""
    current = session()
    return current.walks.can(current.here, towards)


def _walk(towards: str) -> None:
    current = session()
    page = current.here
    if current.walks.can(page, towards):
        now = current.states[page]
        there = current.walks.step(page, now, towards)
        _replaced(page, _with_tab(there, now))


def _with_tab(state: PageState, of: PageState) -> PageState:
    """A state with the tab that is open in another one."""
    return replace(state, view=replace(state.view, tab=of.view.tab))


def _is_change(before: PageState, state: PageState) -> bool:
    """Whether there is something to take back: opening a tab changes nothing."""
    return _with_tab(before, state) != state


def _leave(page: str, state: PageState) -> None:
    """Keep what a page shows to come back to, if it is about to show something else."""
    current = session()
    before = current.states.get(page)
    if before and _is_change(before, state):
        current.walks.left(page, before)
        current.problems = () if page == current.here else current.problems


def _replaced(page: str, state: PageState) -> None:
    current = session()
    current.generation += 1
    ASKED.set(page)  # the address that comes with the next rerun is older than this
    current.problems = ()
    _keep(page, state)


def _keep(page: str, state: PageState) -> None:
    current = session()
    current.states[page] = state
    current.shared |= {
        name: getattr(state.run, name) for name in SHARED if hasattr(state.run, name)
    }


def _shared(current: Session, run: Any) -> dict[str, Any]:
    """What the pages of a session share, as far as a run of this kind has it."""
    return {name: value for name, value in current.shared.items() if hasattr(run, name)}
