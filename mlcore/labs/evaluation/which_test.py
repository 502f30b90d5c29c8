"""Which test to trust: how often each one claims a difference, over many simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.comparing.five_by_two import five_by_two
from mlcore.evaluation.comparing.mcnemar import mcnemar
from mlcore.evaluation.comparing.paired import corrected_resampled_t, naive_paired_t
from mlcore.evaluation.comparing.wilcoxon import wilcoxon_signed_rank
from mlcore.evaluation.splits import KFold, ShuffleSplit, Split, Splitter
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

COLUMNS = 5  # that each of the two rules sees
SHIFT = 0.35  # distance of the class means in each of them, in standard deviations
LEVEL = 0.05  # at which every test claims a difference
SCHEMES: dict[str, Splitter] = {
    "10 folds": KFold(n_splits=10),
    "15 random splits": ShuffleSplit(n_splits=15),
    "10 x 10 folds": KFold(n_splits=10, n_repeats=10),
    "5 x 2 folds": KFold(n_splits=2, n_repeats=5),
}


class Study(NamedTuple):
    """What one study knows of two rules on one scheme."""

    differences: np.ndarray  # (J,) of the accuracies
    n_train: int
    n_test: float  # mean
    b: int  # rows that only the first gets right, in the first repeat
    c: int


class Claims(NamedTuple):
    """How often each test claims a difference."""

    tests: tuple[str, ...]
    schemes: tuple[str, ...]
    rates: np.ndarray  # (tests,)
    errors: np.ndarray  # (tests,) standard errors of the simulation
    is_honest: np.ndarray  # (tests,) whether it allows for shared training rows
    accuracies: np.ndarray  # (2,) of the rules, mean over 10 folds and all studies
    studies: int
    level: float
    is_null: bool  # whether there is nothing to find


def _corrected(study: Study) -> float:
    return corrected_resampled_t(study.differences, study.n_train, study.n_test).p


def _naive(study: Study) -> float:
    return naive_paired_t(study.differences).p


def _wilcoxon(study: Study) -> float:
    return wilcoxon_signed_rank(study.differences).p


def _mcnemar(study: Study) -> float:
    return mcnemar(study.b, study.c).p


def _five_by_two(study: Study, which: str) -> float:
    try:
        test = five_by_two(study.differences.reshape(5, 2))
    except DataError:  # both folds agree in all repetitions: nothing is claimed
        return 1.0
    return getattr(test, which)


# What each line of the picture is: name, scheme, test, and whether it knows of shared rows.
TESTS: tuple[tuple[str, str, Callable[[Study], float], bool], ...] = (
    ("corrected t", "10 folds", _corrected, True),
    ("corrected t", "15 random splits", _corrected, True),
    ("corrected t", "10 x 10 folds", _corrected, True),
    ("McNemar", "10 folds", _mcnemar, False),
    ("Wilcoxon", "10 folds", _wilcoxon, False),
    ("naive t", "10 folds", _naive, False),
    ("naive t", "15 random splits", _naive, False),
    ("naive t", "10 x 10 folds", _naive, False),
    ("5 x 2 t", "5 x 2 folds", lambda study: _five_by_two(study, "p_t"), False),
    ("5 x 2 F", "5 x 2 folds", lambda study: _five_by_two(study, "p_f"), False),
)


def _cost(n: int, p: int, it: WhichTest) -> tuple[float, float]:
    return it.studies * (6e-4 + 4e-6 * it.n_rows), 700.0 * it.studies * it.n_rows


@enter(
    Card(
        "which_test",
        "Tests for comparing two classifiers",
        ("lab",),
        paper="Nadeau and Bengio (2003), Machine Learning 52",
        sources=("prac:significance_test",),
        random=True,
        cost=_cost,
        formula=r"t = \bar d \Big/ \sqrt{\left(\tfrac1J + \tfrac{n_2}{n_1}\right) s^2}"
        r"\quad\text{instead of}\quad \bar d \Big/ \sqrt{\tfrac1J s^2}",
        kind="lab",
        pages=("compare",),
        synonyms=("t-test", "McNemar's test", "5x2 cv", "significance test", "p-value"),
        line="ten ways to ask whether one is better",
    )
)
@dataclass(frozen=True, kw_only=True)
class WhichTest(Lab):
    """Two rules, the same rows, ten ways to ask whether one is better.

    Each study draws rows of two classes and compares two nearest-mean rules; one sees the first
    five columns, the other the last five, which tell the classes apart equally well. Whatever a
    test then claims is a false alarm, and a test at 5 % may raise one in 5 of 100 studies.
    """

    tasks = (
        "Leave the rules equally good, and see which tests keep to 5 % of false alarms.",
        "Compare the naive t-test on 10 folds with that on 10 x 10 folds: more repeats of the "
        "same rows are no new evidence.",
        "Make the second rule better, and see which of the honest tests finds it most often.",
    )
    seen = (
        "With equally good rules the naive t-test on 10 x 10 folds claims a difference in more "
        "than half of the studies, the corrected one in about 5 %. Splits share training rows, so "
        "their differences move together, and their spread understates what new rows would do."
    )

    gain: float = real(
        0.0,
        low=0.0,
        high=2.0,
        soft=(0.0, 0.6),
        label="True gain",
        doc="By how much the classes lie further apart for the second rule, a column, in "
        "standard deviations.",
    )
    n_rows: int = integer(
        100, low=40, high=400, soft=(40, 400), label="Rows", doc="Rows of a study, half a class."
    )
    studies: int = integer(
        500, low=20, high=2000, soft=(100, 1000), log=True, label="Studies", doc="How many."
    )

    def compute(self, seed: int = 0) -> Claims:
        """The share of studies in which each test claims a difference."""
        y = np.arange(self.n_rows) % 2
        X = self._rows(y, seed)
        studied = {name: self._studied(X, y, name, seed) for name in SCHEMES}
        claims = np.array(
            [[test(study) < LEVEL for study in studied[scheme][0]] for _, scheme, test, _ in TESTS]
        )
        rates = claims.mean(axis=1)
        return Claims(
            tests=tuple(name for name, *_ in TESTS),
            schemes=tuple(scheme for _, scheme, *_ in TESTS),
            rates=rates,
            errors=np.sqrt(rates * (1 - rates) / self.studies),
            is_honest=np.array([honest for *_, honest in TESTS]),
            accuracies=studied["10 folds"][1],
            studies=self.studies,
            level=LEVEL,
            is_null=self.gain == 0,
        )

    def _rows(self, y: np.ndarray, seed: int) -> np.ndarray:
        """The rows of all studies, shape (studies, n, 10)."""
        rng = generator(seed, "rows")
        X = rng.normal(size=(self.studies, self.n_rows, 2 * COLUMNS))
        apart = np.repeat([SHIFT, SHIFT + self.gain], COLUMNS)
        return X + y[:, None] * apart

    def _studied(
        self, X: np.ndarray, y: np.ndarray, scheme: str, seed: int
    ) -> tuple[list[Study], np.ndarray]:
        """Every study on one scheme, and the mean accuracy of both rules."""
        splits = SCHEMES[scheme].splits(len(y), y=y, seed=seed)
        # Rows are exchangeable within a class, so all studies may share one draw of the splits.
        means = _class_means(X, y, splits)
        right = [_right(X, y, split, means[:, j]) for j, split in enumerate(splits)]
        scores = np.stack([share.mean(axis=2) for share in right], axis=2)  # (2, studies, J)
        n_train, n_test = len(splits[0].train), np.mean([len(s.test) for s in splits])
        b, c = _discordant(right, splits, len(y))
        d = scores[0] - scores[1]
        studies = [Study(d[s], n_train, float(n_test), int(b[s]), int(c[s])) for s in range(len(X))]
        return studies, scores.mean(axis=(1, 2))


def _class_means(X: np.ndarray, y: np.ndarray, splits: Sequence[Split]) -> np.ndarray:
    """Mean of each class over the training rows of every split, shape (2, J, studies, 10)."""
    weights = np.zeros((2, len(splits), len(y)))
    for j, split in enumerate(splits):
        for k in (0, 1):
            own = split.train[y[split.train] == k]
            weights[k, j, own] = 1 / len(own)
    return np.tensordot(weights, X, axes=(2, 1))


def _right(X: np.ndarray, y: np.ndarray, split: Split, means: np.ndarray) -> np.ndarray:
    """Which test rows both rules predict right, in every study, shape (2, studies, m)."""
    towards, middle = means[1] - means[0], (means[0] + means[1]) / 2  # (studies, 10) each
    steps = (X[:, split.test] - middle[:, None]) * towards[:, None]
    sides = [steps[:, :, of].sum(axis=2) > 0 for of in (slice(COLUMNS), slice(COLUMNS, None))]
    return np.stack(sides) == (y[split.test] == 1)


def _discordant(
    right: Sequence[np.ndarray], splits: Sequence[Split], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that only the first, and only the second, gets right in the first repeat."""
    b = c = np.zeros(right[0].shape[1], dtype=int)
    seen = 0
    for is_right, split in zip(right, splits):
        if seen + len(split.test) > n:
            break
        b = b + (is_right[0] & ~is_right[1]).sum(axis=1)
        c = c + (is_right[1] & ~is_right[0]).sum(axis=1)
        seen += len(split.test)
    return b, c
