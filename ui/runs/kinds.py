"""What a run of each kind looks like outside its page, one record a kind of `mlcore.runs.kinds`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from figures.lab import pictures_of
from figures.view import views, views_on
from mlcore.runs.run import AnyRun, Pipeline, Run
from mlcore.spine import codec
from mlcore.spine.component import Component
from service.records import Shared
from ui import frame
from ui.compare import scores as compare_scores
from ui.compare.looks import ComparisonView
from ui.method import explain_pictures, panels, tune
from ui.method.cards import PAGE_OF, TABLE_PAGES
from ui.method.page import MethodView, score
from ui.predict import tab as predicting
from ui.runs import running
from ui.runs.running import Shown

COMPARE, TRIALS = "compare", "sequential_decision_making"  # pages


def _itself(run: AnyRun) -> AnyRun:
    return run


def _pages(run: Run) -> tuple[str, ...]:
    """Those of its method, and the pages of tables."""
    slots = run.method.card.slots
    own = [PAGE_OF[slot] for slot in PAGE_OF if slot in slots]
    # Compared with classifiers where a column says which rows are unusual.
    also = ["classification"] if "novelty" in slots else []
    return tuple(dict.fromkeys([*own, *also, *TABLE_PAGES]))


@dataclass(frozen=True, kw_only=True)
class Looks:
    """How one kind of run is shown where it is not at home."""

    name: str  # of the kind
    draw: Callable[[Shared, Shown], None]  # on the page of a shared run: score and main picture
    opens: Callable[[Any], AnyRun] = _itself  # the run that the page shows, where it is another
    pages: Callable[[Any], tuple[str, ...]] = lambda run: ()  # that show it, its own first
    entrants: Callable[[Any], tuple[Pipeline, ...]] = lambda run: ()  # that a comparison can have


def _entrants(run: Any) -> tuple[Pipeline, ...]:
    return (Pipeline(preparation=run.preparation, method=run.method),)


def _run(shared: Shared, shown: Shown) -> None:
    dataset = running.dataset_of(shared.run)
    with st.container(border=True, key="score"):
        score(shown)
    reported = views_on(*shown.run.method.card.slots, also="report")
    names = tuple(entry.record.name for entry in panels.fitting(reported, shown)[:1])
    for drawing in panels.drawings(names, shown, dataset):
        # Step and options would go into the address, and this one is that of the shared run.
        drawing.draw(shown, dataset, _view(shared, MethodView), for_good=True)


def _comparison(shared: Shared, shown: Shown) -> None:
    view: Any = _view(shared, ComparisonView)
    dataset = running.dataset_of(shared.run)
    compare_scores.verdict(shown, dataset, view)
    with st.container(border=True, key="scores"):
        compare_scores.table_of(shown, dataset, view)


def _tuning(shared: Shared, shown: Shown) -> None:
    if shown.outcome.overall is not None:
        st.markdown(tune.verdict(shown.outcome))
        tune.pictures(shown.outcome)


def _count(shared: Shared, shown: Shown) -> None:
    _picture(views()["number_of_clusters"].make(shown.outcome), "number_of_clusters", shown)


def _stability(shared: Shared, shown: Shown) -> None:
    offered = {"redrawn": shown.outcome, "dataset": running.dataset_of(shared.run)}
    _picture(views()["map_movement"].drawn(offered), "map_movement", shown)


def _prediction(shared: Shared, shown: Shown) -> None:
    predicting.show(shown)


def _explanation(shared: Shared, shown: Shown) -> None:
    explain_pictures.pictures(shown, running.dataset_of(shared.run), for_good=True)


def _trial(shared: Shared, shown: Shown) -> None:
    _picture(views()["trial_scores"].make(trial=shown.outcome), "trial_scores", shown)


def _lab(shared: Shared, shown: Shown) -> None:
    for drawn in pictures_of(shared.run.lab, shown.outcome.numbers)[:1]:
        _picture(drawn, drawn.name, shown)


def _picture(drawn: Any, name: str, shown: Shown) -> None:
    with st.container(border=True):
        frame.card_heading(drawn.title, drawn.note)
        panels.show(drawn, name, stale=shown.stale, run=shown.outcome.run)


def _view(shared: Shared, view: type[Component]) -> Component:
    """What was looked at, as far as it is still known."""
    pairs = {name.removeprefix("view."): value for name, value in shared.view.items()}
    return codec.Reading(pairs, 1).component(view)


_ALL = (
    Looks(name="run", draw=_run, pages=_pages, entrants=_entrants),
    Looks(name="comparison", draw=_comparison, pages=lambda run: (COMPARE,)),
    Looks(name="tuning", draw=_tuning, opens=lambda run: run.run()),  # the one it began with
    Looks(name="map_stability", draw=_stability, opens=lambda run: run.run()),
    Looks(name="cluster_count", draw=_count, opens=lambda run: run.run()),  # the method alone
    Looks(name="prediction", draw=_prediction, opens=lambda run: run.run()),  # whose model it is
    Looks(name="explanation", draw=_explanation, opens=lambda run: run.run()),
    Looks(name="trial", draw=_trial, pages=lambda run: (TRIALS,)),
    Looks(name="lab", draw=_lab),
)
KINDS: dict[str, Looks] = {kind.name: kind for kind in _ALL}
