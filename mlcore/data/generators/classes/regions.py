"""Points of the plane, classed by the region in which they lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, real

POCKETS = np.array([[0.2, 0.25, 0.14], [0.7, 0.2, 0.1], [0.5, 0.6, 0.16], [0.85, 0.8, 0.12],
                    [0.15, 0.8, 0.1]])  # fmt: skip  # center and radius of each


def _inside(x: np.ndarray, y: np.ndarray, a: float, b: float, radius: float) -> np.ndarray:
    """How deep points lie in a disc; negative outside."""
    return radius - np.hypot(x - a, y - b)


def _triangle(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    left, right = 0.8 * (x - 0.15) - 0.4 * (y - 0.15), 0.8 * (0.85 - x) - 0.4 * (y - 0.15)
    return np.minimum(np.minimum(left, right) / np.hypot(0.8, 0.4), y - 0.15)


def _stumps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The majority of three cuts, each along one axis."""
    votes = np.sort(np.stack([0.35 - x, y - 0.6, x - 0.7]), axis=0)
    return votes[1]


# Depth in the region: positive inside, 0 on its border, about a distance near it.
DEPTHS = {
    "disc": lambda x, y: _inside(x, y, 0.5, 0.5, 0.3),
    "lift": lambda x, y: _inside(x, y, 0.5, 0.5, 0.25),
    "ring with island": lambda x, y: np.maximum(
        0.12 - np.abs(np.hypot(x - 0.5, y - 0.5) - 0.3), _inside(x, y, 0.5, 0.5, 0.06)
    ),
    "triangle": _triangle,
    "parabola": lambda x, y: y - 0.15 - 2.4 * (x - 0.5) ** 2,
    "sine": lambda x, y: y - 0.5 - 0.25 * np.sin(2 * np.pi * x),
    "three stumps": _stumps,
    "pockets": lambda x, y: np.max([_inside(x, y, *pocket) for pocket in POCKETS], axis=0),
}
LEVELS = ("outside", "inside")
MOST_TRIES = 200  # rounds of drawing until enough rows lie off the border, or in each class
SOURCES = ("epfl:DS60",)


@enter(Card("regions", "Regions", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Regions(shared.Generator):
    """Points spread evenly over the unit square; the class is whether they lie in a region.

    Regions: a disc of radius 0.3, a smaller disc for the lift to a third dimension, a ring with an
    island, a triangle, the side of a parabola or of a sine, the majority of three cuts along the
    axes, five pockets. Rows nearer to the border than half the gap are left out, then a share of
    the classes is flipped: that share is the error of the best rule.

    Shows the shape that a method gives its boundary, and what it makes of wrong labels.
    """

    n_samples: int = shared.n_samples(200)
    region: str = choice("disc", *DEPTHS, doc="Where the class is inside.")
    flip: float = shared.label_noise()
    gap: float = real(
        0.0, low=0.0, high=0.1, soft=(0.0, 0.08), doc="Width of the empty strip at the border."
    )
    is_balanced: bool = flag(
        False, label="As many inside as outside", doc="Draw equally many rows of each class."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows, with inside or outside as target."""
        X, labels = self._rows(self.rng("positions"))
        labels = shared.flipped(labels, self.flip, self.rng("flip"))
        return shared.class_origin(self, X, labels, LEVELS, bayes_error=self.flip)

    def _rows(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Rows off the border and whether they lie inside, as many of each as are wanted."""
        n = self.n_samples
        wanted = shared.shares(n, (), 2) if self.is_balanced else np.array([n, n])
        X, labels = np.empty((0, 2)), np.empty(0, dtype=np.int64)
        for _ in range(MOST_TRIES):
            tried = rng.uniform(size=(n, 2))
            depth = DEPTHS[self.region](*tried.T)
            far = np.abs(depth) >= self.gap / 2
            X, labels = np.vstack([X, tried[far]]), np.append(labels, depth[far] > 0)
            # The first of each class, no more than are wanted of it.
            rank = np.where(labels == 1, np.cumsum(labels), np.cumsum(1 - labels))
            keep = rank <= wanted[labels]
            X, labels = X[keep], labels[keep]
            if len(X) >= n:
                break
        return X[:n], labels[:n]
