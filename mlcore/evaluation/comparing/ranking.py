"""Ranks with ties."""

from __future__ import annotations

import numpy as np


def ranked(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 for the smallest, the mean rank for equal values; shape of `values`.

    Along the last axis.
    """
    values = np.asarray(values)
    below = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    return below + (equal + 1) / 2
