"""One neighbour is the most complex rule: errors against the number of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.labs.lab import Lab, row_count
from mlcore.neighbours.knn import KNNClassifier, cover_hart
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real
from mlcore.spine.random import generator

TRIES = (1, 2, 3, 5, 7, 11, 15, 21, 31, 51, 75, 101, 151, 201, 301, 501)
NEW = 2000  # rows that measure the true error


class Complexity(NamedTuple):
    """Errors of k neighbours on the training rows and on new ones, and the two lines of theory."""

    k: np.ndarray  # (T,)
    train: np.ndarray  # (T,) share wrong
    test: np.ndarray  # (T,)
    bayes_error: float
    bound: float  # of one neighbour, with ever more rows
    best: int  # the k with the least error on new rows
    n_rows: int


def _cost(n: int, p: int, it: KNNComplexity) -> tuple[float, float]:
    return 0.1 + 5e-4 * it.n_rows, 2e6 + 1e3 * it.n_rows


@enter(
    Card(
        "knn_complexity",
        "Overfitting of k-nearest neighbours",
        ("lab",),
        paper="Cover and Hart (1967), IEEE Transactions on Information Theory 13",
        sources=("s841:knn_bias_variance", "prac:memoriser", "cs1:overfit_diagnostic"),
        random=True,
        cost=_cost,
        formula=r"R^* \le R_{1\mathrm{NN}} \le 2 R^* (1 - R^*)\quad\text{for ever more rows}",
        kind="lab",
        pages=("classification",),
        synonyms=("overfitting", "underfitting", "bias-variance tradeoff", "model complexity"),
        line="one neighbour knows every row by heart",
    )
)
@dataclass(frozen=True, kw_only=True)
class KNNComplexity(Lab):
    """A rule that knows every row by heart makes no error on them, and too many on others.

    Two round normal classes in the plane overlap; the least possible error is known. The number of
    neighbours that vote goes from one, which memorises, to all, which answer the same everywhere.
    """

    tasks = (
        "Compare both errors at one neighbour, and at the number that is best on new rows.",
        "Move the classes together, and see where the best number goes.",
        "Multiply the rows, and watch the error of one neighbour come below the bound.",
    )
    seen = (
        "One neighbour has no error on the training rows and about twice the least possible on new "
        "ones. With more neighbours the two errors meet, fall to near the Bayes error, and rise "
        "together once the vote reaches across the border."
    )

    n_rows: int = row_count(200, (20, 2000), doc="That are fitted.")
    distance: float = real(
        2.0,
        low=0.0,
        high=6.0,
        soft=(0.0, 5.0),
        symbol="d",
        doc="Of the two means, in standard deviations.",
    )

    def compute(self, seed: int = 0) -> Complexity:
        """Both errors for each number of neighbours that the rows allow."""
        X, y = self._rows(self.n_rows, generator(seed, "fitted"))
        new, truth = self._rows(NEW, generator(seed, "new"))
        k = np.array([k for k in TRIES if k <= self.n_rows])
        fits = [KNNClassifier(n_neighbors=int(each)).fit(X, y) for each in k]
        train = np.array([(fit.predict(X) != y).mean() for fit in fits])
        test = np.array([(fit.predict(new) != truth).mean() for fit in fits])
        least = float(ndtr(-self.distance / 2))
        return Complexity(
            k, train, test, least, cover_hart(least), int(k[test.argmin()]), self.n_rows
        )

    def _rows(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = np.arange(n) % 2
        return rng.normal(size=(n, 2)) + y[:, None] * [self.distance, 0.0], y
