"""Intervals and boxes that a learner is to find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

SOURCES = ("s841:interval_concept", "s841:rectangle_concept")


@enter(Card("concepts", "Inside a box", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Concepts(shared.Generator):
    """Points of the unit cube, and whether they lie in a box: an interval, a rectangle, and so on.

    x is uniform on [0, 1]^p and inside if low <= x_j <= high for every j. Intervals can label two
    points in every way and no three, rectangles four and no five. The tightest box around the
    points inside errs by less than e, with a probability of at least 1 - d, after (2p / e) ln(2p /
    d) rows.

    Shows how many rows a concept takes, for methods that cut along the axes and for others.
    """

    n_samples: int = shared.n_samples(200)
    n_features: int = integer(
        2, low=1, high=10, soft=(1, 4), symbol="p", label="Columns",
        doc="Sides of the box: 1 is an interval, 2 a rectangle.",
    )  # fmt: skip
    low: float = real(0.2, low=0.0, high=1.0, soft=(0.0, 0.5), doc="Where each side begins.")
    high: float = real(0.8, low=0.0, high=1.0, soft=(0.5, 1.0), doc="Where each side ends.")
    flip: float = shared.label_noise()

    def conflict(self) -> str | None:
        """Refuse a box that is none."""
        if self.low < self.high:
            return None
        return f"{self.title()}: low must be below high; got {self.low:g} and {self.high:g}."

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The points with their class."""
        X = self.rng("positions").uniform(size=(self.n_samples, self.n_features))
        inside = 1 * (np.clip(X, self.low, self.high) == X).all(axis=1)
        labels = shared.flipped(inside, self.flip, self.rng("flip"))
        known = {"bayes_error": self.flip, "clean": X}
        return shared.class_origin(self, X, labels, ("outside", "inside"), **known)
