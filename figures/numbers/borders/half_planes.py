"""What half planes leave of a polygon."""

from __future__ import annotations

import numpy as np

FLAT = 1e-12  # of the area of the whole, below which nothing is left but rounding


def left_by(corners: np.ndarray, normals: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Corners of where every `normals @ z + offsets` is at least 0 within a convex polygon, (m, 2).

    `corners` has shape (c, 2), `normals` (n, 2), `offsets` (n,). None are left, (0, 2), where it
    has no area. Sutherland and Hodgman (1974), Communications of the ACM 17.
    """
    whole = _area(corners)
    for normal, offset in zip(normals, offsets, strict=True):
        height = corners @ normal + offset
        if height.min() < 0:
            corners = _cut(corners, height)
        if len(corners) < 3 or _area(corners) <= FLAT * whole:
            return np.empty((0, 2))
    return corners


def _cut(corners: np.ndarray, height: np.ndarray) -> np.ndarray:
    """The part of a polygon where `height`, (c,) at its corners, is at least 0."""
    kept = []
    for k in range(len(corners)):
        a, b, up, down = corners[k - 1], corners[k], height[k - 1], height[k]
        if up < 0 < down or down < 0 < up:
            kept.append(a + (b - a) * (up / (up - down)))
        if down >= 0:
            kept.append(b)
    return np.array(kept).reshape(-1, 2)


def _area(corners: np.ndarray) -> float:
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
