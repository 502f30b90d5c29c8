"""What a question about predictions must say: which models it needs, and what it asks of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.splits import Split
from mlcore.runs.explaining.model import Model
from mlcore.spine.component import Component

ALL_ROWS = -1  # the model of all rows, before those of the folds


@dataclass(frozen=True, kw_only=True)
class Question(Component):
    """Is asked of the model of each fold about the rows that it left out."""

    changes_variables: ClassVar[bool] = True  # whether it asks about rows with other values

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """The folds whose models are asked, ALL_ROWS for that of all rows.

        Raises DataError where the question does not fit the data.
        """
        return tuple(range(len(splits)))

    def answer(self, model: Model, k: int) -> Any:
        """What the model of fold k says: a named tuple of arrays."""
        raise NotImplementedError(f"{type(self).__name__} declares no answer")

    def joined(self, answers: Sequence[Any], dataset: Dataset) -> Any:
        """The answers of several models, in order, as one: a named tuple."""
        raise NotImplementedError(f"{type(self).__name__} declares no way to join answers")

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """How many rows are predicted in all, for the run whose predictions are explained."""
        raise NotImplementedError(f"{type(self).__name__} declares no number of predictions")

    def walks(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """How often a row is walked through its model beside another, for exact Shapley values."""
        return 0.0

    def scorings(self, dataset: Dataset, n_folds: int) -> int:
        """How often the rows of a fold are scored."""
        return 0

    def about(self) -> str:
        """What is asked, in a few words."""
        return self.title()

    def says(self, joined: Any) -> str:
        """The joined answer in full precision, lines of text."""
        return "\n".join(
            f"{name}: {value.tolist() if isinstance(value, np.ndarray) else value!r}"
            for name, value in joined._asdict().items()
        )
