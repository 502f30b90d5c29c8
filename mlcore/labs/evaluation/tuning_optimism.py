"""The best of many looks too good: the inner score of a choice, beside the outer one and truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.evaluation.splits import KFold, Split
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

FOLDS = 5  # inner and outer


class Optimism(NamedTuple):
    """Accuracies of one choice a study, three ways."""

    inner: np.ndarray  # (R,) the best of all candidates, by cross-validation
    nested: np.ndarray  # (R,) the choice repeated inside every outer fold, scored outside
    truth: np.ndarray  # (R,) of the chosen rule on new rows, exactly
    n_candidates: int
    possible: float  # the truth of the best candidate, if it were known


def _cost(n: int, p: int, it: TuningOptimism) -> tuple[float, float]:
    fits = (FOLDS + 1) * FOLDS + 1
    per_fit = 6e-5 + 2e-9 * it.n_rows * it.n_candidates
    return it.repeats * fits * per_fit, 40.0 * it.n_rows * it.n_candidates


@enter(
    Card(
        "tuning_optimism",
        "Optimism of tuning (selection bias)",
        ("lab",),
        sources=("cs1:nested_cv", "prac:nested_selection"),
        random=True,
        cost=_cost,
        formula=r"E\left[\max_\theta \hat a(\theta)\right] \ge \max_\theta E[\hat a(\theta)]",
        kind="lab",
        pages=("compare",),
        synonyms=(
            "nested cross-validation",
            "hyperparameter tuning",
            "winner's curse",
            "overfitting the validation set",
        ),
        line="the best of many on the same folds flatters",
    )
)
@dataclass(frozen=True, kw_only=True)
class TuningOptimism(Lab):
    """Many candidates are scored on the same folds, and the best of them is reported.

    Each candidate is a rule that cuts one column half-way between the means of two classes. Only
    the first column can tell the classes apart, by as much as you say; the others are noise. The
    best inner score is the largest of many noisy numbers. Nested cross-validation repeats the
    choice inside every outer fold and scores it on rows that had no part in it.
    """

    tasks = (
        "Leave the signal at zero, and raise the number of candidates: the truth stays one half.",
        "Take a single candidate: there is no choice, and both scores agree.",
        "Give the first column a signal, and see when the best inner score becomes honest.",
    )
    seen = (
        "With 30 rules on 60 rows of noise the best inner accuracy is near 0.65, and chance is "
        "0.50. More candidates make it better and nothing else. The nested score stays at the "
        "truth, or a little below, because it chooses with fewer rows; so what a search reports of "
        "its winner is never shown as a result here."
    )

    n_candidates: int = integer(
        30, low=1, high=1000, soft=(1, 300), log=True, label="Candidates", doc="Rules to choose of."
    )
    n_rows: int = row_count(60, (20, 500), high=1000, doc="Rows, half a class.")
    signal: float = real(
        0.0,
        low=0.0,
        high=5.0,
        soft=(0.0, 3.0),
        label="True signal",
        doc="Distance of the class means in the first column, in standard deviations.",
    )
    repeats: int = integer(
        60, low=5, high=500, soft=(10, 100), label="Studies", doc="Tables that are drawn."
    )

    def compute(self, seed: int = 0) -> Optimism:
        """The three accuracies of each study."""
        accuracies = np.array(
            [self._study(generator(seed, f"rows {r}"), r) for r in range(self.repeats)]
        )
        possible = float(ndtr(self.signal / 2))
        return Optimism(*accuracies.T, n_candidates=self.n_candidates, possible=possible)

    def _study(self, rng: np.random.Generator, seed: int) -> tuple[float, float, float]:
        X = rng.normal(size=(self.n_rows, self.n_candidates))
        y = np.arange(self.n_rows) % 2
        X[:, 0] += self.signal * y
        scores = _scores(X, y, seed)
        best = int(scores.argmax())
        return float(scores[best]), _nested(X, y, seed), self._truth(X, y, best)

    def _truth(self, X: np.ndarray, y: np.ndarray, chosen: int) -> float:
        """Exact accuracy on new rows of the chosen rule, fitted to all rows."""
        low, high = _means(X[:, [chosen]], y)
        cut, shift = float(low[0] + high[0]) / 2, self.signal if chosen == 0 else 0.0
        right = float(ndtr(cut) + ndtr(shift - cut)) / 2  # where class 1 lies above the cut
        return right if high[0] > low[0] else 1 - right


def _scores(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Accuracy of every candidate by cross-validation, shape (candidates,)."""
    splits = KFold(n_splits=FOLDS).splits(len(y), y=y, seed=seed)
    return np.mean([_right(X, y, split) for split in splits], axis=0)


def _nested(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Accuracy of the whole procedure: choose inside the training rows, score outside."""
    accuracies = []
    for split in KFold(n_splits=FOLDS).splits(len(y), y=y, seed=seed):
        best = int(_scores(X[split.train], y[split.train], seed).argmax())
        accuracies.append(_right(X[:, [best]], y, split)[0])
    return float(np.mean(accuracies))


def _right(X: np.ndarray, y: np.ndarray, split: Split) -> np.ndarray:
    """Share of the test rows that every rule gets right, shape (candidates,)."""
    low, high = _means(X[split.train], y[split.train])
    above = X[split.test] > (low + high) / 2
    return ((above == (high > low)) == (y[split.test] == 1)[:, None]).mean(axis=0)


def _means(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of both classes, shape (candidates,) each."""
    return X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
