"""Relevance of single variables to the target: correlation, Fisher score, F ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import fdtri

from mlcore.optimisation.rows import means
from mlcore.optimisation.triangles import EPS
from mlcore.preparation.selection.correlations import (
    SURE,
    chance_level,
    correlations_with_target,
    kind_of_correlation,
)
from mlcore.preparation.selection.judge import Variables
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given
from mlcore.spine.params import choice

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, kw_only=True)
class Relevance(Component):
    """Ranks variables one at a time; more is more relevant."""

    bears_missing: ClassVar[bool] = False  # whether it knows what to make of missing values

    @property
    def least_rows(self) -> int:
        """How many rows with a value it needs of a variable to say anything."""
        return 1

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """One number a variable, at least 0, shape (d,); a variable that never changes has 0."""
        raise NotImplementedError(f"{type(self).__name__} declares no relevance")

    def by_chance(self, given: Given) -> float:
        """The 95 % quantile of the relevance of a variable that is independent of the target.

        NaN where no distribution tells it.
        """
        return float("nan")

    def seconds(self, n: int, p: int) -> float:
        """About how long all variables take: a few passes over the table."""
        return 4e-8 * n * p


@enter(
    Card("correlation", "Correlation", ("relevance",), sources=("cs1:vs_filter_corr",), kind="part")
)
@dataclass(frozen=True, kw_only=True)
class Correlation(Relevance):
    """The absolute correlation with the target: 0 to 1.

    With classes the mean over them, by their shares, of the correlation with belonging to one; of a
    block of columns the largest canonical correlation. Sees straight lines only; of ranks, whatever
    rises or falls throughout. O(n d).
    """

    kind: str = kind_of_correlation()

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """Absolute correlations with the target, shape (d,)."""
        return correlations_with_target(given, variables, self.kind)[1]

    def by_chance(self, given: Given) -> float:
        """By the t distribution; with classes by the normal distribution that many rows lead to."""
        return chance_level(given)


@enter(
    Card("fisher_score", "Fisher score", ("relevance",), sources=("s841:fisher_score",),
         kind="part")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class FisherScore(Relevance):
    """The spread of the class means against the spread within the classes.

    Variance of the class means about the common mean, over the mean variance within a class, both
    weighted by rows or alike for all classes; of a block its best column. O(n d).
    """

    weighting: str = choice(
        "samples", "samples", "classes", doc="Classes count by their rows, or all alike."
    )

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """Ratios of variances, shape (d,); infinite where nothing varies within the classes."""
        between, within = _spreads(given, self.title(), by_rows=self.weighting == "samples")
        return _best(_ratio(between, within), variables)

    def by_chance(self, given: Given) -> float:
        """By the F distribution, of which it is a part, if classes count by their rows."""
        if given.classes is None or self.weighting != "samples":
            return float("nan")
        K = len(given.classes)
        return FRatio().by_chance(given) * (K - 1) / max(given.n - K, 1)


@enter(
    Card("f_ratio", "F ratio", ("relevance",), peer="sklearn.feature_selection.f_classif",
         kind="part")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class FRatio(Relevance):
    """The F statistic: of the analysis of variance, or of simple regression on the variable.

    Ranks as the Fisher score and the correlation do; its size says how surely the variable is
    related at all, and grows with the rows. Of a block its best column. O(n d).
    """

    def of(self, given: Given, variables: Variables) -> np.ndarray:
        """F of each variable, shape (d,), with (K - 1, n - K) or (1, n - 2) degrees of freedom."""
        if given.classes is None:
            explained, left = _by_line(given)
            return _best(_ratio(explained * (given.n - 2), left), variables)
        between, within = _spreads(given, self.title(), by_rows=True)
        K = len(given.classes)
        return _best(_ratio(between * (given.n - K), within * (K - 1)), variables)

    def by_chance(self, given: Given) -> float:
        """By the F distribution."""
        degrees = 1 if given.classes is None else len(given.classes) - 1
        left = given.n - degrees - 1
        return float(fdtri(degrees, left, SURE)) if left > 0 else float("nan")


def _by_line(given: Given) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the target's sum of squares that a line on each column explains and leaves.

    Shape (p,) each. What is left is that of the residuals: 1 - r^2 cancels near a perfect line.
    """
    Z, y = _unit(given.X), _unit(given.target[:, None])
    r = y[:, 0] @ Z
    return r**2, ((y - r * Z) ** 2).sum(axis=0)


def _unit(X: np.ndarray) -> np.ndarray:
    """Centred columns of length 1, shape (n, p); zeros where no more than rounding varies."""
    about = _about_mean(X)
    about /= np.abs(about).max(axis=0, initial=TINY)  # squares neither overflow nor vanish
    return about / np.maximum(np.sqrt((about**2).sum(axis=0)), 1.0)


def _about_mean(X: np.ndarray) -> np.ndarray:
    """Columns minus their means, shape (n, p); zeros where no more than rounding varies.

    The mean itself is rounded, so that the mean of the differences is subtracted too.
    """
    mean = means(X, None)
    about = X - mean
    about -= about.mean(axis=0)
    about[:, np.abs(about).max(axis=0, initial=0.0) <= 4.0 * EPS * np.abs(mean)] = 0.0
    return about


def _spreads(given: Given, who: str, *, by_rows: bool) -> tuple[np.ndarray, np.ndarray]:
    """Variance between the classes, and within them, of each column, shape (p,) each."""
    if given.classes is None:
        raise DataError(
            f"{who} compares classes; the target holds a quantity. Use the correlation or the F "
            "ratio."
        )
    of_class = given.target == np.arange(len(given.classes))[:, None]
    shares = of_class.mean(axis=1) if by_rows else np.full(len(of_class), 1 / len(of_class))
    X = _about_mean(given.X)  # first: the means of classes keep only the digits that it leaves
    centres = np.array([X[rows].mean(axis=0) for rows in of_class])
    variances = np.array([X[rows].var(axis=0) for rows in of_class])
    return shares @ centres**2, shares @ variances


def _ratio(top: np.ndarray, below: np.ndarray) -> np.ndarray:
    """top / below; 0 where nothing varies at all, infinite where only the rest is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top / below
    return np.where(top > 0, ratio, 0.0)


def _best(values: np.ndarray, variables: Variables) -> np.ndarray:
    if len(values) == len(variables):  # a column each: thousands of them take no loop
        return values[np.concatenate(variables.blocks)]
    return np.array([values[at].max() for at in variables.blocks])
