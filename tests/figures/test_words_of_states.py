"""What is no place on a map is a state in every text, not a cell."""

from __future__ import annotations

from functools import cache

import pytest

from figures.view import Entry, View, views, views_on
from mlcore.runs.carry_trial import TrialOutcome, carried_out
from mlcore.runs.run import Trial

AGENTS = ("value_iteration", "td_control", "model_based_rl", "td_prediction")


@cache
def trial(problem: str) -> TrialOutcome:
    """A small trial in a world of tables."""
    return carried_out(Trial(problem=problem, methods=AGENTS, budget=20, replicates=2))


def drawn(entry: Entry, outcome: TrialOutcome) -> View | None:
    """A view of the first method that has what it asks for; None where none has."""
    able = [k for k, row in enumerate(outcome.results) if row.can(*entry.asks)]
    if not able:
        return None
    return entry.drawn({"trial": outcome, "which": able[0]})


@pytest.mark.parametrize("problem", ["chain_walk", "blackjack", "weakest_link"])
def test_states_are_no_cells(problem):
    outcome = trial(problem)
    made = [drawn(views()[name], outcome) for name in views_on(*outcome.world.places)]
    assert sum(view is not None for view in made) > 8
    texts = {
        view.name: f"{view.title} {view.note} {view.reading} {[c.name for c in view.table]}"
        for view in made
        if view is not None
    }
    assert [name for name, text in texts.items() if "cell" in text.lower()] == []
