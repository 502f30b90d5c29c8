"""Circles around one center."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import many, real

NAMES = ("inner", "outer")
SOURCES = ("s841:ring", "cs1:d_rings", "mi2:rings_moons", "epfl:DS23", "epfl:DS44")


@enter(Card("rings", "Circles", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Rings(shared.Generator):
    """Circles around one center: the groups share their mean.

    A row of ring k is r_k (cos t, sin t) with t uniform in [0, 2 pi] and noise N(0, noise^2) on
    each coordinate. A radius of 0 is a blob in the middle.

    Shows why a change of coordinates, or a kernel, helps: the distance from the center alone parts
    the rings, while no line, and no clustering around means, does.
    """

    n_samples: int = shared.n_samples(300)
    radii: tuple = many((1.0, 3.0), most=8, doc="Radius of each ring, from 0 to 100.")
    noise: float = real(
        0.2,
        low=0.0,
        high=100.0,
        soft=(0.0, 1.0),
        symbol=r"\sigma",
        doc="Standard deviation of the noise, in the unit of the radii.",
    )
    weights: tuple = many(
        (), most=8, doc="Relative sizes of the rings; equal where empty.", advanced=True
    )
    outliers: int = shared.n_outliers()

    def conflict(self) -> str | None:
        """Refuse radii that are none, and sizes that do not fit them."""
        if not self.radii or not all(0.0 <= r <= 100.0 for r in self.radii):
            return f"{self.title()}: radii must hold one to eight numbers from 0 to 100."
        return shared.weights_conflict(self.title(), self.weights, len(self.radii))

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with their ring as target."""
        k = len(self.radii)
        labels = np.repeat(np.arange(k), shared.shares(self.n_samples, self.weights, k))
        t = self.rng("angles").uniform(0.0, 2 * np.pi, self.n_samples)
        X = np.array(self.radii)[labels, None] * np.column_stack([np.cos(t), np.sin(t)])
        X = X + self.noise * self.rng("noise").normal(size=X.shape)
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        X, labels = shared.shuffled(X, labels, self.rng("order"))
        levels = NAMES if k == 2 else tuple(f"ring {j + 1}" for j in range(k))
        return shared.class_origin(self, X, labels, levels, noise=self.noise)
