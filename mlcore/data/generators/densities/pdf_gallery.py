"""Three densities side by side: uniform, normal, and jointly normal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SOURCES = ("epfl:DS67",)


@enter(
    Card("pdf_gallery", "Gallery of densities", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PdfGallery(shared.Generator):
    """A uniform column, a normal one, and a third that is jointly normal with the second.

    uniform ~ U(a, b); normal ~ N(mu, sigma^2); joint has the same mean and variance and the
    correlation rho with the normal column, which gives its mean: mu + rho (normal - mu). All
    marginals and conditionals of the pair are normal.

    Shows a density beside its histogram, the shares within one, two and three deviations (0.683,
    0.954, 0.997), and regression as a conditional mean.
    """

    n_samples: int = shared.n_samples(1000)
    low: float = real(0.0, low=-1000.0, high=1000.0, soft=(-5.0, 0.0), symbol="a",
                      doc="Least value of the uniform column.")  # fmt: skip
    high: float = real(1.0, low=-1000.0, high=1000.0, soft=(0.1, 5.0), symbol="b",
                       doc="Largest value of the uniform column.")  # fmt: skip
    mean: float = real(0.0, low=-1000.0, high=1000.0, soft=(-5.0, 5.0), symbol=r"\mu",
                       doc="Mean of the other two.")  # fmt: skip
    sd: float = real(1.0, above=0.0, high=1000.0, soft=(0.1, 5.0), symbol=r"\sigma",
        label="Standard deviation",
                     doc="Standard deviation of the other two.")  # fmt: skip
    correlation: float = real(0.8, low=-1.0, high=1.0, soft=(-0.95, 0.95), symbol=r"\rho",
                              doc="Of the pair.")  # fmt: skip

    def conflict(self) -> str | None:
        """Refuse a range that is none."""
        if self.low < self.high:
            return None
        return f"{self.title()}: low must be below high; got {self.low:g} and {self.high:g}."

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The rows, with the third column as target."""
        z = self.rng("normal").normal(size=(2, self.n_samples))
        even = self.rng("uniform").uniform(self.low, self.high, self.n_samples)
        rest = np.sqrt(1 - self.correlation**2)
        signal = self.mean + self.sd * self.correlation * z[0]
        table = Table.of(
            numeric("uniform", even), numeric("normal", self.mean + self.sd * z[0]),
            numeric("joint", signal + self.sd * rest * z[1]),
        )  # fmt: skip
        truth = shared.Truth(signal=signal, noise=self.sd * rest)
        return Origin(table, self.title(), "joint", truth=truth)
