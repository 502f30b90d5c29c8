"""How much each neighbour counts: parts of the methods that look at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, real


@dataclass(frozen=True, kw_only=True)
class VoteWeight(Component):
    """The weight of neighbours by their distance."""

    def weights(self, distances: np.ndarray) -> np.ndarray:
        """Weights at least 0, one positive in each row, shape (m, k), for ascending distances."""
        raise NotImplementedError(f"{type(self).__name__} declares no weights")


@enter(Card("uniform", "Uniform weights", ("vote_weight",), kind="part", sources=("s841:knn",)))
@dataclass(frozen=True, kw_only=True)
class Uniform(VoteWeight):
    """Each of the k neighbours counts 1."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"weights": "uniform"}

    def weights(self, distances: np.ndarray) -> np.ndarray:
        """Ones."""
        return np.ones(distances.shape)


@enter(
    Card(
        "inverse_distance",
        "Inverse distance",
        ("vote_weight",),
        kind="part",
        sources=("s841:knn_weighted",),
        formula=r"d^{-p}",
    )
)
@dataclass(frozen=True, kw_only=True)
class InverseDistance(VoteWeight):
    """Near neighbours count more; one at distance 0 decides alone."""

    power: float = real(2.0, low=0.0, high=20.0, soft=(0.5, 4.0), doc="Exponent of the distance.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return self.beyond_peer(power=1.0) or {"weights": "distance"}

    def weights(self, distances: np.ndarray) -> np.ndarray:
        """(nearest / distance)^power: in proportion to the inverse, and never too large."""
        first = distances[:, :1]
        safe = np.where(distances > 0, distances, 1.0)
        shares = np.where(first > 0, first / safe, distances == 0.0)
        return np.where(first > 0, shares**self.power, shares)


@enter(Card("kernel", "Kernel weights", ("vote_weight",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class KernelWeight(VoteWeight):
    """A curve over distance / distance of the farthest neighbour."""

    shape: str = choice(
        "epanechnikov",
        "epanechnikov",
        "triangle",
        "tricube",
        "gaussian",
        doc="The curve; but for the last it is 0 where the farthest neighbour stands.",
    )

    def weights(self, distances: np.ndarray) -> np.ndarray:
        """The curve; where it is 0 for all, all count alike."""
        last = distances[:, -1:]
        u = distances / np.where(last > 0, last, 1.0)
        curves = {
            "epanechnikov": 1 - u**2,
            "triangle": 1 - u,
            "tricube": (1 - u**3) ** 3,
            "gaussian": np.exp(-2 * u**2),
        }
        curve = curves[self.shape]
        return np.where(curve.sum(axis=1, keepdims=True) > 0, curve, 1.0)
