"""Multi-layer perceptron of classes: layers of units, and a probability for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.maths.class_scores import best_class, softmax
from mlcore.neural.activations import Tanh
from mlcore.neural.mlp import MLP, Goal, MLPFit, cost_of
from mlcore.neural.output_units import Bent, CodedSquares
from mlcore.neural.squared_shares import SquaredShares
from mlcore.optimisation import losses
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoringNetworkFit(MLPFit):
    """A network with one output for two classes, or one a class."""

    made_by: MLPClassifier
    classes: np.ndarray  # (K,) sorted labels

    def decision(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (m,), or one a class, shape (m, K)."""
        scores = self._outputs(X)
        return scores[0] if len(self.classes) == 2 else np.ascontiguousarray(scores.T)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def between_ends(self, outputs: np.ndarray) -> np.ndarray:
        """Scores, (K, m), as they are, which lie about -1 and 1, and no further."""
        return np.clip(outputs, -1.0, 1.0)

    def holds_together(self) -> bool:
        """Whether also as many outputs belong to a row as its classes need."""
        needed = 1 if len(self.classes) == 2 else len(self.classes)
        return self.n_outputs == needed and super().holds_together()


@dataclass(frozen=True, eq=False, kw_only=True)
class MLPClassifierFit(ScoringNetworkFit):
    """A network whose outputs are probabilities."""

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or a score a class, shape (m, K)."""
        return self._steepness * super().decision(X)

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K)."""
        Z = self.decision(X)
        if Z.ndim == 1:
            return softmax(np.column_stack([-Z / 2, Z / 2]))
        if self.made_by.loss in ("sigmoids", "tanh"):
            Z = -np.logaddexp(0.0, -Z)  # logarithms, so that far rows do not give 0 / 0
        return softmax(Z)

    def between_ends(self, outputs: np.ndarray) -> np.ndarray:
        """Twice the probability of the class against the others, less one, shape (K, m)."""
        return np.tanh(self._steepness * outputs / 2)

    @property
    def _steepness(self) -> float:
        """How many log-odds a sum counts: a tanh output of a is a probability of (1 + a) / 2."""
        return 2.0 if self.made_by.loss == "tanh" else 1.0


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
            "cs2:slp_logistic", "cs2:slp_multi_sigmoid", "cs2:slp_tanh", "cs2:topology_feedforward",
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
    epoch. Other first weights end elsewhere: try several seeds, or average some by bagging without
    bootstrap. Too large a learning rate makes the loss jump, too many epochs repeat the noise; stop
    by held-out rows, or shrink the weights. Skip connections add $V x$ to the scores.
    """

    loss: str = choice(
        "cross_entropy",
        "cross_entropy",
        "sigmoids",
        "squared",
        "tanh",
        "linear",
        label="Outputs and loss",
        doc="Softmax outputs, of two classes one logistic output, and minus the log-probability "
        "of the own class; a logistic output for each class against the others, the sum of such "
        "losses; softmax outputs and the squared error of the probabilities, whose slope fades "
        "where they are very wrong; a tanh or a linear output for each class, and the squared "
        "error about 1 for the own class and -1 for the others. Linear outputs are no "
        "probabilities.",
        advanced=True,
    )

    def fit_class(self) -> type[ScoringNetworkFit]:
        """Linear outputs give no probabilities."""
        return ScoringNetworkFit if self.loss == "linear" else MLPClassifierFit

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(loss="cross_entropy") or super().peer_settings()

    def _n_outputs(self, y: np.ndarray) -> int:
        K = int(y.max()) + 1
        return 1 if K == 2 else K

    def _goal(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Goal:
        K = len(given.labels)
        if K == 2:
            return Goal(self._loss(losses.Logistic(), K), given.target.astype(float), 1)
        return Goal(self._loss(losses.Softmax(), K), given.target, K)

    def _loss(self, cross_entropy: losses.Loss, K: int) -> losses.Loss:
        """The loss that was chosen, of K classes; for two `sigmoids` is the cross-entropy."""
        if self.loss == "sigmoids" and K > 2:
            return losses.Sigmoids()
        by_name = {
            "squared": SquaredShares(K),
            "tanh": Bent(CodedSquares(), Tanh()),
            "linear": CodedSquares(),
        }
        return by_name.get(self.loss, cross_entropy)

    def _finished(self, given: Given, end: Step) -> ScoringNetworkFit:
        return self.fit_class()(**self._shared(given, end), classes=given.labels)
