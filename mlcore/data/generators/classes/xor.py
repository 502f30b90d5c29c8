"""Two columns that say nothing alone and everything together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

WEAK_SHIFT = 0.6  # mean of a weak column in either class, in its standard deviations
LEVELS = ("different", "same")


@enter(Card("xor", "XOR", ("source",), sources=("prac:xor", "s841:xor"), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Xor(shared.Generator):
    """Four clouds at the corners of a square; opposite corners share a class.

    x1 and x2 are -1 or +1 at random with noise N(0, noise^2); the class says whether their signs
    are the same. A weak column is N(-0.6, 1) or N(+0.6, 1) by class, an irrelevant one is -1 or +1
    with noise N(0, 1).

    Shows that columns can matter together while none matters alone: a line does no better than
    guessing, and a search that adds one column at a time prefers the weak ones.
    """

    n_samples: int = shared.n_samples(400)
    noise: float = real(
        0.3,
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        symbol=r"\sigma",
        doc="Standard deviation of the noise; the corners are 2 apart.",
    )
    weak: int = integer(
        0, low=0, high=20, soft=(0, 5), label="Weak columns", doc="Columns that hint at the class."
    )
    irrelevant: int = integer(
        0,
        low=0,
        high=30,
        soft=(0, 10),
        label="Irrelevant columns",
        doc="Columns that have nothing to do with the class.",
    )

    def n_columns(self) -> int:
        """The two that matter, and those beside them."""
        return 2 + self.weak + self.irrelevant

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows; the target says whether x1 and x2 have the same sign."""
        n, signs = self.n_samples, self.rng("corners").choice([-1.0, 1.0], (self.n_samples, 2))
        corners = signs + self.noise * self.rng("noise").normal(size=(n, 2))
        labels = (corners.prod(axis=1) > 0).astype(np.int64)
        means = WEAK_SHIFT * (2.0 * labels - 1.0)
        weak = means[:, None] + self.rng("weak").normal(size=(n, self.weak))
        idle = self.rng("irrelevant")
        irrelevant = idle.choice([-1.0, 1.0], (n, self.irrelevant))
        irrelevant = irrelevant + idle.normal(size=irrelevant.shape)
        X = np.column_stack([corners, weak, irrelevant])
        # The class is decided after the noise, so the best rule is never wrong.
        return shared.class_origin(self, X, labels, LEVELS, noise=self.noise, bayes_error=0.0)
