"""Two interlocking half circles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SOURCES = ("s841:moons", "mi2:rings_moons", "epfl:DS25")


@enter(Card("moons", "Moons", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Moons(shared.Generator):
    """Two half circles that reach into each other: no straight line parts them.

    With an angle t, uniform in [0, pi], the upper moon is (cos t, sin t + gap / 2) and the lower
    one (1 - cos t, 1/2 - sin t - gap / 2); each coordinate gets noise N(0, noise^2).

    Shows what a curved boundary gains over a straight one, and why clustering around means fails
    on groups that are not round.
    """

    n_samples: int = shared.n_samples(300)
    noise: float = real(
        0.15,
        low=0.0,
        high=10.0,
        soft=(0.0, 0.5),
        symbol=r"\sigma",
        doc="Standard deviation of the noise; the moons have radius 1.",
    )
    gap: float = real(
        0.0,
        low=-2.0,
        high=10.0,
        soft=(-0.5, 1.0),
        doc="How far the moons are pulled apart, in radii; below 0 they are pushed together.",
    )
    outliers: int = shared.n_outliers()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with their moon as target."""
        labels = np.arange(self.n_samples) % 2
        t = self.rng("angles").uniform(0.0, np.pi, self.n_samples)
        upper = np.column_stack([np.cos(t), np.sin(t) + self.gap / 2])
        lower = np.column_stack([1.0 - np.cos(t), 0.5 - np.sin(t) - self.gap / 2])
        X = np.where(labels[:, None] == 0, upper, lower)
        X = X + self.noise * self.rng("noise").normal(size=X.shape)
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        X, labels = shared.shuffled(X, labels, self.rng("order"))
        return shared.class_origin(self, X, labels, ("upper", "lower"), noise=self.noise)
