"""Local outlier factor: how much thinner rows lie here than around their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mlcore.distances.metrics import Distance, Frame
from mlcore.distances.neighbours import NearestRows, Neighbours, all_used, search_seconds
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.novelty import NoveltyFit, contamination, line_at
from mlcore.spine.params import integer, part
from mlcore.spine.wording import count, plural

EVEN = -1.5  # the score at which half as thin again counts as outside, as in the peer
LEAST = 1e-10  # added to mean distances: many equal rows would lie infinitely densely
LITTLE = 1e-8  # of a mean reach, more than which is not added where units are small


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalOutlierFactorFit(NoveltyFit):
    """The fitted rows with the density around each."""

    made_by: LocalOutlierFactor
    stored: np.ndarray  # (n, p)
    frame: Frame
    reach: np.ndarray  # (n,) distance of each row to its k-th neighbour
    density: np.ndarray  # (n,) local reachability density, one over units of the columns
    notes: tuple[str, ...] = ()
    score_name: ClassVar[str] = "minus the local outlier factor"

    def holds_together(self) -> bool:
        """Whether every stored row has a reach and a density."""
        n = len(self.stored)
        return (
            self.stored.shape == (n, self.n_columns)
            and self.frame.is_of(self.n_columns)
            and self.reach.shape == self.density.shape == (n,)
            and n > self.made_by.used_neighbours(n) >= 1
        )

    @cached_property
    def _search(self) -> Neighbours:
        return Neighbours(self.frame.placed(self.stored), self.frame.power)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the search, which is quicker to build than to send."""
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

    def usualness(self, X: Any) -> np.ndarray:
        """Minus the factor of new rows, shape (m,): about -1 where it is as dense as around.

        A row that was fitted is looked at as if it were new, with itself among its neighbours;
        what it had as a fitted row is in `own_usualness`.
        """
        k = self.made_by.used_neighbours(len(self.stored))
        near = self._search.nearest(self.frame.placed(self._rows(X)), k)
        return -factors(near, self.density, densities(near, self.reach))


def densities(near: NearestRows, reach: np.ndarray) -> np.ndarray:
    """One over the mean reachability distance to the neighbours, shape (m,), def. 6.

    That from a row to a neighbour o is at least the `reach` of o, (n,): inside a crowd all rows are
    about equally far.
    """
    least = min(LEAST, LITTLE * float(reach.mean()) or LEAST)
    return 1.0 / (np.maximum(near.distances, reach[near.rows]).mean(axis=1) + least)


def factors(near: NearestRows, density: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Mean density of the neighbours over the `own` one of each row, shape (m,), def. 7.

    `density` is that of the fitted rows, shape (n,).
    """
    return (density[near.rows] / own[:, None]).mean(axis=1)


def _cost(n: int, p: int, method: LocalOutlierFactor) -> tuple[float, float]:
    looks = search_seconds(n, p)
    return 1e-3 + looks + 1e-6 * n * method.n_neighbors, 24.0 * n * (p + method.n_neighbors)


@enter(
    Card(
        "local_outlier_factor",
        "Local outlier factor",
        ("novelty",),
        paper="Breunig, Kriegel, Ng and Sander (2000), SIGMOD",
        peer="sklearn.neighbors.LocalOutlierFactor",
        scores=("novelty_scores",),
        cost=_cost,
        units="distances",
        formula=r"\mathrm{LOF}_k(x) = \frac1k \sum_{o \in N_k(x)} \frac{\rho_k(o)}{\rho_k(x)}, "
        r"\quad \rho_k(x)^{-1} = \frac1k \sum_{o \in N_k(x)} \max(r_k(o), d(x, o))",
        synonyms=("LocalOutlierFactor", "LOF", "local density", "density-based outliers"),
        line="rows thinner than their neighbourhood",
    )
)
@dataclass(frozen=True, kw_only=True)
class LocalOutlierFactor(Method):
    r"""Calls a row new where it lies much thinner than its neighbours do.

    The reachability distance from x to o is $\max(r_k(o), d(x, o))$, where $r_k(o)$ is how far the
    k-th neighbour of o lies. The local density $\rho_k(x)$ is one over its mean over the k
    neighbours, and the factor is their mean density over that of x: about 1 inside a crowd,
    whether it is thin or dense, and larger outside. The score is minus the factor.

    Use it where crowds differ in density, so that no one distance suits all. O(n^2 p), or
    O(n log n) in few columns. Columns need one scale. With k below the number of new rows that lie
    together they vouch for each other; with k above the size of a crowd all of it is new.
    """

    n_neighbors: int = integer(
        20,
        low=1,
        soft=(2, 50),
        symbol="k",
        label="Neighbours",
        doc="Rows with which the density is compared; of fewer rows all others.",
    )
    metric: Distance = part(
        "euclidean", slot="metric", label="Distance", doc="How far apart two rows are."
    )
    contamination: float | None = contamination("those with a factor above 1.5")

    peer_differs: ClassVar[str] = (
        "Where rows tie for the last neighbour it may take another; with equal rows that changes "
        "the factors."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        metric = self.metric.peer_settings()
        if isinstance(metric, str):
            return metric
        share = "auto" if self.contamination is None else self.contamination
        return {
            "n_neighbors": self.n_neighbors, "contamination": share, "novelty": True, **metric,
        }  # fmt: skip

    def used_neighbours(self, n: int) -> int:
        """How many neighbours are looked at among n rows."""
        return min(self.n_neighbors, n - 1)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a single row, and rows whose squared differences vanish."""
        if len(X) < 2:
            return f"{self.title()} compares rows with their neighbours and needs two. Add rows."
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> LocalOutlierFactorFit:
        frame = self.metric.frame(given.X, None)
        k = self.used_neighbours(given.n)
        near = Neighbours(frame.placed(given.X), frame.power).others(k)
        reach = near.distances[:, -1].copy()
        density = densities(near, reach)
        own = -factors(near, density, density)
        line = line_at(own, self.contamination, EVEN)
        return LocalOutlierFactorFit(
            made_by=self,
            columns=given.columns,
            own_usualness=own,
            threshold=line.threshold,
            share_asked=line.share_asked,
            stored=given.X.copy(),
            frame=frame,
            reach=reach,
            density=density,
            notes=self._notes(given.n, int((reach == 0).sum())),
        )

    def _notes(self, n: int, crowded: int) -> tuple[str, ...]:
        notes = list(filter(None, (all_used(self.n_neighbors, n),)))
        if crowded:
            notes.append(
                f"{count(crowded, 'row')} {plural(crowded, 'equals', 'equal')} as many others as "
                "there are neighbours, and beside them all rows look new. Raise the number."
            )
        return tuple(notes)
