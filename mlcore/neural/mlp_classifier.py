"""Multi-layer perceptron of classes: layers of units, and a probability for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.maths.class_scores import best_class, softmax
from mlcore.neural.mlp import MLP, Goal, MLPFit, cost_of
from mlcore.neural.squared_shares import SquaredShares
from mlcore.optimisation import losses
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice


@dataclass(frozen=True, eq=False, kw_only=True)
class MLPClassifierFit(MLPFit):
    """A network with one output for two classes, or one a class."""

    made_by: MLPClassifier
    classes: np.ndarray  # (K,) sorted labels

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or a score a class, shape (m, K)."""
        scores = self._outputs(X)
        return scores[0] if len(self.classes) == 2 else np.ascontiguousarray(scores.T)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K)."""
        Z = self.decision(X)
        if Z.ndim == 1:
            return softmax(np.column_stack([-Z / 2, Z / 2]))
        if self.made_by.loss == "sigmoids":
            Z = -np.logaddexp(0.0, -Z)  # logarithms, so that far rows do not give 0 / 0
        return softmax(Z)

    def holds_together(self) -> bool:
        """Whether also as many outputs belong to a row as its classes need."""
        needed = 1 if len(self.classes) == 2 else len(self.classes)
        return self.n_outputs == needed and super().holds_together()


@enter(
    Card(
        "mlp_classifier",
        "Multi-layer perceptron",
        ("neural", "classification"),
        paper="Rumelhart, Hinton and Williams (1986), Nature 323",
        task="classification",
        peer="sklearn.neural_network.MLPClassifier",
        sources=(
            "epfl:mlp_backprop", "cs2:mlp", "cs2:mlp_backprop", "cs2:slp_softmax",
            "cs2:slp_logistic", "cs2:slp_multi_sigmoid", "cs2:topology_feedforward",
            "cs2:topology_skip",
            "cs2:dropout", "cs2:early_stopping", "s841:ffnn", "s841:backprop_matrix",
        ),
        takes=("weights", "groups", "order"),
        random=True,
        cost=cost_of,
        units="its gradients",
        formula=r"a_0 = x, \qquad a_l = g(W_l a_{l-1} + b_l), \qquad "
        r"p(x) = \operatorname{softmax}(W_L a_{L-1} + b_L)",
        synonyms=(
            "MLP", "neural network", "feed-forward network", "deep learning", "backpropagation",
            "artificial neural network", "ANN", "MLPClassifier", "dropout", "Adam",
            "skip connections", "pre-training",
        ),
        line="layers of weighted sums, then class odds",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class MLPClassifier(MLP):
    r"""Layers of units, each a bent sum of those before it, and the odds of the classes at the end.

    $a_l = g(W_l a_{l-1} + b_l)$ with the activation $g$; the outputs are linear scores $z$, whose
    softmax (for two classes the logistic function of one score) are probabilities. Minimises the
    mean cross-entropy with the penalty, by its gradient on batches of rows: the slope of the loss
    in the outputs is $p - y$, and goes back through $W_l^\top$ and $g'$.

    Use it for borders of any shape on many rows, with standardised columns. O(weights) a row and
    epoch. Other first weights end elsewhere: try several seeds. Too large a learning rate makes the
    loss jump, too many epochs repeat the noise; stop by held-out rows, or shrink the weights. Skip
    connections add $V x$ to the scores.
    """

    loss: str = choice(
        "cross_entropy",
        "cross_entropy",
        "sigmoids",
        "squared",
        doc="Minus the log-probability of the own class; the sum of one such loss a class, each "
        "against the others; or the squared error of the probabilities, whose slope fades where "
        "they are very wrong.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(loss="cross_entropy") or super().peer_settings()

    def _n_outputs(self, y: np.ndarray) -> int:
        K = int(y.max()) + 1
        return 1 if K == 2 else K

    def _goal(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Goal:
        K = len(given.labels)
        if K == 2:
            of_two = SquaredShares(2) if self.loss == "squared" else losses.Logistic()
            return Goal(of_two, given.target.astype(float), 1)
        by_name = {"squared": SquaredShares(K), "sigmoids": losses.Sigmoids()}
        return Goal(by_name.get(self.loss) or losses.Softmax(), given.target, K)

    def _finished(self, given: Given, end: Step) -> MLPClassifierFit:
        return MLPClassifierFit(**self._shared(given, end), classes=given.labels)
