"""A project, or a run that was saved as JSON, opened where tables are brought."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from mlcore.runs.project import Project
from mlcore.runs.project_lines import Line
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count, listed
from service import projects
from ui import state
from ui.runs import asked, session_tables, table_lines
from ui.runs.listed import Entry
from ui.state import PageState
from ui.wording import plain

TYPES = ["mlscope", "json"]
OPENED, PLACE = "project.opened", "project.place"
FEW = 4  # runs that are offered; all of them are in the list of runs
FEW_PROBLEMS = 5


class Opened(NamedTuple):
    """What became of a file that was brought."""

    name: str
    entries: tuple[Entry, ...] = ()  # that are listed now, newest first
    known: int = 0  # runs that were listed already
    tables: int = 0
    problems: tuple[str, ...] = ()


def place() -> str:
    """The end of the key of the place where the next file is dropped."""
    return f".project{at}" if (at := st.session_state.get(PLACE, 0)) else ""


def bring(name: str, content: bytes, entry_of: Callable[[Line], Entry | None]) -> None:
    """Take in what a file holds; a single run is shown on its page at once."""
    st.session_state[PLACE] = st.session_state.get(PLACE, 0) + 1
    try:
        project = projects.opened(content, name, **asked.sender())
    except MlcoreError as error:
        st.session_state[OPENED] = Opened(name, problems=(str(error),))
        return
    entries = [entry for line in project.lines if (entry := entry_of(line))]
    opened = _taken_in(name, project, entries)
    st.session_state[OPENED] = opened
    if len(opened.entries) == len(project.lines) == 1 and not opened.problems:
        st.session_state.pop(OPENED)
        _show(opened.entries[0].number)


def _taken_in(name: str, project: Project, entries: list[Entry]) -> Opened:
    session_tables.take(project.tables)
    nowhere = len(project.lines) - len(entries)
    new = state.session().runs.adopt(entries)
    problems = [*project.problems, *_missing(project)]
    if nowhere:
        problems.append(f"{count(nowhere, 'run')} of a kind that no page lists.")
    known = len(entries) - len(new)
    return Opened(name, tuple(new), known, len(project.tables), tuple(problems))


def _missing(project: Project) -> list[str]:
    """What to bring where the runs need tables that are neither in the project nor here."""
    own = session_tables.session_tables()
    missing = [name for digest, name in project.needed.items() if digest not in own]
    if not missing:
        return []
    named = listed(repr(name) for name in missing[:FEW_PROBLEMS])
    return [
        f"Not in the project, and not with this browser: {named}. Bring the same file, and the "
        "runs on it open as they were."
    ]


def told() -> None:
    """What was opened, with the way to its newest runs; what could not be had.

    Before anything was opened, the way to the runs that were found from before.
    """
    opened: Opened | None = st.session_state.get(OPENED)
    if opened is None:
        _restored()
        return
    if opened.entries or opened.known:
        st.success(plain(_summary(opened)), icon=":material/folder_open:")
    if opened.problems:
        more = len(opened.problems) - FEW_PROBLEMS
        rest = [f"And {more} more."] if more > 0 else []
        sentences = [*map(plain, opened.problems[:FEW_PROBLEMS]), *rest]
        (st.warning if opened.entries else st.error)("\n\n".join(sentences))
    _buttons(opened.entries)


def _restored() -> None:
    run_list = state.session().runs
    entries = [run_list.get(number) for number in st.session_state.get(asked.RESTORED, ())]
    if newest := [entry for entry in entries if entry is not None][:FEW]:
        st.markdown("**Go on where you were**")
        _buttons(newest)


def _buttons(entries: Sequence[Entry]) -> None:
    few = entries[:FEW]
    with st.container(horizontal=True, gap="small", key="project-runs"):
        for entry, words in zip(few, table_lines.told_apart(few), strict=True):
            st.button(
                f"{plain(words)} · {table_lines.ago(entry.at)}",
                icon=":material/replay:", key=f"project.{entry.number}",
                on_click=state.moved, args=(_show, entry.number),
            )  # fmt: skip


def _summary(opened: Opened) -> str:
    parts = [count(len(opened.entries), "run"), count(opened.tables, "table")]
    were = "was" if opened.known == 1 else "were"
    known = f" {count(opened.known, 'run')} more {were} here." if opened.known else ""
    return (
        f"Opened {opened.name}: {listed(parts)}.{known} All are under Runs of this session, the "
        "clock above each page."
    )


def _show(number: int) -> None:
    run_list = state.session().runs
    entry: Any = run_list.get(number)
    if entry is not None:
        run_list.settle(number)
        run_list.choose(number)
        state.lead(PageState(entry.run, entry.view), entry.page)
