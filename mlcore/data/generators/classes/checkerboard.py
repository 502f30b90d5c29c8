"""Two classes on the cells of a checkerboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer

SOURCES = ("cs1:d_svm_nonlin",)


@enter(Card("checkerboard", "Checkerboard", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Checkerboard(shared.Generator):
    """Points in the unit square; the class is the colour of their cell.

    x is uniform in [0, 1]^2 and the class is floor(c x1) + floor(c x2) modulo 2, for c cells a
    side; a share of the rows, chosen at random, then has the other class.

    Shows what local methods, narrow kernels and trees gain: no column and no line says anything.
    """

    n_samples: int = shared.n_samples(500)
    cells: int = integer(
        4, low=1, high=20, soft=(2, 8), symbol="c", doc="How many cells lie along each side."
    )
    flip: float = shared.label_noise()
    outliers: int = shared.n_outliers()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with the colour of their cell as target."""
        X = self.rng("positions").uniform(size=(self.n_samples, 2))
        labels = np.floor(self.cells * X).sum(axis=1).astype(np.int64) % 2
        labels = shared.flipped(labels, self.flip, self.rng("flip"))
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        return shared.class_origin(self, X, labels, ("black", "white"), bayes_error=self.flip)
