"""Units and neighbours: who is near, and which way most varies, follows from kg or g, cm or m."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.describing.moments import distance_shares
from mlcore.data.sampling.fresh import draw
from mlcore.distances.neighbourhoods import kneighbors
from mlcore.labs.lab import Lab
from mlcore.preparation.standardise import Standardise
from mlcore.reduction.pca import PCA
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, real

N_STUDENTS = 300
NEAREST = 5
WEIGHTS = {"kg": 1.0, "g": 1000.0, "t": 0.001}
HEIGHTS = {"cm": 1.0, "m": 0.01}


class Units(NamedTuple):
    """Students and the nearest of them to one person, in the chosen units and standardised."""

    X: np.ndarray  # (n, 2) kg and cm
    person: np.ndarray  # (2,) kg and cm
    seen: np.ndarray  # (n, 2) as the method sees them
    person_seen: np.ndarray  # (2,)
    near: np.ndarray  # (5,) rows nearest as the method sees them
    fair: np.ndarray  # (5,) rows nearest after standardising
    shares: np.ndarray  # (2,) of weight and height in the squared distance
    axis: np.ndarray  # (2,) first principal axis as the method sees it
    units: tuple[str, str]
    is_standardised: bool


@enter(
    Card(
        "units_and_neighbours",
        "Units, nearest neighbours and PCA",
        ("lab",),
        sources=("cs1:unit_scale_demo", "mi2:pca_scale_sensitivity"),
        random=True,
        cost=lambda n, p, it: (0.03, 1e6),
        formula=r"\frac{s_j^2 \operatorname{Var} x_j}{\sum_l s_l^2 \operatorname{Var} x_l},"
        r"\qquad \Sigma \to S \Sigma S,\quad S = \operatorname{diag}(s_1, s_2)",
        kind="lab",
        pages=("data", "dimensionality_reduction"),
        synonyms=("feature scaling", "standardisation"),
        line="other units, other neighbours",
    )
)
@dataclass(frozen=True, kw_only=True)
class UnitsAndNeighbours(Lab):
    r"""The same people, measured in other units, have other neighbours and other main directions.

    300 students by weight and height. The squared distance of two of them adds up both columns, so
    a unit that makes the numbers of one column $s$ times as large makes its part $s^2$ times as
    large. The first principal axis turns to that column for the same reason.
    """

    tasks = (
        "Measure weight in grams and height in metres: look which students are near now, and what "
        "the cloud looks like where a gram is as long as a metre.",
        "Measure weight in tonnes and height in centimetres, and see the other column take over.",
        "Standardise, then change the units again: nothing moves.",
    )
    seen = (
        "With grams and metres the share of height in the distance is zero to seven digits: the "
        "neighbours are those of equal weight, however tall, and the first axis is weight. No unit "
        "is the right one, so columns of different kinds are standardised first."
    )

    weight_unit: str = choice("kg", *WEIGHTS, label="Weight in", doc="Unit of the first column.")
    height_unit: str = choice("cm", *HEIGHTS, label="Height in", doc="Unit of the second column.")
    standardised: bool = flag(
        False, doc="Subtract the mean and divide by the standard deviation first."
    )
    weight: float = real(
        95.0, low=20.0, high=160.0, soft=(40.0, 140.0), unit="kg", doc="Of the person asked for."
    )
    height: float = real(
        175.0, low=50.0, high=250.0, soft=(150.0, 200.0), unit="cm", doc="Of the person asked for."
    )

    def compute(self, seed: int = 0) -> Units:
        """The nearest students, the shares and the axis."""
        X = draw("students", N_STUDENTS, seed).X
        person = np.array([self.weight, self.height])
        scale = np.array([WEIGHTS[self.weight_unit], HEIGHTS[self.height_unit]])
        both = np.vstack([X, person])
        standard = Standardise().fit(X).transform(both)
        seen = standard if self.standardised else both * scale
        axis = PCA().fit(seen[:-1]).axes[0]
        return Units(
            X, person, seen[:-1], seen[-1], _nearest(seen), _nearest(standard),
            distance_shares(seen[:-1]), axis, (self.weight_unit, self.height_unit),
            self.standardised,
        )  # fmt: skip


def _nearest(placed: np.ndarray) -> np.ndarray:
    """The rows nearest to the last one."""
    return kneighbors(placed[:-1], placed[-1:], k=NEAREST).rows[0]
