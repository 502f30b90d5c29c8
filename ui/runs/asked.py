"""The jobs that this session asked for: begun, gone on with, and found again on any page."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from service import executors, limits
from service.results import results
from service.work import Job
from ui import state
from ui.runs.orders import Order
from ui.runs.person import person
from ui.runs.session_tables import key_of

# In the session: digests of runs; numbers of the runs of its list that were found as it began.
INTERRUPTED, RESTORED = "work.interrupted", "work.restored"


class Asked(NamedTuple):
    """A job of this session, and the page that asked for it."""

    job: Job
    page: str
    title: str


def owner() -> str:
    """This session: one tab of a browser."""
    return st.session_state.setdefault("owner", uuid.uuid4().hex)


def sender() -> dict[str, Any]:
    """Who asks the pool: this session, and the person behind it."""
    return {"owner": owner(), "person": person(owner())}


def begin(run: AnyRun) -> None:
    """A person pressed Run: carry it out from the start, whatever it costs."""
    st.session_state.setdefault("begun", set()).add(run.digest())
    kept = {name: job for name, job in asked().items() if not name.startswith(run.digest())}
    st.session_state["jobs"] = kept
    state.moved()


def resume(order: Order) -> None:
    """A person pressed Resume: carry out what is left of a run that was stopped or failed."""
    events = asked()[order.name].job.events
    begin(order.run)
    st.session_state["attempt"] = (order.name, events)


def asked() -> dict[str, Asked]:
    """The jobs of this session, by the names of their orders."""
    return st.session_state.setdefault("jobs", {})


def was_interrupted(digest: str) -> bool:
    """Whether a run was under way when the server ended, or the last tab that had asked for it."""
    return digest in st.session_state.get(INTERRUPTED, ())


def job_of(run: AnyRun) -> Job | None:
    """The job by which this session has what it shows of a run, if it has asked for one."""
    request = asked().get(f"{run.digest()} run")
    return request.job if request else None


def job(order: Order, place: str) -> Job | None:
    """The job of an order: the one of this session, or a new one; None if a person must begin it.

    DataError where it needs a table that this session has not. One that failed stays as it is
    until a person begins it again.
    """
    cache_key = key_of(order.run, order.what)
    if request := asked().get(order.name):
        return request.job
    digest, waits = order.run.digest(), limits.current_limits().waits(order.seconds)
    begun = digest in st.session_state.setdefault("begun", set())
    if (waits or order.by_hand) and not (begun or cache_key in results()):
        return None
    here = order.seconds < limits.IN_PLACE_SECONDS
    how: dict[str, Any] = {**sender(), "expected": order.seconds, **_shared_out(order)}
    job = results().obtain(cache_key, order.asked, here=here, replaces=place, **how)
    job.when_over(order.learn)
    # Older ones of this place were replaced, or are in the cache.
    kept = {n: request for n, request in asked().items() if request.job.place not in (None, place)}
    new = Asked(job, state.session().here, kind_of(order.run).title(order.run))
    st.session_state["jobs"] = kept | {order.name: new}
    return job


def _shared_out(order: Order) -> dict[str, Any]:
    """How the pool shares the calls of a run out, and what is done already."""
    name, events = st.session_state.pop("attempt", ("", ()))
    if not order.is_of_calls:
        return {}
    before: Sequence[Any] = events if name == order.name else ()
    return {"fan": executors.fan(order.size), "before": before}
