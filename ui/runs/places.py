"""On which page a run is at home, and of what kind the view of a page is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlcore.runs.run import AnyRun, Comparison, Run, Trial
from mlcore.spine import codec
from ui.compare.looks import ComparisonView
from ui.method.cards import PAGE_OF, TABLE_PAGES
from ui.method.page import MethodView
from ui.method.stages import PreparationView
from ui.runs.kinds import KINDS
from ui.state import PageState
from ui.trial.page import TrialView

COMPARE, TRIALS = "compare", "sequential_decision_making"
VIEWS = {COMPARE: ComparisonView, TRIALS: TrialView, "preprocessing": PreparationView}


def at_home(run: AnyRun, page: str, view: Mapping[str, str]) -> tuple[str, PageState] | None:
    """The page that shows a run, the named one if it does, and what it shows there; None if none
    does. Nothing that stands in a file decides which page is opened for what."""
    opened = KINDS[run.card.name].opens(run)
    pages = _pages(opened)
    if not pages:
        return None
    where = page if page in pages else pages[0]
    pairs = dict(view) if where == page else {}
    looked_at: Any = codec.Reading(pairs, 1).component(VIEWS.get(where, MethodView))
    return where, PageState(opened, looked_at)


def _pages(run: Any) -> tuple[str, ...]:
    """The pages that show a run, its own first."""
    if isinstance(run, Comparison):
        return (COMPARE,)
    if isinstance(run, Trial):
        return (TRIALS,)
    if not isinstance(run, Run):
        return ()
    slots = run.method.card.slots
    own = [PAGE_OF[slot] for slot in PAGE_OF if slot in slots]
    # Compared with classifiers where a column says which rows are unusual.
    also = ["classification"] if "novelty" in slots else []
    return tuple(dict.fromkeys([*own, *also, *TABLE_PAGES]))
