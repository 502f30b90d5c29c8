"""Bagging: one method fitted again and again to rows and columns drawn at random, and averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles.bagged import (
    Bagged,
    BaggingState,
    ClassBaggingFit,
    NumberBaggingFit,
    cost_of,
)
from mlcore.ensembles.members import of_one_output, shares_of
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, part

BREIMAN = "Breiman (1996), Machine Learning 24"


@enter(
    Card(
        "bagging",
        "Bagging",
        ("classification",),
        paper=BREIMAN,
        task="classification",
        peer="sklearn.ensemble.BaggingClassifier",
        sources=(
            "cs2:bagging_vote", "cs2:pasting", "cs2:random_subspaces", "cs2:random_patches",
            "epfl:bagging", "s841:bagging", "s841:bagging_prob", "s841:random_multinomial_logit",
        ),
        takes=("weights",),
        random=True,
        cost=cost_of,
        formula=r"\hat p_k(x) = \frac1B \sum_b \hat p_k^{(b)}(x)",
        synonyms=(
            "bootstrap aggregating", "BaggingClassifier", "pasting", "random subspace method",
            "random patches", "committee of networks", "deep ensemble", "MCDNN",
        ),
        line="one classifier on many resampled tables",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Bagging(Bagged):
    r"""Averages one classifier, fitted again and again to rows and columns drawn at random.

    Member b is fitted to rows drawn with replacement, and to some of the columns if so wished;
    $\hat p_k(x) = \frac1B \sum_b \hat p_k^{(b)}(x)$, or the share of the votes. About a third of
    the rows take no part in a member: they give an error without test rows.

    Use it to steady a classifier that a few rows can change, such as a deep tree or a neighbour;
    of networks, which differ by their first weights, a committee without bootstrap does.
    O(B) fits. It hardly changes what is steady already, such as a linear rule, and does not mend
    what is wrong everywhere: the members err alike, and an average of equals is the same again.
    """

    estimator: Method = part(
        "decision_tree", slot="classification", label="Classifier", doc="What each member is."
    )
    vote: str = choice(
        "auto",
        "auto",
        "probabilities",
        "majority",
        doc="Average the probabilities of the members, or count a vote for the likeliest class "
        "each; auto averages where the classifier gives probabilities.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(vote="auto") or super().peer_settings()

    def conflict(self) -> str | None:
        """Refuse to average what the classifier does not give."""
        if self.vote == "probabilities" and not promises(self.estimator, GivesProbabilities):
            return (
                f"{self.title()} averages probabilities, which {self.estimator.title()} does not "
                "give. Let the members vote."
            )
        return None

    @property
    def is_sum(self) -> bool:
        """Votes of whole classes are no sum of probabilities."""
        return self.vote != "majority" and super().is_sum

    def answers(self, member: Any, X: np.ndarray, K: int) -> np.ndarray:
        """The probabilities of the classes by one member, or its vote, shape (m, K)."""
        return shares_of(member, X, K, as_votes=self.vote == "majority")

    def _made(self, given: Given, state: BaggingState) -> ClassBaggingFit:
        votes = self._oob_votes(given, state)
        return ClassBaggingFit(classes=given.labels, oob_votes=votes, **self._common(given, state))


@enter(
    Card(
        "bagging_regression",
        "Bagging regression",
        ("regression",),
        paper=BREIMAN,
        task="regression",
        peer="sklearn.ensemble.BaggingRegressor",
        sources=("cs2:bagging_regression", "s841:bagging_regression_ozone"),
        takes=("weights",),
        random=True,
        cost=cost_of,
        formula=r"\hat f(x) = \frac1B \sum_b \hat f^{(b)}(x)",
        synonyms=(
            "bootstrap aggregating",
            "BaggingRegressor",
            "pasting",
            "bagged regression",
            "committee of networks",
            "deep ensemble",
        ),
        line="one regression on many resampled tables",
    )
)
@dataclass(frozen=True, kw_only=True)
class BaggingRegression(Bagged):
    r"""Averages one regression method, fitted again and again to rows and columns drawn at random.

    Member b is fitted to rows drawn with replacement, and to some of the columns if so wished;
    $\hat f(x) = \frac1B \sum_b \hat f^{(b)}(x)$. About a third of the rows take no part in a
    member, and give an error that needs no test rows.

    Use it to steady a method that a few rows can change, such as a deep tree; of networks, which
    differ by their first weights, a committee without bootstrap does. O(B) fits. Members of
    variance $\sigma^2$ and correlation $\rho$ leave $\rho \sigma^2 + (1 - \rho) \sigma^2 / B$, so
    it hardly changes what is steady already, and what is wrong everywhere it does not mend.
    """

    estimator: Method = part(
        "regression_tree", slot="regression", label="Model", doc="What each member is."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return of_one_output(self.title(), (self.estimator,)) or super().peer_settings()

    def _made(self, given: Given, state: BaggingState) -> NumberBaggingFit:
        return NumberBaggingFit(**self._common(given, state))
