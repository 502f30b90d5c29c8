"""Voting: different classifiers, whose probabilities are averaged or whose votes are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.ensembles.members import (
    estimators_of,
    fitted,
    know_the_same,
    named_for_peer,
    names_of,
    shares_of,
    silent,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, many


@dataclass(frozen=True, eq=False, kw_only=True)
class VotingFit(Fit):
    """Classifiers, and how much each of them counts."""

    made_by: Voting
    classes: np.ndarray  # (K,) sorted labels
    members: tuple[Any, ...]  # (B,) fits that know codes of classes
    shares: np.ndarray  # (B,) how much each counts, of sum 1

    @property
    def member_names(self) -> tuple[str, ...]:
        """The titles of the classifiers, (B,)."""
        return names_of(self.made_by.estimators)

    def member_answers(self, X: Any) -> np.ndarray:
        """The class that each member predicts, as its code, shape (m, B)."""
        X = self._rows(X)
        return np.column_stack([member.predict(X) for member in self.members])

    def probabilities(self, X: Any) -> np.ndarray:
        """The weighted mean of the probabilities, or the shares of the votes, shape (m, K)."""
        X, K = self._rows(X), len(self.classes)
        as_votes = self.made_by.vote == "majority"
        P = np.zeros((len(X), K))
        for member, share in zip(self.members, self.shares, strict=True):
            P += share * shares_of(member, X, K, as_votes=as_votes)
        return P

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest share, shape (m,); the first on ties."""
        # Shares of votes that are equal on paper differ by rounding: by a thousandth of a millionth
        # nothing is decided.
        return self.classes[self.probabilities(X).round(9).argmax(axis=1)]

    def holds_together(self) -> bool:
        """Whether each member counts something, and knows these classes and columns."""
        same = know_the_same(self.members, len(self.classes), self.n_columns)
        return same and self.shares.shape == (len(self.members),)


def _cost(n: int, p: int, it: Voting) -> tuple[float, float]:
    own = [m.card.cost(n, p, m) if m.card.cost else (1e-3, 8.0 * n * p) for m in it.estimators]
    return 1e-4 + sum(seconds for seconds, _ in own), sum(size for _, size in own)


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
class Voting(Method):
    r"""Averages the probabilities of different classifiers, or counts their votes.

    $\hat y = \arg\max_k \sum_b w_b\, \hat p_k^{(b)}(x)$ with the probability that classifier b
    gives to class k, or 1 for the class that it predicts and 0 for others.

    Use it where several methods do about as well and err on different rows. O(B) fits. If each is
    right with probability above one half, and independently, the majority is right the more often,
    the more they are. It fails where they are not independent: rows that are hard for one are hard
    for others, and a poor one among few pulls the rest down.
    """

    estimators: tuple[Any, ...] = estimators_of("Who votes; the more they differ, the better.")
    vote: str = choice(
        "probabilities",
        "probabilities",
        "majority",
        doc="Average the probabilities (soft), or count a vote for the class that each predicts "
        "(hard).",
    )
    weights: tuple[float, ...] = many(
        (),
        label="Weights of the votes",
        doc="How much each classifier counts, in their order; empty: all the same.",
        advanced=True,
    )

    @property
    def peer_differs(self) -> str:  # type: ignore[override]
        """As those of the classifiers inside."""
        return " ".join(dict.fromkeys(m.peer_differs for m in self.estimators if m.peer_differs))

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {
            "estimators": named_for_peer(self.estimators),
            "voting": "soft" if self.vote == "probabilities" else "hard",
            "weights": list(self.weights) or None,
        }

    def conflict(self) -> str | None:
        """Refuse to average what a classifier does not give, and weights of others."""
        B, mute = len(self.estimators), silent(self.estimators)
        if self.vote == "probabilities" and mute:
            return (
                f"{self.title()} averages probabilities, which {mute} does not give. Count the "
                "votes of the majority, or leave it out."
            )
        if self.weights and len(self.weights) != B:
            return (
                f"{self.title()} of {B} classifiers needs as many weights; got {len(self.weights)}."
            )
        if self.weights and (min(self.weights) < 0 or max(self.weights) <= 0):
            return f"{self.title()} needs weights from 0 up, one of them above 0."
        return None

    def _fit(self, given: Given) -> VotingFit:
        weights = np.array(self.weights or [1.0] * len(self.estimators))
        return VotingFit(
            made_by=self,
            columns=given.columns,
            classes=given.labels,
            members=fitted(self.estimators, given, self.title()),
            shares=weights / weights.sum(),
        )
