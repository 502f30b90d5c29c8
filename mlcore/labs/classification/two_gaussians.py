"""Two normal classes: the best border there is, and the borders that rules find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.classification.lda import LDA
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.capabilities import Predicts
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real
from mlcore.spine.random import generator

POINTS = 801


class TwoGaussians(NamedTuple):
    """Densities on a line, the best regions, and the errors of three rules."""

    x: np.ndarray  # (POINTS,)
    weighted: np.ndarray  # (2, POINTS) prior times density
    posterior: np.ndarray  # (POINTS,) of class 1
    borders: np.ndarray  # (b,) where the best decision changes
    bayes_error: float
    lda_error: float  # true error of the rule that was fitted to rows
    quadratic_error: float
    n_rows: int


@enter(
    Card(
        "two_gaussians",
        "Bayes error of two normal classes",
        ("lab",),
        sources=("s841:bayes_optimality", "prac:roc_curve"),
        random=True,
        cost=lambda n, p, it: (8e-3 + 2e-6 * it.n_rows, 1e5),
        formula=r"R^* = \int \min\{\pi_0\, p(x \mid 0),\ \pi_1\, p(x \mid 1)\}\, dx,\qquad"
        r"R^* = \Phi(-d / 2) \ \text{for equal spreads and priors}",
        kind="lab",
        pages=("classification",),
        synonyms=(
            "Bayes error rate",
            "Bayes classifier",
            "irreducible error",
            "discriminant analysis",
        ),
        line="where classes overlap, every rule errs",
    )
)
@dataclass(frozen=True, kw_only=True)
class TwoGaussiansLab(Lab):
    """Nothing beats the Bayes error: where two classes overlap, every rule errs there.

    Class 0 is normal with mean 0 and standard deviation 1, class 1 has the mean and standard
    deviation that you choose. The best rule takes the class whose prior times density is larger. A
    linear rule (LDA) and a quadratic one (naive Bayes, in one column the same thing) are fitted to
    rows drawn from them.
    """

    tasks = (
        "With equal variances and priors, find the distance at which one row in ten is lost.",
        "Make class 1 wider, and count the borders.",
        "Make class 1 rare, and look when it is never predicted at all.",
        "Lower the number of rows, and compare the fitted rules with the best one.",
    )
    seen = (
        "With equal variances there is one border, halfway where the priors are equal; with "
        "unequal variances there are two, and the linear rule must miss one. With few rows the "
        "rules err more than they need to, but never less than the Bayes error."
    )

    distance: float = real(
        2.0,
        low=0.0,
        high=8.0,
        soft=(0.0, 6.0),
        symbol="d",
        doc="Of the means, in standard deviations of class 0.",
    )
    spread: float = real(
        1.0,
        low=0.2,
        high=5.0,
        soft=(0.2, 4.0),
        log=True,
        symbol=r"\sigma_1",
        label="Standard deviation",
        doc="Of class 1.",
    )
    prior: float = real(
        0.5, low=0.02, high=0.98, soft=(0.02, 0.98), symbol=r"\pi_1", doc="Share of class 1."
    )
    n_rows: int = row_count(100, (20, 2000), high=10_000, doc="That are fitted.")

    def compute(self, seed: int = 0) -> TwoGaussians:
        """The best regions and their error, exactly; the true errors of fitted rules."""
        low = min(-5.0, self.distance - 5 * self.spread)
        high = max(5.0, self.distance + 5 * self.spread)
        x = np.linspace(low, high, POINTS)
        weighted = np.array([(1 - self.prior) * _density(x, 0.0, 1.0),
                             self.prior * _density(x, self.distance, self.spread)])  # fmt: skip
        borders = self._borders()
        lda, quadratic = self._fitted(generator(seed, "rows"), x)
        return TwoGaussians(
            x, weighted, weighted[1] / weighted.sum(axis=0), borders,
            self._error(borders, self._takes_one), lda, quadratic, self.n_rows,
        )  # fmt: skip

    def _log_odds(self, x: np.ndarray) -> np.ndarray:
        """Logarithm of the posterior odds of class 1; quadratic in x."""
        log_ratio = (x**2 - ((x - self.distance) / self.spread) ** 2) / 2 - np.log(self.spread)
        return log_ratio + np.log(self.prior / (1 - self.prior))

    def _takes_one(self, x: np.ndarray) -> np.ndarray:
        return self._log_odds(x) > 0

    def _borders(self) -> np.ndarray:
        """The real roots of the log odds."""
        s2 = self.spread**2
        a = (1 - 1 / s2) / 2
        b = self.distance / s2
        c = float(self._log_odds(np.zeros(1))[0])
        coefficients = [a, b, c] if abs(a) > 1e-12 else [b, c] if b > 0 else [1.0]
        roots = np.roots(coefficients)
        return np.sort(roots[np.isreal(roots)].real)

    def _error(self, borders: np.ndarray, takes_one: Callable[[np.ndarray], np.ndarray]) -> float:
        """The exact error of a rule that decides alike between two neighbouring borders."""
        edges = np.concatenate([[-np.inf], borders, [np.inf]])
        inner = np.concatenate(
            [borders[:1] - 1, (borders[1:] + borders[:-1]) / 2, borders[-1:] + 1]
        )
        middles = inner if len(borders) else np.zeros(1)
        zero, one = np.diff(ndtr(edges)), np.diff(ndtr((edges - self.distance) / self.spread))
        says_one = takes_one(middles)
        wrong = np.where(says_one, (1 - self.prior) * zero, self.prior * one)
        return float(wrong.sum())

    def _fitted(self, rng: np.random.Generator, x: np.ndarray) -> tuple[float, float]:
        """True errors of the two rules; a rule is looked at on a fine grid for its borders."""
        y = (np.arange(self.n_rows) < max(2, round(self.prior * self.n_rows))).astype(int)
        y[-2:] = 0
        rows = rng.normal(size=self.n_rows) * np.where(y, self.spread, 1.0) + y * self.distance
        return tuple(  # pyrefly: ignore[bad-return]  # one error for each of the two fits
            self._error(_changes(fit, x), lambda at, fit=fit: fit.predict(at[:, None]) == 1)
            for fit in (method.fit(rows[:, None], y) for method in (LDA(), NaiveBayes()))
        )


def _changes(fit: Predicts, x: np.ndarray) -> np.ndarray:
    """Where the answers of a fit change, to the middle of a cell of a fine grid."""
    fine = np.linspace(x[0], x[-1], 20 * len(x))
    says = fit.predict(fine[:, None])
    at = np.flatnonzero(says[1:] != says[:-1])
    return (fine[at] + fine[at + 1]) / 2


def _density(x: np.ndarray, mean: float, spread: float) -> np.ndarray:
    return np.exp(-(((x - mean) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
