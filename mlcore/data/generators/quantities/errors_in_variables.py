"""A line whose both coordinates are measured with error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

SOURCES = ("mi2:errors_in_variables_line",)
CARD = Card(
    "errors_in_variables",
    "Errors in both variables",
    ("source",),
    sources=SOURCES,
    random=True,
    kind="data",
)


@enter(CARD)
@dataclass(frozen=True, kw_only=True)
class ErrorsInVariables(shared.Generator):
    """A line y = a x of which both x and y are seen with noise.

    x is N(0, 1); seen are x with noise of standard deviation sx and a x with noise of standard
    deviation sy. Least squares of y on x then tends to a / (1 + sx^2), not to a; the principal axis
    tends to a where sx = sy.

    Shows the difference between predicting y and finding the line.
    """

    n_samples: int = shared.n_samples(200)
    slope: float = real(
        2.0, low=-100.0, high=100.0, soft=(-5.0, 5.0), symbol="a", doc="Slope of the line."
    )
    noise_x: float = real(
        0.5, low=0.0, high=100.0, soft=(0.0, 2.0), doc="Standard deviation of the error of x."
    )
    noise_y: float = real(
        0.5, low=0.0, high=100.0, soft=(0.0, 2.0), doc="Standard deviation of the error of y."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with y as target."""
        x = self.rng("positions").normal(size=self.n_samples)
        errors = self.rng("noise").normal(size=(2, self.n_samples))
        seen, signal = x + self.noise_x * errors[0], self.slope * x
        return shared.value_origin(
            self,
            seen[:, None],
            signal + self.noise_y * errors[1],
            signal=signal,
            clean=x[:, None],
            noise=self.noise_y,
            coefficients=np.array([self.slope]),
        )
