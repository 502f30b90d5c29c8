"""Stacking: a method that learns how to join what others say of rows they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles.members import (
    estimators_of,
    models_of,
    named_for_peer,
    of_one_output,
    silent,
    with_weight,
)
from mlcore.ensembles.stacked import Stacked, StackedFit, cost_of
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities, HasCoefficients
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.outer import where_inner
from mlcore.spine.params import part

PAPERS = "Wolpert (1992), Neural Networks 5; Breiman (1996), Machine Learning 24"


@dataclass(frozen=True, eq=False, kw_only=True)
class StackingFit(StackedFit):
    """Classifiers fitted to all rows, and the one that joins what they say."""

    classes: np.ndarray  # (K,) sorted labels

    @property
    def _n_classes(self) -> int:
        return len(self.classes)

    def member_answers(self, X: Any) -> np.ndarray:
        """The class that each member predicts, as its code, shape (m, B)."""
        X = self._rows(X)
        return np.column_stack([member.predict(X) for member in self.members])

    def predict(self, X: Any) -> np.ndarray:
        """The class that the final classifier says, shape (m,)."""
        return self.classes[self.final.predict(self._stacked(X))]

    @where_inner(GivesProbabilities)
    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class by the final classifier, shape (m, K)."""
        return self.final.probabilities(self._stacked(X))

    @where_inner(GivesDecision)
    def decision(self, X: Any) -> np.ndarray:
        """Scores of the final classifier, (m, K), of two classes (m,), positive for the second."""
        return self.final.decision(self._stacked(X))

    @where_inner(HasCoefficients)
    @property
    def member_weights(self) -> np.ndarray:
        """What each member's word counts in the final scores, shape (B,).

        By how much the score of a class draws ahead of the mean of the others when the member moves
        all its probability from these, in equal shares, to it; mean over the classes.
        """
        K, B = len(self.classes), len(self.members)
        rises = np.zeros((K, B, K))  # of each score with each probability, that of the last as 0
        if K == 2:
            rises[1, :, 0] = self.final.coefficients
        else:
            rises[:, :, :-1] = self.final.coefficients.reshape(K, B, K - 1)
        rises -= rises.mean(axis=0)
        rises -= rises.mean(axis=2, keepdims=True)
        return np.einsum("kbk->b", rises) / K * (K / (K - 1)) ** 2


@enter(
    Card(
        "stacking",
        "Stacking",
        ("classification",),
        paper=PAPERS,
        task="classification",
        peer="sklearn.ensemble.StackingClassifier",
        sources=("cs2:stacking",),
        takes=("weights", "groups"),
        random=True,
        cost=cost_of,
        formula=r"\hat y = g\big(\hat p^{(1)}(x), \ldots, \hat p^{(B)}(x)\big)",
        synonyms=("StackingClassifier", "stacked generalization", "blending", "super learner"),
        line="learns how to join classifiers",
    )
)
@dataclass(frozen=True, kw_only=True)
class Stacking(Stacked):
    r"""Learns how to join different classifiers from what they say of rows they have not seen.

    Each classifier is fitted to all folds but one and asked for that one, so that every row has
    probabilities by members that have not learned from it; from these the final classifier g
    learns. Then the members are fitted to all rows: $\hat y = g(\hat p^{(1)}(x), \ldots)$.

    Use it to squeeze the last out of good but different methods. O(B (folds + 1)) fits. It is as
    good as the best member in what it minimises on these folds, not on new rows. Fails to gain with
    few rows, where its weights are noise, and with one member far ahead. Had g learned from fitted
    rows, it would trust whoever learns by heart.
    """

    peer_differs = (
        "Its folds are not shuffled, and of more than two classes it keeps all probabilities."
    )

    estimators: tuple[Any, ...] = estimators_of(
        "Whose probabilities are joined; of one that gives none, its vote."
    )
    final: Method = part(
        "logistic", slot="classification", label="Final classifier", doc="What joins them."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if mute := silent(self.estimators):
            return (
                f"{self.title()} with votes of {mute} is not written for scikit-learn, which "
                "takes its scores."
            )
        return {
            "estimators": named_for_peer(self.estimators),
            "final_estimator": self.final,
            "cv": self.folds,
        }

    def fit_class(self) -> type[StackingFit]:
        """A fit with what the final classifier gives."""
        return StackingFit.around(self.final)

    def _with_weight(self, given: Given) -> Given:
        return with_weight(given, self.title())

    def _fit(self, given: Given) -> StackingFit:
        return self.fit_class()(classes=given.labels, **self._joined(given))


@dataclass(frozen=True, eq=False, kw_only=True)
class StackingRegressionFit(StackedFit):
    """Models fitted to all rows, and the one that joins what they say."""

    def predict(self, X: Any) -> np.ndarray:
        """What the final model says, in units of the target, shape (m,)."""
        return self.final.predict(self._stacked(X))

    @where_inner(HasCoefficients)
    @property
    def member_weights(self) -> np.ndarray:
        """The coefficient that each member has in the final model, shape (B,)."""
        return self.final.coefficients


@enter(
    Card(
        "stacking_regression",
        "Stacking regression",
        ("regression",),
        paper=PAPERS,
        task="regression",
        peer="sklearn.ensemble.StackingRegressor",
        sources=("cs2:stacking",),
        takes=("weights", "groups"),
        random=True,
        cost=cost_of,
        formula=r"\hat f(x) = g\big(\hat f^{(1)}(x), \ldots, \hat f^{(B)}(x)\big)",
        synonyms=("StackingRegressor", "stacked generalization", "blending", "super learner"),
        line="learns how to join regressions",
    )
)
@dataclass(frozen=True, kw_only=True)
class StackingRegression(Stacked):
    r"""Learns how to join different models from what they say of rows they have not seen.

    Each model is fitted to all folds but one and asked for that one, so that every row has a number
    by members that have not learned from it; from these the final model g learns, in the first
    place a sum with weights of 0 and above. Then the members are fitted to all rows:
    $\hat f(x) = g(\hat f^{(1)}(x), \ldots)$.

    Use it where several good models err on different rows. O(B (folds + 1)) fits. Members say
    nearly the same, so free weights are large and of both signs; weights of 0 and above, or ridge,
    keep the answer between theirs. Fails to gain with few rows and with one member far ahead.
    """

    peer_differs = "Its folds are not shuffled."

    estimators: tuple[Any, ...] = models_of("Whose answers are joined.")
    final: Method = part(
        "non_negative_regression",
        slot="regression",
        label="Final model",
        doc="What joins them: non-negative least squares or ridge regression as a rule.",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return of_one_output(self.title(), (*self.estimators, self.final)) or {
            "estimators": named_for_peer(self.estimators),
            "final_estimator": self.final,
            "cv": self.folds,
        }

    def fit_class(self) -> type[StackingRegressionFit]:
        """A fit with what the final model gives."""
        return StackingRegressionFit.around(self.final)

    def _fit(self, given: Given) -> StackingRegressionFit:
        return self.fit_class()(**self._joined(given))
