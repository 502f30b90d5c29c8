"""A sorted file: the number of the line gives the class away, and folds in order miss a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.leaks import leak_scores
from mlcore.evaluation.splits import KFold
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, integer, real
from mlcore.spine.random import generator
from mlcore.trees.decision_tree import DecisionTree


class SortedFile(NamedTuple):
    """What each column says alone, and what folds cut in the order of the file hold."""

    names: tuple[str, ...]  # (p,)
    accuracy: np.ndarray  # (p,) of the best rule of two intervals on the column alone
    chance: np.ndarray  # (p,) best of 50 shuffled targets
    suspicious: np.ndarray  # (p,) bool
    y: np.ndarray  # (n,) class of each line, 0 or 1
    counts: np.ndarray  # (k, 2) lines of each class in each fold
    scores: np.ndarray  # (k,) accuracy of a tree; NaN where its training part has one class alone
    majority: float  # share of the larger class


@enter(
    Card(
        "sorted_file",
        "Sorted rows and cross-validation",
        ("lab",),
        sources=("cs1:leak_detector", "s841:iid_assumption"),
        random=True,
        cost=lambda n, p, it: (0.02 + 2.5e-4 * it.n_rows, 1e6),
        formula=r"\max_{\text{intervals}} \frac1n \sum_i \left[\,\text{rule}(x_{ij}) = y_i\right]"
        r" \quad\text{for each column } j",
        kind="lab",
        pages=("data", "preprocessing", "sequences"),
        synonyms=("shuffling", "stratification", "leakage through row numbers"),
        line="line numbers and order are two traps",
    )
)
@dataclass(frozen=True, kw_only=True)
class SortedFileLab(Lab):
    """A file sorted by class has two traps: its line numbers, and its order.

    A table of two measured columns and the number of the line; those of the rarer class stand
    first. Each column is tried alone, by the best rule of two intervals. Then folds are cut in the
    order of the table, and a tree is scored on them. Shuffling changes the order of the lines, and
    each keeps the number that it had.
    """

    tasks = (
        "Look what the line number says alone, and which folds have a score.",
        "Shuffle the lines and keep the number: the folds are fine now, but is the score?",
        "Shuffle and drop the number, and see what was really known of the classes.",
    )
    seen = (
        "The number classes every line rightly, and no new line will have such a number. In file "
        "order a fold may take a whole class with it, which cannot be learned from the others. "
        "Shuffling cures the folds and not the number; dropping the number cures the rest."
    )

    shuffled: bool = flag(False, doc="Put the lines in random order before folds are cut.")
    numbered: bool = flag(True, label="Keep the line number", doc="As a column to learn from.")
    rare: float = real(
        0.15, low=0.02, high=0.5, soft=(0.05, 0.5), label="Minority class fraction",
        doc="Of all lines.",
    )  # fmt: skip
    signal: float = real(
        1.0, low=0.0, high=5.0, soft=(0.0, 3.0), label="True signal",
        doc="Distance of the class means in the first measured column, in standard deviations.",
    )  # fmt: skip
    n_folds: int = integer(5, low=2, high=10, soft=(2, 10), label="Folds", doc="Number of parts.")
    n_rows: int = row_count(200, (50, 500))

    def compute(self, seed: int = 0) -> SortedFile:
        """Every column alone, and every fold."""
        X, y = self._lines(seed)
        names = ("line", "measured 1", "measured 2")
        if not self.numbered:
            X, names = np.ascontiguousarray(X[:, 1:]), names[1:]
        leaks = leak_scores(X, y, seed)
        splits = KFold(n_splits=self.n_folds, shuffle=False, stratify="off").splits(len(y))
        return SortedFile(
            names, *leaks, y, np.array([np.bincount(y[s.test], minlength=2) for s in splits]),
            np.array([_score(X, y, s.train, s.test) for s in splits]),
            float(max(y.mean(), 1 - y.mean())),
        )  # fmt: skip

    def _lines(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Number and two measured columns, (n, 3), and the class of each line."""
        n = self.n_rows
        y = (np.arange(n) < max(round(self.rare * n), 2)).astype(int)
        X = np.column_stack([np.arange(1.0, n + 1), generator(seed, "lines").normal(size=(n, 2))])
        X[:, 1] += self.signal * y
        order = generator(seed, "order").permutation(n) if self.shuffled else np.arange(n)
        return X[order], y[order]


def _score(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Accuracy of a tree; NaN where there is no second class to learn."""
    if len(np.unique(y[train])) < 2:
        return float("nan")
    fit = DecisionTree(max_leaf_nodes=8).fit(X[train], y[train])
    return float((fit.predict(X[test]) == y[test]).mean())
