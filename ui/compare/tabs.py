"""What stands below the scores of a comparison; only the open tab is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from figures.view import views
from figures.views.comparison.agreement_matrix import clusterings
from mlcore.data.dataset import Dataset
from mlcore.runs.comparing.pairs import Pairs, compare_methods
from mlcore.runs.script import script
from service.kinds import files_of
from ui import downloads, selection, state, tabs
from ui.compare import looks as compare_looks
from ui.compare import pictures as compare_pictures
from ui.compare import sets as compare_sets
from ui.compare import taught as compare_taught
from ui.compare.card import card
from ui.compare.looks import ComparisonView
from ui.method import cards, labs
from ui.runs import running, sharing
from ui.runs.running import Shown
from ui.wording import plain


def below(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Draw the tabs."""
    contents: dict[str, Callable[[], None]] = {
        "Differences": lambda: _differences(shown, dataset, view),
        "Pictures": lambda: compare_pictures.pictures(shown, dataset, view),
        compare_sets.TAB: lambda: compare_sets.sets(shown, dataset, view),
        "Folds": lambda: _folds(shown, dataset, view),
        "How it works": lambda: cards.guides_of(state.session().here),
        labs.TAB: labs.labs,
        "Code": lambda: _code(shown),
        "Take it away": lambda: _take_away(shown, dataset),
    }
    tabs.draw(contents)


def _differences(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Every difference that is asked for: its interval, its posterior, and the rows behind it."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        compare_looks.against(view, shown.run)
    with right:
        compare_looks.rope(view)
    if not shown.outcome.scored:
        st.markdown("No method has a score, so there is nothing to compare. The table says why.")
        return
    selection.about(dataset.table.digest())
    scored = [entrant.which for entrant in shown.outcome.scored]
    one = view.one if view.one in scored else scored[0]
    against = one if view.against == "one" else view.against
    pairs = compare_looks.pairs_of(shown, dataset, view, against)
    card(shown, "difference_forest", lambda: views()["difference_forest"].make(pairs))
    _sentences(pairs)
    compare_taught.other_tests(pairs)
    if any(pair.test is not None for pair in pairs.pairs):  # else the first card says why
        card(shown, "rope_posterior", lambda: views()["rope_posterior"].make(pairs))
    if shown.outcome.scored[0].outcome.run.method.card.task == "classification":
        every = compare_methods(
            shown.outcome, pairs.metric.name, truth=dataset.y, groups=dataset.together
        )
        card(shown, "mcnemar_matrix", lambda: views()["mcnemar_matrix"].make(dataset, every))
    if clusterings(shown.outcome):
        make = partial(views()["agreement_matrix"].make, dataset, shown.outcome)
        card(shown, "agreement_matrix", make)


def _sentences(pairs: Pairs) -> None:
    """The verdict on every pair in full, to be unfolded."""
    with st.expander("Every verdict in a sentence"):
        st.markdown("\n".join(f"- {plain(pair.verdict.sentence)}" for pair in pairs.pairs))


def _folds(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Every method in every fold, and what each fold learned."""
    outcome, name = shown.outcome, compare_looks.metric_name(view, shown.outcome.run, dataset)
    for each in ("method_dots", "score_time"):
        card(shown, each, partial(views()[each].make, outcome, name))
    ribbons: dict[Any, Any] = {}  # the first method of each preparation
    for entrant in outcome.scored:
        ribbons.setdefault(entrant.outcome.run.preparation, entrant)
    for entrant in ribbons.values():
        of = entrant.label if len(ribbons) > 1 else ""
        own, key = entrant.outcome, f"fold_ribbon.{entrant.which}"
        make = partial(views()["fold_ribbon"].make, dataset, own)
        card(shown, "fold_ribbon", make, key, of)


def _code(shown: Shown) -> None:
    st.code(script(shown.run), language="python")
    st.caption(
        "Repeats this comparison without the dashboard: the same numbers to the last bit with the "
        "same versions and number of threads."
    )


def _take_away(shown: Shown, dataset: Dataset) -> None:
    outcome, session_tables = shown.outcome, running.session_tables()
    downloads.offer(files_of(outcome.run, outcome, dataset, sharing.link(), session_tables))
