"""Rows near a plane in many dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

CARD = Card(
    "linear_subspace_noise",
    "A plane in noise",
    ("source",),
    sources=("prac:linear_subspace_noise",),
    random=True,
    kind="data",
)


@enter(CARD)
@dataclass(frozen=True, kw_only=True)
class LinearSubspaceNoise(shared.DistributionGenerator):
    """Points of an affine subspace of few dimensions, with equal noise in every column.

    x = shift + B (s_1 z_1, ..., s_r z_r) + e with z from N(0, I), B of r orthonormal columns drawn
    at random, standard deviations s_j = 3 / j, and e from N(0, noise^2 I). The covariance has the
    eigenvalues s_j^2 + noise^2 and then noise^2 again and again.

    Shows the knee of the spectrum, the floor that noise leaves, and what happens with fewer rows
    than columns.
    """

    n_samples: int = shared.n_samples(200)
    rank: int = integer(
        2, low=1, high=100, soft=(1, 10), symbol="r", doc="Dimension of the subspace."
    )
    n_features: int = integer(
        10, low=1, high=2000, soft=(2, 100), log=True, symbol="p", label="Columns",
        doc="Number of columns.",
    )  # fmt: skip
    shift: float = real(
        0.0, low=-1000.0, high=1000.0, soft=(-10.0, 10.0), doc="What is added to every column."
    )
    noise: float = shared.noise(0.3, "the subspace has deviations 3, 3/2, 3/3 ...", (0.0, 3.0))

    def conflict(self) -> str | None:
        """Refuse a subspace larger than the space."""
        if self.rank > self.n_features:
            return (
                f"{self.title()}: a subspace of {self.rank} dimensions does not fit into "
                f"{self.n_features} columns. Lower rank or raise n_features."
            )
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows, without a target."""
        drawn = self.distribution_rng("basis").normal(size=(self.n_features, self.rank))
        basis, upper = np.linalg.qr(drawn)
        basis = basis * np.sign(np.diag(upper))  # the sign that LAPACK chooses says nothing
        z = self.rng("positions").normal(size=(self.n_samples, self.rank))
        inner = z * 3.0 / np.arange(1, self.rank + 1)
        clean = self.shift + inner @ basis.T
        X = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        return shared.plain_origin(
            self, X, coordinates=inner, mixing=basis, clean=clean, noise=self.noise
        )
