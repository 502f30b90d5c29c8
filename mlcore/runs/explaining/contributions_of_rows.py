"""The predictions of many rows shared out among the variables, each by the model that left it
out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.explaining.model import Model, outputs_of, some_left_out
from mlcore.runs.explaining.question import Question
from mlcore.runs.explaining.sharing_out import (
    SharedOut,
    background_of,
    background_option,
    most_enumerated,
    perturbation_option,
    predicted_rows,
    scale_option,
    shared_out,
    walked_pairs,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.params import integer


class FoldOfContributions(NamedTuple):
    """The Shapley values of rows that one fold left out."""

    k: int
    rows: np.ndarray  # (m,) positions in the data set
    shared: SharedOut
    n_background: int  # 0 by path


class ContributionsOfRows(NamedTuple):
    """What moves the predictions of rows that were left out away from the mean prediction."""

    variables: tuple[Column, ...]  # (p,)
    outputs: tuple[str, ...]  # (K,)
    rows: np.ndarray  # (m,) positions in the data set
    folds: np.ndarray  # (m,) the fold that left the row out, from 1
    values: np.ndarray  # (m, p) of the variables
    contributions: np.ndarray  # (m, p, K)
    errors: np.ndarray  # (m, p, K) standard errors; 0 where exact
    predictions: np.ndarray  # (m, K)
    n_left_out: int  # rows of which these are drawn
    n_background: int  # training rows of each fold, at most
    is_exact: bool
    scale: str  # what is shared out: log-odds, score, logarithm; "" what is predicted


@enter(
    Card(
        "shapley_rows",
        "Shapley values of many rows",
        ("question",),
        kind="part",
        peer="shap.Explainer",
    )
)
@dataclass(frozen=True, kw_only=True)
class ContributionsOfMany(Question):
    """Which variables move the predictions, for which rows, and which way?

    The prediction of each row is shared out as that of a single row, by the model of the fold that
    left it out; the rows are drawn from all rows left out. Exact where a single row has a short
    way, and for few variables; else over drawn orders with a standard error.
    """

    rows: int = integer(
        200, low=2, high=2000, soft=(50, 500), label="Rows asked",
        doc="How many of the rows left out are shared out, drawn from all.",
    )  # fmt: skip
    background: int = background_option(50)
    rounds: int = integer(
        1, low=1, high=50, soft=(1, 10),
        doc="Pairs of opposite orders a background row, where values are not exact.",
    )  # fmt: skip
    scale: str = scale_option()
    perturbation: str = perturbation_option()

    def answer(self, model: Model, k: int) -> FoldOfContributions:
        """The values of the drawn rows of one fold."""
        rows = some_left_out(model, k, self.rows)
        background, rng = background_of(model, self.background)
        shared = shared_out(
            model, model.dataset.X[rows], background, rng,
            rounds=self.rounds, scale=self.scale, perturbation=self.perturbation,
            exact_up_to=most_enumerated(self.rounds),
        )  # fmt: skip
        return FoldOfContributions(k, rows, shared, shared.n_background)

    def joined(
        self, answers: Sequence[FoldOfContributions], dataset: Dataset
    ) -> ContributionsOfRows:
        """The rows of all folds on the scale of the first."""
        # Folds differ where one saw only two of several classes: what adds up is then another score
        # there, and its rows cannot stand beside the others.
        first = answers[0].shared
        alike = [one for one in answers if one.shared.scale == first.scale]
        rows = np.concatenate([one.rows for one in alike])
        return ContributionsOfRows(
            variables=dataset.columns,
            outputs=outputs_of(dataset)[: len(first.base)],
            rows=rows,
            folds=np.concatenate([np.full(len(one.rows), one.k + 1) for one in alike]),
            values=dataset.X[rows],
            contributions=np.concatenate([one.shared.values for one in alike]),
            errors=np.concatenate([one.shared.errors for one in alike]),
            predictions=np.concatenate([one.shared.predictions for one in alike]),
            n_left_out=dataset.n,
            n_background=max(one.n_background for one in alike),
            is_exact=all(one.shared.is_exact for one in alike),
            scale=first.scale,
        )

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """The background rows of each fold, and for each row its sets or orders."""
        once, each = predicted_rows(
            run, len(dataset.columns), min(self.background, dataset.n),
            rounds=self.rounds, scale=self.scale, perturbation=self.perturbation,
            exact_up_to=most_enumerated(self.rounds),
        )  # fmt: skip
        return n_folds * once + min(self.rows, dataset.n) * each

    def walks(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Each row beside each background row, on the short way."""
        each = walked_pairs(
            run, min(self.background, dataset.n), scale=self.scale, perturbation=self.perturbation
        )
        return min(self.rows, dataset.n) * each

    def about(self) -> str:
        """With how many rows."""
        return f"contributions to {self.rows} rows"
