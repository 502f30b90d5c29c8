"""The work of a browser: found again as a session begins, noted when a page has come to rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from mlcore.runs.project_lines import Line
from service import jobs
from service.kept_work import Computing, Kept, kept_work
from service.results import results
from ui import state
from ui.runs import asked, places
from ui.runs.asked import Asked
from ui.runs.listed import Entry, RunList
from ui.runs.person import browser
from ui.runs.session_tables import key_before

BEGUN, NOTED = "work.begun", "work.noted"
NOT_NOTED = ("", state.GREETER, "shared")  # pages whose runs nobody asked for, or somebody shared


def begin() -> None:
    """Find what this browser has, once a session."""
    if BEGUN in st.session_state:
        return
    st.session_state[BEGUN] = True
    if not (who := browser()):
        return
    kept = kept_work().of(who)
    lost = {one.digest for one in kept.computing if not _followed(one)}
    st.session_state[asked.INTERRUPTED] = lost
    restored = state.session().runs.adopt(_entries(kept))
    st.session_state[asked.RESTORED] = tuple(entry.number for entry in restored)
    st.session_state[NOTED] = _noted(state.session().runs)


def note() -> None:
    """Note what has changed since this session looked last: of runs, and of what is under way."""
    who, run_list = browser(), state.session().runs
    if not who:
        return
    before, now = st.session_state.get(NOTED, ({}, (), ())), _noted(run_list)
    if now == before:
        return
    known, (entries, *jobs) = before[0], now
    lines = [entry.line() for id, entry in entries.items() if known.get(id) != entry]
    kept_work().change(who, asked.owner(), lines, known.keys() - entries.keys(), *jobs)
    st.session_state[NOTED] = now


def entry_of(line: Line) -> Entry | None:
    """A line of the list again; None for a run that no page shows."""
    if (home := places.at_home(line.run, line.page, line.view or {})) is None:
        return None
    page, shown = home
    at = datetime.fromtimestamp(line.at, UTC)
    status = "interrupted" if line.status == "running" else line.status
    return Entry(
        0, page, shown.run, shown.view, at, status, line.scores, line.name, line.note,
        shown.run.digest(), line.parent, line.id,
    )  # fmt: skip


def _entries(kept: Kept) -> list[Entry]:
    """The runs of a browser; those that are still under way say so."""
    entries = [entry for line in kept.lines if (entry := entry_of(line))]
    return [
        replace(entry, status="running")
        if entry.status == "interrupted" and asked.job_of(entry.run)
        else entry
        for entry in entries
    ]


def _followed(one: Computing) -> bool:
    """Go on with what this server still has under way for the browser, or knows the result of."""
    key = key_before(one.digest, one.what)
    # As if a person had pressed Run here: that was done, in the tab that began it.
    begun: set[str] = st.session_state.setdefault("begun", set())
    if key in results():
        begun.add(one.digest)
        return True
    job = jobs.pool().follow(key, asked.owner(), one.place)
    if job is None:
        return False
    begun.add(one.digest)
    asked.asked()[f"{one.digest} {one.what}"] = Asked(job, one.page, one.title)
    return True


def _noted(run_list: RunList) -> Any:
    """Of the list and of what is under way what can be compared with what it was before."""
    jobs = {name: one for name, one in asked.asked().items() if one.page not in NOT_NOTED}
    computing = (_computing(name, one) for name, one in jobs.items() if not one.job.is_over)
    done = (name.split(" ")[0] for name, one in jobs.items() if one.job.state == "done")
    return {entry.id: entry for entry in run_list.entries}, tuple(computing), tuple(done)


def _computing(name: str, request: Asked) -> Computing:
    digest, what = name.split(" ", 1)
    return Computing(digest, what, request.page, request.job.place or "", request.title)
