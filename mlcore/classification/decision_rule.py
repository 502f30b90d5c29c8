"""Deciding by costs: of the probabilities of any classifier, the class of least expected cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.classification.costs import Costs
from mlcore.classification.priors import ClassPrior, refuse_empty
from mlcore.maths.class_scores import best_class, decision_of
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities, HasClasses
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.inner import fit_to_target, refuse_weights
from mlcore.spine.method import Given, Method
from mlcore.spine.params import part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionRuleFit(Fit):
    """A classifier, and what its errors cost."""

    classes: np.ndarray  # (K,) sorted labels
    inner: Any  # a fit that gives probabilities of codes 0 .. K - 1 of the classes
    costs: np.ndarray  # (K, K) rows true, columns predicted
    odds: np.ndarray  # (K,) deployed by training shares of the classes
    reject_cost: float = np.inf  # of a row that is left undecided

    def probabilities(self, X: Any) -> np.ndarray:
        """Those of the classifier, corrected for the deployed shares, shape (m, K)."""
        P = self.inner.probabilities(self._rows(X)) * self.odds
        return P / P.sum(axis=1, keepdims=True)

    def expected_costs(self, X: Any) -> np.ndarray:
        """Cost that is expected of saying each class, shape (m, K)."""
        return self.probabilities(X) @ self.costs

    def decision(self, X: Any) -> np.ndarray:
        """Minus the expected costs, (m, K); of two classes what the second saves, (m,)."""
        return decision_of(-self.expected_costs(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of least expected cost, shape (m,); the first on ties."""
        return self.classes[best_class(self.decision(X))]

    def rejects(self, X: Any) -> np.ndarray:
        """Whether each row is left undecided: every class is expected to cost more, shape (m,)."""
        return self.expected_costs(X).min(axis=1) > self.reject_cost

    def holds_together(self) -> bool:
        """Whether the classifier inside does, and knows these classes."""
        inner, K = self.inner, len(self.classes)
        if not (isinstance(inner, Fit) and isinstance(inner, HasClasses)):
            return False
        same = np.array_equal(np.asarray(inner.classes), np.arange(K)) and inner.holds_together()
        return same and self.costs.shape == (K, K) and self.odds.shape == (K,)


def _cost(n: int, p: int, it: DecisionRule) -> tuple[float, float]:
    own = it.estimator.card.cost
    seconds, size = own(n, p, it.estimator) if own else (1e-3, 8.0 * n * p)
    return 1e-4 + seconds, size


@enter(
    Card(
        "decision_rule",
        "Decision by costs",
        ("classification",),
        paper="Chow (1970), IEEE Transactions on Information Theory 16(1); Elkan (2001), IJCAI 17",
        task="classification",
        sources=("cs1:cost_matrix", "cs1:prior_shift_demo", "prac:cost_tradeoff"),
        takes=("weights",),
        scores=("cost_scores", "classification_scores"),
        random=True,
        cost=_cost,
        formula=r"\hat y = \arg\min_l \sum_k c_{kl}\, \hat p_k(x)",
        synonyms=(
            "cost-sensitive learning", "cost matrix", "expected cost", "Bayes risk",
            "FixedThresholdClassifier", "prior shift", "reject option", "Chow's rule",
            "abstention", "selective classification",
        ),
        line="the class whose errors cost least",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DecisionRule(Method):
    r"""Says the class whose errors are expected to cost least, not the most probable one.

    $\hat y = \arg\min_l \sum_k c_{kl}\, \hat p_k(x)$ with the cost $c_{kl}$ of taking a row of
    class k for class l and the probabilities of any classifier. Of two classes the second is said
    from a probability of $c_{12} / (c_{12} + c_{21})$ on. Where classes will be more or less
    common than they are among the training rows, the probabilities are corrected first. A row may
    be left undecided, where that costs less than the class said would be expected to: with equal
    costs of errors, where no probability exceeds $1 - c_r$ (Chow 1970).

    Use it where errors differ in what they cost: a missed illness and a false alarm. It costs one
    fit of the classifier, and O(K^2) a row.
    Only as good as the probabilities: a classifier that is too sure, as boosted or naive ones are,
    puts the cut at the wrong place. Accuracy falls; that is what it is for.
    """

    estimator: Method = part(
        "logistic", slot="classification", label="Classifier", doc="Whose probabilities are used."
    )
    costs: Costs = part("zero_one", slot="costs", doc="What taking one class for another costs.")
    deployed_prior: ClassPrior = part(
        "empirical",
        slot="class_prior",
        label="Shares where it is used",
        doc="How common the classes are where predictions are made; empirical are those of the "
        "training rows.",
    )

    reject_cost: float | None = real(
        None,
        low=0.0,
        soft=(0.0, 1.0),
        or_none="never",
        symbol="c_r",
        label="Cost of rejection",
        doc="What a row costs that is left to somebody else. It is left where every class is "
        "expected to cost more (Chow's rule).",
    )

    def conflict(self) -> str | None:
        """Refuse a classifier without probabilities."""
        if promises(self.estimator, GivesProbabilities):
            return None
        return (
            f"{self.title()} needs probabilities, which {self.estimator.title()} does not give. "
            "Choose another classifier."
        )

    def _fit(self, given: Given) -> DecisionRuleFit:
        refuse_weights(self.estimator, given, self.title())
        counts = np.bincount(given.target, weights=given.w)
        refuse_empty(counts, given.labels, self.title().lower())
        return DecisionRuleFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            costs=self.costs.matrix(len(given.labels)),
            odds=self.deployed_prior.shares(counts) * counts.sum() / counts,
            reject_cost=np.inf if self.reject_cost is None else self.reject_cost,
            inner=fit_to_target(self.estimator, given),
        )
