"""Two variables that depend on each other in different ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice

CARD = Card(
    "dependence_patterns",
    "Patterns of dependence",
    ("source",),
    sources=("mi2:dependence_patterns", "mi2:uncorrelated_vs_independent"),
    random=True,
    kind="data",
)
PATTERNS = ("tilted", "round", "parabola", "ring")


@enter(CARD)
@dataclass(frozen=True, kw_only=True)
class DependencePatterns(shared.Generator):
    """A cloud of two variables: correlated, independent, or uncorrelated and yet dependent.

    Tilted: normal with correlation 0.8. Round: independent normal variables. Parabola:
    x2 = x1^2 - 1/3 with x1 uniform in [-1, 1]. Ring: a circle of radius 1. The last two have
    covariance 0. Noise goes to both coordinates.

    Shows that covariance sees straight lines only, while mutual information sees every dependence.
    """

    n_samples: int = shared.n_samples(500)
    pattern: str = choice("ring", *PATTERNS, doc="How the two variables depend on each other.")
    noise: float = shared.noise(0.1, "the clouds are about 2 wide")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows, without a target."""
        X = self._clean(self.rng("positions"))
        X = X + self.noise * self.rng("noise").normal(size=X.shape)
        return shared.plain_origin(self, X, noise=self.noise)

    def _clean(self, rng: np.random.Generator) -> np.ndarray:
        n = self.n_samples
        if self.pattern in ("tilted", "round"):
            rho = 0.8 if self.pattern == "tilted" else 0.0
            return rng.normal(size=(n, 2)) @ np.linalg.cholesky([[1.0, rho], [rho, 1.0]]).T
        if self.pattern == "parabola":
            x = rng.uniform(-1.0, 1.0, n)
            return np.column_stack([x, x**2 - 1 / 3])
        t = rng.uniform(0.0, 2 * np.pi, n)
        return np.column_stack([np.cos(t), np.sin(t)])
