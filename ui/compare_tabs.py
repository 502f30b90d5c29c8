"""What stands below the scores of a comparison; only the open tab is made."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from figures.view import View, views
from mlcore.data.dataset import Dataset
from mlcore.errors import MlcoreError
from mlcore.run import script
from ui import cards, frame, labs, panels, state, tabs
from ui.compare_looks import ComparisonView
from ui.running import Shown
from ui.wording import plain


def below(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Draw the tabs."""
    contents: dict[str, Callable[[], None]] = {
        "Folds": lambda: _folds(shown, dataset, view),
        "How it works": _how,
        labs.TAB: labs.labs,
        "Code": lambda: _code(shown),
    }
    tabs.draw(contents)


def drawn(shown: Shown, name: str, make: Callable[[], View], key: str = "") -> None:
    """One picture in a card with its heading, or the sentence why there is none."""
    with st.container(border=True):
        try:
            found = make()
        except MlcoreError as error:
            frame.card_heading(views()[name].record.title)
            st.markdown(plain(str(error)))
            return
        frame.card_heading(found.title, found.note)
        panels.show(found, key or name, stale=shown.stale, run=shown.outcome.run)


def _folds(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    outcome = shown.outcome
    drawn(shown, "method_dots", lambda: views()["method_dots"].make(outcome, view.metric))
    first = outcome.scored[0].outcome
    drawn(shown, "fold_ribbon", lambda: views()["fold_ribbon"].make(dataset, first))


def _how() -> None:
    cards.guides_of(state.session().here)


def _code(shown: Shown) -> None:
    st.code(script(shown.run), language="python")
    st.caption(
        "Repeats this comparison without the dashboard: the same numbers to the last bit with the "
        "same versions and number of threads."
    )
