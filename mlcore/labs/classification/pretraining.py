"""Deep networks with and without pre-training: how their training loss falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.neural.boltzmann import BoltzmannMachines
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.pretraining import Autoencoders, NoPretraining, Pretraining
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer
from mlcore.spine.random import generator

NEW = 500  # rows that measure the accuracy on new rows
WINDINGS = 1.5  # of each arm of the spirals
WAYS = ("none", "autoencoders", "Boltzmann machines")


class Trained(NamedTuple):
    """Three networks that differ in where their weights began."""

    ways: tuple[str, ...]  # (3,)
    losses: np.ndarray  # (3, E) mean training loss after each epoch
    first_slopes: np.ndarray  # (3, L) root mean square of the gradient by layer in the first epoch
    accuracy: np.ndarray  # (3,) on new rows
    depth: int


@enter(
    Card(
        "pretraining_lab",
        "Pre-training of deep networks",
        ("lab",),
        sources=("cs2:init_pretrain", "s841:deep_greedy_layerwise"),
        random=True,
        cost=lambda n, p, it: (0.03 + 5e-6 * it.epochs * (it.depth + 2) * it.n_rows / 4, 2e7),
        kind="lab",
        pages=("neural_networks",),
        synonyms=(
            "unsupervised pre-training", "vanishing gradient", "deep belief network",
            "stacked autoencoder", "greedy layer-wise training",
        ),
        line="layers taught one by one, then together",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PretrainingLab(Lab):
    r"""Layers of logistic units hardly let the gradient back; taught ones can do without it.

    Three networks of the same layers, of eight units each, learn the same rows by Adam. The weights
    of the first start at random; of the second each layer has learned to reconstruct its inputs, of
    the third to draw them as a restricted Boltzmann machine, both without the classes.
    """

    tasks = (
        "Raise the number of layers from one to five, and watch the gradient of the first one.",
        "Set the activation to tanh, and look at the first gradients again.",
        "Change the rows to spirals, and try several seeds: see which way learns when.",
    )
    seen = (
        "With each layer of logistic units less of the gradient reaches the first one. From three "
        "layers on, a start at random stands still for long, often to the end, where taught layers "
        "learn at once or soon; which kind is better depends on the rows and on chance. Tanh units "
        "let the gradient through, and need neither."
    )

    depth: int = integer(3, low=1, high=6, soft=(1, 6), label="Hidden layers", doc="How many.")
    activation: str = choice("logistic", "logistic", "tanh", doc="What a hidden unit says.")
    shape: str = choice("moons", "moons", "spirals", label="Rows", doc="How the classes lie.")
    epochs: int = integer(150, low=5, high=500, soft=(20, 300), doc="Of the whole network.")
    n_rows: int = row_count(300, (100, 1000), doc="That are learned from.")

    def compute(self, seed: int = 0) -> Trained:
        """Train the three, and try them on new rows."""
        X, y = self._drawn(generator(seed, "rows"), self.n_rows)
        new, answers = self._drawn(generator(seed, "new rows"), NEW)
        units: Any = self.activation
        before: tuple[Pretraining, ...] = NoPretraining(), Autoencoders(), BoltzmannMachines()
        fits = [
            MLPClassifier(
                hidden_layer_sizes=(8,) * self.depth, activation=units,
                max_epochs=self.epochs, pretraining=way,
            ).fit(X, y, seed=seed)
            for way in before
        ]  # fmt: skip
        return Trained(
            WAYS,
            np.array([fit.losses for fit in fits]),
            np.array([fit.gradient_sizes[0] for fit in fits]),
            np.array([(fit.predict(new) == answers).mean() for fit in fits]),
            self.depth,
        )

    def _drawn(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of two classes, (n, 2), of about unit spread, and their classes, (n,)."""
        y, along = rng.integers(2, size=n), rng.uniform(size=n)
        if self.shape == "moons":
            angle = np.pi * (along + y)
            X = np.column_stack([np.cos(angle) + y - 0.5, np.sin(angle) + 0.5 * y - 0.25])
            return X + 0.15 * rng.normal(size=(n, 2)), y
        angle, radius = 2 * np.pi * WINDINGS * np.sqrt(along) + np.pi * y, 2.0 * np.sqrt(along)
        X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        return X + 0.05 * rng.normal(size=(n, 2)), y
