"""Maps judged by the neighbours that they keep: trustworthiness and continuity."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from mlcore.distances.metrics import Frame
from mlcore.distances.neighbours import Neighbours
from mlcore.distances.pairwise import apart, frame_of_fit
from mlcore.evaluation._kernels import ranks_beyond
from mlcore.evaluation.map_scores import first_columns
from mlcore.evaluation.metrics.metric import FITTED, Metric
from mlcore.evaluation.sampled_rows import OF_MANY, sampled_map
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.maths.squared_distances import squares_against
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer
from mlcore.spine.records import function

TRUST = Metric(
    "trustworthiness", "Trustworthiness of the training rows", "higher",
    "1 less a penalty for rows that are neighbours in the map and not in the columns, by how far "
    "they come in the order of distances there. 1 is a map without false neighbours. Fewer "
    f"than four rows have none. {OF_MANY}",
    0, 1, rows=FITTED, improved_by="coordinates",
)  # fmt: skip
CONTINUITY = Metric(
    "continuity", "Continuity of the training rows", "higher",
    "1 less a penalty for neighbours in the columns that are none in the map, by how far they come "
    "in the order of distances there. 1 is a map that tears nothing apart. "
    f"Fewer than four rows have none. {OF_MANY}",
    0, 1, rows=FITTED, improved_by="coordinates",
)  # fmt: skip
BLOCK = 256  # rows whose distances to all are in memory at a time


class Kept(NamedTuple):
    """How well a map keeps neighbours; NaN for fewer than four rows."""

    trustworthiness: float
    continuity: float


@function("map_neighbours_kept", title="Trustworthiness and continuity")
def neighbours_kept(X: np.ndarray, Y: np.ndarray, k: int = 10, frame: Frame | None = None) -> Kept:
    """Of a map Y, shape (n, q), of rows X, shape (n, p), for k neighbours; fewer of few rows.

    Venna and Kaski (2001), ICANN: k is less than half of the rows. Neighbours among X are those by
    the distance of the frame, or the Euclidean one.
    """
    frame = frame or Frame()
    k = min(k, (len(X) - 1) // 2)
    if k < 1 or len(X) < 4:
        return Kept(nan, nan)
    # Far from zero products of rows lose their digits.
    X, Y = frame.placed(X), Y - Y.mean(axis=0)
    X = X - X.mean(axis=0)
    in_columns = Neighbours(X, frame.power).others(k).rows
    in_map = Neighbours(Y).others(k).rows
    return Kept(_score(X, in_map, k, frame), _score(Y, in_columns, k, Frame()))


def _score(Z: np.ndarray, claimed: np.ndarray, k: int, frame: Frame) -> float:
    """1 less the scaled sum of ranks beyond k, among the rows Z, of the neighbours claimed.

    Rows are placed in the frame.
    """
    n = len(Z)
    block = squares_against(Z) if frame.power == 2.0 else lambda rows: apart(frame, rows, Z)
    beyond = 0
    for start in range(0, n, BLOCK):
        own = slice(start, start + BLOCK)
        beyond += ranks_beyond(block(Z[own]), start, claimed[own], k)
    return 1.0 - 2.0 * beyond / (n * k * (2.0 * n - 3.0 * k - 1.0))


@enter(
    Card(
        "map_neighbours",
        "Neighbours kept",
        ("scoring",),
        paper="Venna and Kaski (2001), ICANN",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class MapNeighbours(Scoring):
    """How many neighbours in a map are true ones, and how many true ones it has kept."""

    baseline_name = "first columns"
    is_in_prepared = True

    n_neighbors: int = integer(
        10, low=1, soft=(2, 50), symbol="k", label="Neighbours", doc="Looked at for each row."
    )

    def metrics(self) -> tuple[Metric, ...]:
        """Trustworthiness, then continuity."""
        return TRUST, CONTINUITY

    def scored(self, case: Case) -> Scored:
        """Of the training rows, at the places that the fit has for them."""
        X, Y = sampled_map(case, "map_neighbours")
        kept = neighbours_kept(X, Y, self.n_neighbors, frame_of_fit(case.fit))
        return Scored({TRUST.name: kept.trustworthiness, CONTINUITY.name: kept.continuity})

    def baseline_of(self, method: Component) -> Component:
        """The first columns of the rows in place of as many coordinates."""
        return first_columns(method)
