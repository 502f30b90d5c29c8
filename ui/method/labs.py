"""The labs of a page: pick one, move its knobs, see its pictures, read what there is to see."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import streamlit as st

from figures.lab import pictures_of
from mlcore.labs.lab import Lab
from mlcore.runs.carry_lab import LabOutcome
from mlcore.runs.run import LabRun
from mlcore.runs.script import script
from mlcore.spine.component import Component
from mlcore.spine.registry import entries
from mlcore.spine.wording import with_formulas
from service.kinds import files_of
from ui import controls, downloads, frame, selection, state, tabs
from ui.method import cards, panels
from ui.reading import reading
from ui.runs import progress, running
from ui.runs.running import Shown

TAB = tabs.LABS
PLACE = "lab"


def of_page(page: str) -> dict[str, type[Component]]:
    """The labs that a page shows, by name."""
    return {name: cls for name, cls in entries("lab").items() if page in cls.card.pages}


def labs() -> None:
    """Draw the tab; the lab and its settings travel in the address, beside what is looked at."""
    page = state.session().here
    if not of_page(page):
        st.markdown("This page has no lab yet.")
        return
    left, right = st.columns([1, 3], gap="medium")
    with left:
        lab = _chosen(page)
        st.button(
            "Reset this lab", type="tertiary", key="lab.reset", on_click=_show, args=(type(lab)(),)
        )
        st.markdown("**Try**\n\n" + "\n".join(f"- {task}" for task in lab.tasks))
    run = LabRun(lab=lab, seed=state.session().states[page].run.seed)
    shown = running.carried(run, None, f"{PLACE}.{page}")
    with right:
        st.markdown(with_formulas(inspect.cleandoc(type(lab).__doc__ or "")))
        progress.status_line(shown, PLACE)
        if shown.outcome:
            _pictures(shown)
        _words(lab)
        _again(run)


def chosen_view(view: Any) -> Any:
    """The view with the tab that is open and the lab that it shows, read before they are drawn, to
    be published with the rest of the state."""
    page = state.session().here
    if tabs.is_open(TAB) and of_page(page):
        with reading():
            return replace(view, lab=_chosen(page), tab=tabs.FIRST)  # the lab says it
    if view.lab is not None:
        st.session_state[f"lab.{page}"] = view.lab  # as it was, for when it is opened again
    return replace(view, lab=None, tab=tabs.chosen())


def follow_click() -> None:
    """Let the lab answer to the marks that were clicked, before anything is drawn; the page then
    begins afresh."""
    page = state.session().here
    if not (tabs.is_open(TAB) and of_page(page)):
        return
    lab = _start(page)
    marks = selection.clicked(_marks(lab))
    if marks and (answered := lab.clicked(marks)) != lab:
        _show(answered)
        state.rerun()


def _marks(lab: Component) -> str:
    """What the marks of its pictures are, in place of rows of a table."""
    return f"lab {lab.card.name}"


def _start(page: str) -> Lab:
    """The lab of the address, or the one that was open before, or the first."""
    options = of_page(page)
    linked = state.session().states[page].view.lab
    for lab in (linked, st.session_state.get(f"lab.{page}")):
        if lab is not None and lab.card.name in options:
            return lab
    return next(iter(options.values()))()  # pyrefly: ignore[bad-return]  # options are labs


def _chosen(page: str) -> Lab:
    """The lab and its settings, as the controls say."""
    options, start = of_page(page), _start(page)
    titles = {name: cls.title() for name, cls in options.items()}
    use = controls.listed("Lab", titles, start.card.name, "lab", "One idea each.")
    lab = start if use == start.card.name else options[use]()
    # The form gives the class it takes.
    return controls.form(options[use], lab, f"lab.{use}")  # pyrefly: ignore[bad-return]


def _show(lab: Component) -> None:
    session = state.session()
    now = session.states[session.here]
    state.show(replace(now, view=replace(now.view, lab=lab)))


def _pictures(shown: Shown) -> None:
    outcome: LabOutcome = shown.outcome
    selection.about(_marks(outcome.run.lab))
    for drawn in pictures_of(outcome.run.lab, outcome.numbers):
        with st.container(border=True):
            frame.card_heading(drawn.title, drawn.note)
            panels.show(drawn, drawn.name, stale=shown.stale, run=outcome.run)


def _words(lab: Lab) -> None:
    """What one should see, folded, so that one looks first, and the formula."""
    with st.expander("What you should see"):
        st.markdown(lab.seen)
        if lab.card.formula:
            st.latex(lab.card.formula)
        if lab.card.sources:
            st.caption("In the notes: " + "; ".join(cards.treated_in(lab.card.sources)))


def _again(run: LabRun) -> None:
    """The lab as a script and as a file; its link is the address."""
    place = controls.folded("Repeat it without the dashboard", "lab.again")
    if not place.open:
        return
    with place:
        st.code(script(run), language="python")
        downloads.offer(files_of(run), "lab")
