"""Whether the map of the method on the page comes again, and how far its rows move."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.redrawing.map_stability import MapStability, draws_maps
from mlcore.runs.redrawing.redrawn import verdict
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from service.kinds import files_of
from ui import downloads, frame, selection
from ui.method import options, panels
from ui.runs import progress, running, sharing
from ui.runs.running import Shown
from ui.wording import plain

TAB, PLACE, NAME, BESIDE = "Stability", "map-stability", "map_movement", "map_agreement"
DESIGN = ("again", "refits", "coordinates")


def fits(run: Run) -> bool:
    """Whether the method of a run draws a map."""
    return draws_maps(run.method)


def stability(shown: Shown, dataset: Dataset) -> None:
    """Draw the map again, say whether it comes again, and show where its rows lie."""
    entry, view = views()[NAME], panels.open_view()
    with st.container(horizontal=True, vertical_alignment="top", key=f"head-{NAME}"):
        with st.container():
            frame.card_heading("Does the map come again?", "from other rows, or another start")
        place = st.container(width="content")
    # pyrefly: ignore[not-callable]  # it has some
    start: Any = options.of(view, NAME) or entry.options()
    redrawing = running.carried(_asked(shown.run, start), dataset, PLACE)
    offered = {"dataset": dataset, "redrawn": redrawing.outcome}
    with place:
        chosen: Any = options.control(entry, view, [offered])
    if chosen != start:
        redrawing = running.carried(_asked(shown.run, chosen), dataset, PLACE)
        offered["redrawn"] = redrawing.outcome
    if redrawing.status == "waiting":
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(f"{plain(redrawing.sentence)}.")
        with right:
            progress.begin_buttons(redrawing, PLACE, "Compute")
        return
    progress.status_line(redrawing, PLACE)
    if redrawing.outcome is not None and redrawing.outcome.again:
        _shown(redrawing, offered, chosen)


def _asked(run: Run, chosen: Any) -> MapStability:
    return MapStability.of(run, **{name: getattr(chosen, name) for name in DESIGN})


def _shown(redrawing: Shown, offered: dict[str, Any], chosen: Any) -> None:
    redrawn, dataset = redrawing.outcome, offered["dataset"]
    selection.about(dataset.table.digest())
    lead, colon, rest = verdict(redrawn).partition(":")
    stale = " stale" if redrawing.stale else ""
    lines = f"<b>{escape(lead + colon)}</b>{escape(rest)}"
    st.html(f'<div class="verdict{stale}"><p>{lines}</p></div>')
    if redrawn.failure:
        st.caption(plain(f"Not every map could be had: {redrawn.failure}"))
    for place, name in zip(st.columns([5, 3]), (NAME, BESIDE), strict=True):
        with place.container(border=True, height="stretch"):
            _picture(name, offered, chosen, redrawing)
    if redrawing.status == "done":
        with st.container(horizontal=True):
            sharing.share_search(redrawn.run, "this stability")
        uploads = running.session_tables()
        downloads.offer(files_of(redrawn.run, redrawn, dataset, uploads=uploads), PLACE)


def _picture(name: str, offered: dict[str, Any], chosen: Any, redrawing: Shown) -> None:
    """One picture, or the sentence why there is none."""
    entry = views()[name]
    try:
        drawn = entry.drawn(offered, chosen if entry.options else None)
    except MlcoreError as error:
        frame.card_heading(entry.record.title)
        st.markdown(plain(str(error)))
        return
    if name == BESIDE:  # its sentence stands above both
        drawn = replace(drawn, reading="A mark is a map; those at the upper left come again.")
    frame.view_heading(drawn)
    panels.show(drawn, name, stale=redrawing.stale, run=redrawing.outcome.run)
