"""What was predicted for the test rows, put together from the folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Pooled(NamedTuple):
    """One line a prediction: the row, the fold that left it out, and what was predicted."""

    rows: np.ndarray  # (m,) positions among the rows of the data set
    folds: np.ndarray  # (m,)
    predictions: np.ndarray  # (m,), or (m, q) of several outputs
    probabilities: np.ndarray | None  # (m, K)

    @property
    def weights(self) -> np.ndarray:
        """What each counts where rows are counted, shape (m,): those of one row add up to 1."""
        return 1.0 / np.bincount(self.rows)[self.rows]

    @property
    def is_repeated(self) -> bool:
        """Whether some row was left out, and predicted, more than once."""
        return bool((np.diff(self.rows) == 0).any())


def pooled(folds: Sequence[Any], *, once: bool = False) -> Pooled | None:
    """The predictions of all folds that have some, by row; None where no fold has.

    For pictures of rows and counts of them, never for a score: that is the mean of the folds
    (`summary`), and over all predictions together it would be another number. With repeats a row
    occurs several times: `weights` counts it once, `once` keeps the first.
    """
    done = [fold for fold in folds if fold.predictions is not None and not fold.failure]
    if not done:
        return None
    rows = np.concatenate([fold.test for fold in done])
    numbers = np.concatenate([np.full(len(fold.test), fold.k) for fold in done])
    order = np.lexsort((numbers, rows))
    if once:
        order = order[np.append(True, np.diff(rows[order]) > 0)]
    return Pooled(
        rows[order],
        numbers[order],
        np.concatenate([fold.predictions for fold in done])[order],
        _stacked([fold.probabilities for fold in done], order),
    )


def _stacked(probabilities: list[np.ndarray | None], order: np.ndarray) -> np.ndarray | None:
    present = [P for P in probabilities if P is not None]
    return np.concatenate(present)[order] if len(present) == len(probabilities) else None
