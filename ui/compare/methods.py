"""Which methods a comparison may have, and with which it begins."""

from __future__ import annotations

from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.spine.component import Component
from mlcore.spine.registry import entries

LEAST, MOST = 2, 10  # methods of a comparison
BASELINES = ("constant", "constant_regression")  # the first row already
FIRST = {
    "classification": ("lda", "logistic", "knn", "decision_tree", "naive_bayes", "svc"),
    "regression": ("linear_regression", "ridge", "elastic_net", "knn_regression",
                   "regression_tree"),
}  # fmt: skip
GROUPS = (2, 3, 4, 5)  # of k-means, where there is nothing to predict


def offered(dataset: Dataset) -> dict[str, type[Component]]:
    """The methods that suit the target of these data, or learn without one if there is none."""
    if dataset.task:
        # Classes that a novelty detector is not told say how well it finds the rarest of them.
        slot = "classes_and_novelty" if dataset.task == "classification" else dataset.task
        return {n: cls for n, cls in entries(slot).items() if n not in BASELINES}
    every = entries("groups_and_novelty") | entries("reduction")
    return {n: cls for n, cls in every.items() if cls.card.scores and not cls.card.task}


def first_methods(dataset: Dataset) -> tuple[Any, ...]:
    """The methods with which a comparison on these data begins."""
    candidates: dict[str, Any] = offered(dataset)
    if dataset.task:
        return tuple(candidates[name]() for name in FIRST[dataset.task])
    return tuple(candidates["kmeans"](n_clusters=k) for k in GROUPS)


def page_of(method: Component) -> str:
    """The page on which a method is alone."""
    card = method.card
    if card.task:
        return card.task
    return "dimensionality_reduction" if "reduction" in card.slots else "clustering"
