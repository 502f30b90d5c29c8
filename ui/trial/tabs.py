"""What stands under the scores of a trial: pictures, replicates, how it works, code, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mlcore.runs.carry_trial import TrialOutcome
from mlcore.runs.script import script
from service import tables
from service.kinds import files_of
from ui import downloads, state, tabs
from ui.method import cards, labs
from ui.runs import sharing
from ui.runs.running import Shown


def below(shown: Shown, pictures: Callable[[], None]) -> None:
    """The pictures first; only the open tab is made."""
    outcome: TrialOutcome = shown.outcome
    contents: dict[str, Callable[[], None]] = {
        "Pictures": pictures,
        "Replicates": lambda: _replicates(outcome),
        labs.TAB: labs.labs,
        "How it works": lambda: _how(outcome),
        "Code": lambda: _code(outcome),
        "Take it away": lambda: downloads.offer(
            files_of(outcome.run, outcome, link=sharing.link())
        ),
    }
    tabs.draw(contents)


def _how(outcome: TrialOutcome) -> None:
    """The cards of the methods, each once, then that of the world."""
    kinds: dict[type, Any] = {type(row.method): row.method for row in outcome.results}
    for method in kinds.values():
        with st.expander(method.title(), expanded=len(kinds) == 1):
            cards.how_it_works(method)
    with st.expander(outcome.run.problem.title()):
        cards.how_it_works(outcome.run.problem)
    cards.guides_of(state.session().here)


def _replicates(outcome: TrialOutcome) -> None:
    st.markdown(
        "In each replicate all methods meet the same randomness of the world; what a method draws "
        "itself depends on its own settings alone, so adding one changes no other curve."
    )
    st.dataframe(tables.replicates(outcome), hide_index=True)
    versions = ", ".join(f"{name} {version}" for name, version in outcome.versions)
    st.caption(f"Trial {outcome.run.short()}, seed {outcome.run.seed}; {versions}.")


def _code(outcome: TrialOutcome) -> None:
    st.code(script(outcome.run), language="python")
    st.caption("Repeats this trial without the dashboard: the same numbers to the last bit.")
