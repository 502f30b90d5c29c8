"""One prediction shared out among the variables, by the model that left the row out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.shapley import EXACT_UP_TO
from mlcore.evaluation.splits import Split
from mlcore.runs.explaining.model import Model, outputs_of, place_of
from mlcore.runs.explaining.question import Question
from mlcore.runs.explaining.sharing_out import (
    SharedOut,
    background_of,
    background_option,
    perturbation_option,
    predicted_rows,
    scale_option,
    shared_out,
    walked_pairs,
)
from mlcore.runs.explaining.what_if import WhatIf, changed
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.params import as_in, integer


class FoldContributions(NamedTuple):
    """The Shapley values of a row by one model."""

    k: int
    at: int  # position of the row in the data set
    values: np.ndarray  # (p,) of the row, with its changes
    shared: SharedOut  # of this row alone
    n_background: int  # 0 by path


class ContributionsOfRow(NamedTuple):
    """What moves the prediction of a row away from the mean prediction of the background rows."""

    row: int  # of the table, from 1
    fold: int  # that left it out, from 1
    variables: tuple[Column, ...]  # (p,)
    values: np.ndarray  # (p,) of the row
    is_changed: bool  # whether it has other values than in the table
    outputs: tuple[str, ...]  # (K,)
    base: np.ndarray  # (K,)
    contributions: np.ndarray  # (p, K)
    errors: np.ndarray  # (p, K) standard errors; 0 where exact
    prediction: np.ndarray  # (K,)
    truth: str
    n_background: int
    n_sets: int
    is_exact: bool
    scale: str  # what is shared out: log-odds, score, logarithm; "" what is predicted


@enter(
    Card("shapley", "Shapley values of a row", ("question",), kind="part", peer="shap.Explainer")
)
@dataclass(frozen=True, kw_only=True)
class Contributions(Question):
    """Why this prediction for this row?

    The difference between the prediction and the mean prediction of training rows is shared out
    among the variables by Shapley values: exactly for additive models (linear ones and generalised
    additive ones) and trees, alone, averaged or boosted, on the scale on which they add up, and for
    at most 10 variables; else over drawn orders with a standard error. Those of trees are also
    known without training rows, along the ways that these went. The model is that of the
    fold which left the row out; where the row has other values than in the table, they are asked.
    """

    row: int = as_in(WhatIf, "row")
    changes: tuple = as_in(WhatIf, "changes")
    background: int = background_option(100)
    rounds: int = integer(
        5, low=1, high=200, soft=(1, 30),
        doc="Pairs of opposite orders a background row, where there are more than 10 variables.",
    )  # fmt: skip
    scale: str = scale_option()
    perturbation: str = perturbation_option()

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """The first fold that leaves the row out."""
        changed(dataset, self.row, self.changes)  # refuses what is no value
        at = place_of(dataset, self.row)
        for k, split in enumerate(splits):
            if at in split.test and at not in split.train:
                return (k,)
        raise DataError(
            f"No fold leaves row {self.row} out, so no model has not seen it. Choose another row, "
            "or a scheme of cross-validation that leaves out every row."
        )

    def answer(self, model: Model, k: int) -> FoldContributions:
        """The values by one model."""
        at = place_of(model.dataset, self.row)
        values = changed(model.dataset, self.row, self.changes)
        background, rng = background_of(model, self.background)
        shared = shared_out(
            model, values[None], background, rng,
            rounds=self.rounds, scale=self.scale, perturbation=self.perturbation,
            exact_up_to=EXACT_UP_TO,
        )  # fmt: skip
        return FoldContributions(k, at, values, shared, shared.n_background)

    def joined(self, answers: Sequence[FoldContributions], dataset: Dataset) -> ContributionsOfRow:
        """With the values of the row and what it is in truth."""
        one = answers[0]
        shared, truth = one.shared, next(iter(dataset.answers().values()))[one.at]
        return ContributionsOfRow(
            row=self.row,
            fold=one.k + 1,
            variables=dataset.columns,
            values=one.values,
            is_changed=bool(self.changes),
            outputs=outputs_of(dataset)[: len(shared.base)],
            base=shared.base,
            contributions=shared.values[0],
            errors=shared.errors[0],
            prediction=shared.predictions[0],
            truth=truth if isinstance(truth, str) else f"{truth:.4g}",
            n_background=one.n_background,
            n_sets=shared.n_sets,
            is_exact=shared.is_exact,
            scale=shared.scale,
        )

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Every background row once, and once a set of variables or on the way of each order."""
        once, each = predicted_rows(
            run, len(dataset.columns), min(self.background, dataset.n),
            rounds=self.rounds, scale=self.scale, perturbation=self.perturbation,
            exact_up_to=EXACT_UP_TO,
        )  # fmt: skip
        return once + each

    def walks(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Beside each background row once, on the short way."""
        return walked_pairs(
            run, min(self.background, dataset.n), scale=self.scale, perturbation=self.perturbation
        )

    def about(self) -> str:
        """With the row."""
        return f"contributions to row {self.row}" + " with other values" * bool(self.changes)
