"""What the tests on folds begin with: one difference a split, checked, and how little it varies."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.errors import DataError

TINY = 1e-12  # relative to the largest: what is left where equal numbers were subtracted
LEAST = 3  # splits of which a spread can be told


def checked(differences: Any, *sizes: Any) -> tuple[np.ndarray, ...]:
    """Differences and sizes of the splits, shape (J,) each.

    A size may be one number for all splits. Raises DataError unless there are at least 3 finite
    differences, of splits with rows on either side.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < LEAST or not np.isfinite(d).all():
        raise DataError(
            f"This test needs one finite difference a split, for at least {LEAST} splits; got "
            f"{d.size}. Take more folds."
        )
    broadcast = [np.broadcast_to(np.asarray(size, dtype=np.float64), d.shape) for size in sizes]
    if any((size < 1).any() for size in broadcast):
        raise DataError("This test needs splits with at least one row on either side.")
    return d, *broadcast


def are_alike(d: np.ndarray) -> bool:
    """Whether all differences, shape (J,), are the same but for rounding, without any spread."""
    return bool(np.ptp(d) <= TINY * np.abs(d).max())


def mean_of(d: np.ndarray) -> float:
    """The mean of differences, shape (J,); exactly 0 where only rounding is left of it."""
    mean = float(d.mean())
    return mean if abs(mean) > TINY * np.abs(d).max() else 0.0


def between(a: np.ndarray, b: np.ndarray, better: str) -> np.ndarray:
    """How much better a is than b on each split, shape (J,); exactly 0 where only rounding differs.

    `better` says which way of the score is better: "higher" or "lower".
    """
    d = a - b if better == "higher" else b - a
    return np.where(np.abs(d) <= TINY * np.maximum(np.abs(a), np.abs(b)), 0.0, d)
