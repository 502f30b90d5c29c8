"""With which other variable one acts together, read off its Shapley values.

Without interplay the contribution of a variable depends on its own value alone. Among rows of about
the same value, what is left of its spread must come from others: how much of it each of them tells,
by a line or by its levels, is compared. Lundberg et al. (2020), Nature Machine Intelligence 2, look
for interactions in this way; ours is adjusted for what chance tells.
"""

from __future__ import annotations

import numpy as np

ROWS_A_BIN, MOST_BINS = 15, 10  # enough rows for a line in each


def interplay(
    phi: np.ndarray, own: np.ndarray, others: np.ndarray, is_name: np.ndarray
) -> np.ndarray:
    """Share of the spread of contributions, shape (m,), that each other variable tells, (q,).

    `own`, shape (m,), are the values of the variable, `others`, shape (m, q), those of the others,
    `is_name`, (q,), which of these are codes without an order. Adjusted R squared within bins of
    `own`; 0 where chance tells as much, or nothing is left to tell.
    """
    bins = _bins(own)
    return np.array([_told(phi, z, bins, bool(n)) for z, n in zip(others.T, is_name, strict=True)])


def _bins(own: np.ndarray) -> np.ndarray:
    """About equally many rows each, rows of equal value together; those without one apart, (m,)."""
    known = np.unique(own[~np.isnan(own)])
    n_bins = int(np.clip(len(own) // ROWS_A_BIN, 1, MOST_BINS))
    ends = known[1:]
    if len(known) > n_bins:
        ends = np.unique(np.nanquantile(own, np.arange(1, n_bins) / n_bins))
    return np.where(np.isnan(own), -1, np.searchsorted(ends, own, side="right"))


def _told(phi: np.ndarray, z: np.ndarray, bins: np.ndarray, is_name: bool) -> float:
    left = spread = 0.0
    free_left = free = 0
    for b in np.unique(bins):
        y, x = phi[bins == b], z[bins == b]
        y, x = y[~np.isnan(x)], x[~np.isnan(x)]
        if len(y) < 3:
            continue
        fitted, cost = _by_levels(y, x) if is_name else _by_line(y, x)
        left, free_left = left + float(((y - fitted) ** 2).sum()), free_left + len(y) - cost
        spread, free = spread + float(((y - y.mean()) ** 2).sum()), free + len(y) - 1
    # Rounding of the contributions is no spread.
    if free_left < 1 or spread <= 1e-18 * float(phi @ phi):
        return 0.0
    return max(0.0, 1.0 - (left / free_left) / (spread / free))


def _by_line(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, int]:
    """The least squares line, and what it costs: its numbers."""
    away = x - x.mean()
    square = float(away @ away)
    if square == 0.0:
        return np.full(len(y), y.mean()), 1
    return y.mean() + away * float(away @ y) / square, 2


def _by_levels(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, int]:
    """The mean of each level, and how many they are."""
    _, code = np.unique(x, return_inverse=True)
    return (np.bincount(code, y) / np.bincount(code))[code], int(code.max()) + 1
