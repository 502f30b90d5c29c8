"""What AdaBoost adds up: small trees, or any other classifier."""

from __future__ import annotations

from dataclasses import dataclass

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.method import Method
from mlcore.spine.params import integer, part
from mlcore.trees.criteria import Criterion
from mlcore.trees.decision_tree import DecisionTree


@dataclass(frozen=True, kw_only=True)
class WeakLearner(Component):
    """What is fitted in each round."""

    @property
    def method(self) -> Method:
        """The method that is fitted."""
        raise NotImplementedError(f"{type(self).__name__} declares no method")


@enter(
    Card(
        "stump",
        "Stump",
        ("weak_learner",),
        kind="part",
        sources=("cs2:decision_stump",),
        synonyms=("decision stump",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Stump(WeakLearner):
    """A single question about one column, or a tree of a few."""

    max_leaf_nodes: int = integer(
        2, low=2, high=64, soft=(2, 16), label="Leaves", doc="2 leaves are one question: a stump."
    )
    criterion: Criterion = part(
        "misclassification",
        slot="impurity",
        doc="What a question must lower; misclassification is the weighted error itself.",
    )

    @property
    def method(self) -> DecisionTree:
        """A decision tree."""
        return DecisionTree(max_leaf_nodes=self.max_leaf_nodes, criterion=self.criterion)


@enter(Card("classifier", "Another classifier", ("weak_learner",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Classifier(WeakLearner):
    """Any classifier; one that takes no weights learns from rows drawn by them."""

    estimator: Method = part(
        "naive_bayes", slot="classification", label="Classifier", doc="What is fitted each round."
    )

    @property
    def method(self) -> Method:
        """The classifier."""
        return self.estimator


def is_stump(learner: WeakLearner) -> bool:
    """Whether it is a single question of least weighted error."""
    return learner == Stump()
