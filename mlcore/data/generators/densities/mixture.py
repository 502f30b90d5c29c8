"""What generators of normal components share: distribution, densities, best rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp, ndtr

GRID = {1: 20_000, 2: 250}  # points a side of the grid on which the Bayes error is summed
REACH = 7.0  # how far the grid goes beyond the means, in standard deviations
CACHE_SIZE = 256  # distributions whose Bayes error is remembered
ROOT_NUMBERS = 2**20  # of the roots that are laid beside each other at a time, one a row


def row_seconds(k: int, p: int) -> float:
    """How long it takes to draw a row of p columns and to know its density by k components."""
    return 1e-7 * p + 3e-10 * (k + 1) * p**2


@dataclass(frozen=True, eq=False)
class Mixture:
    """Normal components with their sizes, each belonging to a class."""

    means: np.ndarray  # (k, p)
    roots: np.ndarray  # (k, p, p), lower triangular
    weights: np.ndarray  # (k,)
    owner: np.ndarray  # (k,) class of each component

    def drawn(self, part: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A row of each named component, shape (n, p)."""
        p = self.means.shape[1]
        X = rng.normal(size=(len(part), p))
        most = max(1, ROOT_NUMBERS // p**2)
        for first in range(0, len(part), most):
            rows = slice(first, first + most)
            at = part[rows]
            X[rows] = self.means[at] + (self.roots[at] @ X[rows, :, None])[:, :, 0]
        return X

    def known(self, X: np.ndarray, source: Any) -> dict[str, Any]:
        """What a truth holds of rows X, shape (n, p): the fields of `Truth` by name.

        `source` is the generator whose `distribution()` this is.
        """
        joint = self.joint(X)
        density = np.asarray(logsumexp(joint, axis=1))
        return {
            "centers": self.means,
            "covariances": self.roots @ self.roots.transpose(0, 2, 1),
            "log_density": density,
            "posterior": np.exp(joint - density[:, None]),
            "bayes_error": bayes_error(replace(source, n_samples=2, seed=0)),
        }

    def joint(self, X: np.ndarray) -> np.ndarray:
        """log p(x, class), shape (n, K)."""
        parts = np.column_stack([self._component(X, j) for j in range(len(self.means))])
        members = [parts[:, self.owner == c] for c in range(self.owner.max() + 1)]
        return np.column_stack([_summed(logs) for logs in members])

    def _component(self, X: np.ndarray, j: int) -> np.ndarray:
        root = self.roots[j]
        z = solve_triangular(root, (X - self.means[j]).T, lower=True)
        scale = np.log(np.diag(root)).sum() + len(root) / 2 * np.log(2 * np.pi)
        return np.log(self.weights[j] / self.weights.sum()) - scale - (z**2).sum(axis=0) / 2


def _summed(logs: np.ndarray) -> np.ndarray:
    """The logarithm of the sum over each row, shape (n,)."""
    return logs[:, 0] if logs.shape[1] == 1 else np.asarray(logsumexp(logs, axis=1))


@lru_cache(maxsize=CACHE_SIZE)
def bayes_error(source: Any) -> float | None:
    """The error of the best rule; None where it has no closed form and too many columns to sum.

    It belongs to the distribution, so it is kept while only rows are drawn anew.
    """
    mix = source.distribution()
    k, p = mix.means.shape
    if mix.owner.max() == 0:
        return None
    if k == 2 and mix.owner[0] != mix.owner[1] and np.array_equal(*mix.roots):
        return _linear_error(mix)
    return _summed_error(mix) if p in GRID else None


def _linear_error(mix: Mixture) -> float:
    """Two normals of one covariance: the best rule is a threshold on a line."""
    z = solve_triangular(mix.roots[0], mix.means[1] - mix.means[0], lower=True)
    distance = np.sqrt((z**2).sum())  # of Mahalanobis
    first, second = mix.weights / mix.weights.sum()
    if distance == 0.0:
        return float(min(first, second))
    shift = np.log(first / second) / distance
    return float(first * ndtr(-distance / 2 - shift) + second * ndtr(-distance / 2 + shift))


def _summed_error(mix: Mixture) -> float | None:
    """1 - sum of max_k p(x, k) over a grid of one or two columns; None if it is too coarse."""
    spread = REACH * np.sqrt((mix.roots**2).sum(axis=2))  # (k, p)
    low, high = (mix.means - spread).min(axis=0), (mix.means + spread).max(axis=0)
    lines = [np.linspace(a, b, GRID[len(low)]) for a, b in zip(low, high, strict=True)]
    # Sums over a grid are good to many digits where no component is narrower than its steps.
    in_steps = mix.roots / np.array([line[1] - line[0] for line in lines])[:, None]
    if np.linalg.svd(in_steps, compute_uv=False).min() < 1.0:
        return None
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(lines))
    joint = np.exp(mix.joint(grid))
    # Divided by the sum of all, which is 1 but for the grid.
    return float(1.0 - joint.max(axis=1).sum() / joint.sum())
