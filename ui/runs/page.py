"""The page of the runs: the table, what can be done with what is picked in it, and the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mlcore.runs.run import Comparison, is_writable
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count, told
from ui import frame, state
from ui.compare.looks import PAGE as COMPARE
from ui.compare.looks import ComparisonView
from ui.runs import descent, history, saving, table_lines, two_runs
from ui.runs.kinds import KINDS
from ui.runs.listed import LONGEST_NAME, LONGEST_NOTE, Entry, RunList
from ui.runs.table_lines import AT, DATA, NAME, NOTE, NUMBER, ORDERS, PICK
from ui.wording import distinct, plain

ROW, HEAD, TALLEST = 35, 37, 520  # pixels
NONE = (
    "Nothing has been carried out in this session yet. Each run that a page shows stands here as a "
    "line, with the settings in which it differs from the others, its scores, and what it was "
    "changed from."
)
Words = dict[int, tuple[bool, str, str]]  # by number: picked, name, note


def runs_page() -> None:
    """Draw the page."""
    state.arrived("runs")
    run_list = state.session().runs
    frame.title("Runs", count(len(run_list.entries), "run") if run_list.entries else "")
    if not run_list.entries:
        _nothing(run_list)
        return
    history.catch_up(run_list)
    kept = _chosen(run_list)
    if not kept:
        st.markdown("No run has all of these words. Clear a filter to see the others.")
    else:
        _table(run_list, kept)
        _take_away(kept)
    _picked(run_list)
    with st.container(border=True):
        frame.card_heading("What came from what", "each run below the one it was changed from")
        st.html(descent.drawn(descent.tree(run_list.entries)))


def _nothing(run_list: RunList) -> None:
    st.markdown(NONE)
    _put_back(run_list)
    with st.container(horizontal=True, key="chips"):
        st.page_link("pages/classification.py", label="Classification")
        st.page_link("pages/clustering.py", label="Clustering")
        st.page_link("pages/start.py", label="Start")


def _chosen(run_list: RunList) -> list[Entry]:
    """The filters and the order, and the runs that are left."""
    entries = run_list.entries
    words, order, filters = st.columns([5, 3, 2], vertical_alignment="bottom")
    asked = words.text_input(
        "Search", placeholder="Name, note, setting", key="runs.words", type="search",
        icon=":material/search:", max_chars=200, on_change=state.moved, persist_state="session",
    )  # fmt: skip
    place = filters.popover("Filters", icon=":material/filter_list:", width="stretch")
    chosen = [
        _one_of(place, title, [of(entry) for entry in entries])
        for title, of in (
            ("Page", table_lines.page_title),
            ("Method", table_lines.what_of),
            ("Data", table_lines.data_of),
        )
    ]
    by = order.selectbox(
        "Order", ORDERS, key="runs.order", on_change=state.moved, persist_state="session"
    )
    return table_lines.ordered(table_lines.filtered(entries, asked or "", *chosen), by)


def _one_of(place: Any, title: str, values: Sequence[str]) -> str | None:
    options = sorted(set(values))
    return place.selectbox(
        title, options, index=None, placeholder="All",
        format_func=distinct(options, told).__getitem__,
        key=f"runs.{title}", on_change=state.moved, persist_state="session",
    )  # fmt: skip


def _table(run_list: RunList, kept: Sequence[Entry]) -> None:
    """The table; picks, names and notes are changed in it.

    The words it begins with stay as long as its key does: the browser holds what was changed since,
    by the place of the line, and a table that began with it too would be drawn anew at each letter.
    """
    numbers = tuple(entry.number for entry in kept)
    made = table_lines.lines(kept)
    key = f"runs.table.{run_list.revision}.{hash((numbers, tuple(made.frame.columns)))}"
    words = _begins_with(key, run_list)
    table = made.frame
    table.insert(0, PICK, [words[n][0] for n in numbers])
    table[NAME] = [words[n][1] for n in numbers]
    table[NOTE] = [words[n][2] for n in numbers]
    st.data_editor(
        table,
        hide_index=True,
        key=key,
        height=min(TALLEST, HEAD + ROW * len(table)),
        disabled=[name for name in table.columns if name not in (PICK, NAME, NOTE)],
        on_change=state.moved,
        args=(_edited, key, numbers),
        column_config={
            PICK: st.column_config.CheckboxColumn(pinned=True, width=75),
            NUMBER: st.column_config.NumberColumn(pinned=True, width=50),
            NAME: st.column_config.TextColumn(max_chars=LONGEST_NAME, width=150),
            NOTE: st.column_config.TextColumn(max_chars=LONGEST_NOTE, width=200),
            DATA: st.column_config.TextColumn(width=120),
            AT: st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=120),
            **{name: st.column_config.NumberColumn(format="%.3g") for name in made.measures},
        },
    )
    more = f" {count(made.left_out, 'column')} more in the files." if made.left_out else ""
    st.caption(
        f"{count(len(kept), 'run')}, {_differing(len(made.settings))}. A press on a heading sorts; "
        f"names and notes are written in the table.{more}"
    )


def _differing(n: int) -> str:
    if not n:
        return "no setting differs"
    return f"{count(n, 'setting')} that {'differs' if n == 1 else 'differ'} as columns"


def _begins_with(key: str, run_list: RunList) -> Words:
    begun = st.session_state.get("runs.words_of")
    now = {e.number: (e.number in run_list.picked, e.name, e.note) for e in run_list.entries}
    if begun is None or begun[0] != key or key not in st.session_state:  # left, and come back to
        st.session_state["runs.words_of"] = begun = (key, now)
    return begun[1]


def _edited(key: str, numbers: Sequence[int]) -> None:
    take(state.session().runs, st.session_state[key]["edited_rows"], numbers)


def take(run_list: RunList, edited: Any, numbers: Sequence[int]) -> None:
    """Take over what was changed in a table of these runs, all of which is told each time.

    A browser may send anything: what is no line, pick or text is left as it was.
    """
    for line, changed in edited.items() if isinstance(edited, Mapping) else ():
        at = _line(line, len(numbers))
        if at is None or not isinstance(changed, Mapping):
            continue
        number = numbers[at]
        if isinstance(changed.get(PICK), bool) and changed[PICK] != (number in run_list.picked):
            run_list.pick(number, changed[PICK])
        if (name := _text(changed, NAME)) is not None:
            run_list.rename(number, name)
        if (note := _text(changed, NOTE)) is not None:
            run_list.annotate(number, note)


def _line(sent: Any, lines: int) -> int | None:
    """The line that was sent, as a number or its text, if it is one of so many."""
    number = int(sent) if isinstance(sent, str) and sent.isdecimal() and len(sent) < 9 else sent
    return number if type(number) is int and 0 <= number < lines else None


def _text(changed: Mapping[str, Any], name: str) -> str | None:
    """A text that was changed, which is empty where it was cleared; None for what is none."""
    sent = changed.get(name, False)
    sent = "" if sent is None else sent
    return sent if isinstance(sent, str) and is_writable(sent) else None


def _take_away(kept: Sequence[Entry]) -> None:
    """Undo and redo of what was written, and the files."""
    run_list = state.session().runs
    with st.container(horizontal=True, gap="small"):
        for label, icon, towards, there in (
            ("Undo edit", ":material/undo:", "past", run_list.edits),
            ("Redo edit", ":material/redo:", "future", run_list.undone),
        ):
            st.button(label, icon=icon, key=f"runs.{towards}", disabled=not there,
                      on_click=state.moved, args=(run_list.walk_edits, towards))  # fmt: skip
        for label, make, name, mime in (
            ("CSV", table_lines.as_csv, "runs.csv", "text/csv"),
            ("JSON", table_lines.as_json, "runs.json", "application/json"),
        ):
            st.download_button(
                label, lambda make=make: make(kept), name, mime, icon=":material/download:",
                key=f"runs.{label}", on_click="ignore",
                help="The runs that are listed now, with all their columns.",
            )  # fmt: skip
        _put_back(run_list)
    saving.save(run_list)


def _put_back(run_list: RunList) -> None:
    if run_list.removed is not None:
        label = plain(run_list.removed[1].label)
        st.button(f"Put back {label}", icon=":material/restore_from_trash:", type="tertiary",
                  key="runs.back", on_click=state.moved, args=(run_list.put_back,))  # fmt: skip


def _picked(run_list: RunList) -> None:
    """What can be done with the runs that are picked."""
    picked = [entry for n in run_list.picked if (entry := run_list.get(n)) is not None]
    if len(picked) == 1:
        with st.container(border=True):
            frame.card_heading(f"Run {picked[0].number}", picked[0].label)
            history.deeds(picked[0], "runs")
            st.caption("Pick a second run to see the two side by side.")
    elif len(picked) == 2:
        with st.container(border=True):
            frame.card_heading("Two runs side by side", "settings, data, preprocessing and scores")
            two_runs.beside(picked[0], picked[1])
            _compare(picked[0], picked[1])
    elif picked:
        st.caption(f"{len(picked)} runs are picked; two can stand side by side.")
    else:
        st.caption("Pick one run to open it again, or two to see them side by side.")


def _compare(first: Entry, second: Entry) -> None:
    """The button that puts both on the page Compare, or why it cannot."""
    try:
        run = both(first.run, second.run)
    except MlcoreError as error:
        st.caption(plain(str(error)))
        return
    on_first = (first.run.data, first.run.evaluation, first.run.seed)
    is_same = on_first == (second.run.data, second.run.evaluation, second.run.seed)
    st.button(
        "Compare",
        icon=":material/compare_arrows:",
        key="runs.compare",
        on_click=state.moved,
        args=(state.lead, state.PageState(run, ComparisonView()), COMPARE),
        help="Opens Compare with both, on the same folds."
        if is_same
        else "Opens Compare with both, on the data, folds and seed of the first.",
    )


def both(first: Any, second: Any) -> Comparison:
    """The comparison of the methods of two runs, on the data and folds of the first.

    Raises MlcoreError if they are not two methods that can stand in one.
    """
    one, other = (KINDS[run.card.name].entrants(run) for run in (first, second))
    if not one or not other:
        raise MlcoreError("Compare takes runs of one method each.")
    if one == other:
        raise MlcoreError(
            "Both have the same method, settings and preparation, so that there is nothing for "
            "Compare to tell apart: they differ in data, folds or seed."
        )
    methods = (*one, *other)
    if len({pipeline.preparation for pipeline in methods}) == 1:
        methods = tuple(pipeline.method for pipeline in methods)
    return Comparison(
        data=first.data,
        preparation=first.preparation,
        methods=methods,
        evaluation=first.evaluation,
        seed=first.seed,
    )
