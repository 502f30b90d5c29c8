"""Rows that are the same and have different targets: no function goes through all of them."""

from __future__ import annotations

import numpy as np

from mlcore.spine.wording import count, plural

REACHED = 1e-3  # of the deviation of the target: residuals up to it count as none


def conflicting(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which rows X, shape (n, p), have a twin with another value in y, shape (n,): (n,) booleans.

    O(n p log n): rows are sorted as strings of bytes.
    """
    rows = np.ascontiguousarray(X + 0.0)  # minus zero is zero
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    of, n_each = np.unique(keys, return_inverse=True, return_counts=True)[1:]
    conflicts = np.zeros(len(y), dtype=bool)
    twins = np.flatnonzero(n_each[of] > 1)
    if len(twins):
        low, high = (np.full(len(n_each), y[0], dtype=y.dtype) for _ in range(2))
        low[of[twins]] = high[of[twins]] = y[twins]
        np.minimum.at(low, of[twins], y[twins])
        np.maximum.at(high, of[twins], y[twins])
        conflicts[twins] = (low != high)[of[twins]]
    return conflicts


def note_of_conflicts(X: np.ndarray, y: np.ndarray, instead: str) -> tuple[str, ...]:
    """That a fit which would go through every row cannot, and what it does `instead`; or none.

    X has shape (n, p), y, of classes or quantities, (n,).
    """
    n = int(conflicting(X, y).sum())
    if not n:
        return ()
    has = plural(n, "has", "have")
    return (f"{count(n, 'row')} {has} conflicting targets at the same x: {instead}.",)


def note_of_interpolation(X: np.ndarray, y: np.ndarray, residuals: np.ndarray) -> tuple[str, ...]:
    """That a fit goes through all rows but those with conflicting targets; or none.

    `residuals` are those of the rows X, shape (n, p), with targets y, shape (n,).
    """
    missed = np.abs(residuals) > REACHED * y.std()
    if not missed.any() or missed.all():
        return ()  # nothing is missed, or it does not interpolate
    conflicts = conflicting(X, y)
    if (missed & ~conflicts).any():
        return ()
    return note_of_conflicts(X, y, "the fit goes through all other rows and between these")
