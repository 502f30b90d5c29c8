"""Points of interest on curves."""

from __future__ import annotations

import numpy as np


def knee(values: np.ndarray) -> int:
    """Index of the value farthest below the chord of a falling curve, shape (n,).

    The chord joins the first and the last value. Both axes are rescaled to [0, 1] first; 0 where no
    value lies below the chord.
    """
    fall = values[0] - values[-1]
    if len(values) < 3 or not fall > 0:
        return 0
    chord = 1 - np.arange(len(values)) / (len(values) - 1)
    below = chord - (values - values[-1]) / fall
    return int(np.argmax(below)) if below.max() > 1e-12 else 0  # less is rounding
