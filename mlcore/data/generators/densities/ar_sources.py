"""Slow and fast sources that remember their past."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.maths.images import pixel_name
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, many, real

SIDE = 12  # pixels a side of the film
WIDTH = 0.22  # of a blob, in sides of the picture
SOURCES = ("mi2:timeseries_two_sources",)


@enter(Card("ar_sources", "Series in time", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class ArSources(shared.DistributionGenerator):
    """Normal sources, each of which follows its own last value, seen in mixtures.

    s_t = a s_(t-1) + sqrt(1 - a^2) e_t with e from N(0, 1): variance 1, and a correlation of a^k
    over k rows; then every source gets the wanted spread and level. Seen are square mixtures of
    them, drawn at random, or a film of 12 x 12 pixels in which every source lights a blob.

    Shows that normal sources, which no contrast of their values can separate, come apart by
    correlations over time as long as their coefficients differ.
    """

    n_samples: int = shared.n_samples(20_000)
    coefficients: tuple = many(
        (0.95, 0.3, -0.6), most=8, symbol="a", doc="Coefficient of each source, between -1 and 1."
    )
    seen: str = choice("mixtures", "mixtures", "film", "sources", doc="What the columns are.")
    noise: float = shared.noise(0.0, "added to every column")
    spread: float = real(
        1.0, above=0.0, high=1000.0, soft=(0.5, 10.0), advanced=True,
        label="Standard deviation", doc="Of every source.",
    )  # fmt: skip
    level: float = real(
        0.0, low=-1000.0, high=1000.0, soft=(-20.0, 20.0), advanced=True,
        doc="Mean of every source.",
    )  # fmt: skip
    burn_in: int = integer(
        200, low=0, high=10_000, soft=(0, 1000), doc="Rows drawn before the first.", advanced=True
    )

    def conflict(self) -> str | None:
        """Refuse coefficients that let a source grow without end."""
        if not self.coefficients or not all(abs(a) < 1.0 for a in self.coefficients):
            return f"{self.title()}: coefficients must hold numbers between -1 and 1."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows in the order of time, without a target."""
        S = np.column_stack([self._source(j) for j in range(len(self.coefficients))])
        S = self.level + self.spread * S
        mixing = self._mixing()
        clean = S @ mixing.T
        X = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        columns = [numeric(name, X[:, j]) for j, name in enumerate(self._names(X.shape[1]))]
        time = numeric("time", np.arange(self.n_samples), "count")
        truth = shared.Truth(coordinates=S, mixing=mixing, clean=clean, noise=self.noise)
        return Origin(Table.of(time, *columns), self.title(), None, (("time", "order"),), truth)

    def _names(self, p: int) -> list[str]:
        if self.seen == "film":
            return [pixel_name(*divmod(j, SIDE)) for j in range(p)]
        return [f"x{j + 1}" for j in range(p)]

    def _source(self, j: int) -> np.ndarray:
        from scipy.signal import lfilter  # brings scipy.stats: half a second of every start

        a = self.coefficients[j]
        shocks = self.rng(f"source {j}").normal(size=self.n_samples + self.burn_in)
        return np.asarray(lfilter([np.sqrt(1 - a * a)], [1.0, -a], shocks))[self.burn_in :]

    def _mixing(self) -> np.ndarray:
        """How much of each source is in each column, shape (p, q)."""
        q, rng = len(self.coefficients), self.distribution_rng("mixing")
        if self.seen == "sources":
            return np.eye(q)
        if self.seen == "mixtures":
            return rng.normal(size=(q, q))
        row, column = np.divmod(np.arange(SIDE**2), SIDE)
        centers = rng.uniform(0.2, 0.8, (q, 2)) * SIDE
        far = (row[:, None] - centers[:, 0]) ** 2 + (column[:, None] - centers[:, 1]) ** 2
        return np.exp(-far / (2 * (WIDTH * SIDE) ** 2))
