"""What a hidden state shows: numbers by a normal distribution or a mixture, names by frequencies.

Given the state, the numbers of a row are drawn together, each name by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.gaussians.covariances import Whiteners
from mlcore.spine.fit import Column


class Shown(NamedTuple):
    """The parameters of N states, each a mixture of M normal components for the numbers."""

    means: np.ndarray  # (N M, q) of the columns of numbers, state by state
    covariances: np.ndarray  # (N M, q, q), or (N M, q) variances where the axes are kept
    frequencies: tuple[np.ndarray, ...]  # (N, L) of the levels of each column of names
    weights: np.ndarray  # (N, M), rows sum to 1

    def taken(self, order: np.ndarray) -> Shown:
        """The same states in another order, (N,) positions."""
        M = self.weights.shape[1]
        own = (order[:, None] * M + np.arange(M)).ravel()
        frequencies = tuple(table[order] for table in self.frequencies)
        return Shown(self.means[own], self.covariances[own], frequencies, self.weights[order])

    @property
    def state_means(self) -> np.ndarray:
        """The mean of each state, shape (N, q)."""
        return (self.weights[:, :, None] * self.parted(self.means)).sum(axis=1)

    @property
    def state_variances(self) -> np.ndarray:
        """Of each column in each state, shape (N, q): within components and between them."""
        means = self.parted(self.means)
        within = self.parted(self.variances) + (means - self.state_means[:, None]) ** 2
        return (self.weights[:, :, None] * within).sum(axis=1)

    @property
    def variances(self) -> np.ndarray:
        """The variance of each column in each component, shape (N M, q)."""
        C = self.covariances
        return np.diagonal(C, axis1=1, axis2=2) if C.ndim == 3 else C

    def parted(self, values: np.ndarray) -> np.ndarray:
        """Values of all components, shape (N M, ...), by state: (N, M, ...)."""
        return values.reshape(*self.weights.shape, *values.shape[1:])


class Sides(NamedTuple):
    """Rows as their numbers and their names."""

    numbers: np.ndarray  # (n, q)
    names: np.ndarray  # (n, r) codes of levels; -1 for a level that no one knows


def pairs_of(X: np.ndarray, columns: tuple[Column, ...]) -> np.ndarray:
    """The least and the largest value of columns of numbers that hold no other, shape (p, 2).

    NaN for all other columns. Such a column, X having shape (n, p), is read as two names, or as
    one: normal draws never repeat, and a state that shows one of two values has no variance.
    """
    pairs = np.full((len(columns), 2), np.nan)
    for j, column in enumerate(columns):
        low, high = X[:, j].min(), X[:, j].max()
        if not column.levels and ((X[:, j] == low) | (X[:, j] == high)).all():
            pairs[j] = low, high
    return pairs


def sizes_of(columns: tuple[Column, ...], pairs: np.ndarray) -> np.ndarray:
    """How many names each column has, shape (p,); 0 for one of numbers."""
    few = np.where(pairs[:, 0] == pairs[:, 1], 1, 2)
    own = np.array([len(column.levels) for column in columns])
    return np.where(np.isnan(pairs[:, 0]), own, few)


def sides(X: np.ndarray, columns: tuple[Column, ...], pairs: np.ndarray) -> Sides:
    """The rows X, shape (n, p), by the kind of their columns; of a pair the nearer value counts."""
    sizes = sizes_of(columns, pairs)
    is_name, is_pair = sizes > 0, ~np.isnan(pairs[:, 0])
    if not is_name.any():
        return Sides(X, np.empty((len(X), 0), dtype=np.int64))
    codes = X.copy()
    upper = X[:, is_pair] > pairs[is_pair].mean(axis=1)
    codes[:, is_pair] = upper & (sizes[is_pair] == 2)
    codes = codes[:, is_name]
    known = (codes >= 0) & (codes < sizes[is_name]) & (codes == np.floor(codes))
    return Sides(X[:, ~is_name], np.where(known, codes, -1).astype(np.int64))


def values_of(rows: Sides, columns: tuple[Column, ...], pairs: np.ndarray) -> np.ndarray:
    """The rows as the columns hold them, shape (n, p): what `sides` reads."""
    is_name = sizes_of(columns, pairs) > 0
    X = np.empty((len(rows.names), len(columns)))
    X[:, ~is_name], X[:, is_name] = rows.numbers, rows.names
    for j in np.flatnonzero(~np.isnan(pairs[:, 0])):
        X[:, j] = pairs[j, X[:, j].astype(np.int64)]
    return X


def log_emissions(shown: Shown, rows: Sides) -> np.ndarray:
    """Log of the density of each row in each state, shape (n, N).

    Raises LinAlgError where a covariance has no inverse.
    """
    logs = np.zeros((len(rows.names), len(shown.weights)))
    if shown.means.shape[1]:
        logs += _log_sums(log_components(shown, rows), shown)
    with np.errstate(divide="ignore"):
        tables = [np.log(table) for table in shown.frequencies]
    for j, table in enumerate(tables):
        codes = rows.names[:, j]
        logs += np.where(codes[:, None] < 0, -np.inf, table.T[np.maximum(codes, 0)])
    return logs


def log_components(shown: Shown, rows: Sides) -> np.ndarray:
    """Log of weight times density of the numbers of each row in each component, (n, N M)."""
    logs = Whiteners(shown.covariances).log_gaussians(rows.numbers, shown.means)
    if shown.weights.shape[1] == 1:
        return logs
    with np.errstate(divide="ignore"):
        return logs + np.log(shown.weights.ravel())


def _log_sums(logs: np.ndarray, shown: Shown) -> np.ndarray:
    """Log of the sum over the components of each state, (n, N M) to (n, N)."""
    if shown.weights.shape[1] == 1:
        return logs
    apart = logs.reshape(len(logs), *shown.weights.shape)
    # The largest is taken out first: a row far from all components underflows otherwise.
    top = apart.max(axis=2)
    return top + np.log(np.exp(apart - top[:, :, None]).sum(axis=2))


def component_shares(shown: Shown, rows: Sides, shares: np.ndarray) -> np.ndarray:
    """The share of each component in each row, (n, N M), by the shares (n, N) of the states."""
    if shown.weights.shape[1] == 1:
        return shares
    logs = log_components(shown, rows)
    within = np.exp(
        logs.reshape(len(logs), *shown.weights.shape) - _log_sums(logs, shown)[:, :, None]
    )
    return np.ascontiguousarray((shares[:, :, None] * within).reshape(len(logs), -1))


def counted(codes: np.ndarray, shares: np.ndarray, size: int) -> np.ndarray:
    """The weight of each level in each state, (N, size), by the shares (n, N) of rows."""
    return np.array([np.bincount(codes, own, size) for own in shares.T])


def drawn(shown: Shown, states: np.ndarray, rng: np.random.Generator) -> Sides:
    """A row for each state, (n,), of those that it shows."""
    q, M = shown.means.shape[1], shown.weights.shape[1]
    own = states
    if M > 1:
        ends = np.cumsum(shown.weights, axis=1)[states]
        which = (rng.random((len(states), 1)) >= ends).sum(axis=1)
        own = states * M + np.minimum(which, M - 1)
    numbers = shown.means[own].copy()
    noise = rng.normal(size=(len(states), q))
    if shown.covariances.ndim == 2:
        numbers += np.sqrt(shown.covariances)[own] * noise
    else:
        roots = np.linalg.cholesky(shown.covariances)
        numbers += np.einsum("ipq,iq->ip", roots[own], noise)
    names = np.empty((len(states), len(shown.frequencies)), dtype=np.int64)
    for j, table in enumerate(shown.frequencies):
        ends = np.cumsum(table, axis=1)[states]
        above = rng.random((len(states), 1)) >= ends
        names[:, j] = np.minimum(above.sum(axis=1), table.shape[1] - 1)
    return Sides(numbers, names)
