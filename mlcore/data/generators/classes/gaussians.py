"""A mixture of normal distributions whose best classifier is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.densities.mixture import Mixture, row_seconds
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, many, real

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SOURCES = ("prac:gauss_mixture", "s841:mixture_gaussians", "s841:ripley_synth")


@enter(Card("gaussians", "Gaussians", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Gaussians(shared.Generator):
    """Normal components of any shape, each belonging to a class: the best rule is known.

    A row of component j is drawn from N(mu_j, Sigma_j) and has the class of that component. The
    truth holds the density of every row and the posterior p(class | x), and in one or two columns
    the Bayes error, 1 - integral of max_k p(x, k), which no classifier can beat (but for very
    narrow components). One component alone makes no classes, and the table has no target.

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
    distance: float = real(
        1.0,
        low=0.0,
        high=100.0,
        soft=(0.0, 3.0),
        doc="How far the means lie from their middle, as a factor; less makes more overlap.",
    )
    spread: float = real(
        1.0,
        above=0.0,
        high=100.0,
        soft=(0.2, 3.0),
        doc="Standard deviations of all components, as a factor.",
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

    def row_bytes(self) -> float:
        """The table, and the densities of each component."""
        return super().row_bytes() + 32.0 * (len(self.means) // self.n_features)

    def row_seconds(self) -> float:
        """A product with a root of a covariance to draw it, and one a component for its density."""
        return row_seconds(len(self.means) // self.n_features, self.n_features)

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with the class of their component as target."""
        mixture = self.distribution()
        part = np.repeat(
            np.arange(len(mixture.means)),
            shared.shares(self.n_samples, self.weights, len(mixture.means)),
        )
        part = self.rng("order").permutation(part)
        X, labels = mixture.drawn(part, self.rng("noise")), mixture.owner[part]
        levels = tuple(LETTERS[: mixture.owner.max() + 1])
        return shared.class_origin(self, X, labels, levels, **mixture.known(X, self))

    def distribution(self) -> Mixture:
        """The components as they are after the two factors."""
        means, covariances = self._shapes()
        middle, k = means.mean(axis=0), len(means)
        means = middle + self.distance * (means - middle) if self.distance != 1.0 else means
        roots = self.spread * np.linalg.cholesky(covariances)
        owner = np.array(self.classes or range(k), dtype=np.int64)
        return Mixture(means, roots, np.array(self.weights or (1.0,) * k), owner)

    def _shapes(self) -> tuple[np.ndarray, np.ndarray]:
        """Means, shape (k, p), and covariances, shape (k, p, p)."""
        means = np.array(self.means).reshape(-1, self.n_features)
        shapes = np.array(self.covariances).reshape(-1, self.n_features, self.n_features)
        return means, np.broadcast_to(shapes, (len(means), *shapes.shape[1:]))


def _is_covariance(S: np.ndarray) -> bool:
    return np.allclose(S, S.T) and bool(np.linalg.eigvalsh((S + S.T) / 2)[0] > 0)
