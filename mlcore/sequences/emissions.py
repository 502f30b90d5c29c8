"""What a hidden state shows: numbers by a normal distribution, names by their frequencies.

Given the state, the numbers of a row are drawn together, each name by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.gaussians.covariances import Whiteners
from mlcore.spine.fit import Column


class Shown(NamedTuple):
    """The parameters of N states."""

    means: np.ndarray  # (N, q) of the columns of numbers
    covariances: np.ndarray  # (N, q, q), or (N, q) variances where the axes are kept
    frequencies: tuple[np.ndarray, ...]  # (N, L) of the levels of each column of names

    def taken(self, order: np.ndarray) -> Shown:
        """The same states in another order, (N,) positions."""
        frequencies = tuple(table[order] for table in self.frequencies)
        return Shown(self.means[order], self.covariances[order], frequencies)


class Sides(NamedTuple):
    """Rows as their numbers and their names."""

    numbers: np.ndarray  # (n, q)
    names: np.ndarray  # (n, r) codes of levels; -1 for a level that no one knows


def named(columns: tuple[Column, ...]) -> np.ndarray:
    """Which columns hold names, shape (p,)."""
    return np.array([bool(column.levels) for column in columns])


def sides(X: np.ndarray, columns: tuple[Column, ...]) -> Sides:
    """The rows X, shape (n, p), by the kind of their columns."""
    is_name = named(columns)
    if not is_name.any():
        return Sides(X, np.empty((len(X), 0), dtype=np.int64))
    codes = X[:, is_name]
    sizes = [len(column.levels) for column in columns if column.levels]
    known = (codes >= 0) & (codes < sizes) & (codes == np.floor(codes))
    return Sides(X[:, ~is_name], np.where(known, codes, -1).astype(np.int64))


def log_emissions(shown: Shown, rows: Sides) -> np.ndarray:
    """Log of the density of each row in each state, shape (n, N).

    Raises LinAlgError where a covariance has no inverse.
    """
    logs = np.zeros((len(rows.names), len(shown.means)))
    if shown.means.shape[1]:
        logs += Whiteners(shown.covariances).log_gaussians(rows.numbers, shown.means)
    with np.errstate(divide="ignore"):
        tables = [np.log(table) for table in shown.frequencies]
    for j, table in enumerate(tables):
        codes = rows.names[:, j]
        logs += np.where(codes[:, None] < 0, -np.inf, table.T[np.maximum(codes, 0)])
    return logs


def counted(codes: np.ndarray, shares: np.ndarray, size: int) -> np.ndarray:
    """The weight of each level in each state, (N, size), by the shares (n, N) of rows."""
    return np.array([np.bincount(codes, own, size) for own in shares.T])


def drawn(shown: Shown, states: np.ndarray, rng: np.random.Generator) -> Sides:
    """A row for each state, (n,), of those that it shows."""
    q = shown.means.shape[1]
    numbers = shown.means[states].copy()
    noise = rng.normal(size=(len(states), q))
    if shown.covariances.ndim == 2:
        numbers += np.sqrt(shown.covariances)[states] * noise
    else:
        roots = np.linalg.cholesky(shown.covariances)
        numbers += np.einsum("ipq,iq->ip", roots[states], noise)
    names = np.empty((len(states), len(shown.frequencies)), dtype=np.int64)
    for j, table in enumerate(shown.frequencies):
        ends = np.cumsum(table, axis=1)[states]
        above = rng.random((len(states), 1)) >= ends
        names[:, j] = np.minimum(above.sum(axis=1), table.shape[1] - 1)
    return Sides(numbers, names)
