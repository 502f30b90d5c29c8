"""The leak: columns are chosen with the rows that are left out, or without them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.splits import KFold
from mlcore.labs.lab import Lab
from mlcore.neighbours.knn import KNNClassifier
from mlcore.preparation.selection.filters import best_first
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.selection.relevance import FRatio
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator


class Folds(NamedTuple):
    """One table, fold by fold; ways are inside each fold, and before the split."""

    sizes: np.ndarray  # (k,) rows that each leaves out
    right: np.ndarray  # (2, k) of these, labelled rightly each way
    shared: np.ndarray  # (k,) columns that the choice of the fold shares with that of all rows


class Leak(NamedTuple):
    """Accuracy on test rows, a tuple of repeated experiments each."""

    safe: np.ndarray  # (R,) columns chosen inside each training fold
    leaky: np.ndarray  # (R,) columns chosen once, from all rows
    first: Folds  # of the first of these tables
    kept: int
    chance: float


def _cost(n: int, p: int, it: LeakSwitch) -> tuple[float, float]:
    per_fit = 5e-4 + 4e-7 * it.n_columns + 9e-9 * it.n_rows * it.n_columns
    return it.repeats * 6 * per_fit, 24.0 * it.n_rows * it.n_columns


@enter(
    Card(
        "leak_switch",
        "Data leakage",
        ("lab",),
        sources=("cs1:scale_pipeline",),
        random=True,
        cost=_cost,
        formula=r"\hat S = \arg\max_{|S| = D} \sum_{j \in S} F_j(X_{\text{all}}, y_{\text{all}})"
        r"\quad\text{instead of}\quad \hat S(X_{\text{train}}, y_{\text{train}})",
        kind="lab",
        pages=("preprocessing", "compare"),
        synonyms=(
            "leakage",
            "selection before splitting",
            "target leakage",
            "train-test contamination",
        ),
        line="columns chosen before the split, or inside",
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
        "Look which way the columns have seen the answers of the rows that judge them.",
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
        """Both accuracies of each table, and the folds of the first."""
        variables = Variables.of(_columns(self.n_columns))
        tables = [self._folds(generator(seed, f"table {r}"), r, variables)
                  for r in range(self.repeats)]  # fmt: skip
        safe, leaky = np.array([table.right.sum(axis=1) for table in tables]).T / self.n_rows
        return Leak(safe, leaky, tables[0], self.kept, 0.5)

    def _folds(self, rng: np.random.Generator, seed: int, variables: Variables) -> Folds:
        X = rng.normal(size=(self.n_rows, self.n_columns))
        y = rng.permutation(np.arange(self.n_rows) % 2)
        X[:, :3] += self.signal * y[:, None]
        of_all = self._choice(X, y, variables)
        sizes, right, shared = [], [], []
        for train, test in KFold().splits(len(y), y=y, seed=seed):
            inside = self._choice(X[train], y[train], variables)
            right.append([_right(X[:, at], y, train, test) for at in (inside, of_all)])
            shared.append(len(np.intersect1d(inside, of_all)))
            sizes.append(len(test))
        return Folds(np.array(sizes), np.array(right).T, np.array(shared))

    def _choice(self, X: np.ndarray, y: np.ndarray, variables: Variables) -> np.ndarray:
        """The columns with the largest F, as the variable filter keeps them."""
        given = Given(X, _columns(X.shape[1]), y=y, classes=np.arange(2))
        return np.sort(best_first(FRatio().of(given, variables))[: self.kept])


@cache
def _columns(count: int) -> tuple[Column, ...]:
    return tuple(Column(f"x{j + 1}", "number") for j in range(count))


def _right(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> int:
    """How many left-out rows five neighbours label rightly."""
    fit = KNNClassifier(n_neighbors=5).fit(X[train], y[train])
    return int((fit.predict(X[test]) == y[test]).sum())
