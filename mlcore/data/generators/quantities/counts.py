"""Counts and amounts whose spread grows with their mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.params import choice, integer, real

MOST = 50.0  # logarithms of means are kept within this: e^50 is a number that can still be drawn
SHAPES = {
    "exponential": lambda x: x,
    "line": lambda x: np.log(np.maximum(1.0 + x, 0.05)),
    "hump": lambda x: 1.0 - 2.0 * x**2,
    "wave": lambda x: np.sin(np.pi * x),
}
KINDS = ("counts", "scattered_counts", "amounts", "claims")


@enter(Card("counts", "Counts and amounts", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Counts(shared.Generator):
    """Targets that are never negative and scatter more where their mean is large.

    The mean is base exp(slope sum_j f(x_j)) with x uniform in [-1, 1] and f(x) = x, log(1 + x),
    1 - 2 x^2 or sin(pi x). Counts are Poisson's with this mean m; scattered counts have a mean that
    is itself drawn, so that their variance is m + phi m^2; amounts are gamma distributed with
    variance phi m^2; claims are sums of a Poisson number of amounts, many of them 0.

    Shows why noise should be told apart from the mean: squared errors listen to the large targets
    only, and a straight line predicts counts below 0.
    """

    n_samples: int = shared.n_samples(200)
    n_features: int = integer(
        1, low=1, high=1000, soft=(1, 10), label="Columns", doc="How many columns there are."
    )
    kind: str = choice("counts", *KINDS, doc="What is drawn about the mean.")
    shape: str = choice("exponential", *SHAPES, symbol="f", doc="How a column changes the mean.")
    base: float = real(
        4.0, above=0.0, high=1e6, soft=(0.5, 50.0), log=True, doc="Mean where f is 0."
    )
    slope: float = real(
        1.5, low=-20.0, high=20.0, soft=(0.0, 3.0),
        doc="What one unit of f adds to the logarithm of the mean.",
    )  # fmt: skip
    dispersion: float = real(
        0.5, above=0.0, high=100.0, soft=(0.1, 2.0), symbol=r"\phi",
        doc="Squared spread beside the mean.",
        only_if={"kind": other_than("counts")},
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with y as target, and its mean as the truth."""
        X = self.rng("positions").uniform(-1.0, 1.0, (self.n_samples, self.n_features))
        log_mean = np.log(self.base) + self.slope * SHAPES[self.shape](X).sum(axis=1)
        mean = np.exp(np.clip(log_mean, -MOST, MOST))
        return shared.value_origin(self, X, self._drawn(mean), signal=mean)

    def _drawn(self, mean: np.ndarray) -> np.ndarray:
        rng, phi = self.rng("noise"), self.dispersion
        if self.kind == "amounts":
            return np.maximum(rng.gamma(1.0 / phi, phi * mean), np.finfo(float).tiny)
        if self.kind == "claims":
            number = rng.poisson(np.minimum(mean, 1e15))
            sizes = rng.gamma(np.maximum(number, 1) / phi, phi)
            return np.where(number > 0, sizes, 0.0)
        if self.kind == "scattered_counts":
            mean = rng.gamma(1.0 / phi, phi * mean)
        return rng.poisson(np.minimum(mean, 1e15)).astype(np.float64)  # numpy's limit is 2^63
