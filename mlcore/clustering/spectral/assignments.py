"""From eigenvectors to labels: by k-means, or by turning them into indicators of groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.clustering.kmeans import KMeans
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer

MOST_ROTATIONS = 100
SETTLED = 1e-12  # of the objective, which is at most n


@dataclass(frozen=True, kw_only=True)
class SpectralLabels(Component):
    """Gives K labels to rows by their coordinates."""

    def labels(self, Z: np.ndarray, seed: int, rng: np.random.Generator) -> np.ndarray:
        """Labels of coordinates Z, shape (n, K): shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no labels")


@enter(Card("kmeans_labels", "k-means", ("spectral_labels",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class KMeansLabels(SpectralLabels):
    """k-means in the coordinates, of which groups that are apart are points."""

    n_init: int = integer(
        10, low=1, high=200, soft=(1, 50), symbol="R", label="Restarts", doc="Runs of k-means."
    )

    def labels(self, Z: np.ndarray, seed: int, rng: np.random.Generator) -> np.ndarray:
        """The labels of the best run."""
        return KMeans(n_clusters=Z.shape[1], n_init=self.n_init).fit(Z, seed=seed).labels


@enter(
    Card(
        "rotated_labels",
        "Rotation to indicators",
        ("spectral_labels",),
        paper="Yu and Shi (2003), IEEE International Conference on Computer Vision",
        random=True,
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class RotatedLabels(SpectralLabels):
    """Turns the coordinates, scaled to length 1, until each row lies along one axis.

    Alternates labels, the largest coordinate of each row, and the rotation that brings the rows
    nearest to the axes of their labels.
    """

    def labels(self, Z: np.ndarray, seed: int, rng: np.random.Generator) -> np.ndarray:
        """The axes along which the rows lie in the end."""
        Z = unit_rows(Z)
        R, before = _apart(Z, int(rng.integers(len(Z)))), -1.0
        labels = (Z @ R).argmax(axis=1)
        for _ in range(MOST_ROTATIONS):
            indicators = np.eye(Z.shape[1])[labels]
            left, values, right = np.linalg.svd(indicators.T @ Z)
            if values.sum() <= before + SETTLED * len(Z):
                break
            before, R = values.sum(), (left @ right).T
            labels = (Z @ R).argmax(axis=1)
        return labels


def _apart(Z: np.ndarray, first: int) -> np.ndarray:
    """Rows of Z, shape (n, K), that are as nearly orthogonal as there are, as columns, (K, K)."""
    chosen, seen = [first], np.zeros(len(Z))
    for _ in range(Z.shape[1] - 1):
        seen += np.abs(Z @ Z[chosen[-1]])
        chosen.append(int(seen.argmin()))
    return Z[chosen].T


def unit_rows(Z: np.ndarray) -> np.ndarray:
    """Rows, shape (n, K), divided by their lengths; rows of zeros stay."""
    lengths = np.sqrt((Z**2).sum(axis=1, keepdims=True))
    return Z / np.where(lengths > 0, lengths, 1.0)
