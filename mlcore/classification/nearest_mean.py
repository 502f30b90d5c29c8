"""The nearest mean: a row belongs to the class whose mean lies nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.classification.priors import refuse_empty
from mlcore.classification.scatter import BLOCK, class_means
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import best_class, decision_of
from mlcore.spine.capabilities_of_sums import Sum, linear_scores
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestMeanFit(Fit):
    """One mean a class, and the linear scores that follow from them."""

    classes: np.ndarray  # (K,) sorted labels
    counts: np.ndarray  # (K,) weight of each class
    means: np.ndarray  # (K, p)
    origin: np.ndarray  # (p,) where scores are taken from: the mean of the means, or zero
    offsets: np.ndarray  # (K,) scores at the origin

    @property
    def coefficients(self) -> np.ndarray:
        """Change of the scores, shape (K, p), of two classes of their difference, (p,)."""
        return self.means[1] - self.means[0] if len(self.classes) == 2 else self.means

    @property
    def intercept(self) -> Any:
        """The scores at zero, shape (K,), of two classes their difference, a number."""
        # About the origin means and scores have lost a part that is the same for all classes.
        levels = self.offsets - (self.means - self.origin) @ self.origin
        return float(levels[1] - levels[0]) if len(levels) == 2 else levels

    def decision(self, X: Any) -> np.ndarray:
        """Half the squared distance to the first mean less that to the second, shape (m,).

        Of more classes minus half the squared distance to each, up to a number that is the same
        for all classes, shape (m, K). Without offset: the products with the means.
        """
        return decision_of(self._scores(self._rows(X)))

    @property
    def as_sum(self) -> Sum:
        """Scores: a line a column."""
        # As they are taken: of more classes without a part that is the same for all.
        away = self.means - self.origin
        return linear_scores(away[1] - away[0] if len(away) == 2 else away, self.decision)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the nearest mean, shape (m,); the first on ties."""
        return self.classes[best_class(self.decision(X))]

    def _scores(self, X: np.ndarray) -> np.ndarray:
        away = (self.means - self.origin).T
        out = np.empty((len(X), len(self.classes)))
        for start in range(0, len(X), BLOCK):
            at = slice(start, start + BLOCK)
            np.matmul(X[at] - self.origin, away, out=out[at])
        out += self.offsets
        return out

    def holds_together(self) -> bool:
        """Whether there is one mean a class."""
        K, p = len(self.classes), self.n_columns
        return (self.means.shape, self.origin.shape, self.offsets.shape) == ((K, p), (p,), (K,))


def _cost(n: int, p: int, method: NearestMean) -> tuple[float, float]:
    return 2e-4 + 1e-9 * n * p, 24.0 * n + 100.0 * p


@enter(
    Card(
        "nearest_mean",
        "Nearest mean",
        ("classification",),
        paper="Rocchio (1971), The SMART Retrieval System",
        task="classification",
        peer="sklearn.neighbors.NearestCentroid",
        sources=("epfl:nearest_mean",),
        takes=("weights",),
        cost=_cost,
        formula=r"\hat y = \arg\min_k \|x - \mu_k\|^2",
        synonyms=(
            "nearest centroid", "NearestCentroid", "minimum distance classifier",
            "Rocchio classifier", "prototype classifier",
        ),
        line="the class whose mean lies nearest",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NearestMean(Method):
    r"""Predicts the class whose mean lies nearest.

    $\hat y = \arg\min_k \|x - \mu_k\|^2$. Between two classes the border stands upright on the
    line between the means $\mu_+$ and $\mu_-$ and halves it: $f(x) = x^\top (\mu_+ - \mu_-) + b$
    with $b = \tfrac12 (\|\mu_-\|^2 - \|\mu_+\|^2)$.

    Use it as a first line to beat, on columns of comparable scale: it has nothing to tune, and few
    rows are enough. O(n p). It fails when classes are long, of different width, or in pieces.
    """

    offset: str = choice(
        "bisector",
        "bisector",
        "zero",
        doc="Bisector: the border halves the way between two means. Zero: it goes through the "
        "origin, which is the same only for means equally far from it.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(offset="bisector") or {}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse squares that vanish."""
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> NearestMeanFit:
        counts, means = class_means(given.X, given.target, given.weights, len(given.labels))
        refuse_empty(counts, given.labels, self.title())
        # Far from zero, squares of the means themselves would cancel.
        origin = means.mean(axis=0) if self.offset == "bisector" else np.zeros(given.p)
        squares = ((means - origin) ** 2).sum(axis=1)
        return NearestMeanFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            counts=counts,
            means=means,
            origin=origin,
            offsets=-0.5 * squares if self.offset == "bisector" else np.zeros(len(means)),
        )
