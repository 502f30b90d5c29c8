"""Whether what a preparation or a method makes of the columns of a table is straight in these."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from figures.numbers.planes import CODED
from mlcore.data.dataset import Dataset
from mlcore.maths.arrays import deviations

CHECKED = 500  # rows on which it is seen whether a score is a plane
MOST_COLUMNS = 500  # which are followed one by one
STRAIGHT = 1e-7  # of the largest score: from planes that far off it is rounding


def plane(
    score: Callable[[np.ndarray], np.ndarray], dataset: Dataset
) -> tuple[np.ndarray, np.ndarray] | None:
    """Slopes, (B, p), and offsets, (B,), of scores, (m, B), that are planes; None if they are not.

    They are followed along each column from the mean, and held against the scores of the rows. In a
    column of names nothing lies between two of them, and no plane goes through.
    """
    X = dataset.X
    if any(column.kind in CODED for column in dataset.columns):
        return None
    known = X[np.isfinite(X).all(axis=1)]
    # What is filled in where a value is missing is no plane.
    if len(known) < len(X) or X.shape[1] > MOST_COLUMNS:
        return None
    known = known[np.unique(np.linspace(0, len(X) - 1, min(len(X), CHECKED)).astype(np.int64))]
    centre, reach = known.mean(axis=0), deviations(known)
    reach = np.where(reach > 0, reach, 1.0)
    ends = score(np.vstack([centre, centre + np.diag(reach)]))
    slopes = ((ends[1:] - ends[0]) / reach[:, None]).T
    offsets = ends[0] - slopes @ centre
    off = np.abs(score(known) - known @ slopes.T - offsets).max()
    is_plane = off <= STRAIGHT * max(float(np.abs(ends).max()), np.finfo(float).tiny)
    return (slopes, offsets) if is_plane else None
