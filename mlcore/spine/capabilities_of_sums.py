"""Predictions that are sums of simple things, so that Shapley values of them have a short way.

As in `mlcore/spine/capabilities.py`, p is the number of columns; K that of outputs: the classes
of the fit where it gives probabilities, else 1.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class AveragesTrees(Protocol):
    """Probabilities, or the predicted quantity, are the mean over trees of what the leaf of each
    says. `leaf_answers`: each tree (`mlcore/trees/tree.py`) with the answers of its t nodes, shape
    (t, K)."""

    @property
    def leaf_answers(self) -> tuple[tuple[Any, np.ndarray], ...]: ...


@runtime_checkable
class IsLinear(Protocol):
    """What is predicted is a weighted sum of the columns and a constant. `weights_of_columns`,
    shape (p, K): units of what is predicted for one unit of the column."""

    @property
    def weights_of_columns(self) -> np.ndarray: ...
