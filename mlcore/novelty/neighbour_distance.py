"""How near the stored rows lie: minus the distance to a few of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import Neighbours
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer, part
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighbourDistanceFit(Fit):
    """The stored rows, and how near each lies to the others."""

    made_by: NeighbourDistance
    stored: np.ndarray  # (n, p)
    frame: Frame
    own_usualness: np.ndarray  # (n,)
    score_name: ClassVar[str] = "minus the distance to the neighbours"

    def holds_together(self) -> bool:
        """Whether there are as many stored rows as are asked."""
        return (
            self.stored.shape == (len(self.own_usualness), self.n_columns)
            and self.frame.is_of(self.n_columns)
            and len(self.stored) > self.made_by.n_neighbors
        )

    @cached_property
    def _search(self) -> Neighbours:
        return Neighbours(self.frame.placed(self.stored), self.frame.power)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the search, which is quicker to build than to send."""
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

    def usualness(self, X: Any) -> np.ndarray:
        """Minus the distance to the neighbours, shape (m,), in units of the columns."""
        placed, method = self.frame.placed(self._rows(X)), self.made_by
        if not method.exclude_self:
            return method.reduced(self._search.nearest(placed, method.n_neighbors).distances)
        apart = self._search.nearest(placed, method.n_neighbors + 1).distances
        is_stored = apart[:, :1] == 0
        return method.reduced(np.where(is_stored, apart[:, 1:], apart[:, :-1]))


@enter(
    Card(
        "neighbour_distance",
        "Distance to neighbours",
        ("scorer",),
        paper="Ramaswamy, Rastogi and Shim (2000), SIGMOD",
        sources=("cs1:membership_2nn",),
        units="distances",
        formula=r"s(x) = -\frac1k \sum_{i \in N_k(x)} d(x, x_i)",
        kind="part",
        synonyms=("k-nearest-neighbour outlier score",),
    )
)
@dataclass(frozen=True, kw_only=True)
class NeighbourDistance(Method):
    r"""Scores a row by minus its distance to the nearest stored rows.

    $s(x) = -\frac1k \sum_{i \in N_k(x)} d(x, x_i)$, or minus the distance to the k-th alone. A
    fitted row is no neighbour of itself when the threshold is found. When rows are judged, a row
    that equals a stored one has it as a neighbour at distance 0, unless it is left out.

    Knows no form and needs no training. One distance has to serve all regions, thin and dense.
    """

    n_neighbors: int = integer(
        2,
        low=1,
        soft=(1, 20),
        symbol="k",
        label="Neighbours",
        doc="Stored rows that count; with one, a stray row vouches for its place.",
    )
    reduce: str = choice(
        "mean", "mean", "kth", label="Takes", doc="Their mean distance, or that of the k-th alone."
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )
    exclude_self: bool = flag(
        False,
        label="Leave out an equal row",
        doc="Whether a stored row that equals the judged one is no neighbour of it.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows that have too few others, and rows whose squared differences vanish."""
        if len(X) <= self.n_neighbors:
            return (
                f"{self.title()} looks for {count(self.n_neighbors, 'neighbour')} of every row and "
                f"needs more rows than that; got {len(X)}. Lower n_neighbors or add rows."
            )
        return vanishing(X, self.title())

    def reduced(self, distances: np.ndarray) -> np.ndarray:
        """The score of rows from the distances to their k neighbours, shape (m, k), ascending."""
        return -(distances.mean(axis=1) if self.reduce == "mean" else distances[:, -1])

    def _fit(self, given: Given) -> NeighbourDistanceFit:
        frame = self.metric.frame(given.X, None)
        search = Neighbours(frame.placed(given.X), frame.power)
        return NeighbourDistanceFit(
            made_by=self,
            columns=given.columns,
            stored=given.X.copy(),
            frame=frame,
            own_usualness=self.reduced(search.others(self.n_neighbors).distances),
        )
