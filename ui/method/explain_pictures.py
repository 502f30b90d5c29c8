"""The pictures of an answer about predictions, and what can be taken away of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from figures.drawing.handle import has_handle
from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup
from service.kinds import files_of
from service.report_explanation import pictures_of
from ui import controls, downloads, frame
from ui.method import options, panels
from ui.runs import progress, running, sharing
from ui.runs.running import Shown
from ui.wording import plain


def pictures(
    shown: Shown,
    dataset: Dataset,
    *,
    for_good: bool = False,
    moved: Callable[[float], None] | None = None,
    **beside: Any,
) -> None:
    """The pictures of one answer; `for_good` without the controls that change the address.

    What stands `beside` it is drawn among its own by a picture that takes it; `moved` takes the
    value at which the handle of one is let go.
    """
    outcome = shown.outcome
    if outcome is None:
        return
    if outcome.failure:
        st.warning(f"Some models have no answer. {plain(outcome.failure)}")
    offered = {"explanation": outcome, "dataset": dataset} | beside
    for name in pictures_of(outcome):
        if name == "nearness" and not for_good:  # beside the answer, where it is drawn
            continue
        draw(name, offered, shown, for_good=for_good, moved=moved)


def draw(
    name: str,
    offered: dict[str, Any],
    shown: Shown,
    *,
    for_good: bool = False,
    moved: Callable[[float], None] | None = None,
) -> None:
    """One picture with its heading and options."""
    entry = views()[name]
    if for_good:
        drawn = panels.made(entry, offered)
        frame.view_heading(drawn)
    else:
        heading, look = panels.head(entry, offered, panels.open_view())
        drawn = panels.made(entry, offered, look)
        hint = "; drag the ring to another value" if has_handle(drawn.figure) else ""
        with heading:
            frame.view_heading(replace(drawn, note=drawn.note + hint))
    panels.show(drawn, name, stale=shown.stale, run=shown.outcome.run, moved=moved)


def asked(run: Run, dataset: Dataset, question: str, **settings: Any) -> Shown:
    """One question as far as it is answered, with its progress, its cost or why it is refused."""
    place = f"explain.{question}"
    explanation = Explanation.of(run, lookup("question", question)(**settings))
    shown = running.carried(explanation, dataset, place)
    if shown.status != "done":
        frame.card_heading(explanation.question.title())
        progress.status_line(shown, place)
    return shown


def take_away(answers: tuple[Shown, ...], dataset: Dataset) -> None:
    """Each answer as files and as a link, folded."""
    place = controls.folded("Take the explanations away", "explain.files")
    if not place.open:
        return
    view = panels.open_view()
    look = options.look(view, panels.known(dataset, None, view))
    with place:
        for shown in answers:
            if shown.outcome is None or shown.stale:
                continue
            st.markdown(f"**{plain(shown.run.question.about().capitalize())}**")
            uploads = running.session_tables()
            files = files_of(shown.run, shown.outcome, dataset, sharing.link(), uploads, look)
            downloads.offer(files, f"explain.{shown.run.question.card.name}")
