"""Many columns, few of which matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

LEVELS = ("healthy", "ill")


@enter(Card("linear_features", "Many columns", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class LinearFeatures(shared.Generator):
    """Columns of which a few add up to the target, some repeat others, and the rest say nothing.

    Informative columns are N(0, 1) with correlation rho between any two, and coefficients
    1, -1, 1, ...; a redundant column is the mean of two informative ones with noise of standard
    deviation 0.1; the other columns are N(0, 1). The target is the sum with noise, or for classes
    whether that sum is positive.

    Shows what penalties and variable selection keep, how coefficients of columns that repeat each
    other waver, and how much chance finds where columns outnumber rows.
    """

    n_samples: int = shared.n_samples(100)
    n_features: int = integer(
        10, low=1, high=5000, soft=(2, 200), log=True, symbol="p", label="Columns",
        doc="Number of columns altogether.",
    )  # fmt: skip
    informative: int = integer(
        3, low=0, high=200, soft=(0, 20), doc="How many columns the target depends on."
    )
    redundant: int = integer(
        0, low=0, high=200, soft=(0, 10), doc="How many columns repeat informative ones."
    )
    correlation: float = real(
        0.0,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.99),
        symbol=r"\rho",
        doc="Correlation between any two informative columns.",
    )
    noise: float = shared.noise(1.0, "a coefficient is 1", (0.0, 5.0))
    task: str = choice(
        "regression", "regression", "classification", doc="Whether the target is a sum or its sign."
    )

    def conflict(self) -> str | None:
        """Refuse more columns of a sort than there are columns."""
        if self.informative + self.redundant > self.n_features:
            return (
                f"{self.title()}: {self.informative} informative and {self.redundant} redundant "
                f"columns do not fit into {self.n_features}. Raise n_features or lower them."
            )
        if self.redundant and self.informative < 2:
            return f"{self.title()}: redundant columns need at least 2 informative ones."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows; informative columns come first, then redundant ones, then idle ones."""
        X = self._columns()
        w = np.zeros(self.n_features)
        w[: self.informative] = (-1.0) ** np.arange(self.informative)
        signal = X @ w
        total = signal + self.noise * self.rng("noise").normal(size=len(X))
        known = {"signal": signal, "noise": self.noise, "coefficients": w}
        if self.task == "regression":
            return shared.value_origin(self, X, total, **known)
        # Above the median, so that both classes are there even without a signal.
        labels = (total > np.median(total)).astype(np.int64)
        return shared.class_origin(self, X, labels, LEVELS, **known)

    def _columns(self) -> np.ndarray:
        """The features, shape (n, p)."""
        n, k, r = self.n_samples, self.informative, self.redundant
        common = np.sqrt(self.correlation) * self.rng("common").normal(size=(n, 1))
        private = np.sqrt(1.0 - self.correlation) * self.rng("informative").normal(size=(n, k))
        informative = common + private
        pairs = np.array([[j % max(k, 1), (j + 1) % max(k, 1)] for j in range(r)], int)
        means = informative[:, pairs.reshape(r, 2)].mean(axis=2) if r else np.empty((n, 0))
        redundant = means + 0.1 * self.rng("redundant").normal(size=(n, r))
        idle = self.rng("idle").normal(size=(n, self.n_features - k - r))
        return np.column_stack([informative, redundant, idle])
