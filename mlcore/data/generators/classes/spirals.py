"""Arms that wind around one center."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

INNERMOST = 0.1  # share of the length of an arm that is left out, where all arms meet


@enter(Card("spirals", "Spirals", ("source",), sources=("s841:spirals",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Spirals(shared.Generator):
    """Arms wound around each other: neighbours of different class at every radius.

    A row of arm k at position s in [0.1, 1] is s (cos a, sin a) with the angle
    a = 2 pi (revolutions s + k / arms), and noise N(0, noise^2) on each coordinate; s^2 is
    uniform, so that the points lie about equally dense along an arm.

    Shows how flexible a boundary can become: nearest neighbours and narrow kernels follow the
    arms, linear methods cannot.
    """

    n_samples: int = shared.n_samples(400)
    arms: int = integer(2, low=1, high=8, soft=(2, 5), symbol="K", doc="Number of arms.")
    revolutions: float = real(
        1.5, above=0.0, high=10.0, soft=(0.5, 3.0), doc="How often an arm goes around the center."
    )
    noise: float = real(
        0.03,
        low=0.0,
        high=10.0,
        soft=(0.0, 0.2),
        symbol=r"\sigma",
        doc="Standard deviation of the noise; an arm ends at distance 1 from the center.",
    )
    outliers: int = shared.n_outliers()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with their arm as target."""
        labels = np.arange(self.n_samples) % self.arms
        u = self.rng("positions").uniform(INNERMOST**2, 1.0, self.n_samples)
        s = np.sqrt(u)
        angle = 2 * np.pi * (self.revolutions * s + labels / self.arms)
        X = s[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        X = X + self.noise * self.rng("noise").normal(size=X.shape)
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        X, labels = shared.shuffled(X, labels, self.rng("order"))
        levels = tuple(f"arm {k + 1}" for k in range(self.arms))
        return shared.class_origin(self, X, labels, levels, noise=self.noise)
