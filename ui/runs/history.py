"""Undo, redo and the runs of this session: open one again, name it, copy it, compare two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mlcore.runs.kinds import kind_of
from mlcore.spine.wording import count, deviation, number
from ui import state
from ui.runs import asked, saving, table_lines, two_runs
from ui.runs.listed import LONGEST_NAME, LONGEST_NOTE, Entry, RunList, Score
from ui.state import PageState
from ui.wording import plain

FEW = 5  # runs that are listed in full
HEIGHT = 290  # pixels of a longer list; what is beneath it stays in sight


def walks() -> None:
    """Undo, redo, and the list."""
    for label, keys, icon, walk, stack in (
        ("Undo", "Ctrl+Z", ":material/undo:", state.undo, "past"),
        ("Redo", "Ctrl+Y", ":material/redo:", state.redo, "future"),
    ):
        st.button(
            "",
            icon=icon,
            type="tertiary",
            help=f"{label} ({keys})",  # components/browser/keys.js listens
            key=f"strip.{label}",
            on_click=walk,
            disabled=not state.can_walk(stack),
        )
    _listed()


def _listed() -> None:
    """The popover with the runs; made while it is open alone."""
    run_list = state.session().runs
    place = st.popover(
        "Runs",  # what it opens is a dialog, which has to have a name
        icon=":material/history:",
        type="tertiary",
        help="Runs of this session",
        key=state.key(f"strip.history.{run_list.closed}"),
        on_change=state.moved,
    )
    if place.open:
        with place:
            _list(run_list)
    if run_list.compared:
        _compared(run_list)


def _list(run_list: RunList) -> None:
    if not run_list.entries:
        st.markdown("Nothing has been carried out yet. Each run that a page shows is listed here.")
        _put_back(run_list)
        return
    st.markdown(
        f"**Runs of this session** <small>{count(len(run_list.entries), 'run')}, "
        "newest first</small>",
        unsafe_allow_html=True,
    )
    catch_up(run_list)
    chosen = _pick(run_list)
    _name(run_list, chosen)
    deeds(chosen)
    _second(run_list, chosen)
    _put_back(run_list)
    saving.save(run_list)
    st.page_link("pages/runs.py", label="All of them as a table", icon=":material/table_rows:")


def catch_up(run_list: RunList) -> None:
    """How runs ended that were under way when their page was left."""
    for entry in [entry for entry in run_list.entries if entry.status == "running"]:
        job = asked.job_of(entry.run)
        if job is None:  # another run of its page took its place
            run_list.end(entry.number, "stopped", None)
        elif job.is_over:
            run_list.end(entry.number, job.state, job.result() if job.state == "done" else None)


def _pick(run_list: RunList) -> Entry:
    """The run that is looked at."""
    by_number = {entry.number: entry for entry in run_list.entries}
    at = list(by_number).index(run_list.chosen) if run_list.chosen in by_number else 0
    key = f"history.run.{run_list.revision}"
    height = HEIGHT if len(by_number) > FEW else "content"
    with st.container(height=height, border=False, key="history-list"):
        chosen = st.radio(
            "Runs of this session",
            by_number,
            at,
            format_func=lambda number: plain(by_number[number].label),
            captions=[_caption(entry) for entry in run_list.entries],
            key=key,
            label_visibility="collapsed",
            on_change=state.moved,
            args=(_choose, key),
        )
    return by_number[chosen]


def _choose(key: str) -> None:
    # Not by `choose`: the controls would be new, and the keyboard's place among them lost.
    state.session().runs.chosen = st.session_state[key]


def _caption(entry: Entry) -> str:
    """What is known of a run, in one line."""
    page = entry.page.replace("_", " ").capitalize()
    parts = [kind_of(entry.run).line(entry.run)] if entry.name else []
    parts += [
        _on(entry),
        _score_text(entry.score) or entry.status,
        page,
        table_lines.ago(entry.at),
    ]
    if entry.score and entry.status == "stopped":
        parts.append("stopped half way")
    if entry.note:
        parts.append(entry.note)
    if entry.number == state.session().runs.draft:
        parts.append("follows the controls")
    return plain(" · ".join(parts))


def _score_text(score: Score | None) -> str:
    if score is None:
        return ""
    of = f" ({score.of})" if score.of else ""
    return f"{score.title} {number(score.mean)} ± {deviation(score.spread, score.mean)}{of}"


def _name(run_list: RunList, entry: Entry) -> None:
    """What the person calls the run, and what there is to remember about it."""
    for which, now, longest, help, write in (
        ("Name", entry.name, LONGEST_NAME, "What you call this run.", run_list.rename),
        ("Note", entry.note, LONGEST_NOTE, "What to remember about it.", run_list.annotate),
    ):
        key = f"history.{which.lower()}.{run_list.revision}.{entry.number}"
        st.text_input(
            which,
            now,
            max_chars=longest,
            placeholder="None yet",
            key=key,
            help=f"{help} An empty {which.lower()} is none.",
            on_change=state.moved,
            args=(_written, write, entry.number, key),
        )


def _written(write: Callable[[int, str], None], which: int, key: str) -> None:
    write(which, st.session_state[key])


def deeds(entry: Entry, place: str = "history") -> None:
    """What can be done with one run."""
    known = (
        ("Open again", ":material/replay:", _open, "Shows it on its page with all its settings."),
        ("Duplicate", ":material/content_copy:", _duplicate,
         "Opens a copy that follows the controls of its page until another run is opened."),
        ("Remove", ":material/delete:", _remove, "Takes it from this list; nothing else changes."),
    )  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        for label, icon, deed, help in known:
            key = f"{place}.{label}"
            st.button(label, icon=icon, help=help, key=key, on_click=state.moved,
                      args=(deed, entry.number))  # fmt: skip


def _open(which: int) -> None:
    run_list = state.session().runs
    if (entry := run_list.get(which)) is not None:
        run_list.settle(which)
        run_list.choose(which)
        state.lead(PageState(entry.run, entry.view), entry.page)


def _duplicate(which: int) -> None:
    if (copy := state.session().runs.duplicate(which)) is not None:
        state.lead(PageState(copy.run, copy.view), copy.page)


def _remove(which: int) -> None:
    state.session().runs.remove(which)


def _second(run_list: RunList, entry: Entry) -> None:
    """The run to compare with, and the button."""
    labels = {
        other.number: _full_label(run_list, other) for other in run_list.entries if other != entry
    }
    if not labels:
        return
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    other = left.selectbox(
        "Compare with",
        labels,
        format_func=labels.__getitem__,
        key=f"history.other.{run_list.revision}.{entry.number}",
        help="Settings, data and scores in which the two differ.",
        on_change=state.moved,
    )
    right.button(
        "Compare",
        key="history.compare",
        width="stretch",
        on_click=state.moved,
        args=(_compare, other, entry.number),
    )


def _full_label(run_list: RunList, entry: Entry) -> str:
    """What a run is called in one line; with data and score where others are called the same."""
    if sum(other.label == entry.label for other in run_list.entries) == 1:
        return entry.label
    return " · ".join([entry.label, _on(entry), _score_text(entry.score) or entry.status])


def _compare(first: int, second: int) -> None:
    run_list = state.session().runs
    run_list.compared = (first, second)
    run_list.closed += 1  # or the list would stand before the dialog


def _compared(run_list: RunList) -> None:
    """The dialog with two runs beside each other, until it is closed."""
    pair: list[Any] = [run_list.get(which) for which in run_list.compared or ()]
    if None in pair:
        run_list.compared = None
        return
    shown = st.dialog("Two runs beside each other", width="large", on_dismiss=_dismissed)
    shown(two_runs.beside)(*pair)


def _dismissed() -> None:
    state.session().runs.compared = None
    state.moved()


def _put_back(run_list: RunList) -> None:
    if run_list.removed is None:
        return
    label = run_list.removed[1].label
    st.button(
        f"Put back {plain(label)}",
        icon=":material/restore_from_trash:",
        type="tertiary",
        key="history.back",
        on_click=state.moved,
        args=(run_list.put_back,),
    )


def _on(entry: Entry) -> str:
    return kind_of(entry.run).on(entry.run)
