"""What the first weights learn from the columns alone, before anything is said of the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from mlcore.neural.activations import Activation
from mlcore.neural.initializers import Initializer
from mlcore.neural.network import Network
from mlcore.neural.noise import Dropout, NoNoise, TrainingNoise
from mlcore.neural.optimizers import Adam
from mlcore.neural.penalties import NoWeightPenalty, WeightPenalty
from mlcore.neural.training import Rows, Training
from mlcore.optimisation.losses import Local
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real
from mlcore.spine.wording import listed

Streams = Callable[[str], np.random.Generator]  # a stream of random numbers by its name


@dataclass(frozen=True, kw_only=True)
class Pretraining(Component):
    """What changes the first weights of the hidden layers before the network learns."""

    def passes(self, widths: Sequence[int]) -> float:
        """What it costs, in passes over all rows of a network of these widths."""
        return 0.0

    def conflict_with(self, activation: Activation) -> str | None:
        """Why it cannot teach units of this activation, or None."""
        return None

    def learn(self, task: Training, rng: Streams) -> str:
        """Change the weights of a task in place, by its rows alone; what to say of it."""
        return ""


@enter(Card("none", "None", ("pretraining",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoPretraining(Pretraining):
    """The weights start as they are drawn."""


@dataclass(frozen=True)
class Reconstruction:
    """Half the squared distance between the outputs and what they should rebuild."""

    steepest: float = 1.0
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, (n,), and slope z - y, (m, n); `y` has a row a row, (n, m)."""
        slope = Z - y.T
        return Local(0.5 * (slope * slope).sum(axis=0), slope, slope)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """One in each output, none between two; shape (n,)."""
        return np.ones(len(y)) if a == b else None


class _Settings(NamedTuple):
    """What a network asks of its method while it learns."""

    init: Initializer
    batch_size: int | None
    shuffle: bool
    noise: TrainingNoise
    penalty: WeightPenalty


@enter(
    Card(
        "autoencoders",
        "An autoencoder a layer",
        ("pretraining",),
        paper="Bengio, Lamblin, Popovici and Larochelle (2007), NIPS 19; Vincent and others "
        "(2008), ICML 25",
        kind="part",
        sources=("cs2:init_pretrain", "s841:deep_greedy_layerwise", "s841:autoencoder_pretraining"),
        formula=r"\min \sum \lVert V g(W a + b) + c - a \rVert^2",
        synonyms=(
            "layer-wise pre-training", "greedy layer-wise training", "stacked autoencoder",
            "denoising autoencoder", "unsupervised pre-training",
        ),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Autoencoders(Pretraining):
    """Each hidden layer first learns to reconstruct its inputs from its outputs, then the next.

    No target is asked, and no row that is held out. The weights to the outputs start at random.
    """

    epochs: int = integer(
        20, low=1, high=10_000, soft=(5, 100), doc="Epochs of each layer, by Adam."
    )
    learning_rate: float = real(
        0.01, above=0.0, soft=(1e-4, 0.1), log=True, symbol=r"\eta", doc="Length of a step.",
        advanced=True,
    )  # fmt: skip
    corruption: float = real(
        0.0, low=0.0, below=1.0, soft=(0.0, 0.6),
        doc="Share of the inputs of a layer that are set to 0 at random, for each row anew, while "
        "it is to reconstruct them all: a denoising autoencoder. The others are scaled up in turn.",
    )  # fmt: skip

    def passes(self, widths: Sequence[int]) -> float:
        """Each layer there and back; all together as large as two such networks at most."""
        return 2.0 * self.epochs if len(widths) > 2 else 0.0

    def learn(self, task: Training, rng: Streams) -> str:
        """Layer by layer; tells how much of the variance of its inputs each one lost."""
        network, A = task.network, task.rows.X
        lost = []
        for k, h in enumerate(network.sizes[1:-1]):
            own = self._autoencoder(task, A, h, lambda name, k=k: rng(f"{name} of layer {k + 1}"))
            task.matrices[k][:] = own.matrices[0]
            lost.append(_lost(own))
            A = own.network.values(own.theta, A)[0].T.copy()
        return told(lost, "reconstruct", "the way there and back loses")

    def _autoencoder(self, task: Training, A: np.ndarray, h: int, rng: Streams) -> Training:
        """One of h units that rebuilds its inputs A, shape (n, m), when it has learned."""
        it: Any = task.it
        noise = Dropout(columns=self.corruption, hidden=0.0) if self.corruption else NoNoise()
        settings = _Settings(it.init, it.batch_size, it.shuffle, noise, NoWeightPenalty())
        activation: Activation = task.network.activation
        network = Network((A.shape[1], h, A.shape[1]), activation)
        own = Training(settings, network, Reconstruction(), Rows(A, A, task.rows.w), rng)
        for _ in islice(Adam(learning_rate=self.learning_rate).epochs(own), self.epochs):
            pass
        return own


def _lost(own: Training) -> float:
    """The share of the variance of its inputs that an autoencoder does not rebuild."""
    A, w = own.rows.X, own.rows.w
    about = A - np.average(A, axis=0, weights=w)
    whole = 0.5 * float(np.average((about * about).sum(axis=1), weights=w))
    return own.loss_of(own.rows) / whole if whole > 0 else 0.0


def told(lost: list[float], verb: str, loses: str) -> str:
    """What layers learned to do with their inputs, and the share of the variance that each lost."""
    if not lost:
        return ""
    shares = listed([f"{100 * share:.3g} %" for share in lost])
    if len(lost) == 1:
        return f"Before it, layer 1 learned to {verb} its inputs; {loses} {shares} of the variance."
    return (
        f"Before it, layers 1 to {len(lost)} learned to {verb} their inputs; {loses} {shares} of "
        "their variance."
    )
