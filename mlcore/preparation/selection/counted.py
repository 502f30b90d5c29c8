"""Relevance of a variable by how often its levels meet each class: gain ratio and chi-square."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtri, xlogy

from mlcore.preparation.selection.correlations import SURE
from mlcore.preparation.selection.dependence import as_levels
from mlcore.preparation.selection.gaps import known_rows
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.selection.relevance import Relevance
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given
from mlcore.spine.params import choice, integer, part


def by_permutation(relevance: Relevance, given: Given, permutations: int) -> float:
    """What 95 in 100 variables stay below after the target was shuffled; NaN for no permutation."""
    if not permutations:
        return float("nan")
    variables, rng = Variables.of(given.columns), given.rng("targets by chance")
    shuffled = (replace(given, y=rng.permutation(given.target)) for _ in range(permutations))
    by_chance = np.concatenate([relevance.of(other, variables) for other in shuffled])
    return float(np.quantile(by_chance, SURE))


def permutations_of(default: int) -> int:
    """Declare how often the target is shuffled."""
    return integer(
        default, low=0, high=1000, soft=(0, 100),
        doc="Random orders of the target that tell what chance reaches; 0 asks for none.",
        advanced=True,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Counted(Relevance):
    """Counts levels of a variable by class; numbers are cut into bins first."""

    discretiser: Any = part(
        "equal_frequency", slot="discretiser", doc="How numbers are cut into bins."
    )
    permutations: int = permutations_of(20)

    def by_chance(self, given: Given) -> float:
        """By shuffled targets."""
        return by_permutation(self, given, self.permutations)

    def seconds(self, n: int, p: int) -> float:
        """A sort of each variable, and anew for each order of the target."""
        return (1 + self.permutations) * p * (3e-5 + 1.5e-7 * n)

    def _tables(self, given: Given, variables: Variables) -> list[np.ndarray]:
        """Rows of each level and class, shape (levels, K), of each variable."""
        _refuse_quantity(given, self.title())
        return [
            counts(self._levels(given.X[:, at], given.target), given.target)
            for at in variables.blocks
        ]

    def _levels(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        x = as_levels(X)
        if x.dtype.kind != "f":
            return x
        return np.searchsorted(self.discretiser.cuts(x, y), x, side="right")


def counts(levels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """How many rows have each level and class, of codes of shape (n,): shape (levels, K)."""
    levels = np.unique(levels, return_inverse=True)[1].reshape(-1)
    classes = np.unique(classes, return_inverse=True)[1].reshape(-1)
    K = int(classes.max()) + 1
    size = (int(levels.max()) + 1) * K
    return np.bincount(levels * K + classes, minlength=size).reshape(-1, K).astype(float)


@enter(
    Card(
        "gain_ratio",
        "Gain ratio",
        ("relevance",),
        paper="Quinlan (1993), C4.5: Programs for Machine Learning",
        formula=r"\bigl(H(y) - H(y \mid x)\bigr) / H(x)",
        kind="part",
        synonyms=("information gain", "C4.5", "split information"),
    )
)
@dataclass(frozen=True, kw_only=True)
class GainRatio(_Counted):
    """The information of a variable's levels on the class, over their own entropy: 0 to 1.

    Dividing by the entropy of the levels keeps names of many levels from winning by their number
    alone; levels of very few rows have little entropy, and may be favoured. A block of columns is
    counted by its levels, numbers are cut into bins. Missing values have no part in the
    information, which counts by the share of the other rows; in the entropy they are a level of
    their own. O(n log n) a variable.
    """

    bears_missing: ClassVar[bool] = True

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """Gain ratios, shape (d,). Raises DataError for a target that is a quantity."""
        _refuse_quantity(given, self.title())
        return np.array([self._ratio(given.X[:, at], given.target) for at in variables.blocks])

    def _ratio(self, X: np.ndarray, y: np.ndarray) -> float:
        known = known_rows(X)
        if not known.any():
            return 0.0
        table = counts(self._levels(X[known], y[known]), y[known])
        return gain_ratio(table, int(np.count_nonzero(~known)))


def gain_ratio(table: np.ndarray, n_missing: int = 0) -> float:
    """Of rows of each level and class, shape (levels, K), and how many have no value.

    0 for a single level.
    """
    n = table.sum()
    own, classes, both = map(_entropy, (table.sum(axis=1), table.sum(axis=0), table))
    split = _entropy(np.append(table.sum(axis=1), n_missing))
    share = n / (n + n_missing)
    return max(float(share * (own + classes - both) / split), 0.0) if own > 0 else 0.0


def _entropy(counts: np.ndarray) -> float:
    """In nats, of shares that are counts."""
    P = counts / counts.sum()
    return float(-xlogy(P, P).sum())


@enter(
    Card(
        "chi_square",
        "Chi-square",
        ("relevance",),
        paper="Pearson (1900), Philosophical Magazine 50; Yates (1934), JRSS Supplement 1",
        peer="sklearn.feature_selection.chi2",
        formula=r"\sum_{l, k} (O_{lk} - E_{lk})^2 / E_{lk}",
        kind="part",
        synonyms=("chi2", "chi-squared test", "contingency table", "Yates correction"),
    )
)
@dataclass(frozen=True, kw_only=True)
class ChiSquare(_Counted):
    """How far counts by class are from those of a variable that has nothing to do with it.

    Of levels: rows of each level and class against the product of their shares, over the degrees
    of freedom, so that 1 is usual by chance whatever the number of levels; of a table of two by two
    Yates' correction is taken. Of values: each is a count of something, such as words, summed by
    class. Grows with the rows. O(n log n) a variable.
    """

    of_what: str = choice(
        "levels", "levels", "values", label="Counts",
        doc="Rows of each level, numbers cut into bins; or the values of the columns themselves, "
        "none of them negative.",
    )  # fmt: skip

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """Chi-square over its degrees of freedom, or of values itself: shape (d,).

        Raises DataError for a target that is a quantity, and for values below 0.
        """
        if self.of_what == "levels":
            return np.array([chi_square(table) for table in self._tables(given, variables)])
        _refuse_quantity(given, self.title())
        least = float(given.X.min())
        if least < 0:
            raise DataError(
                f"{self.title()} of values sums counts, which are never negative; the least value "
                f"is {least:.3g}. Take levels, or leave out the step that centres."
            )
        each = chi_square_of_values(given.X, given.target)
        return np.array([each[at].max() for at in variables.blocks])

    def by_chance(self, given: Given) -> float:
        """By the chi-square distribution for values, else by shuffled targets."""
        if self.of_what == "values" and given.classes is not None:
            return float(chdtri(len(given.classes) - 1, 1.0 - SURE))
        return super().by_chance(given)


def chi_square(table: np.ndarray) -> float:
    """Of rows of each level and class, (levels, K), over its degrees of freedom; 0 without any."""
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    if not degrees:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    away = np.abs(table - expected)
    if table.shape == (2, 2):
        away = np.maximum(away - 0.5, 0.0)  # Yates (1934): counts are whole numbers
    return float((away**2 / expected).sum() / degrees)


def chi_square_of_values(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sums of columns X, (n, p), by class y, (n,) codes, against the classes' shares: (p,)."""
    of_class = (y == np.unique(y)[:, None]).astype(float)
    observed = of_class @ X
    expected = np.outer(of_class.mean(axis=1), X.sum(axis=0))
    away = np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected),
                     where=expected > 0)  # fmt: skip
    return away.sum(axis=0)


def _refuse_quantity(given: Given, who: str) -> None:
    if given.classes is None:
        raise DataError(
            f"{who} counts classes; the target holds a quantity. Take ReliefF, the correlation or "
            "mutual information."
        )
