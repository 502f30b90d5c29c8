"""Removing outliers: the most remote training rows are not learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import deviations
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit
from mlcore.spine.capabilities import Resampled
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, real
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class OutlierRemoverFit(StepFit):
    """Where the training rows lie, and from which distance on a row is not learned from."""

    made_by: OutlierRemover
    center: np.ndarray  # (p,) mean of the training rows; (0,) for knn
    axes: (
        np.ndarray
    )  # (p, r) along which the training rows have standard deviation 1; one over the spread of
    # each column, (p,), for zscore; (0,) for knn
    seen: np.ndarray  # (n, p) the training rows; (0, p) unless for knn
    threshold: float  # the score of the most remote row that stays
    n_rows: int
    n_removed: int

    @property
    def score_name(self) -> str:
        """What the score of a row is called."""
        return LABELS[self.made_by.score]

    def scores(self, X: Any) -> np.ndarray:
        """How remote each row is, shape (m,); a training row is no neighbour of itself."""
        X = self._rows(X)
        if self.made_by.score == "knn":
            return _to_neighbour(self.seen, X, self.made_by.n_neighbors)
        if self.made_by.score == "zscore":
            return np.abs((X - self.center) * self.axes).max(axis=1)
        return np.sqrt((((X - self.center) @ self.axes) ** 2).sum(axis=1))

    def resample(self, X: Any, y: Any = None) -> Resampled:
        """The rows of X, shape (n, p), that are no more remote than the threshold, in order."""
        X = self._rows(X)
        rows = np.flatnonzero(self.scores(X) <= self.threshold)
        return Resampled(X[rows], rows)

    def summary(self) -> StepSummary:
        """The threshold, and how many of the training rows lie beyond."""
        title, gone = self.made_by.title(), self.n_removed
        values = (("all columns", "threshold", self.threshold), ("rows", "removed", float(gone)))
        if not gone:
            return StepSummary(title, values, f"Removed none of {count(self.n_rows, 'row')}.")
        rows = f"{gone} of {count(self.n_rows, 'row')}"
        note = f"Removed {rows}, with a {self.score_name} above {self.threshold:.4g}."
        return StepSummary(title, values, note, "without the most remote rows")


LABELS = {
    "mahalanobis": "Mahalanobis distance",
    "knn": "distance to their neighbours",
    "zscore": "largest z-score",
}


def _cost(n: int, p: int, step: OutlierRemover) -> tuple[float, float]:
    per_row = {"knn": 2e-9 * n * p, "mahalanobis": 1e-7 * p + 1e-8 * p**2, "zscore": 8e-8 * p}
    return 1e-3 + n * per_row[step.score], 24.0 * n * p


@enter(
    Card(
        "outlier_remover",
        "Removal of outliers",
        ("preparation",),
        stage="resample",
        paper="Hotelling (1931), Annals of Mathematical Statistics 2",
        sources=("s841:hotelling_t2",),
        takes=("columns",),
        cost=_cost,
        formula=r"d(x) = \sqrt{(x - \bar x)^\top \Sigma^{-1} (x - \bar x)} \le \theta",
        synonyms=("outlier detection", "anomaly removal", "trimming", "local outlier"),
        line="leaves the farthest training rows out",
    )
)
@dataclass(frozen=True, kw_only=True)
class OutlierRemover(Method):
    r"""Leaves out the training rows that lie farthest from the others.

    How remote a row is: $\sqrt{(x - \bar x)^\top \Sigma^{-1} (x - \bar x)}$, the root of
    Hotelling's T squared (mahalanobis); the distance to the k-th nearest other row (knn); or the
    largest $|x_j - \bar x_j| / s_j$ of all columns (zscore). Rows beyond the `share` quantile of
    the training rows are not learned from, of equally remote ones none or all. Test rows
    stay, whatever they look like: scores are honest about outliers.

    For methods that a few wild rows turn around. Standardise before knn. A remote row may be the
    most telling one of the table, and some rows are always the farthest: look at the scores first.
    Mean and covariance are drawn along by what they should find. O(n p^2), knn O(n^2 p).
    """

    score: str = choice("mahalanobis", "mahalanobis", "knn", "zscore", doc="What remote means.")
    share: float = real(
        0.02,
        low=0.0,
        high=0.2,
        soft=(0.0, 0.2),
        doc="Largest part of the training rows that is left out.",
    )
    n_neighbors: int = integer(
        5,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Number of neighbours",
        doc="The neighbour that counts.",
        only_if={"score": "knn"},
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """A sentence if X, shape (n, p), has no more rows than neighbours; else None."""
        if self.score == "knn" and len(X) <= self.n_neighbors:
            return (
                f"{self.title()} looks for {count(self.n_neighbors, 'neighbour')} and needs more "
                f"rows than that; got {len(X)}. Lower the number, or choose another score."
            )
        return None

    def _fit(self, given: Given) -> OutlierRemoverFit:
        refuse_names(given.columns, self.title())
        is_knn = self.score == "knn"
        fit = OutlierRemoverFit(
            made_by=self,
            columns=given.columns,
            out_columns=given.columns,
            center=np.empty(0) if is_knn else given.X.mean(axis=0),
            axes=np.empty(0) if is_knn else self._axes(given.X),
            seen=given.X if is_knn else given.X[:0],
            threshold=np.inf,
            n_rows=given.n,
            n_removed=0,
        )
        scores = fit.scores(given.X)
        beyond = int(self.share * given.n)
        threshold = float(np.sort(scores)[given.n - beyond - 1])
        return replace(fit, threshold=threshold, n_removed=int((scores > threshold).sum()))

    def _axes(self, X: np.ndarray) -> np.ndarray:
        if self.score == "zscore":
            spread = deviations(X)
            return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        metric: Any = lookup("metric", "mahalanobis")
        return metric(scope="total").frame(X, None).axes


def _to_neighbour(seen: np.ndarray, X: np.ndarray, k: int) -> np.ndarray:
    """Distance of each row to the k-th nearest training row, (m,); one equal row does not count."""
    distances = Neighbours(seen).nearest(X, k + 1).distances
    return np.where(distances[:, 0] == 0, distances[:, k], distances[:, k - 1])
