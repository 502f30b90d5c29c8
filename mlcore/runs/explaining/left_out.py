"""Questions about predictions that were made already: those for the rows that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import ColumnData
from mlcore.evaluation.pooled import pooled
from mlcore.evaluation.slices.factors import Factor, of_levels, of_numbers
from mlcore.evaluation.splits import Split
from mlcore.runs.carry import judge_of
from mlcore.runs.explaining.model import Model
from mlcore.runs.explaining.question import Question
from mlcore.spine.errors import DataError

MOST_LEVELS = 30  # of a column of names; the others are one group


class FoldLeftOut(NamedTuple):
    """What the model of one fold predicts for the rows that it left out."""

    k: int
    test: np.ndarray  # (m,) positions in the data set
    predictions: np.ndarray  # (m,) codes of classes, or numbers; (m, q) of several outputs
    probabilities: np.ndarray | None  # (m, K)
    failure: str = ""


class LeftOut(NamedTuple):
    """One line a prediction: of a row that was left out several times there are several."""

    rows: np.ndarray  # (r,) positions in the data set that have predictions, rising
    place: np.ndarray  # (m,) of each prediction among `rows`
    truth: np.ndarray  # (m,)
    predictions: np.ndarray  # (m,)
    probabilities: np.ndarray | None  # (m, K)

    def a_row(self, values: Any) -> np.ndarray:
        """The mean of the values, (m,), of each row, (r,): every row counts once."""
        return np.bincount(self.place, values) / np.bincount(self.place)


@dataclass(frozen=True, kw_only=True)
class OfLeftOut(Question):
    """Is answered by predictions for rows left out, so a run that has been carried out has it."""

    changes_variables: ClassVar[bool] = False

    def answer(self, model: Model, k: int) -> FoldLeftOut:
        """The predictions of the model of fold k. Raises DataError where it gives none."""
        scored = judge_of(model.run).scored(model.case())
        if scored.predictions is None:
            raise DataError(f"{model.run.method.title()} gives no predictions to be scored.")
        answer = FoldLeftOut(k, model.split.test, scored.predictions, scored.probabilities)
        self.check_answer(answer)
        return answer

    def check_answer(self, answer: FoldLeftOut) -> None:
        """Raises DataError where predictions lack what the question needs."""

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Every row once."""
        return float(dataset.n)

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """All folds; refused for columns that the table has not."""
        self.check(dataset)
        return super().models(dataset, splits)

    def check(self, dataset: Dataset) -> None:
        """Raises DataError where the question does not fit the data."""
        raise NotImplementedError(f"{type(self).__name__} declares no check")


def left_out(answers: Sequence[FoldLeftOut], dataset: Dataset) -> LeftOut:
    """The predictions of all folds with their truth; of several outputs those of the first."""
    pool: Any = pooled(answers)  # there is an answer
    rows, place = np.unique(pool.rows, return_inverse=True)
    first = pool.predictions if pool.predictions.ndim == 1 else pool.predictions[:, 0]
    truth: Any = dataset.y  # it has a target
    return LeftOut(rows, place, truth[pool.rows], first, pool.probabilities)


def groupable(dataset: Dataset) -> tuple[str, ...]:
    """The columns of the table by which its rows can be grouped, those that are no variables too.

    Not the targets, and not a column that names each row.
    """
    targets = {str(dataset.target), *dataset.target_names}
    return tuple(
        column.name
        for column in dataset.table.columns
        if column.name not in targets
        and column.kind not in ("identifier", "constant")
        and (column.kind != "text" or len(column.levels) <= MOST_LEVELS)
    )


def grouping_column(dataset: Dataset, name: str) -> ColumnData:
    """A column of the table. Raises DataError for one by which rows cannot be grouped."""
    known = groupable(dataset)
    if name not in known:
        raise DataError(
            f"Rows cannot be grouped by {name!r}; choose a column such as "
            f"{', '.join(known[:8]) or 'none here'}."
        )
    return dataset.table.column(name)


def factor_of(dataset: Dataset, name: str, rows: np.ndarray, bins: int) -> Factor:
    """A column of the table as groups of some rows, (m,) positions in the data set.

    Raises DataError for a column by which rows cannot be grouped.
    """
    column = grouping_column(dataset, name)
    values = column.values[dataset.rows[rows]]
    if column.is_coded:
        return of_levels(name, values, column.levels, MOST_LEVELS)
    text = _date if column.kind == "datetime" else "{:.4g}".format
    return of_numbers(name, values, bins, text)


def _date(days: float) -> str:
    return str(np.datetime64("1970-01-01") + np.timedelta64(int(days // 1), "D"))
