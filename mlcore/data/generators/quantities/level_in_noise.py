"""One unknown number, seen several times with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

SOURCES = ("mi2:level_in_noise",)


@enter(
    Card("level_in_noise", "A level in noise", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LevelInNoise(shared.Generator):
    """Every row is an experiment: a level, uniform over a range, and N observations of it.

    x_i = level + sigma e_i. The mean of the observations is the best estimate whatever the level
    is, with variance sigma^2 / N. The last observation may have another variance where the level
    is below 0: then the best weights differ between the two sides, and no estimate without bias is
    the best everywhere.

    Shows what a regression of the level finds, beside the estimators of the theory.
    """

    n_samples: int = shared.n_samples(500)
    n_observations: int = integer(
        5, low=1, high=100, soft=(1, 30), symbol="N", label="Observations",
        doc="How often the level is seen.",
    )  # fmt: skip
    low: float = real(-3.0, low=-1000.0, high=1000.0, soft=(-5.0, 0.0), doc="Least level.")
    high: float = real(3.0, low=-1000.0, high=1000.0, soft=(0.0, 5.0), doc="Largest level.")
    noise: float = shared.noise(1.0, "in units of the level", (0.0, 3.0))
    last: float = real(
        1.0, low=0.0, high=100.0, soft=(0.5, 5.0), label="Variance of the last",
        doc="Of the last observation where the level is below 0, in variances of the others.",
        advanced=True,
    )  # fmt: skip

    def conflict(self) -> str | None:
        """Refuse a range that is none."""
        if self.low < self.high:
            return None
        return f"{self.title()}: low must be below high; got {self.low:g} and {self.high:g}."

    def n_columns(self) -> int:
        """One an observation, and what is worked out from them."""
        return self.n_observations + 5

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The observations, with the level as target."""
        level = self.rng("level").uniform(self.low, self.high, self.n_samples)
        spread = np.full((self.n_samples, self.n_observations), self.noise)
        spread[level < 0, -1] *= np.sqrt(self.last)
        X = level[:, None] + spread * self.rng("noise").normal(size=spread.shape)
        return shared.value_origin(self, X, level, signal=level, noise=self.noise)
