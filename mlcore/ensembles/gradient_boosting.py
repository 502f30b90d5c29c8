"""Gradient boosting of classes: small trees, each grown on what those before it got wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles.boosting import Boosting, BoostingFit, Task, by_row, cost_of
from mlcore.maths.class_scores import best_class, softmax
from mlcore.optimisation import losses
from mlcore.optimisation.losses import Loss
from mlcore.spine.capabilities_of_sums import LOG_ODDS, SCORE, Sum
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice

USUAL_CLASSES = 2  # whose number is not known before there are rows


@dataclass(frozen=True, eq=False, kw_only=True)
class GradientBoostingFit(BoostingFit):
    """Scores of the classes, as sums of trees."""

    made_by: GradientBoosting
    classes: np.ndarray  # (K,) sorted labels

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or a score a class, shape (m, K)."""
        return by_row(self._scores(X))

    def downhill(self, y: np.ndarray, at: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Minus the slope of the loss of codes y, (n,), at scores `at`, (n,) or (n, K); so shaped.

        Of the log-likelihood that is what the probability of a class falls short of 0 or 1.
        Weights change no slope of a row.
        """
        loss = self.made_by.loss_of(len(self.classes))
        Z = at[None] if at.ndim == 1 else at.T
        y = y.astype(float) if len(self.classes) == 2 else y
        return by_row(-loss.at(y, np.ascontiguousarray(Z)).slope)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K)."""
        Z = self.decision(X)
        if Z.ndim == 1:
            Z = np.column_stack([-Z / 2, Z / 2])
        return softmax(Z)

    @property
    def as_sum(self) -> Sum:
        """Log-odds of two classes, scores of more: the trees of the rounds that count."""
        scale = LOG_ODDS if len(self.classes) == 2 else SCORE
        return super().as_sum._replace(scale=scale, scores=self.decision)

    def holds_together(self) -> bool:
        """Whether also as many scores belong to a row as its classes need."""
        needed = 1 if len(self.classes) == 2 else len(self.classes)
        return super().holds_together() and len(self.start) == needed


def _cost(n: int, p: int, it: GradientBoosting) -> tuple[float, float]:
    return cost_of(n, p, it, USUAL_CLASSES)


@enter(
    Card(
        "gradient_boosting",
        "Gradient boosting",
        ("classification",),
        paper="Friedman (2001), Annals of Statistics 29(5)",
        task="classification",
        peer="sklearn.ensemble.HistGradientBoostingClassifier",
        sources=("cs2:gradient_boosting_named", "cs1:boosting_intro", "cs1:smooth_surrogate"),
        takes=("weights", "missing", "groups", "order"),
        random=True,
        cost=_cost,
        formula=r"F_t = F_{t-1} + \nu f_t, \qquad "
        r"f_t = -\frac{\sum_{i \in \text{leaf}} g_i}{\sum_{i \in \text{leaf}} h_i + \lambda}",
        synonyms=(
            "GBM", "GBDT", "gradient boosted trees", "XGBoost", "LightGBM", "CatBoost",
            "HistGradientBoostingClassifier", "GradientBoostingClassifier", "AnyBoost",
        ),
        line="trees that fit what is left, one by one",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Boosting):
    r"""Adds small trees, each grown on the slope $g$ of the loss where those before it stand.

    The loss is minus the log-likelihood of the classes, or of two classes the exponential one, that
    of AdaBoost. A round adds one tree for two classes, one a class for more; a split gains
    $\sum G^2 / (H + \lambda)$ most, with the sums of the slopes and curvatures on its sides, and a
    leaf adds one Newton step, of which the share $\nu$ counts. Cuts lie between bins; missing
    values go to the side that gains more.

    Among the most accurate methods on tables of many rows; needs no scaling and no imputation.
    Smaller steps need more rounds. O(p n) a level of a tree. With too many rounds it repeats the
    noise, so stop by held-out rows; beyond the rows its odds go on level, and it says less of its
    reasons than one tree.
    """

    loss: str = choice(
        "log_likelihood", "log_likelihood", "exponential",
        doc="What a wrong score costs: minus the log-likelihood, or e to the power of half the "
        "log-odds against the own class, which wrong labels pull much harder (AdaBoost).",
        advanced=True,
    )  # fmt: skip

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, which has no exponential loss."""
        return self.beyond_peer(loss="log_likelihood") or super().peer_settings()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more than two classes for the exponential loss."""
        if self.loss == "exponential" and y is not None and (K := int(y.max()) + 1) > 2:
            return (
                f"{self.title()} with the exponential loss parts two classes; there are {K}. "
                "Choose the log-likelihood."
            )
        return None

    def _task(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Task:
        y, K = given.target, len(given.labels)
        shares = np.bincount(y[learn], weights=w, minlength=K) / len(learn)
        logs = np.log(np.maximum(shares, np.finfo(float).tiny))
        loss = self.loss_of(K)
        if K == 2:
            return Task(loss, y.astype(float), logs[1:] - logs[:1])
        return Task(loss, y, logs - logs.mean())

    def loss_of(self, K: int) -> Loss:
        """What is made small for K classes."""
        if K > 2:
            return losses.Softmax()
        return losses.Exponential() if self.loss == "exponential" else losses.Logistic()

    def _finished(self, given: Given, end: Step) -> GradientBoostingFit:
        return GradientBoostingFit(**self._shared(given, end), classes=given.labels)
