"""On which page a run is at home, and of what kind the view of a page is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlcore.runs.run import AnyRun
from mlcore.spine import codec
from ui.compare.looks import ComparisonView
from ui.method.page import MethodView
from ui.method.stages import PreparationView
from ui.runs.kinds import COMPARE, KINDS, TRIALS
from ui.state import PageState
from ui.trial.page import TrialView

VIEWS = {COMPARE: ComparisonView, TRIALS: TrialView, "preprocessing": PreparationView}


def at_home(run: AnyRun, page: str, view: Mapping[str, str]) -> tuple[str, PageState] | None:
    """The page that shows a run, the named one if it does, and what it shows there; None if none
    does. Nothing that stands in a file decides which page is opened for what."""
    opened = KINDS[run.card.name].opens(run)
    if not (pages := KINDS[opened.card.name].pages(opened)):
        return None
    where = page if page in pages else pages[0]
    pairs = dict(view) if where == page else {}
    looked_at: Any = codec.Reading(pairs, 1).component(VIEWS.get(where, MethodView))
    return where, PageState(opened, looked_at)
