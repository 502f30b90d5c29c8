"""The same things, measured in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, many

CARD = Card(
    "two_view_pairs", "Paired views", ("source",), sources=("epfl:DS09",), random=True, kind="data"
)


@enter(CARD)
@dataclass(frozen=True, kw_only=True)
class TwoViewPairs(shared.DistributionGenerator):
    """Blocks of columns that share a few hidden variables.

    A row has z from N(0, I) in a few dimensions; view v shows W_v z plus noise N(0, noise^2 I) plus
    one strong direction of its own, which is in no other view.

    Shows why one looks for directions that the views have in common: the first principal components
    of a view are its own affair.
    """

    n_samples: int = shared.n_samples(300)
    latent: int = integer(
        2, low=1, high=10, soft=(1, 5), symbol="q", doc="Dimension of what the views share."
    )
    views: tuple = many((20.0, 8.0), most=4, doc="Number of columns of each view, 1 to 100.")
    noise: float = shared.noise(1.0, "a shared direction has variance about 1 in every column")

    def conflict(self) -> str | None:
        """Refuse views that are no numbers of columns."""
        if not self.views or not all(v == int(v) and 1 <= v <= 100 for v in self.views):
            return f"{self.title()}: views must hold whole numbers from 1 to 100."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The views side by side; what they share stands in columns of its own."""
        z = self.rng("latent").normal(size=(self.n_samples, self.latent))
        columns, mixing = [], []
        for v, width in enumerate(int(w) for w in self.views):
            X, weights = self._view(z, f"view {v}", width)
            mixing.append(weights)
            columns += [numeric(f"{'abcd'[v]}{j + 1}", X[:, j]) for j in range(width)]
        truth = shared.Truth(coordinates=z, mixing=np.vstack(mixing), noise=self.noise)
        shown = [numeric(f"shared{j + 1}", z[:, j]) for j in range(self.latent)]
        roles = tuple((column.name, "label") for column in shown)
        return Origin(Table.of(*columns, *shown), self.title(), None, roles, truth)

    def _view(self, z: np.ndarray, name: str, width: int) -> tuple[np.ndarray, np.ndarray]:
        directions_rng, rng = self.distribution_rng(name), self.rng(name)
        weights = directions_rng.normal(size=(width, self.latent))
        private = 3.0 * rng.normal(size=(len(z), 1)) * directions_rng.normal(size=width)
        return z @ weights.T + private + self.noise * rng.normal(size=(len(z), width)), weights
