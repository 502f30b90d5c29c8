"""A mixture of normal distributions whose best classifier is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp, ndtr

from mlcore.component import Card, enter
from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.params import integer, many

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GRID = 250  # points a side of the grid on which the Bayes error is summed
REACH = 7.0  # how far the grid goes beyond the means, in standard deviations
SOURCES = ("prac:gauss_mixture", "s841:mixture_gaussians", "s841:ripley_synth")


@enter(Card("gaussians", "Gaussians", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Gaussians(shared.Generator):
    """Normal components of any shape, each belonging to a class: the best rule is known.

    A row of component j is drawn from N(mu_j, Sigma_j) and has the class of that component. The
    truth holds the posterior p(class | x) of every row, and in one or two columns the Bayes error,
    1 - integral of max_k p(x, k), which no classifier can beat (but for very narrow components).

    Shows how far a classifier stays from the best, when straight lines suffice (equal
    covariances) and when they do not, and what mixtures recover.
    """

    n_samples: int = shared.n_samples(300)
    n_features: int = integer(
        2, low=1, high=20, soft=(1, 5), symbol="p", label="Columns", doc="Number of columns."
    )
    means: tuple = many(
        (-1.5, 0.0, 1.5, 0.0),
        most=400,
        symbol=r"\mu",
        doc="Mean of each component, one after another: as many numbers as columns for each.",
    )
    covariances: tuple = many(
        (1.0, 0.0, 0.0, 1.0),
        most=8000,
        symbol=r"\Sigma",
        doc="A covariance matrix for all components, row by row, or one after another for each.",
    )
    weights: tuple = many(
        (), doc="Relative sizes of the components; equal where empty.", advanced=True
    )
    classes: tuple = many(
        (),
        doc="Class of each component, counted from 0; a class of its own for each where empty.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """Refuse numbers that do not make means, covariances and classes."""
        p, k = self.n_features, len(self.means) // self.n_features
        if not 1 <= k <= len(LETTERS) or len(self.means) != k * p:
            return (
                f"{self.title()}: means must hold {p} numbers, one a column, for each of 1 to "
                f"{len(LETTERS)} components; got {len(self.means)} numbers."
            )
        if len(self.covariances) not in (p * p, k * p * p):
            return (
                f"{self.title()}: covariances must hold {p * p} numbers, or {k * p * p} for a "
                f"matrix each; got {len(self.covariances)}."
            )
        if not all(_is_covariance(S) for S in self._shapes()[1]):
            return f"{self.title()}: every covariance must be symmetric with positive variances."
        if self.classes and sorted(set(self.classes)) != list(range(len(set(self.classes)))):
            return f"{self.title()}: classes must be the whole numbers from 0 on, none left out."
        if self.classes and len(self.classes) != k:
            return f"{self.title()}: classes must name one class for each of {k} components."
        return shared.weights_conflict(self.title(), self.weights, k)

    def origin(self, held: Mapping[str, Table]) -> Origin:
        """The drawn rows with the class of their component as target."""
        means, covariances = self._shapes()
        k = len(means)
        owner = np.array(self.classes or range(k), dtype=np.int64)
        part = np.repeat(np.arange(k), shared.shares(self.n_samples, self.weights, k))
        part = self.rng("order").permutation(part)
        roots = np.linalg.cholesky(covariances)
        noise = self.rng("noise").normal(size=(self.n_samples, self.n_features))
        X = means[part] + (roots[part] @ noise[:, :, None])[:, :, 0]
        mix = _Mixture(means, roots, np.array(self.weights or (1.0,) * k), owner)
        joint = mix.joint(X)
        posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return shared.class_origin(
            self,
            X,
            owner[part],
            tuple(LETTERS[: owner.max() + 1]),
            centers=means,
            covariances=covariances,
            posterior=posterior,
            bayes_error=_bayes_error(mix),
        )

    def _shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """Means, shape (k, p), and covariances, shape (k, p, p)."""
        means = np.array(self.means).reshape(-1, self.n_features)
        shapes = np.array(self.covariances).reshape(-1, self.n_features, self.n_features)
        return means, np.broadcast_to(shapes, (len(means), *shapes.shape[1:]))


@dataclass(frozen=True, eq=False)
class _Mixture:
    means: np.ndarray  # (k, p)
    roots: np.ndarray  # (k, p, p), lower triangular
    weights: np.ndarray  # (k,)
    owner: np.ndarray  # (k,) class of each component

    def joint(self, X: np.ndarray) -> np.ndarray:
        """log p(x, class), shape (n, K)."""
        parts = np.column_stack([self._component(X, j) for j in range(len(self.means))])
        members = [parts[:, self.owner == c] for c in range(self.owner.max() + 1)]
        return np.column_stack([np.logaddexp.reduce(each, axis=1) for each in members])

    def _component(self, X: np.ndarray, j: int) -> np.ndarray:
        root = self.roots[j]
        z = solve_triangular(root, (X - self.means[j]).T, lower=True)
        scale = np.log(np.diag(root)).sum() + len(root) / 2 * np.log(2 * np.pi)
        return np.log(self.weights[j] / self.weights.sum()) - scale - (z**2).sum(axis=0) / 2


def _is_covariance(S: np.ndarray) -> bool:
    return np.allclose(S, S.T) and bool(np.linalg.eigvalsh((S + S.T) / 2)[0] > 0)


def _bayes_error(mix: _Mixture) -> float | None:
    """The error of the best rule; None where it has no closed form and too many columns to sum."""
    k, p = mix.means.shape
    if k == 2 and mix.owner[0] != mix.owner[1] and np.array_equal(*mix.roots):
        return _linear_error(mix)
    return _summed_error(mix) if p <= 2 and k > 1 else None


def _linear_error(mix: _Mixture) -> float:
    """Two normals of one covariance: the best rule is a threshold on a line."""
    z = solve_triangular(mix.roots[0], mix.means[1] - mix.means[0], lower=True)
    distance = np.sqrt((z**2).sum())  # of Mahalanobis
    first, second = mix.weights / mix.weights.sum()
    if distance == 0.0:
        return float(min(first, second))
    shift = np.log(first / second) / distance
    return float(first * ndtr(-distance / 2 - shift) + second * ndtr(-distance / 2 + shift))


def _summed_error(mix: _Mixture) -> float | None:
    """1 - sum of max_k p(x, k) over a grid of one or two columns; None if it is too coarse."""
    spread = REACH * np.sqrt((mix.roots**2).sum(axis=2))  # (k, p)
    low, high = (mix.means - spread).min(axis=0), (mix.means + spread).max(axis=0)
    lines = [np.linspace(a, b, GRID) for a, b in zip(low, high, strict=True)]
    narrowest = np.sqrt(min(np.linalg.eigvalsh(root @ root.T)[0] for root in mix.roots))
    # Sums over a grid are good to many digits where its step is below the standard deviation.
    if max(line[1] - line[0] for line in lines) > narrowest:
        return None
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(lines))
    joint = np.exp(mix.joint(grid))
    # Divided by the sum of all, which is 1 but for the grid.
    return float(1.0 - joint.max(axis=1).sum() / joint.sum())
