"""Where rows that a method sees lie in a picture: in the plane of two columns, or of the data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from figures.numbers.planes import CELLS, Axis, Plane, boxed, is_even, places, plane, span
from mlcore.carry import Whole
from mlcore.data.dataset import Dataset
from mlcore.fit import Column
from mlcore.maths.linear import signed
from mlcore.preparation.chain import Prepared

EXACT = 1e-8  # of its spread: how far a column may lie from a straight line of its original


class Projection(NamedTuple):
    """A picture's plane, the rows in it, and the way there for prepared rows."""

    plane: Plane
    cells: np.ndarray  # (b * a, q) prepared rows of the cells
    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,)
    origin: np.ndarray | None  # (q,) the prepared row that lies at (0, 0) ...
    axes: np.ndarray | None  # (2, q) ... and what is added up on the way from it; None: no way
    is_geometric: bool  # whether distances in the picture are distances for the method
    how: str  # what is shown, as a sentence; empty where it is the columns themselves

    def place(self, Z: np.ndarray) -> np.ndarray | None:
        """Prepared rows in the picture, shape (m, 2); None where the columns give no way there."""
        if self.axes is None or self.origin is None:
            return None
        return (Z - self.origin) @ self.axes.T


def projection(dataset: Dataset, whole: Whole, x: str = "", y: str = "") -> Projection:
    """The plane of columns x and y, where given or where there are no more than two.

    Otherwise the plane through the mean in which the prepared rows spread most.
    """
    if x or y or whole.prepared.X.shape[1] <= 2:
        return _of_columns(dataset, whole.prepared, x, y)
    return _of_spread(dataset, whole.prepared)


def _of_columns(dataset: Dataset, prepared: Prepared, x: str, y: str) -> Projection:
    flat = plane(dataset, x, y, square=True)
    across, up = places(dataset, flat.x), places(dataset, flat.y)
    ways = [_way(dataset, prepared, axis) for axis in (flat.x, flat.y) if axis is not None]
    origin, axes = None, None
    if all(way is not None for way in ways):
        q = prepared.X.shape[1]
        origin, axes = np.zeros(q), np.zeros((2, q))
        for row, (at, scale, shift) in enumerate(ways):
            axes[row, at], origin[at] = scale, -shift / scale
    cells = prepared.transform(flat.rows)
    shown = [a for a in (flat.x, flat.y) if a is not None]
    spans = [(float(a.cells[0]), float(a.cells[-1])) for a in shown]
    even = len(shown) == 2 and is_even(dataset, [a.at for a in shown], spans)
    return Projection(flat, cells, across, up, origin, axes, even, flat.held)


def _way(dataset: Dataset, prepared: Prepared, axis: Axis) -> tuple[int, float, float] | None:
    """Prepared column, scale and shift that give back an original column, if any does exactly."""
    name = axis.column.name
    found = [j for j, c in enumerate(prepared.columns) if c.variable == name]
    original = dataset.X[:, axis.at]
    seen = np.isfinite(original)
    if len(found) != 1 or seen.sum() < 2:
        return None
    z = prepared.transform(dataset.X)[seen, found[0]]
    if np.ptp(z) == 0.0:
        return None
    scale, shift = np.polyfit(z, original[seen], 1)
    off = np.abs(original[seen] - (scale * z + shift)).max()
    exact = scale != 0.0 and off <= EXACT * np.ptp(original[seen])
    return (found[0], float(scale), float(shift)) if exact else None


def _of_spread(dataset: Dataset, prepared: Prepared) -> Projection:
    Z = prepared.transform(dataset.X)
    mean = Z.mean(axis=0)
    _, sizes, directions = np.linalg.svd(Z - mean, full_matrices=False)
    total = (sizes**2).sum() or 1.0
    axes = signed(directions[:2])
    at = (Z - mean) @ axes.T
    shares = sizes[:2] ** 2 / total
    columns = [Column(f"direction {k + 1} ({100 * s:.0f} %)") for k, s in enumerate(shares)]
    ends = boxed(span(at[:, 0]), span(at[:, 1]))
    across, up = (Axis(k, columns[k], np.linspace(*ends[k], CELLS)) for k in range(2))
    x, y = np.meshgrid(across.cells, up.cells)
    cells = mean + np.column_stack([x.ravel(), y.ravel()]) @ axes
    how = (
        "The plane through the mean in which the prepared rows spread most; it holds "
        f"{100 * shares.sum():.0f} % of their variance."
    )
    flat = Plane(across, up, cells, how)
    return Projection(flat, cells, at[:, 0], at[:, 1], mean, axes, True, how)
