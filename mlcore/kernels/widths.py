"""Widths that the rows themselves suggest."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from mlcore.maths.squared_distances import squares_against
from mlcore.spine import checks, random
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

MOST = 2000  # rows whose pairs are compared


@function("sigma_median", title="Median heuristic")
def sigma_median(X: Any, seed: int = 0) -> float:
    """Median distance of two rows, of at most 2 000 drawn at random."""
    return float(np.median(pdist(_some(X, seed))))


@function("sigma_nearest", title="Width: nearest neighbour", sources=("cs1:sigma_nn_heuristic",))
def sigma_nearest(X: Any, seed: int = 0) -> float:
    """Mean distance of a row from its nearest other, of at most 2 000 rows drawn at random."""
    X = _some(X, seed)
    squares = squares_against(X)(X)
    np.fill_diagonal(squares, np.inf)
    return float(np.sqrt(squares.min(axis=1)).mean())


def _some(X: Any, seed: int) -> np.ndarray:
    X = checks.matrix(X, "A width")
    if len(X) < 2:
        raise DataError("A width is taken from distances, which need at least two rows; got one.")
    if len(X) <= MOST:
        return X
    return X[random.generator(seed, "rows").choice(len(X), MOST, replace=False)]
