"""What a stability of maps finds: every map laid on that of all rows, and how far rows move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlcore.evaluation.map_moves import neighbours_shared, procrustes
from mlcore.evaluation.metrics.metric import RESAMPLES, Metric
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.redrawing.parts import AGAIN, ALL, MapPart, planned
from mlcore.spine.wording import count, percent, rough

NOTHING = 1e-12  # of a residual: so much is rounding, and the map is the same
NEIGHBOURS = 10  # of which is asked whether they stay
SAME, LOOSE = 0.1, 0.5  # residuals: up to which a map comes again, and from which it does not
STAY = 0.5  # of the neighbours: from there on the groups come again where the map does not

RESIDUAL = Metric(
    "procrustes_residual", "Procrustes residual", "lower",
    "Root mean squared way of a row between its places in two maps that lie on one another as well "
    "as can be, over that to the middle of the map. 0 is the same map, 1 nothing in common.",
    0, 1, rows=RESAMPLES,
)  # fmt: skip
STAYING = Metric(
    "neighbours_stay", "Neighbours that stay", "higher",
    f"Share of the {NEIGHBOURS} nearest rows in the map of all rows that are so in another map, "
    "mean over the rows. It does not mind whole groups that change places.",
    0, 1, rows=RESAMPLES,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Redrawn:
    """The maps that are done, and what follows from them. After a stop some are missing."""

    run: MapStability
    parts: tuple[MapPart, ...]
    rows: np.ndarray  # (m,) positions in the data set of the rows that are looked at
    versions: tuple[tuple[str, str], ...]

    @property
    def planned(self) -> int:
        """How many parts there are to be."""
        return len(planned(self.run))

    @property
    def first(self) -> np.ndarray | None:
        """The map of all rows, shape (m, q); None before it is there."""
        return next((part.places for part in self.parts if part.stage == ALL), None)

    @cached_property
    def again(self) -> tuple[MapPart, ...]:
        """The other maps that are there, once the one that they are laid on is there."""
        if self.first is None:  # parts end in any order
            return ()
        return tuple(p for p in self.parts if p.stage == AGAIN and not p.failure)

    @property
    def failure(self) -> str:
        """Why some map could not be had, or ""."""
        return next((part.failure for part in self.parts if part.failure), "")

    @cached_property
    def laid(self) -> np.ndarray:
        """Each other map as it lies on the first, shape (b, m, q); NaN where a row has no place.

        It is laid by the rows that it learned from.
        """
        return np.array([where for where, _, _ in self._alignments]).reshape(
            len(self.again), *self._shape
        )

    @property
    def residuals(self) -> np.ndarray:
        """Procrustes residual of each other map, shape (b,), over the rows it learned from."""
        residuals = np.array([residual for _, residual, _ in self._alignments])
        return np.where(residuals < NOTHING, 0.0, residuals)

    @property
    def staying(self) -> np.ndarray:
        """Share of neighbours that stay in each other map, shape (b,), of the rows it drew."""
        return np.array([share for _, _, share in self._alignments])

    @property
    def spread(self) -> float:
        """Root mean squared distance of the places in the first map to their middle."""
        first = self.first
        if first is None:
            return float("nan")
        return float(np.sqrt(((first - first.mean(axis=0)) ** 2).sum(axis=1).mean()))

    @cached_property
    def ways(self) -> np.ndarray:
        """How far each row moves, shape (m,): root mean square over the maps, in units of spread.

        Rows that a map places without having learned from them count too. NaN for a row without a
        place in any.
        """
        if self.first is None or not self.again:
            return np.full(len(self.rows), np.nan)
        squares = ((self.laid - self.first) ** 2).sum(axis=2)
        there = np.isfinite(squares)
        total, maps = np.where(there, squares, 0.0).sum(axis=0), there.sum(axis=0)
        mean = np.divide(total, maps, out=np.full(len(maps), np.nan), where=maps > 0)
        return np.sqrt(mean) / (self.spread or np.nan)

    @property
    def _shape(self) -> tuple[int, int]:
        return (0, self.run.coordinates) if self.first is None else self.first.shape

    @cached_property
    def _alignments(self) -> list[tuple[np.ndarray, float, float]]:
        """Where each other map lies, its residual, and the share of neighbours that stay."""
        first = self.first
        if first is None:
            return []
        laid = []
        for part in self.again:
            own = part.drawn & np.isfinite(part.places).all(axis=1)
            onto = procrustes(part.places[own], first[own])
            stay = neighbours_shared(first[own], part.places[own], NEIGHBOURS)
            laid.append((onto.laid(part.places), onto.residual, float(stay.mean())))
        return laid


def verdict(redrawn: Redrawn) -> str:
    """Whether the map comes again, in a sentence or two, with the numbers that it rests on."""
    if not redrawn.again:
        return "No other map is there yet: there is nothing to compare."
    residual, stay = float(redrawn.residuals.mean()), float(redrawn.staying.mean())
    return f"{_lead(residual, stay)}: {_numbers(redrawn, residual, stay)}."


def _lead(residual: float, stay: float) -> str:
    if residual <= SAME:
        return "The map comes again"
    if residual < LOOSE:
        return "The map comes again in its main lines"
    if stay >= STAY:
        return "The groups come again, but not where they lie"
    return "The map does not come again"


def _numbers(redrawn: Redrawn, residual: float, stay: float) -> str:
    maps = count(len(redrawn.again), "map")
    source = "resamples of 80 % of the rows" if redrawn.run.again == "resamples" else "other starts"
    low, high = redrawn.residuals.min(), redrawn.residuals.max()
    return (
        f"over {maps} from {source} the Procrustes residual is {rough(residual)} "
        f"({rough(low)} to {rough(high)}; 0 is the same map, 1 nothing in common), and "
        f"{percent(stay)} of the {NEIGHBOURS} nearest neighbours stay"
    )
