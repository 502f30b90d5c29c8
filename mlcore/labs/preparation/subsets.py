"""What the labs about subsets of variables share: known tables, and how subsets are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.data import bundled
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.generators.classes.xor import Xor
from mlcore.preparation.chain import prepare
from mlcore.preparation.selection.judge import SubsetScore
from mlcore.preparation.selection.wrapper import Wrapper
from mlcore.spine.method import Given
from mlcore.spine.params import choice
from mlcore.spine.registry import lookup

DRAWN = "xor_features"  # the table that is drawn anew with every seed
STEPS = ("impute", "one_hot", "standardise")
LEARNERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    DRAWN: ("knn", {"n_neighbors": 15}),
    "diabetes": ("linear_regression", {}),
    "penguins": ("lda", {}),
    "wine": ("lda", {}),
}


def kind_of_score() -> Any:
    """The choice between the two ways to score a subset."""
    return choice(
        "wrapper", "wrapper", "cfs", doc="A method on inner folds, or the merit of correlations."
    )


def standardised(data: str, seed: int) -> Given:
    """The rows of a table, standardised, and the target as a method gets it."""
    dataset = _dataset(data, seed)
    steps: Any = [lookup("preparation", name)() for name in STEPS]
    prepared = prepare(tuple(steps), dataset.X, dataset.y, dataset.columns)
    classes = np.array(dataset.classes) if dataset.classes else None
    return Given(prepared.X, prepared.columns, seed, prepared.y, classes)


def _dataset(data: str, seed: int) -> Dataset:
    if data != DRAWN:
        return TableData(source=data).dataset({})
    entry: Any = bundled.entry(data)
    recipe: Xor = entry.recipe()
    return TableData(source=replace(recipe, seed=seed)).dataset({})


def score_of(kind: str, data: str) -> SubsetScore:
    """The merit of correlations, or the method that suits the table on inner folds."""
    if kind == "cfs":
        cfs: Any = lookup("subset_score", "cfs")
        return cfs()
    name, settings = LEARNERS[data]
    learner: Any = lookup("learner", name)
    return Wrapper(learner=learner(**settings))
