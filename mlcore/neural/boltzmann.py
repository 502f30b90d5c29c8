"""Restricted Boltzmann machines: first weights of a layer that draw its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from mlcore.neural.activations import STEEP, Activation
from mlcore.neural.pretraining import Pretraining, Streams, told
from mlcore.neural.training import Training
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

SPREAD = 0.1  # standard deviation of the first weights of a machine
LEAST = 1e-290  # width of a column: weights that divide by less have no number
KNOWN = ("logistic", "tanh", "scaled_tanh")  # activations that a logistic curve is stretched to


class Machine(NamedTuple):
    """p(v, h) in proportion to exp(h' W v + b' h + c' v), of units that are 0 or 1."""

    W: np.ndarray  # (h, m)
    b: np.ndarray  # (h,) of the hidden units
    c: np.ndarray  # (m,) of the visible ones

    def up(self, V: np.ndarray) -> np.ndarray:
        """The chance of 1 of each hidden unit, shape (n, h), given visible ones, (n, m)."""
        return expit(V @ self.W.T + self.b)

    def down(self, H: np.ndarray) -> np.ndarray:
        """The chance of 1 of each visible unit, shape (n, m), given hidden ones, (n, h)."""
        return expit(H @ self.W + self.c)

    def lost(self, V: np.ndarray, w: np.ndarray) -> float:
        """The share of the variance of rows V, (n, m), that one way up and down does not bring."""
        about = V - np.average(V, axis=0, weights=w)
        whole = float(np.average((about * about).sum(axis=1), weights=w))
        left = ((V - self.down(self.up(V))) ** 2).sum(axis=1)
        return float(np.average(left, weights=w)) / whole if whole > 0 else 0.0


@enter(
    Card(
        "boltzmann_machines",
        "A Boltzmann machine a layer",
        ("pretraining",),
        paper="Hinton, Osindero and Teh (2006), Neural Computation 18; Hinton (2002), Neural "
        "Computation 14",
        kind="part",
        sources=("cs2:dbn", "cs2:rbm_cd_k", "cs2:init_pretrain", "s841:rbm"),
        formula=r"\Delta W \propto \langle h v^\top \rangle_{\text{rows}} - "
        r"\langle h v^\top \rangle_{k\ \text{steps}}",
        synonyms=(
            "RBM", "restricted Boltzmann machine", "contrastive divergence", "CD-k",
            "deep belief network", "DBN", "layer-wise pre-training", "unsupervised pre-training",
        ),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class BoltzmannMachines(Pretraining):
    """Each hidden layer first learns the distribution of its inputs, then the next.

    A restricted Boltzmann machine of its units by contrastive divergence, on what comes from below
    stretched to 0 to 1 by its least and largest value. The layer then takes the weights and
    offsets of the hidden units. Logistic units, and tanh, which is one stretched, say what the
    machine does. No target is asked, and no row that is held out.
    """

    epochs: int = integer(20, low=1, high=10_000, soft=(5, 100), doc="Epochs of each layer.")
    learning_rate: float = real(
        0.1, above=0.0, soft=(1e-3, 1.0), log=True, symbol=r"\eta", doc="Length of a step.",
        advanced=True,
    )  # fmt: skip
    gibbs_steps: int = integer(
        1, low=1, high=100, soft=(1, 20), symbol="k", label="Ways down and up",
        doc="Of the chain that draws rows to unlearn; more of them follow the likelihood closer.",
        advanced=True,
    )  # fmt: skip

    def passes(self, widths: Sequence[int]) -> float:
        """Some calls a batch for each layer, more for each way of the chain."""
        return 0.3 * self.epochs * (1 + self.gibbs_steps) * max(len(widths) - 2, 0)

    def conflict_with(self, activation: Activation) -> str | None:
        """Refuse units that do not say what a chance of 0 or 1 can be read from."""
        if activation.card.name in KNOWN:
            return None
        return (
            f"{self.title()} teaches units that go from one level to another, which "
            f"{activation.title().lower()} units do not. Set the activation to logistic or tanh, "
            "or pre-train by autoencoders."
        )

    def learn(self, task: Training, rng: Streams) -> str:
        """Layer by layer; tells how much of the variance of its inputs each one lost."""
        network, A, w = task.network, task.rows.X, task.rows.w
        lost = []
        for k, h in enumerate(network.sizes[1:-1]):
            low, width = A.min(axis=0), np.ptp(A, axis=0)
            width = np.where(width > LEAST, width, 1.0)
            V = (A - low) / width
            machine = self.machine(V, w, h, task.size, rng(f"machine of layer {k + 1}"))
            share = _share(network.activation)
            lost.append(machine.lost(V, w))
            W = share * machine.W / width
            task.matrices[k][:] = np.column_stack([W, share * machine.b - W @ low])
            A = network.values(task.theta, task.rows.X)[k].T
        return told(lost, "draw", "one way up and down loses")

    def machine(
        self, V: np.ndarray, w: np.ndarray, h: int, batch: int, rng: np.random.Generator
    ) -> Machine:
        """One of h hidden units on rows V, (n, m), between 0 and 1, of weights w, (n,), mean 1."""
        n, m = V.shape
        mean = np.clip(np.average(V, axis=0, weights=w), 0.01, 0.99)
        machine = Machine(SPREAD * rng.normal(size=(h, m)), np.zeros(h), np.log(mean / (1 - mean)))
        for _ in range(self.epochs):
            at = rng.permutation(n)
            for start in range(0, n, batch):
                some = at[start : start + batch]
                self._step(machine, V[some], w[some, None], rng)
        return machine

    def _step(
        self, machine: Machine, V: np.ndarray, w: np.ndarray, rng: np.random.Generator
    ) -> None:
        """One step by a batch V, (b, m), of weights w, (b, 1).

        The chain draws lots both ways, or it would not end in the distribution of the machine; of
        hidden units their chances are summed.
        """
        W, b, c = machine
        first = P = machine.up(V)
        U = V
        for _ in range(self.gibbs_steps):
            down = machine.down((rng.random(P.shape) < P).astype(float))
            U = (rng.random(down.shape) < down).astype(float)
            P = machine.up(U)
        rate = self.learning_rate / len(V)
        first, P = w * first, w * P
        W += rate * (first.T @ V - P.T @ U)
        b += rate * (first - P).sum(axis=0)
        c += rate * (w * (V - U)).sum(axis=0)


def _share(activation: Activation) -> float:
    """By how much of its sum a unit says as much as a logistic one, but for its two ends."""
    it: Any = activation
    name = it.card.name
    if name == "logistic":
        return 1.0 / it.steepness
    return 0.5 / (STEEP[1] if name == "scaled_tanh" else 1.0)  # 1 / (1 + e^-s) is tanh(s / 2)
