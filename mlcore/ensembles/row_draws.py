"""Which rows a member of an ensemble learns from."""

from __future__ import annotations

import numpy as np


def drawn(rng: np.random.Generator, n: int, share: float, with_replacement: bool) -> np.ndarray:
    """How often each of n rows is drawn, shape (n,): a share of n, rounded, at least one row."""
    size = max(round(share * n), 1)
    if with_replacement:
        return np.bincount(rng.integers(n, size=size), minlength=n).astype(np.float64)
    counts = np.zeros(n)
    counts[slice(None) if size == n else rng.choice(n, size=size, replace=False)] = 1.0
    return counts
