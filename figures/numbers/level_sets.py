"""What share of a density lies within each of its level sets."""

from __future__ import annotations

import numpy as np


def mass_inside(logs: np.ndarray) -> np.ndarray:
    """Of equal cells with log-densities (b, a), the share in those at least as dense, (b, a).

    Where it is 0.9 runs the border of the smallest region that holds nine tenths: Hyndman (1996),
    The American Statistician 50.
    """
    levels, which = np.unique(-logs, return_inverse=True)
    with np.errstate(under="ignore"):
        mass = np.bincount(which.ravel()) * np.exp(levels[0] - levels)
    return (np.cumsum(mass) / mass.sum())[which.reshape(logs.shape)]
