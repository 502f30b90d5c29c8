"""Non-metric scaling: a map that keeps which rows are farther apart, not by how much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from mlcore.maths.arrays import read_only
from mlcore.reduction import _kernels
from mlcore.reduction.mds_kinds import MapStep, Transformed
from mlcore.reduction.orders import Order, stress_of_order
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice


@enter(
    Card(
        "nonmetric",
        "Non-metric (Kruskal)",
        ("mds_kind",),
        paper="Kruskal (1964), Psychometrika 29",
        sources=("cs1:mds_metric",),
        random=True,
        kind="part",
        synonyms=("ordinal scaling", "NMDS", "monotone regression", "isoMDS"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Nonmetric(Transformed):
    """Keeps the order of distances: which pairs are farther apart, not by how much.

    An iteration finds the rising function of the distances that is nearest to those in the map,
    then moves each row where its values want it. Minimises Kruskal's stress-1, the share of the
    map that contradicts the order, and never raises it. Groups that are all nearer inside than to
    each other may shrink to points, which contradicts nothing.
    """

    seconds_a_pair = 4e-8

    ties: str = choice(
        "primary",
        "primary",
        "secondary",
        label="Equal distances",
        doc="May differ in the map, or are to be equal there too.",
        advanced=True,
    )

    def iterations(self, D: np.ndarray, q: int, rng: np.random.Generator) -> Iterator[MapStep]:
        """The start, then a monotone regression and a Guttman transform an iteration."""
        maps = self._regressed(D, self.start(D, q, rng))
        notes = "The rows stand at their start", "Each row moved where the order wants it"
        return self._descent(maps, notes)

    def _regressed(self, D: np.ndarray, Y: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
        aims = squareform(D, checks=False)
        order, size = Order(aims, self.ties == "primary"), np.sqrt((aims**2).sum())
        while True:
            apart = pdist(Y)
            disparities = order.disparities(apart)
            yield Y, stress_of_order(apart, disparities)
            # As large as the distances, so that the map has their unit; the order has none.
            wanted = squareform(disparities * (size / np.sqrt((disparities**2).sum())))
            moved = np.empty(Y.shape)
            _kernels.guttman(read_only(wanted), read_only(Y), moved)
            Y = moved
