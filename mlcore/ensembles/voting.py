"""Voting: different methods whose probabilities or numbers are averaged, or votes counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.ensembles.members import (
    are_sums,
    estimators_of,
    fitted,
    know_the_same,
    mean_of_sums,
    models_of,
    named_for_peer,
    names_of,
    of_one_output,
    shares_of,
    silent,
)
from mlcore.spine.capabilities_of_sums import Sum, promises_trees
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, many


@dataclass(frozen=True, eq=False, kw_only=True)
class JointFit(Fit):
    """Members side by side, and how much each of them counts."""

    made_by: Joint
    members: tuple[Any, ...]  # (B,) fits that know codes of classes, or say a number
    shares: np.ndarray  # (B,) how much each counts, of sum 1

    @property
    def member_names(self) -> tuple[str, ...]:
        """The titles of the members, (B,)."""
        return names_of(self.made_by.estimators)

    @property
    def member_weights(self) -> np.ndarray:
        """How much each member counts, of sum 1, shape (B,)."""
        return self.shares

    @property
    def _n_classes(self) -> int:
        return 0

    @property
    def as_sum(self) -> Sum | None:
        """The weighted mean of the members, if these are sums of what they predict."""
        if not self.made_by.is_sum:
            return None
        return mean_of_sums(self.members, self.shares, self._n_classes)

    def holds_together(self) -> bool:
        """Whether each member counts something, and knows these classes and columns."""
        same = know_the_same(self.members, self._n_classes, self.n_columns)
        return same and self.shares.shape == (len(self.members),)


@dataclass(frozen=True, eq=False, kw_only=True)
class VotingFit(JointFit):
    """Classifiers, and how much each of them counts."""

    made_by: Voting
    classes: np.ndarray  # (K,) sorted labels

    @property
    def _n_classes(self) -> int:
        return len(self.classes)

    def member_answers(self, X: Any) -> np.ndarray:
        """The class that each member predicts, as its code, shape (m, B)."""
        X = self._rows(X)
        return np.column_stack([member.predict(X) for member in self.members])

    def probabilities(self, X: Any) -> np.ndarray:
        """The weighted mean of the probabilities, or the shares of the votes, shape (m, K)."""
        return self._mean(X, as_votes=self.made_by.vote == "majority")

    def vote_shares(self, X: Any) -> np.ndarray:
        """The weight of the members that predict each class, shape (m, K)."""
        return self._mean(X, as_votes=True)

    def _mean(self, X: Any, *, as_votes: bool) -> np.ndarray:
        X, K = self._rows(X), len(self.classes)
        P = np.zeros((len(X), K))
        for member, share in zip(self.members, self.shares, strict=True):
            P += share * shares_of(member, X, K, as_votes=as_votes)
        return P

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest share, shape (m,); the first on ties."""
        # Shares of votes that are equal on paper differ by rounding: by a thousandth of a millionth
        # nothing is decided.
        return self.classes[self.probabilities(X).round(9).argmax(axis=1)]


@dataclass(frozen=True, eq=False, kw_only=True)
class VotingRegressionFit(JointFit):
    """Models, and how much each of them counts."""

    made_by: VotingRegression

    def predict(self, X: Any) -> np.ndarray:
        """The weighted mean or median of what the members say, in units of the target, (m,)."""
        X = self._rows(X)
        answers = np.column_stack([member.predict(X) for member in self.members])
        if self.made_by.join == "mean":
            return answers @ self.shares
        return weighted_medians(answers, self.shares)


