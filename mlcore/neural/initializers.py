"""Where the weights and offsets of a network start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class Initializer(Component):
    """Draws the first weights of a layer."""

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Weights, and the offset last, of each unit: shape (units, inputs + 1)."""
        raise NotImplementedError(f"{type(self).__name__} draws no weights")


def _without_offsets(drawn: np.ndarray) -> np.ndarray:
    drawn[:, -1] = 0.0
    return drawn


@enter(
    Card(
        "glorot",
        "Glorot",
        ("initializer",),
        paper="Glorot and Bengio (2010), AISTATS 9",
        kind="part",
        formula=r"w \sim U\left[-\sqrt{6 / (m + q)}, \sqrt{6 / (m + q)}\right]",
        synonyms=("Xavier",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Glorot(Initializer):
    """Uniform, so narrow that signals keep their size on their way up and gradients back."""

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Within sqrt(6 / (inputs + units)) of 0, offsets too, shape (units, inputs + 1)."""
        # Tanh units without offsets are odd functions together, and rows that lie symmetrically
        # about 0, as two moons do, then give them no reason ever to become anything else.
        far = np.sqrt(6.0 / (inputs + units))
        return rng.uniform(-far, far, (units, inputs + 1))


@enter(
    Card(
        "he",
        "He",
        ("initializer",),
        paper="He, Zhang, Ren and Sun (2015), ICCV",
        kind="part",
        formula=r"w \sim N(0, 2 / m)",
        synonyms=("Kaiming",),
    )
)
@dataclass(frozen=True, kw_only=True)
class He(Initializer):
    """Normal, wide enough for rectifiers, half of which are silent."""

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Of variance 2 / inputs, shape (units, inputs + 1)."""
        drawn = rng.normal(0.0, np.sqrt(2.0 / inputs), (units, inputs + 1))
        return _without_offsets(drawn)


@enter(Card("uniform", "Uniform", ("initializer",), sources=("cs2:init_uniform_005",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class UniformWeights(Initializer):
    """Weights and offsets within a limit of 0, the same for every layer."""

    limit: float = real(
        0.5, above=0.0, soft=(0.05, 2.0), log=True, doc="The largest size of a weight."
    )

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Within the limit, offsets too, shape (units, inputs + 1)."""
        return rng.uniform(-self.limit, self.limit, (units, inputs + 1))


@enter(Card("normal", "Normal", ("initializer",), sources=("cs2:init_normal_bias01",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NormalWeights(Initializer):
    """Weights of one standard deviation, the same for every layer, and one offset for all."""

    std: float = real(
        0.01,
        above=0.0,
        soft=(0.001, 1.0),
        log=True,
        symbol=r"\sigma",
        label="Standard deviation",
        doc="Standard deviation of the weights.",
    )
    offset: float = real(0.0, soft=(-1.0, 1.0), doc="First offset of every unit.")

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Random weights and the offset, shape (units, inputs + 1)."""
        drawn = rng.normal(0.0, self.std, (units, inputs + 1))
        drawn[:, -1] = self.offset
        return drawn


@enter(Card("zeros", "Zeros", ("initializer",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Zeros(Initializer):
    """All 0, to see why nobody does it: units of a layer that start alike stay alike."""

    def weights(self, units: int, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Zeros of shape (units, inputs + 1)."""
        return np.zeros((units, inputs + 1))
