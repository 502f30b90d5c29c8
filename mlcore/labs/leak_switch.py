"""The leak: columns are chosen with the rows that are left out, or without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.classification.neighbours import KNNClassifier
from mlcore.component import Card, enter
from mlcore.evaluation.splits import KFold
from mlcore.labs.lab import Lab
from mlcore.params import integer, real
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.random import generator


class Leak(NamedTuple):
    """Accuracy on rows left out, a tuple of repeated experiments each."""

    safe: np.ndarray  # (R,) columns chosen inside each training fold
    leaky: np.ndarray  # (R,) columns chosen once, from all rows
    shift: float  # how far the classes truly lie apart in each of the informative columns
    chance: float


def _cost(n: int, p: int, it: LeakSwitch) -> tuple[float, float]:
    per_fit = 5e-4 + 2e-6 * it.n_columns + 9e-9 * it.n_rows * it.n_columns
    return it.repeats * 6 * per_fit, 24.0 * it.n_rows * it.n_columns


@enter(
    Card(
        "leak_switch",
        "The leak before the split",
        ("lab",),
        sources=("cs1:scale_pipeline",),
        random=True,
        cost=_cost,
        formula=r"\hat S = \arg\max_{|S| = D} \sum_{j \in S} F_j(X_{\text{all}}, y_{\text{all}})"
        r"\quad\text{instead of}\quad \hat S(X_{\text{train}}, y_{\text{train}})",
        kind="lab",
        pages=("preprocessing", "compare"),
    )
)
@dataclass(frozen=True, kw_only=True)
class LeakSwitch(Lab):
    """The same choice of columns, made before the split and inside each fold.

    Two classes of equal size are described by many columns, most or all of them noise. The columns
    with the largest F ratio are kept, and nearest neighbours are scored by cross-validation. Done
    before the split, the choice has seen the answers of the rows that are left out later.
    """

    tasks = (
        "Leave the true signal at zero: nothing can be predicted, so an honest accuracy is one "
        "half.",
        "Lower the number of noise columns, and watch the two scores approach each other.",
        "Give the columns a true signal, and see how much of the leaky score was real.",
    )
    seen = (
        "On 50 rows of 1000 noise columns the leaky score is near 0.86, the safe one near 0.50. "
        "The more columns there are to choose from, the more of them fit the left-out rows by "
        "luck; so everything that is learned from data belongs inside the fold."
    )

    n_rows: int = integer(50, low=20, high=500, soft=(20, 200), label="Rows", doc="Rows in all.")
    n_columns: int = integer(
        1000, low=10, high=5000, soft=(10, 2000), log=True, label="Columns", doc="Columns in all."
    )
    kept: int = integer(
        10, low=1, high=10, soft=(1, 10), label="Columns kept", doc="Columns with the largest F."
    )
    signal: float = real(
        0.0,
        low=0.0,
        high=5.0,
        soft=(0.0, 2.0),
        label="True signal",
        doc="Distance of the class means in three of the columns, in standard deviations.",
    )
    repeats: int = integer(
        20, low=1, high=50, soft=(1, 20), label="Repeats", doc="Tables that are drawn and scored."
    )

    def compute(self, seed: int = 0) -> Leak:
        """Both accuracies of each table."""
        scores = [self._both(generator(seed, f"table {r}"), r) for r in range(self.repeats)]
        safe, leaky = np.array(scores).T
        return Leak(safe, leaky, self.signal, 0.5)

    def _both(self, rng: np.random.Generator, seed: int) -> tuple[float, float]:
        X = rng.normal(size=(self.n_rows, self.n_columns))
        y = rng.permutation(np.arange(self.n_rows) % 2)
        X[:, :3] += self.signal * y[:, None]
        seen_all = self._choice(X, y)
        safe = leaky = 0
        for train, test in ((s.train, s.test) for s in KFold().splits(len(y), y=y, seed=seed)):
            inside = self._choice(X[train], y[train])
            safe += _right(X[:, inside], y, train, test)
            leaky += _right(X[:, seen_all], y, train, test)
        return safe / len(y), leaky / len(y)

    def _choice(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        found = UnivariateFilter(relevance="f_ratio", n_features=self.kept).fit(X, y)
        return np.flatnonzero(found.chosen)


def _right(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> int:
    """How many left-out rows five neighbours label rightly."""
    fit = KNNClassifier(n_neighbors=5).fit(X[train], y[train])
    return int((fit.predict(X[test]) == y[test]).sum())
