"""Where the units of a map start in the space of the rows."""

from __future__ import annotations

import numpy as np

from mlcore.clustering.quantisation.lattices import Lattice

STARTS = ("principal_plane", "scattered", "rows", "box")


def first_units(kind: str, X: np.ndarray, lattice: Lattice, rng: np.random.Generator) -> np.ndarray:
    """The first place of each unit for rows X, shape (n, p): (K, p), by one of `STARTS`.

    `principal_plane` lays the lattice into the plane of the first two principal components, as
    wide as the rows; `scattered` scatters the units in that plane; `rows` takes rows by chance;
    `box` draws evenly between the smallest and the largest value of each column.
    """
    k = len(lattice.positions)
    if kind == "rows":
        return X[rng.permutation(len(X))[np.arange(k) % len(X)]]
    if kind == "box":
        low, high = X.min(axis=0), X.max(axis=0)
        return low + (high - low) * rng.random((k, X.shape[1]))
    mean, plane = _principal_plane(X)
    if kind == "scattered":
        return mean + rng.normal(size=(k, len(plane))) @ plane
    at = lattice.laid_out()
    return mean + at[:, : len(plane)] @ plane[: at.shape[1]]


def _principal_plane(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean, shape (p,), and the first two principal axes, as long as deviations, (2 or 1, p)."""
    mean = X.mean(axis=0)
    centred = X - mean
    if len(X) < X.shape[1]:
        _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
        return mean, axes[:2] * sizes[:2, None] / np.sqrt(len(X))
    variances, axes = np.linalg.eigh(centred.T @ centred / len(X))
    spread = np.sqrt(np.maximum(variances[::-1][:2], 0.0))
    leading = axes.T[::-1][:2]
    # An axis and its opposite are the same; the side with the larger entry is taken.
    sides = np.sign(leading[np.arange(len(leading)), np.abs(leading).argmax(axis=1)])
    return mean, leading * (spread * sides)[:, None]
