"""A function of one variable, seen with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

BENDS = ([0.0, 0.3, 0.5, 0.8, 1.0], [0.0, 1.0, -0.5, 0.5, 0.0])  # x, y of the corners
FUNCTIONS = {
    "sine": lambda x: np.sin(2 * np.pi * x),
    "line": lambda x: 2 * x - 1,
    "parabola": lambda x: 4 * (x - 0.5) ** 2,
    "cubic": lambda x: (2 * x - 1) ** 3 - 0.5 * (2 * x - 1),
    "sinc": np.sinc,  # sin(pi x) / (pi x)
    "step": lambda x: np.where(x < 0.5, 0.0, 1.0),
    "bent": lambda x: np.interp(x, BENDS[0], BENDS[1]),
    "hinge": lambda x: np.maximum(0.0, 3 * (x - 0.4)),
    "bumps": lambda x: np.exp(-(((x - 0.25) / 0.08) ** 2)) + np.exp(-(((x - 0.7) / 0.15) ** 2)),
}
SPREADS = {
    "even": lambda t: np.ones_like(t),
    "growing": lambda t: 2 * t,
    "middle": lambda t: 2 * np.exp(-(((t - 0.5) / 0.2) ** 2)),
}
OUTLIER_SIZE = (1.0, 2.0)  # how far an outlier lies off the curve, in ranges of the curve
SOURCES = ("cs1:d_poly1d", "s841:polynomial_truth")


@enter(Card("curve", "Noisy curve", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Curve(shared.Generator):
    """A function of one variable plus noise: regression that can be seen whole.

    y = offset + scale f(x) + noise s(x) e with e from N(0, 1) and x uniform in [low, high]. The
    functions are sin(2 pi x), 2x - 1, 4 (x - 1/2)^2, u^3 - u/2 with u = 2x - 1, sin(pi x) / (pi x),
    a step at 1/2, a line with four bends, a line that is flat up to 0.4, and two bumps; s is 1,
    grows from 0 to 2, or peaks in the middle.

    Shows how smooth a method believes the world to be. With a gap it shows what a method says where
    it saw nothing; outliers show what squared errors do.
    """

    n_samples: int = shared.n_samples(100)
    function: str = choice("sine", *FUNCTIONS, symbol="f", doc="The curve behind the noise.")
    noise: float = real(
        0.3,
        low=0.0,
        high=100.0,
        soft=(0.0, 1.0),
        symbol=r"\sigma",
        doc="Standard deviation of the noise; most curves reach from -1 to 1.",
    )
    spread: str = choice("even", *SPREADS, doc="Where the noise is large.", advanced=True)
    low: float = real(0.0, low=-1000.0, high=1000.0, soft=(-3.0, 0.0), doc="Least x.", label="From")
    high: float = real(1.0, low=-1000.0, high=1000.0, soft=(1.0, 3.0), doc="Largest x.", label="To")
    scale: float = real(
        1.0,
        low=-1000.0,
        high=1000.0,
        soft=(0.1, 5.0),
        doc="Factor of the function.",
        advanced=True,
    )
    offset: float = real(
        0.0,
        low=-1000.0,
        high=1000.0,
        soft=(-5.0, 5.0),
        doc="What is added to the function.",
        advanced=True,
    )
    gap: float = real(
        0.0,
        low=0.0,
        high=0.9,
        soft=(0.0, 0.6),
        doc="Share of the range, in its middle, in which no row lies.",
        advanced=True,
    )
    outliers: int = integer(
        0, low=0, high=1000, soft=(0, 20), doc="How many rows lie far off.", advanced=True
    )

    def conflict(self) -> str | None:
        """Refuse a range that is none, and more outliers than rows."""
        if self.low >= self.high:
            return f"{self.title()}: low must be below high; got {self.low:g} and {self.high:g}."
        if self.outliers > self.n_samples:
            return (
                f"{self.title()}: at most all {self.n_samples} rows can be outliers; "
                f"got {self.outliers}."
            )
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with y as target."""
        t = self.rng("positions").uniform(0.0, 1.0 - self.gap, self.n_samples)
        t = np.where(t > (1.0 - self.gap) / 2, t + self.gap, t)
        x = self.low + (self.high - self.low) * t
        signal = self.offset + self.scale * FUNCTIONS[self.function](x)
        y = signal + self.noise * SPREADS[self.spread](t) * self.rng("noise").normal(size=len(x))
        y[: self.outliers] += self._far(signal)
        truth = shared.Truth(signal=signal, noise=self.noise)
        return Origin(Table.of(numeric("x", x), numeric("y", y)), self.title(), "y", truth=truth)

    def _far(self, signal: np.ndarray) -> np.ndarray:
        """How far each outlier is moved, to either side, shape (outliers,)."""
        rng = self.rng("outliers")
        size = max(float(np.ptp(signal)), self.noise) * rng.uniform(*OUTLIER_SIZE, self.outliers)
        return size * rng.choice([-1.0, 1.0], self.outliers)
