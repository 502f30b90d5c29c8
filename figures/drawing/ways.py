"""Many ways through the plane as one line of a figure."""

from __future__ import annotations

import numpy as np


def in_one_line(ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both coordinates of k ways of t places, shape (k, t, 2), as arrays of k (t + 1) numbers.

    NaN parts one way from the next.
    """
    path = np.concatenate([ways, np.full((len(ways), 1, 2), np.nan)], axis=1).reshape(-1, 2)
    return path[:, 0], path[:, 1]
