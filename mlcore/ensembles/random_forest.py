"""Random forests: trees of drawn rows that try a few drawn columns at every split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.ensembles.forest import Forest, ForestFit, ForestState, cost_of
from mlcore.ensembles.out_of_bag import are_votes
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given
from mlcore.spine.params import choice, flag, integer, part
from mlcore.trees.criteria import Criterion
from mlcore.trees.feature_draws import FeatureDraw
from mlcore.trees.grove import Lots
from mlcore.trees.settings import max_features_of, min_samples_leaf_of

DRAWN_TWICE = "; one drawn twice is one"  # of the rows in a leaf


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassForestFit(ForestFit):
    """Trees that say how likely each class is."""

    classes: np.ndarray  # (K,) sorted labels
    oob_votes: np.ndarray | None = None  # (n, K) shares among the trees that left a row out

    def holds_together(self) -> bool:
        """Whether the votes are for these classes, too."""
        return super().holds_together() and are_votes(self.oob_votes, len(self.classes))

    def probabilities(self, X: Any) -> np.ndarray:
        """The mean of the shares in the leaves, or of the votes, shape (m, K)."""
        return self._mean(X)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,); the first on ties."""
        return self.classes[self._mean(X).argmax(axis=1)]

    def member_probabilities(self, X: Any) -> np.ndarray:
        """The shares in the leaf of each tree, or its vote, shape (m, B, K)."""
        return self._by_tree(X)

    def vote_shares(self, X: Any) -> np.ndarray:
        """The share of the trees in whose leaf each class is the commonest, shape (m, K)."""
        return self._mean(X, lambda _, label: np.eye(len(self.classes))[label])

    @property
    def _n_answers(self) -> int:
        return len(self.classes)


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberForestFit(ForestFit):
    """Trees that say a number."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees, in units of the target, shape (m,)."""
        return self._mean(X)[:, 0]

    def member_values(self, X: Any) -> np.ndarray:
        """What each tree says, in units of the target, shape (m, B)."""
        return self._by_tree(X)[:, :, 0]


@dataclass(frozen=True, kw_only=True)
class ClassForest(Forest):
    """What forests of classes share: their settings, and how a tree votes."""

    criterion: Criterion = part(
        "gini", slot="impurity", doc="What a split must lower.", advanced=True
    )
    max_features: FeatureDraw = max_features_of("root")
    min_samples_leaf: int = min_samples_leaf_of(1, more=DRAWN_TWICE)
    vote: str = choice(
        "proportions",
        "proportions",
        "majority",
        doc="Each tree gives the shares of the classes in a leaf, or one vote for the commonest.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(vote="proportions") or super().peer_settings()

    def answers_of(self, values: np.ndarray, label: np.ndarray) -> np.ndarray:
        """The shares of the classes in each node, or its vote, shape (t, K)."""
        if self.vote == "majority":
            return np.eye(values.shape[1])[label]
        return values / values.sum(axis=1, keepdims=True)

    def _made(self, given: Given, state: ForestState) -> ClassForestFit:
        votes = self._oob_votes(given, state)
        return ClassForestFit(classes=given.labels, oob_votes=votes, **self._common(given, state))


@dataclass(frozen=True, kw_only=True)
class NumberForest(Forest):
    """What forests of quantities share."""

    criterion: Criterion = part(
        "squared", slot="impurity_of_numbers", doc="What a split must lower.", advanced=True
    )
    max_features: FeatureDraw = max_features_of("third")
    min_samples_leaf: int = min_samples_leaf_of(5, more=DRAWN_TWICE)

    def _made(self, given: Given, state: ForestState) -> NumberForestFit:
        return NumberForestFit(**self._common(given, state))


def bootstrap_of(default: bool) -> Any:
    """The declared setting, which random forests switch on and extremely randomised trees off."""
    return flag(
        default,
        label="Bootstrap",
        doc="Draw the rows of each tree with replacement; else each row at most once.",
    )


def max_bins_of() -> Any:
    """The declared setting of forests that look for the best cut of a column."""
    return integer(
        255,
        low=0,
        high=255,
        soft=(0, 255),
        label="Maximum bins",
        doc="In a node of more rows, cuts are looked for between so many bins of each column, of "
        "about as many rows each. In smaller nodes, and with 0, every cut is tried.",
        advanced=True,
    )


BREIMAN = "Breiman (2001), Machine Learning 45"


@enter(
    Card(
        "random_forest",
        "Random forest",
        ("classification",),
        paper=BREIMAN,
        task="classification",
        peer="sklearn.ensemble.RandomForestClassifier",
        sources=("cs2:random_forest", "cs2:bagging_proportion", "s841:random_forest"),
        takes=("weights", "columns", "missing"),
        random=True,
        cost=cost_of,
        formula=r"\hat p_k(x) = \frac1B \sum_b \hat p_k^{(b)}(x)",
        synonyms=("RandomForestClassifier", "bagged trees", "out-of-bag error", "OOB", "mtry"),
        line="many trees on resampled rows, averaged",
    )
)
@dataclass(frozen=True, kw_only=True)
class RandomForest(ClassForest):
    r"""Averages the answers of many trees, each grown to other rows and other columns.

    Tree b is grown, without pruning, to rows drawn with replacement; at every split m columns are
    drawn, and the best cut of these is made; $\hat p_k(x) = \frac1B \sum_b \hat p_k^{(b)}(x)$.
    About a third of the rows take no part in a tree: they give an error without test rows.

    Use it as a first serious answer on tables of any columns: it needs no scaling, hardly any
    settings, and more trees never harm. O(B m n log n) and a pass over the rows for each level. It
    cannot be read as one tree can, its borders are stairs, and with few telling columns among many
    most splits see none of them.
    """

    bootstrap: bool = bootstrap_of(True)
    max_bins: int = max_bins_of()

    def _lots(self, n: int, p: int) -> Lots:
        return replace(super()._lots(n, p), max_bins=self.max_bins)


@enter(
    Card(
        "random_forest_regression",
        "Random forest regression",
        ("regression",),
        paper=BREIMAN,
        task="regression",
        peer="sklearn.ensemble.RandomForestRegressor",
        sources=("cs2:random_forest",),
        takes=("weights", "columns", "missing"),
        random=True,
        cost=cost_of,
        formula=r"\hat f(x) = \frac1B \sum_b \hat f^{(b)}(x)",
        synonyms=("RandomForestRegressor", "bagged trees", "out-of-bag error", "OOB", "mtry"),
        line="many trees on resampled rows, averaged",
    )
)
@dataclass(frozen=True, kw_only=True)
class RandomForestRegression(NumberForest):
    r"""Averages the predictions of many trees, each grown to other rows and other columns.

    Tree b is grown, without pruning, to rows drawn with replacement; at every split m columns are
    drawn, and the best cut of these is made. $\hat f(x) = \frac1B \sum_b \hat f^{(b)}(x)$. About a
    third of the rows take no part in a tree, and give an error that needs no test rows.

    Use it where effects bend, jump or depend on each other: it needs no scaling and hardly any
    settings, and more trees never harm. O(B m n log n) and a pass over the rows for each level. It
    never predicts beyond the values it has seen, and draws a straight line as stairs.
    """

    bootstrap: bool = bootstrap_of(True)
    max_bins: int = max_bins_of()

    def _lots(self, n: int, p: int) -> Lots:
        return replace(super()._lots(n, p), max_bins=self.max_bins)
