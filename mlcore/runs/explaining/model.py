"""A fitted preparation and method as one function: rows of the table in, outputs out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.scoring import Case, Rows, aligned, finite
from mlcore.evaluation.splits import Split
from mlcore.preparation.chain import Prepared
from mlcore.runs.fitting import case_of, fitted
from mlcore.runs.run import Run
from mlcore.spine import random
from mlcore.spine.capabilities import GivesPredictiveInterval, GivesProbabilities
from mlcore.spine.errors import DataError

PIECE = 20_000  # rows that are predicted at a time
LEVEL = 0.95  # of the interval of a predicted quantity


@dataclass(frozen=True, eq=False)
class Model:
    """What was fitted to some rows of a data set, asked about variables as the table has them."""

    run: Run
    dataset: Dataset
    split: Split
    fit: Any
    prepared: Prepared

    def outputs(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of the classes, or predicted quantities, shape (m, K), of rows (m, p).

        A method that gives no probabilities gives 1 for the class that it predicts.
        """
        pieces = (X[i : i + PIECE] for i in range(0, len(X), PIECE))
        return np.concatenate([self._outputs(self.prepared.transform(piece)) for piece in pieces])

    def _outputs(self, Z: np.ndarray) -> np.ndarray:
        n_classes = len(self.dataset.classes)
        if not n_classes:
            return finite(self.fit.predict(Z)).reshape(len(Z), -1)
        if isinstance(self.fit, GivesProbabilities):
            return aligned(finite(self.fit.probabilities(Z)), self.fit.classes, n_classes)
        return np.eye(n_classes)[np.asarray(self.fit.predict(Z), dtype=np.int64)]

    def decisions(self, X: np.ndarray) -> np.ndarray:
        """The predicted class of each row, or quantity, shape (m,); of several the first."""
        predicted = np.asarray(self.fit.predict(self.prepared.transform(X)))
        return predicted if predicted.ndim == 1 else predicted[:, 0]

    def interval(self, row: np.ndarray) -> np.ndarray | None:
        """Between what the target of a row, (p,), lies with 95 %, shape (2,), if that is known."""
        if not isinstance(self.fit, GivesPredictiveInterval):
            return None
        return self.fit.predictive_interval(self.prepared.transform(row[None]), LEVEL)[0]

    def case(self) -> Case:
        """To be judged on the rows that were left out."""
        return case_of(self.run, self.fit, self.prepared, self.dataset, self.split)

    def rows(self, X: np.ndarray) -> Rows:
        """The rows left out with other values of their variables, shape (m, p), to be judged on."""
        truth = self.dataset.truth_for(self.run.method, self.split.test)
        return Rows(self.prepared.transform(X), truth)


def model_of(run: Run, dataset: Dataset, split: Split) -> Model:
    """The preparation and the method of a run, fitted to the training rows of a split."""
    prepared, fit = fitted(run, dataset, split.train)
    return Model(run, dataset, split, fit, prepared)


def some_left_out(model: Model, k: int, most: int) -> np.ndarray:
    """Positions of rows that fold k left out, shape (m,): its share of as many of all folds,
    at least one."""
    test = model.split.test
    share = min(1.0, most / model.dataset.n)
    rng = random.generator(model.run.seed, "rows of the curves", k)
    return np.sort(rng.permutation(test)[: max(1, round(share * len(test)))])


def outputs_of(dataset: Dataset) -> tuple[str, ...]:
    """What the outputs of a model are called: classes, or predicted columns."""
    return dataset.classes or dataset.target_names or (str(dataset.target),)


def position_of(dataset: Dataset, variable: str | None) -> int:
    """The position of a variable, the first where none is named. Raises DataError if unknown."""
    names = [column.name for column in dataset.columns]
    if variable in (None, "auto"):
        return 0
    if variable not in names:
        raise DataError(
            f"There is no column {variable!r} to learn from; choose one of {', '.join(names[:8])}."
        )
    return names.index(variable)


def place_of(dataset: Dataset, row: int) -> int:
    """The position of a row of the table, counted from 1, among the rows that are used.

    Raises DataError if it is not used.
    """
    at = np.flatnonzero(dataset.rows == row - 1)
    if not len(at):
        first, last = int(dataset.rows.min()) + 1, int(dataset.rows.max()) + 1
        raise DataError(
            f"Row {row} of the table is not used here; choose one from {first} to {last} that is."
        )
    return int(at[0])
