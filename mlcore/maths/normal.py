"""What a normal distribution says of one number."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri


def central_interval(mean: np.ndarray, deviation: np.ndarray, level: float) -> np.ndarray:
    """Ends of the intervals that hold a share `level` of the normals around each mean, (m, 2).

    Means and standard deviations have shape (m,); `level` lies between 0 and 1.
    """
    half = float(ndtri(0.5 + level / 2)) * deviation
    return np.column_stack([mean - half, mean + half])
