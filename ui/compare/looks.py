"""What of a comparison is looked at, and the controls for it, which stand beside the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from figures.view import optional, views, views_on
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparable import labels, standing
from mlcore.runs.comparing.pairs import Pairs, compare_methods
from mlcore.runs.run import Comparison
from mlcore.spine.asking import promises
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.groups import group
from mlcore.spine.params import choice, column, integer, part, real, text
from ui import controls, tabs
from ui.runs.running import Shown

PAGE = "compare"
RARE = 0.2  # of the commonest class: a rarer one would hardly show in the accuracy
POSTHOC = {"nemenyi": "Nemenyi's test", "wilcoxon_holm": "signed ranks, Holm"}
AGAINST = {"best": "the best", "baseline": "the baseline", "one": "one method", "all": "all pairs"}


@enter(Card("comparison_view", "View", ("view",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ComparisonView(Component):
    """What of a comparison is looked at; travels in the link, changes no score."""

    metric: str = text("", doc="The score that sorts and is tested; empty is the first.")
    against: str = choice("best", *AGAINST, doc="What every method is set against.")
    one: int = integer(0, low=0, high=9, soft=(0, 9), doc="The method that others are set against.")
    rope: float | str = real(
        "a hundredth",
        low=0.0,
        soft=(0.0, 0.05),
        auto="a hundredth",
        label="Does not matter below",
        doc="Differences up to this are equal for practical purposes, in units of the score.",
    )
    posthoc: str = choice("nemenyi", *POSTHOC, doc="How pairs are told apart over data sets.")
    picture: str = text("", doc="The picture that is drawn for every method; empty is the first.")
    x: str | None = column("auto", auto="auto", doc="Column on the horizontal axis.")
    y: str | None = column("auto", auto="auto", doc="Column on the vertical axis.")
    options: tuple[tuple[str, Any], ...] = group(
        known=optional, doc="What is chosen of each picture."
    )
    tab: str = tabs.open_tab()
    lab: Any = part(None, slot="lab", none="no lab is open", doc="The lab that is open.")


def chosen_view(view: ComparisonView, run: Comparison, dataset: Dataset) -> ComparisonView:
    """The view as all its controls say, to be called while they are only read."""
    view = picture(view, pictures_of(run))
    return axes(posthoc(rope(against(metric(view, run, dataset), run))))


def metrics_of(run: Comparison, dataset: Dataset) -> tuple[Metric, ...]:
    """The scores that the methods share on this data."""
    return standing(run, dataset).judge.metrics()


def metric_name(view: ComparisonView, run: Comparison, dataset: Dataset) -> str:
    """The score that sorts and is tested, by name; empty where no method has one."""
    known = [m.name for m in metrics_of(run, dataset)]
    if view.metric in known:
        return view.metric
    return _proposed(known, dataset)


def pairs_of(
    shown: Shown, dataset: Dataset, view: ComparisonView, against: str | int = "best"
) -> Pairs:
    """The pairs of what is shown, by the score and the region that are chosen."""
    outcome = shown.outcome
    name = metric_name(view, outcome.run, dataset)  # of an earlier run it may be another
    rope = None if isinstance(view.rope, str) else view.rope
    truth = dataset.y if dataset.classes else None
    return compare_methods(
        outcome, name, against=against, rope=rope, truth=truth, groups=dataset.together
    )


def _proposed(known: list[str], dataset: Dataset) -> str:
    """The first score; where a class is rare, the one that does not overlook it."""
    if dataset.y is not None and dataset.classes and "balanced_accuracy" in known:
        counts = np.bincount(dataset.y, minlength=len(dataset.classes))
        if counts.min() < RARE * counts.max():
            return "balanced_accuracy"
    return known[0] if known else ""


def metric(view: ComparisonView, run: Comparison, dataset: Dataset) -> ComparisonView:
    """The score that sorts and is tested."""
    titles = {m.name: m.title for m in metrics_of(run, dataset)}
    if len(titles) < 2:
        return view
    first, now = _proposed(list(titles), dataset), metric_name(view, run, dataset)
    name = controls.listed(
        "Sorted and tested by", titles, now, "view.metric", "The score of this comparison."
    )
    return view if name == now else replace(view, metric="" if name == first else name)


def against(view: ComparisonView, run: Comparison) -> ComparisonView:
    """Which differences are looked at."""
    warning = "With more differences on the screen each of them needs more evidence."
    choice = controls.one_of("Against", AGAINST, view.against, "view.against", warning)
    view = replace(view, against=choice)
    if choice != "one":
        return view
    names = dict(enumerate(labels(run)))
    now = min(view.one, len(names) - 1)
    choice = controls.listed("Method", names, now, "view.one", "The others are set against it.")
    return view if choice == now else replace(view, one=choice)


def rope(view: ComparisonView) -> ComparisonView:
    """Which differences do not matter."""
    # The form gives the class it takes.
    return controls.form(ComparisonView, view, "view", only=("rope",))


def posthoc(view: ComparisonView) -> ComparisonView:
    """How pairs are told apart over several data sets."""
    choice = controls.listed(
        "Pairs told apart by", POSTHOC, view.posthoc, "view.posthoc",
        "Nemenyi's test looks at mean ranks of all methods; signed ranks at two methods alone.",
    )  # fmt: skip
    return replace(view, posthoc=choice)


def pictures_of(run: Comparison) -> tuple[str, ...]:
    """The pictures that can be drawn of one of these methods at least, in order."""
    methods = [one.method for one in run.runs()]
    names = views_on(*(slot for method in methods for slot in method.card.slots), also="compare")
    return tuple(
        name for name in names if any(promises(method, *views()[name].asks) for method in methods)
    )


def picture(view: ComparisonView, names: tuple[str, ...]) -> ComparisonView:
    """Which of these pictures is drawn for every method."""
    first = names[0]
    now = view.picture if view.picture in names else first
    titles = {name: title_of(name) for name in names}
    choice = controls.one_of("Picture", titles, now, "view.picture", "Drawn of every method.")
    return view if choice == now else replace(view, picture="" if choice == first else choice)


def title_of(name: str) -> str:
    """How a picture is called."""
    return views()[name].record.title


def axes(view: ComparisonView) -> ComparisonView:
    """Which columns the pictures of rows are drawn on, where there are more than two."""
    if len(controls.context().columns) < 3:
        return view
    # The form gives the class it takes.
    return controls.form(ComparisonView, view, "view", only=("x", "y"))
