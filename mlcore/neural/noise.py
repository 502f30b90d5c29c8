"""Noise while a network learns, so that it cannot lean on accidents; there is none afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class TrainingNoise(Component):
    """What a batch meets on its way through the network."""

    is_silent = False  # whether it changes nothing

    def weights(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The weights that this batch meets, shape (P,)."""
        return theta

    def inputs(self, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The columns of a batch of b rows as it is seen, shape (p, b)."""
        return A

    def mask(self, units: int, rows: int, rng: np.random.Generator) -> np.ndarray | None:
        """By what hidden values are multiplied, shape (units, rows); None for ones."""
        return None


@enter(Card("none", "None", ("training_noise",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoNoise(TrainingNoise):
    """Every batch is seen as it is."""

    is_silent = True


@enter(
    Card(
        "dropout",
        "Dropout",
        ("training_noise",),
        paper="Srivastava and others (2014), JMLR 15",
        kind="part",
        sources=("cs2:dropout",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Dropout(TrainingNoise):
    """Silences units at random, for each row anew, so that none can rely on another.

    What stays is divided by the share that stays, so nothing needs to change afterwards.
    """

    columns: float = real(
        0.2,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.8),
        label="Share of columns",
        doc="Share of the values of the columns that are silenced.",
    )
    hidden: float = real(
        0.5,
        low=0.0,
        below=1.0,
        soft=(0.0, 0.8),
        label="Share of units",
        doc="Share of the values of hidden units that are silenced.",
    )

    def inputs(self, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """With values silenced, shape (p, b)."""
        return A if self.columns == 0 else A * _kept(self.columns, A.shape, rng)

    def mask(self, units: int, rows: int, rng: np.random.Generator) -> np.ndarray | None:
        """0, or 1 over the share that stays, shape (units, rows)."""
        return None if self.hidden == 0 else _kept(self.hidden, (units, rows), rng)


def _kept(silenced: float, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    return (rng.random(shape) >= silenced) / (1.0 - silenced)


def _spread(default: float, of: str) -> Any:
    return real(
        default,
        above=0.0,
        soft=(0.001, 1.0),
        log=True,
        symbol=r"\sigma",
        label="Standard deviation",
        doc=f"Standard deviation of the noise, in units of the {of}.",
    )


@enter(
    Card(
        "input_noise",
        "Noise on the columns",
        ("training_noise",),
        paper="Bishop (1995), Neural Computation 7(1)",
        kind="part",
        synonyms=("jitter",),
    )
)
@dataclass(frozen=True, kw_only=True)
class InputNoise(TrainingNoise):
    """Adds normal noise to the columns of each batch, which smooths what is learned."""

    std: float = _spread(0.1, "columns")

    def inputs(self, A: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """With noise, shape (p, b)."""
        return A + rng.normal(0.0, self.std, A.shape)


@enter(
    Card(
        "weight_noise",
        "Noise on the weights",
        ("training_noise",),
        paper="Murray and Edwards (1994), IEEE Transactions on Neural Networks 5(5)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class WeightNoise(TrainingNoise):
    """Each batch meets weights with normal noise, so that flat valleys of the loss are sought."""

    std: float = _spread(0.05, "weights")

    def weights(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """With noise, shape (P,)."""
        return theta + rng.normal(0.0, self.std, theta.shape)
