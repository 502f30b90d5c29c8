"""A rugged cost on a line of states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

SOURCES = ("mi2:rugged_cost_1d",)
BOWL = 4.0  # cost at the ends of the line


@enter(
    Card("line_landscape", "Rugged cost on a line", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LineLandscape(shared.Generator):
    """The states 1 ... n, and what each costs: a wide bowl with waves on it.

    With t from -1 to 1 along the line, the cost is 4 (t - t0)^2 plus three waves of the given
    roughness, whose lengths, phases and the bottom t0 are drawn. Who only walks downhill stops in
    the nearest valley.

    Shows the landscape of annealing: where probabilities exp(-cost / T) gather as T falls.
    """

    n_samples: int = shared.n_samples(100)
    roughness: float = real(
        1.0, low=0.0, high=100.0, soft=(0.0, 3.0), label="Roughness", doc="Height of the waves."
    )
    valleys: int = integer(
        6, low=1, high=50, soft=(1, 20), label="Valleys", doc="About how many there are."
    )
    draw: int = shared.which("landscape is drawn")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """Every state once, in random order, with its cost."""
        rng, t = random.generator(self.draw, "landscape"), np.linspace(-1.0, 1.0, self.n_samples)
        bottom = rng.uniform(-0.5, 0.5)
        cycles, phases = self.valleys * rng.uniform(0.5, 1.0, 3), rng.uniform(0, 2 * np.pi, 3)
        waves = np.cos(np.pi * np.outer(t, cycles) + phases).mean(axis=1)
        cost = BOWL * (t - bottom) ** 2 + self.roughness * waves
        order = self.rng("order").permutation(self.n_samples)
        table = Table.of(numeric("state", order + 1, "count"), numeric("cost", cost[order]))
        return Origin(table, self.title(), "cost", truth=shared.Truth(signal=cost[order]))
