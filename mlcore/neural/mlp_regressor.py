"""Multi-layer perceptron of a quantity: layers of units, and a weighted sum of the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.neural.activations import Activation, LogisticUnit, Tanh
from mlcore.neural.mlp import MLP, Goal, MLPFit, cost_of
from mlcore.neural.output_units import Bent
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, flag, part

LARGEST = 300.0  # decimal places of the unit of a loss
WITHIN = 0.1  # of the range of a bent output, that no target of a row that teaches comes near


@dataclass(frozen=True, eq=False, kw_only=True)
class MLPRegressorFit(MLPFit):
    """A network with one output."""

    made_by: MLPRegressor
    offset: float  # of the target, where the output is 0
    scale: float  # of the target, for an output of 1; 0 for a target that is constant

    def predict(self, X: Any) -> np.ndarray:
        """The output in units of the target, shape (m,)."""
        outputs = self._outputs(X)[0]
        if unit := self.made_by.output_unit:
            unit.value(outputs, outputs)
        return self.offset + self.scale * outputs

    def between_ends(self, outputs: np.ndarray) -> np.ndarray:
        """The outputs from the least, -1, to the largest, 1, that they can be, shape (1, m)."""
        return np.tanh(outputs if self.made_by.output == "tanh" else outputs / 2)

    def holds_together(self) -> bool:
        """Whether also one output belongs to a row."""
        return self.n_outputs == 1 and super().holds_together()


@enter(
    Card(
        "mlp_regressor",
        "Multi-layer perceptron regression",
        ("neural", "regression"),
        paper="Rumelhart, Hinton and Williams (1986), Nature 323",
        task="regression",
        peer="sklearn.neural_network.MLPRegressor",
        sources=(
            "epfl:mlp_backprop", "cs2:mlp", "cs2:slp_regression", "cs2:gd_minibatch",
            "cs1:sampling_minibatch", "s841:ffnn",
        ),
        takes=("weights", "groups", "order"),
        random=True,
        cost=cost_of,
        units="its gradients",
        formula=r"a_0 = x, \qquad a_l = g(W_l a_{l-1} + b_l), \qquad "
        r"\hat y = W_L a_{L-1} + b_L",
        synonyms=(
            "MLP", "neural network", "feed-forward network", "deep learning", "backpropagation",
            "artificial neural network", "ANN", "MLPRegressor", "skip connections", "pre-training",
        ),
        line="layers of weighted sums, then a quantity",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class MLPRegressor(MLP):
    r"""Layers of units, each a bent sum of those before it, and a weighted sum of the last.

    $a_l = g(W_l a_{l-1} + b_l)$ with the activation $g$, and $\hat y = W_L a_{L-1} + b_L$.
    Minimises the mean loss with the penalty, by its gradient on batches of rows, which goes back
    from the error through $W_l^\top$ and $g'$. The target is standardised inside.

    Use it for curves and surfaces of any shape on many rows, with standardised columns. O(weights)
    a row and epoch. Other first weights end elsewhere: try several seeds, or average some by
    bagging without bootstrap. Far from the rows it says whatever its units happen to say there; too
    many epochs repeat the noise. Skip connections add $V x$, so that the units learn what a
    straight line misses.
    """

    loss: Component = part("squared", slot="boosted_loss", doc="What an error costs.")
    scale_target: bool = flag(
        True,
        doc="Learn the target about its mean in standard deviations, so that no learning rate "
        "depends on its units.",
        advanced=True,
    )

    output: str = choice(
        "linear",
        "linear",
        "tanh",
        "logistic",
        label="Output unit",
        doc="A weighted sum, or one bent by a curve with two ends, beyond which no answer lies: -1 "
        "and 1, or 0 and 1. If the target is scaled, its least and largest value lie a tenth of "
        "the range within them; otherwise it must lie between them itself.",
        advanced=True,
    )

    @property
    def output_unit(self) -> Activation | None:
        """What bends the output; None leaves it as it is."""
        return {"tanh": Tanh(), "logistic": LogisticUnit()}.get(self.output)

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(loss="squared", scale_target=False, output="linear")
        return missing or super().peer_settings()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a target that the output cannot reach."""
        if y is None or self.scale_target or not (unit := self.output_unit):
            return super().applies(X, y)
        (low, high), least, largest = unit.ends, float(y.min()), float(y.max())
        if low <= least and largest <= high:
            return super().applies(X, y)
        return (
            f"{self.title()} with a {self.output} output answers between {low:g} and {high:g}, and "
            f"the target goes from {least:.4g} to {largest:.4g}. Let it scale the target, or "
            "choose a linear output."
        )

    def conflict(self) -> str | None:
        """A model of the loss needs one that bends."""
        loss: Any = self.loss
        if self.optimizer.asks_for_bends and loss.leaf_level is not None:
            return (
                f"{self.optimizer.title()} solves a model of how the loss bends, and "
                f"{loss.title()} bends nowhere. Choose another loss or optimiser."
            )
        return super().conflict()

    def _n_outputs(self, y: np.ndarray) -> int:
        return 1

    def _goal(self, given: Given, learn: np.ndarray, w: np.ndarray) -> Goal:
        offset, scale = 0.0, 1.0
        counted = given.target[given.w > 0]
        if self.scale_target:
            is_constant = (counted == counted[0]).all()  # then no output says anything else
            offset, scale = (counted[0], 0.0) if is_constant else self._units(given, learn, w)
        y = (given.target - offset) / (scale or 1.0)
        loss: Any = self.loss
        made, power = loss.made(y[learn], w), loss.power
        if scale and power * np.log10(scale) > LARGEST:
            raise DataError(
                f"{self.title()} cannot tell its loss for a target that varies by {scale:.3g}: the "
                "square is no number. Give the target in larger units."
            )
        if unit := self.output_unit:
            made = Bent(made, unit)
        return Goal(made, y, 1, offset, scale, scale**power)

    def _units(self, given: Given, learn: np.ndarray, w: np.ndarray) -> tuple[float, float]:
        """Where an output of 0 stands for, and how much one of 1 adds, by rows of weights w, (k,).

        Mean and standard deviation; of a bent output such that the targets stay within its ends.
        """
        taught = given.target[learn]
        if unit := self.output_unit:
            (low, high), here = unit.ends, taught[w > 0]
            least, largest = float(here.min()), float(here.max())
            scale = (largest - least) / ((1 - 2 * WITHIN) * (high - low)) or 1.0
            return (least + largest) / 2 - scale * (low + high) / 2, scale
        offset = float(np.average(taught, weights=w))
        away = np.abs(taught - offset).max()
        # By the largest first: squares of huge values overflow, and of tiny ones vanish.
        shares = (taught - offset) / away if away > 0 else taught * 0.0
        return offset, float(away * np.sqrt(np.average(shares**2, weights=w))) or 1.0

    def _finished(self, given: Given, end: Step) -> MLPRegressorFit:
        goal: Goal = end.state.ended.goal
        return MLPRegressorFit(**self._shared(given, end), offset=goal.offset, scale=goal.scale)