def weighted_medians(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The value of each row below and above which lies at most half of the shares, shape (m,).

    `values` has shape (m, B), `shares`, shape (B,), the sum 1. Where exactly half lies below, the
    mean of the two values beside it.
    """
    order = np.argsort(values, axis=1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=1)
    below = np.cumsum(shares[order], axis=1).round(12)  # halves that are equal on paper
    low, high = (below >= 0.5).argmax(axis=1), (below > 0.5).argmax(axis=1)
    at = np.arange(len(values))
    return (ranked[at, low] + ranked[at, high]) / 2


def _cost(n: int, p: int, it: Joint) -> tuple[float, float]:
    own = [m.card.cost(n, p, m) if m.card.cost else (1e-3, 8.0 * n * p) for m in it.estimators]
    return 1e-4 + sum(seconds for seconds, _ in own), sum(size for _, size in own)


@dataclass(frozen=True, kw_only=True)
class Joint(Method):
    """Members of which each counts by a weight."""

    if TYPE_CHECKING:
        estimators: tuple[Any, ...]  # each declares its own, of another slot

    weights: tuple[float, ...] = many(
        (),
        label="Weights of the members",
        doc="How much each member counts, in their order; empty: all the same.",
        advanced=True,
    )

    @property
    def peer_differs(self) -> str:  # pyrefly: ignore[bad-override]  # those inside decide
        """As those of the methods inside."""
        return " ".join(dict.fromkeys(m.peer_differs for m in self.estimators if m.peer_differs))

    def conflict(self) -> str | None:
        """Refuse weights of others."""
        B = len(self.estimators)
        if self.weights and len(self.weights) != B:
            return f"{self.title()} of {B} members needs as many weights; got {len(self.weights)}."
        if self.weights and (min(self.weights) < 0 or max(self.weights) <= 0):
            return f"{self.title()} needs weights from 0 up, one of them above 0."
        return None

    @property
    def is_sum(self) -> bool:
        """Whether the members are sums of what they predict."""
        return are_sums(self.estimators)

    @property
    def sums_trees(self) -> bool:
        """Whether the members are sums of trees alone."""
        return all(map(promises_trees, self.estimators))

    def _joined(self, given: Given) -> dict[str, Any]:
        """What all fits hold."""
        weights = np.array(self.weights or [1.0] * len(self.estimators))
        return {
            "made_by": self,
            "columns": given.columns,
            "members": fitted(self.estimators, given, self.title()),
            "shares": weights / weights.sum(),
        }


@enter(
    Card(
        "voting",
        "Voting",
        ("classification",),
        paper="Kittler and others (1998), IEEE Trans. PAMI 20(3)",
        task="classification",
        peer="sklearn.ensemble.VotingClassifier",
        sources=("cs1:ensemble_vote", "epfl:vote_majority", "epfl:vote_weighted"),
        takes=("weights",),
        random=True,
        cost=_cost,
        formula=r"\hat y = \arg\max_k \sum_b w_b\, \hat p_k^{(b)}(x)",
        synonyms=("VotingClassifier", "soft voting", "hard voting", "majority vote", "committee"),
        line="averages classifiers, or counts their votes",
    )
)
@dataclass(frozen=True, kw_only=True)
class Voting(Joint):
    r"""Averages the probabilities of different classifiers, or counts their votes.

    $\hat y = \arg\max_k \sum_b w_b\, \hat p_k^{(b)}(x)$ with the probability that classifier b
    gives to class k, or 1 for the class that it predicts and 0 for others.

    Use it where several methods do about as well and err on different rows. O(B) fits. If each is
    right with probability above one half, and independently, the majority is right the more often,
    the more they are. It fails where they are not independent: rows that are hard for one are hard
    for others, and a poor one among few pulls the rest down.
    """

    estimators: tuple[Any, ...] = estimators_of(
        "Who votes; the more they differ, the better.", beside="weights"
    )
    vote: str = choice(
        "probabilities",
        "probabilities",
        "majority",
        doc="Average the probabilities (soft), or count a vote for the class that each predicts "
        "(hard).",
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {
            "estimators": named_for_peer(self.estimators),
            "voting": "soft" if self.vote == "probabilities" else "hard",
            "weights": list(self.weights) or None,
        }

    @property
    def is_sum(self) -> bool:
        """Votes of whole classes are no sum of probabilities."""
        return self.vote == "probabilities" and super().is_sum

    def conflict(self) -> str | None:
        """Refuse to average what a classifier does not give, and weights of others."""
        if self.vote == "probabilities" and (mute := silent(self.estimators)):
            return (
                f"{self.title()} averages probabilities, which {mute} does not give. Count the "
                "votes of the majority, or leave it out."
            )
        return super().conflict()

    def _fit(self, given: Given) -> VotingFit:
        return VotingFit(classes=given.labels, **self._joined(given))


@enter(
    Card(
        "voting_regression",
        "Voting regression",
        ("regression",),
        paper="Perrone and Cooper (1993), Artificial Neural Networks for Speech and Vision",
        task="regression",
        peer="sklearn.ensemble.VotingRegressor",
        sources=("cs1:ensemble_vote", "cs2:stacking"),
        takes=("weights",),
        random=True,
        cost=_cost,
        formula=r"\hat f(x) = \sum_b w_b\, \hat f^{(b)}(x)",
        synonyms=(
            "VotingRegressor", "averaging", "committee", "forecast combination", "median ensemble",
        ),
        line="the mean or median of several regressions",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class VotingRegression(Joint):
    r"""Averages what different models say, or takes the median of it.

    $\hat f(x) = \sum_b w_b\, \hat f^{(b)}(x)$ with weights of sum 1; the median is the value with
    half of the weights on either side.

    Use it where several models do about as well and err on different rows. O(B) fits. The squared
    error of the mean is at most the mean of theirs, by as much as they differ from each other. It
    fails where one is far better: the rest pull it down. The median bears one that is far off at
    some rows; with two members it is their mean.
    """

    estimators: tuple[Any, ...] = models_of(
        "Whose answers are averaged; the more they differ, the better.", beside="weights"
    )
    join: str = choice(
        "mean", "mean", "median", doc="Average what the members say, or take the middle of it."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(join="mean") or of_one_output(self.title(), self.estimators)
        return missing or {
            "estimators": named_for_peer(self.estimators),
            "weights": list(self.weights) or None,
        }

    @property
    def is_sum(self) -> bool:
        """A median is no sum."""
        return self.join == "mean" and super().is_sum

    def _fit(self, given: Given) -> VotingRegressionFit:
        return VotingRegressionFit(**self._joined(given))
