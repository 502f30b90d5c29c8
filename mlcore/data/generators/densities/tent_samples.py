"""Numbers from a density that is a tent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SOURCES = ("cs1:d_bayes_tent",)


@enter(Card("tent_samples", "Tent", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class TentSamples(shared.Generator):
    """Numbers in [0, 1] whose density rises to theta and falls after it.

    With u uniform, z = sqrt(u theta) where u < theta and 1 - sqrt((1 - u)(1 - theta)) else: the
    density is 2 z / theta up to theta and 2 (1 - z) / (1 - theta) beyond; its mean is
    (1 + theta) / 3.

    Shows how a posterior of theta narrows with every number, whatever one believed before.
    """

    n_samples: int = shared.n_samples(50)
    theta: float = real(
        0.7, above=0.0, below=1.0, soft=(0.05, 0.95), symbol=r"\theta", doc="Where the peak is."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn numbers, in the order of drawing, without a target."""
        u = self.rng("positions").uniform(size=self.n_samples)
        rising = np.sqrt(u * self.theta)
        falling = 1.0 - np.sqrt((1.0 - u) * (1.0 - self.theta))
        z = np.where(u < self.theta, rising, falling)
        height = np.where(z < self.theta, z / self.theta, (1.0 - z) / (1.0 - self.theta))
        return shared.plain_origin(self, z[:, None], log_density=np.log(2.0 * height))
