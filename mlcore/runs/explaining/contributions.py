"""One prediction shared out among the variables, by the model that left the row out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.shapley import (
    EXACT_UP_TO,
    Shapley,
    shapley_exact,
    shapley_sampled,
)
from mlcore.evaluation.explaining.shapley_of_sums import IN_SHORT
from mlcore.evaluation.splits import Split
from mlcore.runs.explaining.model import Model, outputs_of, place_of
from mlcore.runs.explaining.question import Question
from mlcore.runs.explaining.short_ways import in_short
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.params import integer


class FoldContributions(NamedTuple):
    """The Shapley values of a row by one model."""

    k: int
    at: int  # position of the row in the data set
    shapley: Shapley
    n_background: int


class ContributionsOfRow(NamedTuple):
    """What moves the prediction of a row away from the mean prediction of the background rows."""

    row: int  # of the table, from 1
    fold: int  # that left it out, from 1
    variables: tuple[Column, ...]  # (p,)
    values: np.ndarray  # (p,) of the row
    outputs: tuple[str, ...]  # (K,)
    base: np.ndarray  # (K,)
    contributions: np.ndarray  # (p, K)
    errors: np.ndarray  # (p, K) standard errors; 0 where exact
    prediction: np.ndarray  # (K,)
    truth: str
    n_background: int
    n_sets: int
    is_exact: bool


@enter(
    Card("shapley", "Shapley values of a row", ("question",), kind="part", peer="shap.Explainer")
)
@dataclass(frozen=True, kw_only=True)
class Contributions(Question):
    """Why this prediction for this row?

    The difference between the prediction and the mean prediction of training rows is shared out
    among the variables by Shapley values: exactly for linear models, trees and forests, and for at
    most 10 variables; else over drawn orders with a standard error. The
    model is that of the fold which left the row out.
    """

    row: int = integer(1, low=1, soft=(1, 1000), doc="The row of the table, counted from 1.")
    background: int = integer(
        100, low=1, high=1000, soft=(20, 300), label="Background rows",
        doc="Training rows that lend their values where a variable is not known yet.",
    )  # fmt: skip
    rounds: int = integer(
        5, low=1, high=200, soft=(1, 30),
        doc="Pairs of opposite orders a background row, where there are more than 10 variables.",
    )  # fmt: skip

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """The first fold that leaves the row out."""
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
        dataset, at = model.dataset, place_of(model.dataset, self.row)
        rng = random.generator(model.run.seed, "background rows")
        rows = np.sort(rng.permutation(np.unique(model.split.train))[: self.background])
        row, background = dataset.X[at], dataset.X[rows]
        if (short := in_short(model, row, background)) is not None:
            shapley = short
        elif len(row) <= EXACT_UP_TO:
            shapley = shapley_exact(model.outputs, row, background)
        else:
            shapley = shapley_sampled(model.outputs, row, background, rng, self.rounds)
        return FoldContributions(k, at, shapley, len(rows))

    def joined(self, answers: Sequence[FoldContributions], dataset: Dataset) -> ContributionsOfRow:
        """With the values of the row and what it is in truth."""
        one = answers[0]
        shapley, truth = one.shapley, next(iter(dataset.answers().values()))[one.at]
        return ContributionsOfRow(
            self.row,
            one.k + 1,
            dataset.columns,
            dataset.X[one.at],
            outputs_of(dataset)[: len(shapley.base)],
            shapley.base,
            shapley.values,
            shapley.errors,
            shapley.prediction,
            truth if isinstance(truth, str) else f"{truth:.4g}",
            one.n_background,
            shapley.n_sets,
            shapley.n_sets == IN_SHORT or len(shapley.values) <= EXACT_UP_TO,
        )

    def predictions(self, dataset: Dataset, n_folds: int) -> float:
        """Every background row once a set of variables, or on the way of each order."""
        p = len(dataset.columns)
        each = 2**p if p <= EXACT_UP_TO else 2 * self.rounds * (p + 1)
        return float(each * min(self.background, dataset.n))

    def about(self) -> str:
        """With the row."""
        return f"contributions to row {self.row}"
