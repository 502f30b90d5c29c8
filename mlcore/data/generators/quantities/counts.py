"""Counts and amounts whose spread grows with their mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import ColumnData, Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.params import choice, flag, integer, real

MOST = 50.0  # logarithms of means are kept within this: e^50 is a number that can still be drawn
SHAPES = {
    "exponential": lambda x: x,
    "line": lambda x: np.log(np.maximum(1.0 + x, 0.05)),
    "hump": lambda x: 1.0 - 2.0 * x**2,
    "wave": lambda x: np.sin(np.pi * x),
}
KINDS = ("counts", "scattered_counts", "amounts", "claims", "shares")
EXPOSURES = 0.2, 5.0  # between which logarithms are drawn evenly


@enter(Card("counts", "Counts and amounts", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Counts(shared.Generator):
    """Targets that are never negative and scatter more where their mean is large.

    The mean is base exp(slope sum_j f(x_j)) with x uniform in [-1, 1] and f(x) = x, log(1 + x),
    1 - 2 x^2 or sin(pi x). Counts are Poisson's with this mean m; scattered counts have a mean that
    is itself drawn, so that their variance is m + phi m^2; amounts are gamma distributed with
    variance phi m^2; claims are sums of a Poisson number of amounts, many of them 0. Of shares the
    mean is m / (1 + m), and each is that of the successes among some trials, its weight.

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
        only_if={"kind": ("scattered_counts", "amounts", "claims")},
    )  # fmt: skip
    exposure: bool = flag(
        False,
        doc="Whether a further column says for how long or of how many each row was counted, in "
        "proportion to which its mean is.",
        only_if={"kind": other_than("shares")},
    )  # fmt: skip
    trials: int = integer(
        10, low=1, high=100_000, soft=(1, 50),
        doc="Mean number of trials behind a share; each row has between one and twice as many.",
        only_if={"kind": "shares"},
    )  # fmt: skip

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with y as target, and its mean as the truth."""
        X = self.rng("positions").uniform(-1.0, 1.0, (self.n_samples, self.n_features))
        log_mean = np.log(self.base) + self.slope * SHAPES[self.shape](X).sum(axis=1)
        mean = np.exp(np.clip(log_mean, -MOST, MOST))
        if self.kind == "shares":
            return self._shares(X, mean / (1.0 + mean))
        if not self.exposure:
            return shared.value_origin(self, X, self._drawn(mean), signal=mean)
        low, high = np.log(EXPOSURES)
        exposure = np.exp(self.rng("exposure").uniform(low, high, self.n_samples))
        mean = mean * exposure
        plain = shared.value_origin(self, X, self._drawn(mean), signal=mean)
        return _with(plain, numeric("exposure", exposure))

    def _shares(self, X: np.ndarray, mean: np.ndarray) -> Origin:
        """Successes over trials, whose numbers are weights."""
        trials = self.rng("trials").integers(1, 2 * self.trials, self.n_samples, endpoint=True)
        share = self.rng("noise").binomial(trials, mean) / trials
        plain = shared.value_origin(self, X, share, signal=mean)
        weights = numeric("trials", trials.astype(np.float64))
        return replace(_with(plain, weights), roles=(("trials", "weight"),))

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


def _with(origin: Origin, column: ColumnData) -> Origin:
    """The same with a further column before the target."""
    *others, target = origin.table.columns
    return replace(origin, table=Table.of(*others, column, target))
