"""Scores within groups of rows, of the predictions for rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.slices.search import SliceScores, slice_scores
from mlcore.runs.explaining.left_out import (
    FoldLeftOut,
    LeftOut,
    OfLeftOut,
    factor_of,
    groupable,
    grouping_column,
    left_out,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, columns, flag, integer

MOST_COLUMNS = 12  # of which 66 pairs can be made
TINY = 1e-15  # the least probability of which a logarithm is taken
OF_CLASSES, OF_PROBABILITIES = ("accuracy",), ("log_loss", "brier_score")
OF_NUMBERS = ("rmse", "mean_absolute_error", "mean_error")
TITLES = {
    "accuracy": "Accuracy", "log_loss": "Log loss", "brier_score": "Brier score", "rmse": "RMSE",
    "mean_absolute_error": "Mean absolute error", "mean_error": "Mean error (predicted - true)",
}  # fmt: skip
BETTER = {"accuracy": "higher", "mean_error": "zero"}  # the others are losses


class Slices(NamedTuple):
    """The score within groups, the worst first, with what it is."""

    measure: str
    title: str
    better: str  # "higher", "lower" or "zero"
    columns: tuple[str, ...]
    not_variables: tuple[str, ...]  # of these columns, those that the method does not learn from
    smallest: int
    scores: SliceScores


@enter(Card("slices", "Scores by group", ("question",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class SlicesQuestion(OfLeftOut):
    """For which rows are the predictions worse than for the others?

    The score of the rows left out within each level of a name, each quantile bin of a number, and
    pairs of them, the worst first, with interval, and a test against all other rows that is
    corrected for how many groups were looked at. Columns need not be variables of the method. A row
    that was left out several times counts once, with the mean of its scores. The intervals speak of
    these models; the worst of many groups looks worse than it is.
    """

    columns: tuple = columns(doc="Columns whose groups are looked at; the first 12 if none.")
    pairs: bool = flag(True, label="Pairs of columns", doc="Groups of two columns together too.")
    smallest: int = integer(
        20, low=2, high=100_000, soft=(5, 200), label="Smallest group",
        doc="Groups with fewer rows are not looked at.",
    )  # fmt: skip
    bins: int = integer(
        4, low=2, high=10, soft=(2, 10), doc="Bins of a column of numbers, with equally many rows."
    )
    measure: str = choice(
        "auto", "auto", *OF_CLASSES, *OF_PROBABILITIES, *OF_NUMBERS,
        doc="What is compared; automatic is accuracy of classes and RMSE of quantities.",
    )  # fmt: skip

    def check(self, dataset: Dataset) -> None:
        """Refuse columns that give no groups, too many of them, and a measure of another target."""
        if len(self.columns) > MOST_COLUMNS:
            raise DataError(
                f"Groups are looked for in at most {MOST_COLUMNS} columns at a time; got "
                f"{len(self.columns)}. Choose fewer."
            )
        for name in self.columns:
            grouping_column(dataset, name)
        if not groupable(dataset):
            raise DataError(f"{dataset.name} has no column by which rows can be grouped.")
        fitting = (OF_CLASSES + OF_PROBABILITIES) if dataset.classes else OF_NUMBERS
        if self.measure not in ("auto", *fitting):
            names = ", ".join(TITLES[name] for name in fitting)
            raise DataError(
                f"{TITLES[self.measure]} is no measure of this target; choose one of {names}."
            )

    def check_answer(self, answer: FoldLeftOut) -> None:
        """Refuse classes alone where probabilities are judged."""
        if self.measure in OF_PROBABILITIES and answer.probabilities is None:
            raise DataError(
                f"{TITLES[self.measure]} needs probabilities, and this method predicts classes "
                "alone. Choose accuracy."
            )

    def joined(self, answers: Sequence[FoldLeftOut], dataset: Dataset) -> Slices:
        """The groups of all columns and pairs."""
        it = left_out(answers, dataset)
        measure = measure_of(self.measure, dataset)
        names = self.columns or groupable(dataset)[:MOST_COLUMNS]
        better = BETTER.get(measure, "lower")
        scores = slice_scores(
            it.a_row(losses(it, measure)),
            [factor_of(dataset, name, it.rows, self.bins) for name in dict.fromkeys(names)],
            better=better, pairs=self.pairs, smallest=self.smallest, is_root=measure == "rmse",
        )  # fmt: skip
        variables = {column.name for column in dataset.columns}
        outside = tuple(name for name in names if name not in variables)
        return Slices(measure, TITLES[measure], better, names, outside, self.smallest, scores)

    def about(self) -> str:
        """With the columns, where they were chosen."""
        return "scores by group" + (f" of {', '.join(self.columns)}" if self.columns else "")


def measure_of(measure: str, dataset: Dataset) -> str:
    """What is compared where nothing was chosen."""
    return measure if measure != "auto" else "accuracy" if dataset.classes else "rmse"


def losses(it: LeftOut, measure: str) -> np.ndarray:
    """The measure of each prediction, shape (m,); `check_answer` says what that needs."""
    if measure in OF_NUMBERS:
        error = it.predictions - it.truth
        return {"rmse": error**2, "mean_error": error}.get(measure, np.abs(error))
    if measure == "accuracy":
        return (it.predictions == it.truth).astype(np.float64)
    given: Any = it.probabilities
    if measure == "log_loss":
        return -np.log(np.maximum(given[np.arange(len(it.truth)), it.truth], TINY))
    return ((given - np.eye(given.shape[1])[it.truth]) ** 2).sum(axis=1)
