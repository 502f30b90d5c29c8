"""Output units with a squared error: linear ones, and ones that a tanh or logistic curve bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.neural.activations import Activation
from mlcore.optimisation.losses import Local, Loss


@dataclass(frozen=True)
class CodedSquares:
    """Half the sum of (z_k - t_k)^2 with t_k = 1 for the own class and -1 for the others.

    For two classes of the second alone.
    """

    steepest: float = 1.0
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and slope z - t, (m, n); y holds codes, or 0 and 1 for two classes."""
        slope = Z - _signs(y, len(Z))
        return Local(0.5 * (slope * slope).sum(axis=0), slope, slope)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """One in each output, shape (n,), none between two."""
        return np.ones(len(y)) if a == b else None


def _signs(y: np.ndarray, m: int) -> np.ndarray:
    """1 for the own class and -1 for the others, shape (m, n); of two for the second, (1, n)."""
    own = y[None] if m == 1 else y == np.arange(m)[:, None]
    return 2.0 * own - 1.0


@dataclass(frozen=True)
class Bent:
    """A loss of outputs a = g(z): what it costs that `unit` bends each sum z by its curve g."""

    loss: Loss
    unit: Activation
    shared: bool = False

    @property
    def steepest(self) -> float:
        """That of the loss: the curves here are nowhere steeper than 1."""
        return self.loss.steepest

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, (n,), and slope by the sums, (m, n); g' stands above what the loss needs."""
        A = np.empty_like(Z)
        self.unit.value(Z, A)
        rise = self.unit.slope(Z, A)
        rise = np.ones_like(Z) if rise is None else rise
        local = self.loss.at(y, A)
        return Local(local.value, local.slope * rise, np.concatenate([rise, local.shape]))

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """How the loss bends in a and b times g'_a g'_b, shape (n,): the part never negative."""
        m = len(local.slope)
        bent = self.loss.curvature(y, local._replace(shape=local.shape[m:]), a, b)
        return None if bent is None else bent * local.shape[a] * local.shape[b]
