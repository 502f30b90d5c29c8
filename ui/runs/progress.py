"""How far a run is, on its page and in a line on the others, with what a person can do about it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import streamlit as st

from mlcore.runs.kinds import kind_of
from mlcore.runs.labels import described
from mlcore.runs.run import AnyRun
from mlcore.spine.component import Component
from mlcore.spine.wording import count, estimated, listed, plural
from service import jobs
from service.work import Job
from ui import state
from ui.runs import asked
from ui.runs.asked import Asked
from ui.wording import plain

if TYPE_CHECKING:
    from ui.runs.running import Shown

POLL = 0.3  # seconds between looks at a running job
POLL_ELSEWHERE = 1.0  # seconds between looks at the jobs of other pages
# Stand beside the run of their page, which has the key.
WITHOUT_KEY = (
    "tune", "count", "predict",
    "explain.importance", "explain.effect", "explain.shapley", "explain.what_if",
    "explain.shapley_rows",
    "explain.slices", "explain.fairness",
)  # fmt: skip


def status_line(shown: Shown, place: str = "run") -> None:
    """Progress with Stop, the sentence of a failure, or the cost with Run: whatever fits.

    `place` tells the buttons of several runs on one page apart.
    """
    if shown.status == "running" and shown.job:
        _progress(shown)
        # Beside the fragment: a press then interrupts the drawing of the page, and is not put off
        # until that is done.
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"{place}.stop",
            on_click=state.moved,
            args=(shown.job.cancel,),
        )
    elif shown.status == "waiting":
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(f"{_why_waiting(shown)} {plain(_what_it_takes(shown))}")
        with right:
            begin_buttons(shown, place)
    elif shown.status in ("failed", "stopped") and shown.may_begin:
        left, right = st.columns([3, 2], vertical_alignment="center")
        (left.error if shown.status == "failed" else left.warning)(plain(shown.sentence))
        with right:
            begin_buttons(shown, place)
    elif shown.status == "refused" and shown.smaller is not None:
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.error(plain(shown.sentence))
        with right:
            offer_smaller(shown, place)
    elif shown.status in ("failed", "refused"):
        st.error(plain(shown.sentence))


def _why_waiting(shown: Shown) -> str:
    if asked.was_interrupted(shown.run.digest()):
        return (
            "**Interrupted.** This was under way when the server was restarted, or when the last "
            "tab that had asked for it was closed."
        )
    return "**Not started yet.**"


def _what_it_takes(shown: Shown) -> str:
    """The estimate, and what to press: It will take 5 s to 30 s (6 fits, 300 MB): press Run."""
    order = shown.order
    if order is None:
        return f"{shown.sentence}."
    return f"It will take {order.time} ({order.contents}, {order.room}): press Run to begin."


def begin_buttons(shown: Shown, place: str, label: str = "Run") -> None:
    """The button that begins a run, and the one that goes on with it where that is possible."""
    shortcut = None if place in WITHOUT_KEY else "Ctrl+Enter"
    with st.container(horizontal=True, horizontal_alignment="right"):
        if shown.may_go_on:
            st.button(
                "Resume",
                type="primary",
                icon=":material/resume:",
                shortcut=shortcut,
                key=f"{place}.resume",
                help=f"Keeps {_kept(shown.job) or 'what is done'} and carries out the rest.",
                on_click=asked.resume,
                args=(shown.order,),
            )
        st.button(
            label,
            type="secondary" if shown.may_go_on else "primary",
            icon=":material/play_arrow:",
            shortcut=None if shown.may_go_on else shortcut,
            key=f"{place}.now",
            on_click=asked.begin,
            args=(shown.run,),
        )
        offer_smaller(shown, place)


def offer_smaller(shown: Shown, place: str = "run") -> None:
    """The button that makes the design of a run smaller and begins it, where there is such a one.

    It changes the run of the page: nothing is offered where the run is none of the page.
    """
    smaller = shown.smaller
    if smaller is None or state.session().here not in state.session().states:
        return
    changed = {
        f.name: getattr(smaller.run, f.name)
        for f in fields(smaller.run)
        if getattr(smaller.run, f.name) != getattr(shown.run, f.name)
    }
    st.button(
        f"Run smaller, {smaller.time}",
        icon=":material/compress:",
        key=f"{place}.smaller",
        help=f"Sets {_settings(changed)}, and runs: {smaller.cost}. Undo brings the others back.",
        on_click=_begin_smaller,
        args=(smaller.run, changed),
    )


def _begin_smaller(run: AnyRun, changed: dict[str, Any]) -> None:
    state.change(**changed)
    asked.begin(run)


def _settings(changed: dict[str, Any]) -> str:
    """What a smaller design sets: 3 replicates; 5 folds."""
    return listed(
        described(value) if isinstance(value, Component) else f"{name} to {value:,}"
        for name, value in changed.items()
    )


@st.fragment(run_every=POLL)
def _progress(shown: Shown) -> None:
    """Looks at the job again and again, and at the whole page when there is more to show."""
    job = shown.job
    if job is None:
        return
    at = job.progress
    if job.is_over or (at is not None and shown.outcome is None):
        state.rerun()
    title = kind_of(shown.run).title(shown.run)
    st.progress(at.done / max(at.total, 1) if at else 0.0, f"{title}, {status_text(job)}")
    kept = _kept(job)
    st.caption(f"Stopping keeps {kept}." if kept else "")


def status_text(job: Job) -> str:
    """How far a job is: fold 3 of 10, about 4 s left."""
    at, left = job.progress, job.seconds_left
    if at is None or job.state == "queued":
        return _waiting(job)
    last = job.events[-1].where
    where = f" ({last})" if last else ""
    more = f", about {estimated(left)} left" if left is not None else ""
    return f"{_one(at.unit)} {at.done} of {at.total}{where}{more}"


def _waiting(job: Job) -> str:
    """Waiting, and for how many others."""
    ahead = jobs.pool().ahead(job) if job.state == "queued" else 0
    verb = plural(ahead, "is", "are")
    return "waiting for a free worker" + (f", {count(ahead, 'run')} {verb} ahead" if ahead else "")


def _kept(job: Job | None) -> str:
    """What stays when a run ends early: the 3 finished folds."""
    at = job.progress if job else None
    return f"the {count(at.done, f'finished {_one(at.unit)}')}" if at and at.done else ""


def _one(unit: str) -> str:
    """The singular of a unit: folds, attempts."""
    return unit.removesuffix("s")


def elsewhere(here: str) -> None:
    """A line for every run that is under way on another page, with the way there."""
    requests = [request for request in asked.asked().values() if request.page not in ("", here)]
    if requests := [request for request in requests if not request.job.is_over]:
        _lines(requests)


@st.fragment(run_every=POLL_ELSEWHERE)
def _lines(requests: list[Asked]) -> None:
    with st.container(key="elsewhere"):
        for request in requests:
            name = request.page.replace("_", " ").capitalize()
            how = (
                "done"
                if request.job.state == "done"
                else request.job.failure or status_text(request.job)
            )
            st.page_link(
                f"pages/{request.page}.py",
                label=plain(f"{request.title} on {name}: {how}"),
                icon=":material/progress_activity:",
            )
