"""Conjugate gradients for a symmetric positive definite system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np


class GradientState(NamedTuple):
    """The state of the iteration."""

    w: np.ndarray  # (p,)
    residual: float  # length of b - A w over the length of b


def conjugate_gradient(
    product: Callable[[np.ndarray], np.ndarray], b: np.ndarray
) -> Iterator[GradientState]:
    """Solve A w = b, shape (p,), `product(v)` being A v; one direction an iteration, without end.

    Hestenes and Stiefel (1952), from w = 0. The caller decides when to stop.
    """
    w, left = np.zeros_like(b), b.copy()
    direction, size = left.copy(), float(left @ left)
    start = np.sqrt(size) or 1.0
    while True:
        if size > 0:
            image = product(direction)
            step = size / float(direction @ image)
            w, left = w + step * direction, left - step * image
            before, size = size, float(left @ left)
            direction = left + size / before * direction
        yield GradientState(w, np.sqrt(size) / start)
