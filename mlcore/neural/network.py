"""A layered network on one vector of weights: the way forward, and the gradient on the way back.

Rows stand in the columns of its matrices: a layer of h units on m inputs is a matrix W, shape
(h, m + 1), whose last column are the offsets, and its inputs A, shape (m + 1, b), end in a row of
ones. So one product a layer gives the sums, and one the gradient with that of the offsets. Second
factors lie row by row in the memory: transposed ones cost a third more. With skip connections the
inputs with their ones stand below the values of the last hidden layer, so the matrix of the outputs
has a column more for each input, (K, h + p + 1), and the same two products do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mlcore.neural.activations import Activation

ROWS_AT_ONCE = 4096  # in passes without gradient: their values stay in the cache


class Layer(NamedTuple):
    """What a layer of h units makes of m inputs."""

    weights: np.ndarray  # (h, m)
    offsets: np.ndarray  # (h,)


class Network:
    """The shape of a network: how many inputs, units a layer, and outputs, which are linear."""

    def __init__(
        self, sizes: Sequence[int], activation: Activation, *, skips: bool = False
    ) -> None:
        """With `skips` the inputs also lead straight to the outputs, past the hidden layers."""
        self.sizes, self.activation = tuple(int(size) for size in sizes), activation
        self.n_skips = self.sizes[0] if skips and len(self.sizes) > 2 else 0  # of each output
        self.shapes = [(h, m + 1) for m, h in pairwise(self.sizes)]
        K, below = self.shapes[-1]
        self.shapes[-1] = K, below + self.n_skips

    @cached_property
    def n_weights(self) -> int:
        """How many weights and offsets there are."""
        return sum(h * m for h, m in self.shapes)

    def matrices(self, theta: np.ndarray) -> list[np.ndarray]:
        """The matrix of each layer, (h, m + 1), as views of the vector, (P,)."""
        matrices, at = [], 0
        for h, m in self.shapes:
            matrices.append(theta[at : at + h * m].reshape(h, m))
            at += h * m
        return matrices

    def layers(self, theta: np.ndarray) -> tuple[Layer, ...]:
        """Weights and offsets of each layer, as views of the vector, shape (P,)."""
        matrices = zip(self.matrices(theta), self.sizes, strict=False)
        return tuple(Layer(W[:, :m], W[:, -1]) for W, m in matrices)

    def skips(self, theta: np.ndarray) -> np.ndarray:
        """Weights from the inputs straight to the outputs, (K, p) or (K, 0), as a view of (P,)."""
        W = self.matrices(theta)[-1]
        return W[:, -1 - self.n_skips : -1]

    def heard(self, k: int, A: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """What layer k hears, shape (m, b), if the one below says A, (h, b), of inputs (p, b)."""
        return np.vstack([A, inputs]) if self.n_skips and k == len(self.shapes) - 1 else A

    @cached_property
    def charged(self) -> np.ndarray:
        """1 for weights, 0 for offsets, shape (P,)."""
        mask = np.ones(self.n_weights)
        for W in self.matrices(mask):
            W[:, -1] = 0.0
        return mask

    def outputs(self, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        """The linear outputs for rows X, shape (m, p): one row an output, (K, m)."""
        return self.values(theta, X)[-1]

    def values(self, theta: np.ndarray, X: np.ndarray) -> list[np.ndarray]:
        """What every layer says of rows X, (m, p): shape (h, m) each, the outputs last."""
        by_layer = [np.empty((h, len(X))) for h in self.sizes[1:]]
        matrices = self.matrices(theta)
        for start in range(0, len(X), ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            A = inputs = np.ascontiguousarray(X[some].T)
            for k, W in enumerate(matrices):
                Z = W[:, :-1] @ self.heard(k, A, inputs)
                Z += W[:, -1:]
                if k < len(matrices) - 1:
                    self.activation.value(Z, Z)
                by_layer[k][:, some] = A = Z
        return by_layer

    def outputs_of(self, thetas: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """The linear outputs of many networks, shape (M, P), side by side: shape (K, M, b).

        `inputs`, (p + 1, b), end in a row of ones.
        """
        A = Z = inputs[None]
        at = 0
        for k, (h, m) in enumerate(self.shapes):
            Z = thetas[:, at : at + h * m].reshape(-1, h, m) @ A
            at += h * m
            if k < len(self.shapes) - 1:
                A = np.ones((len(Z), self.shapes[k + 1][1], Z.shape[2]))
                self.activation.value(Z, A[:, :h])
                A[:, h:] = inputs if A.shape[1] > h + 1 else 1.0
        return np.ascontiguousarray(Z.transpose(1, 0, 2))


class Pass:
    """The way of a batch of b rows through a network and back, in memory that is used again."""

    def __init__(self, network: Network, b: int) -> None:
        self.network = network
        hidden = network.sizes[1:-1]
        self.Z = [np.empty((h, b)) for h in network.sizes[1:]]
        heard = [m for _, m in network.shapes[1:]]
        self.A = [np.ones((m, b)) for m in heard]
        self.turned = [np.ones((b, m)) for m in heard]
        self.back = [np.empty((h, b)) for h in hidden]
        self.masks: list[np.ndarray | None] = [None] * len(hidden)

    def forward(self, matrices: list[np.ndarray], inputs: np.ndarray) -> np.ndarray:
        """The outputs, shape (K, b), of inputs, (p + 1, b), that end in ones."""
        A = inputs
        if self.network.n_skips:
            self.A[-1][-len(inputs) :] = inputs
        for k, Z in enumerate(self.Z):
            np.dot(matrices[k], A, out=Z)
            if k < len(self.A):
                A, own = self.A[k], self.own(k)
                self.network.activation.value(Z, own)
                if (mask := self.masks[k]) is not None:
                    own *= mask
        return self.Z[-1]

    def own(self, k: int) -> np.ndarray:
        """What hidden layer k says, shape (h, b), without what else the next one hears."""
        return self.A[k][: len(self.Z[k])]

    def backward(
        self,
        matrices: list[np.ndarray],
        rows: np.ndarray,
        slope: np.ndarray,
        gradients: list[np.ndarray],
    ) -> None:
        """Fill the gradient of each layer, by the slope of the loss in the outputs, shape (K, b).

        `rows` are the inputs of the way forward, (b, p + 1). All slopes are taken with the weights
        as they were then.
        """
        for k in reversed(range(1, len(matrices))):
            np.copyto(self.turned[k - 1], self.A[k - 1].T)
            np.dot(slope, self.turned[k - 1], out=gradients[k])
            slope = self._through(k - 1, matrices[k], slope)
        np.dot(slope, rows, out=gradients[0])

    def _through(self, k: int, above: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The slope of the loss in the sums of hidden layer k, by that in the layer above."""
        back, mask, A = self.back[k], self.masks[k], self.own(k)
        np.dot(above[:, : len(back)].T, slope, out=back)
        if mask is not None:
            back *= mask
            A = np.divide(A, mask, out=np.zeros_like(A), where=mask > 0)
        bend = self.network.activation.slope(self.Z[k], A)
        if bend is not None:
            back *= bend
        return back
