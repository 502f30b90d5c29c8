"""Two bars side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

HALF = 4.0  # a bar reaches from -4 to 4


@enter(Card("two_bars", "Two bars", ("source",), sources=("epfl:DS22",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class TwoBars(shared.Generator):
    """Two long bars, one above the other, evenly filled from end to end.

    x1 is uniform in [-4, 4] and x2 is -gap / 2 or gap / 2 with noise N(0, noise^2).

    Shows density at work: links between near neighbours find both bars, while k-means cuts across
    them. Long normal clouds in their place thin out at the ends, where such links break.
    """

    n_samples: int = shared.n_samples(300)
    gap: float = real(
        2.0, low=0.0, high=100.0, soft=(0.5, 4.0), doc="Distance of the bars; they are 8 long."
    )
    noise: float = shared.noise(0.2, "half the thickness of a bar, roughly")
    outliers: int = shared.n_outliers()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with their bar as target."""
        labels = np.arange(self.n_samples) % 2
        along = self.rng("along").uniform(-HALF, HALF, self.n_samples)
        across = self.gap * (labels - 0.5) + self.noise * self.rng("noise").normal(size=len(labels))
        X = np.column_stack([along, across])
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        X, labels = shared.shuffled(X, labels, self.rng("order"))
        error = None if self.outliers else self._bayes_error()
        return shared.class_origin(
            self, X, labels, ("lower", "upper"), noise=self.noise, bayes_error=error
        )

    def _bayes_error(self) -> float:
        """That of the line midway between the bars."""
        far = self.gap / 2 / self.noise if self.noise else np.inf
        return float(ndtr(-far)) if self.gap else 0.5
