"""Tosses of a coin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SIDES = ("tails", "heads")
SOURCES = ("prac:coin",)


@enter(
    Card("coin_tosses", "Tosses of a coin", ("source",), sources=SOURCES, random=True, kind="data")
)
@dataclass(frozen=True, kw_only=True)
class CoinTosses(shared.Generator):
    """Heads with a probability that does not depend on anything, toss after toss.

    The one feature is how the coin fell before. The column share holds the share of heads so far:
    the theta that makes these tosses most likely, off by the root of theta (1 - theta) / n.

    Shows an estimate as it settles, and a target of which nothing can be learned but its share.
    """

    n_samples: int = shared.n_samples(100)
    theta: float = real(
        0.5, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\theta", doc="Probability of heads."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The tosses in their order."""
        tosses = 1 * (self.rng("tosses").uniform(size=self.n_samples + 1) < self.theta)
        before, heads = tosses[:-1], tosses[1:]
        toss = np.arange(1, self.n_samples + 1)
        table = Table.of(
            numeric("toss", toss, "count"),
            ColumnData("before", "binary", before, SIDES),
            numeric("share", np.cumsum(heads) / toss),
            ColumnData("side", "binary", heads, SIDES),
        )
        truth = shared.Truth(
            labels=heads, bayes_error=min(self.theta, 1 - self.theta),
            posterior=np.tile([1 - self.theta, self.theta], (self.n_samples, 1)),
        )  # fmt: skip
        # The share holds the toss of its own row, so it may not help to tell it.
        roles = (("toss", "order"), ("share", "label"))
        return Origin(table, self.title(), "side", roles, truth)
