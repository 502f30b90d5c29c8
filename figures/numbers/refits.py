"""Fits that a picture makes itself: how long they may take, and what costs make of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import fit_prepared
from mlcore.spine.errors import DataError

MOST_SECONDS = 3.0  # of the fits while a page waits


def refuse_long(method: Any, X: np.ndarray, fits: int) -> None:
    """Raise DataError where so many fits to rows X, shape (n, p), would keep a page waiting."""
    if (seconds := method.card.cost(*X.shape, method)[0] * fits) > MOST_SECONDS:
        raise DataError(
            f"The picture takes {fits} fits, about {seconds:.0f} s on {len(X):,} rows and "
            f"{X.shape[1]} columns. Use fewer rows, columns or folds."
        )


class CostsRaised:
    """A method that learns from costs, fitted for each of several costs of missing a class."""

    def __init__(self, dataset: Dataset, whole: Whole, k: int, tried: np.ndarray) -> None:
        fit: Any = whole.fit
        methods = [fit.dearer(k, float(ratio)) for ratio in tried]
        refuse_long(methods[0], whole.prepared.X, len(methods))
        rows = np.arange(dataset.n)
        self.fits = [fit_prepared(it, whole.prepared, dataset, rows, 0) for it in methods]
        self.label, self.tried = fit.classes[k], tried

    def first(self, Z: np.ndarray) -> np.ndarray:
        """Place in `tried` of the cost from which on the class is said of rows Z, (m, p).

        As many as there are costs where the dearest is not enough.
        """
        chosen = np.array([fit.predict(Z) == self.label for fit in self.fits])
        stays = np.logical_and.accumulate(chosen[::-1])[::-1]
        return np.where(stays.any(axis=0), stays.argmax(axis=0), len(self.tried))

    def between(self, Z: np.ndarray) -> np.ndarray:
        """A cost between the last at which the class is not said and the first at which it is."""
        steps = np.log(self.tried)
        ends = [steps[0] - 1.0, *((steps[1:] + steps[:-1]) / 2), steps[-1] + 1.0]
        return np.exp(np.array(ends))[self.first(Z)]

    def least(self, Z: np.ndarray) -> np.ndarray:
        """The least of the costs from which on the class is said, infinite where none is."""
        return np.append(self.tried, np.inf)[self.first(Z)]
