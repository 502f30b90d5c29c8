"""How many clusters: the criteria for the method on the page, and taking a number over."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.numbers.consensus import known
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import Counted, verdict
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import CountsGroups
from mlcore.spine.errors import ParamError
from mlcore.spine.wording import listed
from service.kinds import files_of
from ui import downloads, frame, selection, state, tabs
from ui.method import options, panels
from ui.runs import progress, running, sharing
from ui.runs.running import Shown
from ui.wording import plain

TAB, PLACE, NAME = "Number of clusters", "count", "number_of_clusters"
CONSENSUS = ("consensus_map", "consensus_curves")
MARKS = "numbers of clusters"  # what the marks of the picture are, in place of rows of a table
HOW = (
    "A filled dot is what a criterion says, the band your number now; click a dot, or press a "
    "button above, to take a number over. None of them is right alone."
)


def fits(run: Run) -> bool:
    """Whether the method of a run is told how many clusters to make."""
    return can(run.method, CountsGroups)


def numbers(shown: Shown, dataset: Dataset) -> None:
    """Count, say who says what, draw the criteria, and take a number over."""
    design = _design()
    asked = ClusterCount.of(shown.run, **design)
    counting = running.carried(asked, dataset, PLACE)
    if counting.status == "waiting":
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(f"{plain(counting.sentence)}.")
        with right:
            progress.begin_buttons(counting, PLACE, "Compute")
        return
    progress.status_line(counting, PLACE)
    if counting.outcome is None:
        return
    _shown(counting, shown.run, _now(shown))


def _design() -> dict[str, int]:
    """How far is counted and by how many draws, as its control beside the title says."""
    entry, view = views()[NAME], panels.open_view()
    with st.container(horizontal=True, vertical_alignment="top", key=f"head-{NAME}"):
        with st.container():
            frame.card_heading(entry.record.title, "click a point to take its number over")
        chosen: Any = options.control(entry, view, [{}])
    return {
        name: getattr(chosen, name) for name in ("highest", "resamples", "splits", "references")
    }


def _now(shown: Shown) -> int | None:
    """How many clusters the method makes now."""
    fit = shown.outcome.whole.fit if shown.outcome else None
    if fit is None or shown.stale or not can(fit, HasLabels):
        return None
    return len(np.unique(fit.labels[fit.labels >= 0]))


def _shown(counting: Shown, run: Run, here: int | None) -> None:
    counted: Counted = counting.outcome
    stale = " stale" if counting.stale else ""
    st.html(f'<div class="verdict{stale}"><p>{_bold(verdict(counted))}</p></div>')
    if not counting.stale:
        _choices(counted, run, here)
    if counted.failure:
        st.caption(plain(f"Not every number could be had: {counted.failure}"))
    with st.container(border=True, key="criteria-strip"):  # scrolls sideways on a phone
        drawn = views()[NAME].make(counted, here)
        st.caption(plain(drawn.note))
        own = replace(drawn, reading=HOW)
        selection.about(MARKS)
        panels.show(own, NAME, stale=counting.stale, run=counted.run)
    _consensus(counting, here)
    if counting.status == "done":
        with st.container(horizontal=True):
            sharing.share_search(counted.run, "this count")
        given = files_of(counted.run, counted, uploads=running.session_tables())
        downloads.offer(given, PLACE)


def _consensus(counting: Shown, here: int | None) -> None:
    """Which rows the resamples put together, and how surely; none where there are no resamples."""
    counted: Counted = counting.outcome
    if counting.status == "running" or not known(counted):  # it would be made at every step
        return
    for place, name in zip(st.columns(2), CONSENSUS, strict=True):
        entry, offered = views()[name], {"counted": counted, "here": here}
        with place.container(border=True, height="stretch"):
            heading, chosen = panels.head(entry, offered, panels.open_view())
            drawn = entry.drawn(offered, chosen)
            with heading:
                frame.view_heading(drawn)
            panels.show(drawn, name, stale=counting.stale, run=counted.run)


def _bold(sentence: str) -> str:
    """The verdict with its first words, up to the colon, set in bold."""
    lead, colon, rest = sentence.partition(":")
    return f"<b>{escape(lead + colon)}</b>{escape(rest)}" if colon else escape(sentence)


def _choices(counted: Counted, run: Run, here: int | None) -> None:
    """A button for each number that some criterion says first."""
    voices: dict[int, list[str]] = {}
    for each in counted.opinions:
        for k in each.says[:1]:
            voices.setdefault(k, []).append(each.criterion.title)
    with st.container(horizontal=True):
        for k, who in sorted(voices.items()):
            st.button(
                f"Set $K$ = {k}",
                key=f"count.set.{k}",
                disabled=k == here,
                help=f"{listed(who, most=8)}. Undo brings the other number back.",
                on_click=state.moved,
                args=(_use, run, k),
            )


def _use(run: Run, k: int) -> None:
    state.change(method=run.method.with_groups(k))


def follow_click(run: Run) -> None:
    """Take over the number whose mark was clicked, before anything is drawn; the page then begins
    afresh."""
    if not (tabs.is_open(TAB) and fits(run)):
        return
    marks = selection.clicked(MARKS)
    if len(marks) == 1:
        with suppress(ParamError):  # a number that the method does not take is none of the picture
            _use(run, marks[0])
            state.rerun()
