"""A network while it learns: batches, gradients, losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mlcore.neural.network import Network, Pass
from mlcore.optimisation.losses import Loss

AT_ONCE = 2**20  # values of units that many networks have at a time, 8 MB


class Rows(NamedTuple):
    """Rows with what should be said of them."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,) codes, or quantities
    w: np.ndarray  # (n,) weights

    def taken(self, at: np.ndarray) -> Rows:
        """Those at positions, shape (m,)."""
        return Rows(self.X[at], self.y[at], self.w[at])


class Training:
    """A network and the rows that teach it; its weights `theta`, shape (P,), change in place."""

    def __init__(self, it: Any, network: Network, loss: Loss, rows: Rows, rng: Any) -> None:
        """`it` has the settings; `rng` gives the stream of a name. Weights have mean 1."""
        self.it, self.network, self.loss = it, network, loss
        n = len(rows.y)
        self.inputs = np.column_stack([rows.X, np.ones(n)])
        self.turned = np.ascontiguousarray(self.inputs.T)
        self.rows = rows
        self.is_even = bool((rows.w == 1.0).all())
        self.size = n if it.batch_size is None else min(it.batch_size, n)
        self.order, self.noise = rng("order of the rows"), rng("noise")
        self.search = rng("search")
        self.theta = self._start(rng("first weights"))
        self.matrices = network.matrices(self.theta)
        self.gradient = np.zeros_like(self.theta)
        self.by_layer = network.matrices(self.gradient)
        self.passes: dict[int, Pass] = {}
        self.losses: list[float] = []  # with the penalty, after each epoch, as they are told

    def _start(self, rng: np.random.Generator) -> np.ndarray:
        drawn = [self.it.init.weights(h, m - 1, rng).ravel() for h, m in self.network.shapes]
        return np.concatenate(drawn)

    def gradients(self) -> Iterator[np.ndarray]:
        """The gradient, (P,), on each batch of one epoch, at the weights as they then are."""
        n, rows = len(self.rows.y), self.rows
        inputs, turned, y, w = self.inputs, self.turned, rows.y, rows.w
        if self.it.shuffle and self.size < n:
            at = self.order.permutation(n)
            inputs, turned, y, w = inputs[at], turned[:, at], y[at], w[at]
        for start in range(0, n, self.size):
            some = slice(start, start + self.size)
            yield self._gradient(inputs[some], turned[:, some], y[some], w[some])

    def _gradient(
        self, rows: np.ndarray, inputs: np.ndarray, y: np.ndarray, w: np.ndarray
    ) -> np.ndarray:
        """The gradient of the mean loss of a batch, with noise, and of the penalty.

        The batch comes as rows, shape (b, p + 1), and as their transpose.
        """
        matrices, b = self.matrices, len(y)
        way = self._pass(b)
        if not self.it.noise.is_silent:
            theta, inputs = self._disturbed(way, inputs)
            matrices, rows = self.network.matrices(theta), np.ascontiguousarray(inputs.T)
        slope = self.loss.at(y, way.forward(matrices, inputs)).slope
        slope *= 1.0 / b if self.is_even else w / b
        way.backward(matrices, rows, slope, self.by_layer)
        if not self.it.penalty.is_free:
            self.gradient += self.it.penalty.gradient(self.theta * self.network.charged)
        return self.gradient

    def _pass(self, b: int) -> Pass:
        if b not in self.passes:
            self.passes[b] = Pass(self.network, b)
        return self.passes[b]

    def _disturbed(self, way: Pass, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and inputs as this batch meets them; sets the masks of the hidden layers."""
        noise, b = self.it.noise, inputs.shape[1]
        way.masks = [noise.mask(h, b, self.noise) for h in self.network.sizes[1:-1]]
        inputs = np.vstack([noise.inputs(inputs[:-1], self.noise), inputs[-1:]])
        return noise.weights(self.theta, self.noise), inputs

    def loss_of(self, rows: Rows, theta: np.ndarray | None = None) -> float:
        """The mean loss on rows, without noise and penalty; 0 where there are none.

        At the weights as they are, or at others, shape (P,).
        """
        if not len(rows.y):
            return 0.0
        outputs = self.network.outputs(self.theta if theta is None else theta, rows.X)
        return float(np.average(self.loss.at(rows.y, outputs).value, weights=rows.w))

    def objective(self, theta: np.ndarray | None = None) -> float:
        """The mean loss on the rows that teach, and the penalty.

        At the weights as they are, or at others, shape (P,).
        """
        theta = self.theta if theta is None else theta
        return self.loss_of(self.rows, theta) + self.it.penalty.value(theta * self.network.charged)

    def objectives(self, thetas: np.ndarray) -> np.ndarray:
        """The objective at each of many weights, shape (M, P): shape (M,)."""
        rows, n = self.rows, len(self.rows.y)
        size = max(AT_ONCE // (n * max(self.network.sizes[1:])), 1)
        values = np.empty(len(thetas))
        for start in range(0, len(thetas), size):
            some = thetas[start : start + size]
            Z = self.network.outputs_of(some, self.turned)
            local = self.loss.at(np.tile(rows.y, len(some)), Z.reshape(len(Z), -1))
            charged = some * self.network.charged
            values[start : start + size] = local.value.reshape(len(some), n) @ rows.w / n + [
                self.it.penalty.value(w) for w in charged
            ]
        return values

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Objective and gradient on all rows at other weights, shape (P,), without noise."""
        w, n, charged = self.rows.w, len(self.rows.y), theta * self.network.charged
        way, matrices = self._pass(n), self.network.matrices(theta)
        local = self.loss.at(self.rows.y, way.forward(matrices, self.turned))
        way.backward(matrices, self.inputs, local.slope * (w / n), self.by_layer)
        penalty = self.it.penalty
        value = float(local.value @ w) / n + penalty.value(charged)
        return value, self.gradient + penalty.gradient(charged)

    def slopes(self) -> np.ndarray:
        """Root mean square of the last gradient in each layer, shape (L,)."""
        return np.array([np.sqrt(np.mean(G * G)) for G in self.by_layer])
