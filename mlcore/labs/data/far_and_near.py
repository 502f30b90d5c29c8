"""Far and near: in many columns all rows are about equally far away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer
from mlcore.spine.random import generator

DIMENSIONS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
QUERIES = 20


class FarAndNear(NamedTuple):
    """Distances from some places to all rows, in cubes of many dimensions."""

    dimensions: np.ndarray  # (D,)
    contrast: np.ndarray  # (D,) median over the places of (farthest - nearest) / nearest
    spread: np.ndarray  # (D,) of the distances from one place: standard deviation over mean
    shown: int  # the dimension of the histogram
    distances: np.ndarray  # (QUERIES * n,) in that dimension, over the diagonal of the cube
    log_rows: np.ndarray  # (D,) decimal logarithm of the rows that fill the cells


def _cost(n: int, p: int, it: FarAndNearLab) -> tuple[float, float]:
    values = it.n_rows * (sum(DIMENSIONS) + it.dimension)
    return 2e-3 + 6e-8 * values, 8.0 * it.n_rows * max(DIMENSIONS) * 3


@enter(
    Card(
        "far_and_near",
        "Curse of dimensionality",
        ("lab",),
        sources=("epfl:curse_of_dimensionality",),
        random=True,
        cost=_cost,
        formula=r"\frac{\max_i \|x_i - q\| - \min_i \|x_i - q\|}{\min_i \|x_i - q\|},"
        r"\qquad \frac{\operatorname{sd}_x \|x - q\|}{\operatorname{E}_x \|x - q\|}"
        r"\approx \sqrt{\tfrac{3}{10\, d}}",
        kind="lab",
        pages=("data",),
        synonyms=("high dimensions", "concentration of distances"),
        line="nearest and farthest row become alike",
    )
)
@dataclass(frozen=True, kw_only=True)
class FarAndNearLab(Lab):
    r"""With every column that is added, the nearest row and the farthest become more alike.

    Rows are spread evenly over a cube with $d$ columns, and so are a few places to look from. The
    contrast is how much farther the farthest row is than the nearest one, in units of the nearest.
    To put one row into each of $c$ cells along every column takes $c^d$ rows.
    """

    tasks = (
        "Raise the dimension of the histogram from 2 to 1000, and watch it shrink to a peak.",
        "Multiply the rows by four: see how little that helps in a hundred dimensions.",
        "Read off how many rows it takes to fill ten cells a column in ten columns.",
    )
    seen = (
        "With 500 rows the farthest is dozens of times as far as the nearest in two columns, and a "
        "tenth farther in a thousand. The relative standard deviation falls like one over the "
        "root of the number of columns, so a method that asks who is near hears less and less."
    )

    n_rows: int = row_count(500, (50, 2000), low=10, doc="Rows in the cube.")
    dimension: int = integer(
        2, low=1, high=1000, soft=(1, 1000), log=True, symbol="d", doc="Columns of the histogram."
    )
    cells: int = integer(
        10, low=2, high=100, soft=(2, 20), symbol="c", doc="Cells along each column to be filled."
    )

    def compute(self, seed: int = 0) -> FarAndNear:
        """Contrast and standard deviation in each dimension, and the distances in one of them."""
        each = [self._distances(d, seed) for d in DIMENSIONS]
        contrast = [np.median((D.max(axis=1) - D.min(axis=1)) / D.min(axis=1)) for D in each]
        spread = [np.mean(D.std(axis=1) / D.mean(axis=1)) for D in each]
        shown = self._distances(self.dimension, seed).ravel() / np.sqrt(self.dimension)
        d = np.array(DIMENSIONS)
        rows = d * np.log10(self.cells)
        return FarAndNear(d, np.array(contrast), np.array(spread), self.dimension, shown, rows)

    def _distances(self, d: int, seed: int) -> np.ndarray:
        """From each place to each row, shape (QUERIES, n)."""
        rng = generator(seed, f"cube {d}")
        X, places = rng.random((self.n_rows, d)), rng.random((QUERIES, d))
        squares = (X**2).sum(axis=1) + (places**2).sum(axis=1)[:, None] - 2 * places @ X.T
        return np.sqrt(np.maximum(squares, 1e-24))  # rounding can make a tiny square negative
