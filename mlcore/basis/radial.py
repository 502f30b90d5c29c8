"""Bumps around centers, which are training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.basis.basis import Basis, Term, squared_lengths
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer, real


@enter(
    Card(
        "radial_features",
        "Radial basis functions",
        ("basis",),
        sources=("prac:basis_expansion",),
        random=True,
        formula=r"\varphi_k(x) = \exp\Bigl(-\frac{\|x - c_k\|^2}{2 s^2}\Bigr)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class RadialFeatures(Basis):
    """How near a row is to each of some centers: 1 at the center, 0 far from it."""

    learns = "center"

    n_centers: int = integer(
        10,
        low=1,
        soft=(2, 50),
        symbol="K",
        label="Number of centers",
        doc="Training rows that serve as centers; all different rows if there are fewer.",
    )
    centers: str = choice(
        "spread",
        "spread",
        "random",
        doc="Each next center the row farthest from those chosen (spread), or rows at random.",
    )
    width: float | str = real(
        "neighbour",
        above=0.0,
        soft=(0.1, 10.0),
        log=True,
        auto="neighbour",
        symbol="s",
        doc="Distance at which a bump has fallen to 0.61; by itself the median distance from a "
        "center to the nearest other.",
    )

    def count(self, p: int) -> int:
        """At most so many centers."""
        return self.n_centers

    def points(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The centers, shape (K, p): different training rows."""
        rows = np.unique(X, axis=0)
        if len(rows) <= self.n_centers:
            return rows
        if self.centers == "random":
            return rows[np.sort(rng.choice(len(rows), self.n_centers, replace=False))]
        return rows[_spread(rows, self.n_centers, int(rng.integers(len(rows))))]

    def terms(self, names: tuple[str, ...], points: np.ndarray) -> tuple[Term, ...]:
        """near 1, near 2 and so on."""
        every = tuple(range(len(names)))
        return tuple(Term(f"near {k + 1}", every) for k in range(len(points)))

    def values(self, X: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The bumps, shape (m, K)."""
        width = self._width(points)
        return np.column_stack([np.exp(-squared_lengths(X - c) / (2 * width**2)) for c in points])

    def _width(self, centers: np.ndarray) -> float:
        if not isinstance(self.width, str):
            return self.width
        if len(centers) < 2:
            raise DataError(
                "Radial features with one center know no width by themselves; set the width, or "
                "ask for more centers."
            )
        apart = np.array([squared_lengths(centers - c) for c in centers])
        np.fill_diagonal(apart, np.inf)
        return float(np.sqrt(np.median(apart.min(axis=1))))


def _spread(rows: np.ndarray, k: int, first: int) -> list[int]:
    """Positions of rows of which each is the farthest from those before it."""
    chosen, nearest = [first], squared_lengths(rows - rows[first])
    while len(chosen) < k:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, squared_lengths(rows - rows[chosen[-1]]))
    return chosen
