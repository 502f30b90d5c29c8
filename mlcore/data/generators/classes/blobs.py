"""Round clouds of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.densities.mixture import Mixture, row_seconds
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, many, real

BOX = 8.0  # centers lie within [-BOX, BOX] in every column
CANDIDATES = 10  # places tried for each center; more spread the centers more evenly
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@enter(
    Card(
        "blobs",
        "Blobs",
        ("source",),
        sources=("epfl:DS20", "s841:satellite_lr"),
        random=True,
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class Blobs(shared.DistributionGenerator):
    """Round clouds around centers: what k-means assumes.

    A row of group k is drawn from N(c_k, cluster_std^2 I). The centers are drawn in a box so that
    they keep apart: of ten random places the one farthest from the earlier centers is taken. They
    stay where they are when the seed draws other rows. In one or two columns the error of the best
    rule is known.

    Shows clustering and classifiers at their easiest; raise the standard deviation to make groups
    overlap, or give unequal sizes to see what methods do that expect equal ones.
    """

    n_samples: int = shared.n_samples(300)
    centers: int = integer(
        3, low=1, high=26, soft=(1, 8), symbol="K", label="Number of blobs", doc="How many groups."
    )
    cluster_std: float = real(
        1.0,
        low=0.0,
        high=100.0,
        soft=(0.1, 4.0),
        symbol=r"\sigma",
        label="Standard deviation",
        doc="Standard deviation of each group in every column; the box is 16 wide.",
    )
    n_features: int = integer(
        2, low=1, high=50, soft=(2, 10), symbol="p", label="Columns", doc="Number of columns."
    )
    weights: tuple = many((), doc="Relative sizes of the groups; equal where empty.", advanced=True)
    outliers: int = shared.n_outliers()

    def conflict(self) -> str | None:
        """Refuse sizes that do not fit the number of groups."""
        return shared.weights_conflict(self.title(), self.weights, self.centers)

    def row_bytes(self) -> float:
        """The table, and the densities of each group."""
        return super().row_bytes() + 32.0 * self.centers

    def row_seconds(self) -> float:
        """A product with a root of a covariance to draw it, and one a group for its density."""
        return row_seconds(self.centers, self.n_features)

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with their group as target."""
        mixture = self.distribution()
        sizes = shared.shares(self.n_samples, self.weights, self.centers)
        labels = np.repeat(np.arange(self.centers), sizes)
        X = mixture.drawn(labels, self.rng("noise"))
        X, labels = shared.with_outliers(X, labels, self.outliers, self.rng("outliers"))
        X, labels = shared.shuffled(X, labels, self.rng("order"))
        # Outliers follow no distribution, and points without a spread have no density.
        has_density = self.cluster_std > 0.0 and not self.outliers
        known = mixture.known(X, self) if has_density else {"centers": mixture.means}
        levels = tuple(LETTERS[: self.centers])
        return shared.class_origin(self, X, labels, levels, noise=self.cluster_std, **known)

    def distribution(self) -> Mixture:
        """The groups."""
        k, p = self.centers, self.n_features
        places = _places(k, p, self.distribution_rng("centers"))
        roots = np.broadcast_to(self.cluster_std * np.eye(p), (k, p, p))
        return Mixture(places, roots, np.array(self.weights or (1.0,) * k), np.arange(k))


def _places(k: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """k centers that keep apart, shape (k, p)."""
    centers = rng.uniform(-BOX, BOX, (1, p))
    while len(centers) < k:
        tried = rng.uniform(-BOX, BOX, (CANDIDATES, p))
        nearest = ((tried[:, None] - centers[None]) ** 2).sum(axis=2).min(axis=1)
        centers = np.vstack([centers, tried[nearest.argmax()]])
    return centers
