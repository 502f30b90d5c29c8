"""Pairs of coordinates judged by how they go together in rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.maths.arrays import constant_columns
from mlcore.spine.blocks import two_blocks
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import columns
from mlcore.spine.registry import lookup

FIRST = Metric(
    "first_correlation", "Correlation of the first pair", "higher",
    "Correlation of the first coordinate of either block among rows left out: what two blocks have "
    "in common beyond the rows that were fitted.",
    -1, 1,
)  # fmt: skip
MEAN = Metric(
    "mean_correlation", "Mean correlation of the pairs", "higher",
    "The same, the mean over all pairs that are kept.", -1, 1,
)  # fmt: skip


@enter(Card("canonical_scores", "Correlations of pairs", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class CanonicalScores(Scoring):
    """How pairs of coordinates, which stand beside each other, are correlated in test rows."""

    baseline_name = "most correlated columns"

    def metrics(self) -> tuple[Metric, ...]:
        """That of the first pair, then the mean."""
        return FIRST, MEAN

    def scored(self, case: Case) -> Scored:
        """Of the test rows; NaN for fewer than three, and where a coordinate does not vary."""
        Z = finite(case.fit.transform(case.test.X))
        if len(Z) < 3 or constant_columns(Z).any():
            return Scored({FIRST.name: nan, MEAN.name: nan})
        each = [float(np.corrcoef(Z[:, k], Z[:, k + 1])[0, 1]) for k in range(0, Z.shape[1], 2)]
        return Scored({FIRST.name: each[0], MEAN.name: float(np.mean(each))})

    def baseline_of(self, method: Component) -> Component:
        """The two columns, one of either block, that are correlated most."""
        second: Any = method
        return lookup("baseline", "most_correlated")(second=second.second)


@dataclass(frozen=True, eq=False, kw_only=True)
class MostCorrelatedFit(Fit):
    """A column of either block."""

    pair: np.ndarray  # (2,) their positions
    signs: np.ndarray  # (2,) such that they rise together

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """The two columns."""
        return tuple(self.columns[j] for j in self.pair)

    def transform(self, X: Any) -> np.ndarray:
        """Their values, shape (m, 2)."""
        return self._rows(X)[:, self.pair] * self.signs


@enter(Card("most_correlated", "Most correlated columns", ("baseline",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class MostCorrelated(Method):
    """Of all pairs of columns, one of either block, the one with the largest correlation."""

    second: tuple[str, ...] = columns(
        (), label="Second block", doc="Columns in the second block; none named: the later half."
    )

    def _fit(self, given: Given) -> MostCorrelatedFit:
        blocks = two_blocks(given.columns, self.second, self.title())
        Z = given.X - given.X.mean(axis=0)
        lengths = np.sqrt((Z**2).sum(axis=0))
        Z = Z / np.where(lengths > 0, lengths, 1.0)
        R = Z[:, blocks.first].T @ Z[:, blocks.second]
        i, j = np.unravel_index(np.abs(R).argmax(), R.shape)
        pair = np.array([blocks.first[i], blocks.second[j]])
        signs = np.array([1.0, -1.0 if R[i, j] < 0 else 1.0])
        return MostCorrelatedFit(made_by=self, columns=given.columns, pair=pair, signs=signs)
