"""What only maps can do, by the names of their fields. p columns, q pairs of coordinates."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import Transforms


@runtime_checkable
class HasCanonicalPairs(Transforms, Protocol):
    """Coordinates in pairs, one of either block of columns. Positions of these, `first`, (d,), and
    `second`, (e,); the weights of their columns, `first_axes`, (q, d), and `second_axes`, (q, e);
    `correlations` of the pairs in the fitted rows, (q,)."""

    first: np.ndarray
    second: np.ndarray
    first_axes: np.ndarray
    second_axes: np.ndarray
    correlations: np.ndarray


@runtime_checkable
class HasSources(Transforms, Protocol):
    """Coordinates of variance 1 that are far from normal, the farthest first. `negentropies`: how
    far in the fitted rows, shape (q,); `is_normal`: no farther than normal numbers may be, (q,)."""

    negentropies: np.ndarray
    is_normal: np.ndarray
