"""Nearest medoid: a row belongs to the class whose most central row lies nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.class_scores import best_class
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice


class Spread(NamedTuple):
    """How far the rows of each class lie from its prototype."""

    mean: np.ndarray  # (K,)


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestMedoidFit(Fit):
    """One prototype a class."""

    classes: np.ndarray  # (K,) sorted labels
    prototypes: np.ndarray  # (K, p)
    spread: Spread

    def decision(self, X: Any) -> np.ndarray:
        """Minus the distance to each prototype, (m, K); their difference for two, (m,)."""
        scores = -_distances(self._rows(X), self.prototypes)
        return scores[:, 1] - scores[:, 0] if len(self.classes) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the nearest prototype, shape (m,); the first on ties."""
        return self.classes[best_class(self.decision(X))]


def _distances(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Sums of absolute differences of rows X, (n, p), and Z, (m, p): shape (n, m)."""
    return np.stack([np.abs(X - z).sum(axis=1) for z in Z], axis=1)


def _cost(n: int, p: int, it: NearestMedoid) -> tuple[float, float]:
    return 1e-3 + 2e-9 * n * n * p, 8.0 * n * (n + p)


@enter(
    Card(
        "nearest_medoid",
        "Nearest medoid",
        ("classification",),
        paper="Kaufman and Rousseeuw (1990), Finding Groups in Data",
        task="classification",
        cost=_cost,
        formula=r"\hat y = \arg\min_k \sum_j |x_j - m_{kj}|",
        line="the nearest most central row",
    )
)
@dataclass(frozen=True, kw_only=True)
class NearestMedoid(Method):
    r"""Predicts the class whose most central row lies nearest.

    $\hat y = \arg\min_k \|x - m_k\|_1$, where the medoid $m_k$ is the row of class $k$ with the
    least sum of distances to the others of its class.

    Use it where a class is to be told by a row that was seen, and where few rows are far off.
    O(n^2 p). Fails when classes are long, of different width, or in several pieces.
    """

    prototype: str = choice(
        "medoid",
        "medoid",
        "median",
        doc="Whether a class is told by its most central row, or by the median of each column.",
    )

    def _fit(self, given: Given) -> NearestMedoidFit:
        of_class = [given.X[given.target == k] for k in range(len(given.labels))]
        prototypes = np.array([self._prototype(rows) for rows in of_class])
        mean = [_distances(X, z[None]).mean() for X, z in zip(of_class, prototypes, strict=True)]
        return NearestMedoidFit(
            made_by=self, columns=given.columns, classes=given.labels, prototypes=prototypes,
            spread=Spread(np.array(mean)),
        )  # fmt: skip

    def _prototype(self, rows: np.ndarray) -> np.ndarray:
        if self.prototype == "median":
            return np.median(rows, axis=0)
        return rows[_distances(rows, rows).sum(axis=0).argmin()]
