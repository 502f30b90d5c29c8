"""Additive logistic regression: log odds of the classes as sums of smooth curves, one a column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logit

from mlcore.additive.curves import Curves
from mlcore.additive.settings import AdditiveMethod, Design
from mlcore.additive.working import End, Problem, walked
from mlcore.classification.logits import logistic_function
from mlcore.maths.arrays import vanishing
from mlcore.maths.class_scores import best_class, softmax
from mlcore.optimisation.deviances import BinomialLoss
from mlcore.spine.capabilities_of_sums import LOG_ODDS, SCORE, Sum
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import CLASS, ClassNote
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given
from mlcore.spine.params import choice, real
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import listed


@dataclass(frozen=True, eq=False, kw_only=True)
class LogOdds(Curves):
    """Curves and surfaces that add up to the log odds of one class against all others."""

    @property
    def link(self) -> str:
        """What the curves add up to is the logarithm of the odds."""
        return "logit"

    def turned(self) -> LogOdds:
        """The log odds of the others against this class."""
        return replace(self, intercept=-self.intercept, weights=-self.weights)


@dataclass(frozen=True, eq=False, kw_only=True)
class AdditiveLogisticFit(Fit):
    """Log odds of the second of two classes, or of each of more against all others."""

    made_by: AdditiveLogistic
    classes: np.ndarray  # (K,) sorted labels
    odds: tuple[LogOdds, ...]  # (1,) for two classes, else (K,)
    notes: tuple[str, ...] = ()

    def decision(self, X: Any) -> np.ndarray:
        """Log odds of the second class, shape (m,), or of each class, shape (m, K)."""
        X = self._rows(X)
        scores = np.column_stack([one.added(X) for one in self.odds])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest odds, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K); of more than two, scaled to a sum of 1."""
        Z = self.decision(X)
        if Z.ndim == 1:
            return np.column_stack([logistic_function(-Z).value, logistic_function(Z).value])
        return softmax(-np.logaddexp(0.0, -Z))  # logarithms, so that far rows do not give 0 / 0

    def terms_of(self, k: int) -> LogOdds:
        """What adds up to the log odds of class k, by its position in `classes`."""
        if len(self.classes) > 2:
            return self.odds[k]
        return self.odds[0] if k == 1 else self.odds[0].turned()

    @property
    def pairs(self) -> np.ndarray:
        """The two columns of each surface, the same for every class, shape (s, 2)."""
        return self.odds[0].pairs

    @property
    def as_sum(self) -> Sum | None:
        """The log odds: curves; None with surfaces, which are of no single column."""
        if len(self.pairs):
            return None

        def curve(X: np.ndarray, j: int) -> np.ndarray:
            return np.hstack([one.curve(X, j) for one in self.odds])

        scale = LOG_ODDS if len(self.odds) == 1 else SCORE
        return Sum(curve=curve, scale=scale, scores=self.decision)

    def holds_together(self) -> bool:
        """Whether there are odds for each class, by these columns."""
        K = len(self.classes)
        own = all(one.n_columns == self.n_columns for one in self.odds)
        return own and len(self.odds) == (1 if K == 2 else K)


CLASSES, MODELS = 2, 8.0  # sums of a usual table, and working models of one: for the cost alone


def _cost(n: int, p: int, method: AdditiveLogistic) -> tuple[float, float]:
    q = method.weights_of(p)
    rounds = 70.0 if method.smoothing == "reml" else MODELS
    each = MODELS * (2.0 * n * q**2 / 3e10 + 1e-8 * n * q) + rounds * (1e-4 + q**3 / 1e10)
    return 5e-3 + CLASSES * each, 32.0 * n * q + 60.0 * q**2


@enter(
    Card(
        "additive_logistic",
        "Additive logistic regression",
        ("classification",),
        paper="Hastie and Tibshirani (1986), Statistical Science 1(3); Wood (2017), Generalized "
        "Additive Models, 2nd edition",
        task="classification",
        takes=("weights",),
        cost=_cost,
        formula=r"\min_f \; -\sum_i \omega_i \log p_{y_i}(x_i) + \sum_j \lambda_j "
        r"\|\Delta^2 \beta_j\|^2, \qquad \log \tfrac{p_k}{1 - p_k} = b_k + \sum_j f_{kj}(x_j)",
        synonyms=(
            "GAM", "generalized additive model", "LogisticGAM", "logistic GAM", "P-splines",
            "generalised additive classification", "partial effects", "smooth logistic regression",
        ),
        line="log odds from a curve a column",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class AdditiveLogistic(AdditiveMethod):
    r"""Log odds that are sums of smooth curves, one a column, each of which can be read.

    $\log \frac{p}{1 - p} = b + \sum_j f_j(x_j)$ with curves of B-splines whose squared second
    differences are charged (Eilers and Marx 1996); how strongly, the restricted
    likelihood of the working models chooses. Strong smoothing leaves a logistic
    regression. More than two classes have a sum each, against all others, and probabilities that
    are scaled to sum to 1.

    Use it where the odds bend with a column, such as a dose of which both too little and too much
    harm, and where one wants to see how. O(n q^2 + q^3) a working model for q = p K weights, some
    ten of them a class. It sees no interplay of columns but of those that are named for surfaces.
    Where classes can be separated, nothing but the penalty keeps the odds finite.
    """

    smoothing: str = choice(
        "reml", "reml", "given",
        doc="How strongly each curve is smoothed: by the greatest restricted likelihood of the "
        "working model, or all as given.",
    )  # fmt: skip
    alpha: float = real(
        0.1, low=0.0, soft=(0.0, 10.0), symbol=r"\alpha", label="Penalty",
        doc="Penalty, beside that on bends, on half the variance over the fitted rows of every "
        "line and bend: of lines as the squared coefficients of logistic regression on "
        "standardised columns.",
    )  # fmt: skip

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse too many weights, and differences whose squares vanish."""
        return self._too_many(X.shape[1]) or vanishing(X, self.title())

    def _fit(self, given: Given) -> AdditiveLogisticFit:
        design, K = self._design(given), len(given.labels)
        asked = [1] if K == 2 else range(K)
        ends = list(side_by_side(lambda k: self._end_of(given, design, k), asked))
        odds = tuple(LogOdds(**design.fields(end)) for end in ends)
        return AdditiveLogisticFit(
            made_by=self, columns=given.columns, classes=given.labels, odds=odds,
            notes=_unsettled([given.labels[k] for k, end in zip(asked, ends) if end.notes]),
        )  # fmt: skip

    def _end_of(self, given: Given, design: Design, k: int) -> End:
        """The last working model of class k against all others."""
        y, w = (given.target == k).astype(np.float64), given.w
        # Where classes can be separated, the charges that are chosen by the rows may all but go.
        fixed = self.alpha * (w @ design.Z**2) / w.sum()
        problem = Problem(
            design.Z, y, w, BinomialLoss(), 1.0, design.charged, fixed, who=self.title()
        )  # fmt: skip
        # As if there were half a row more of either: a class may weigh nothing, or everything.
        half = w.mean() / 2
        start = np.full(given.n, logit((w @ y + half) / (w.sum() + 2 * half)))
        return walked(problem, start, np.zeros(given.n), self._strengths, self.max_iter)


def _unsettled(labels: list[Any]) -> tuple[str, ...]:
    if not labels:
        return ()
    return (
        ClassNote(
            f"The working models of class {listed([CLASS] * len(labels))} still changed at the "
            "end: classes that can be separated have no best curves without a penalty.",
            labels,
        ),
    )
