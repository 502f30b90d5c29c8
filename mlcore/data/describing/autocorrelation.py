"""Features of an image that do not depend on where the object lies."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function

Place = tuple[int, int]


def _masks() -> tuple[tuple[Place, ...], ...]:
    """The middle of a 3 x 3 window with at most two of its neighbours; shifted ones count once."""
    steps = (-1, 0, 1)
    around = [(r, c) for r, c in product(steps, steps) if (r, c) != (0, 0)]
    masks: dict[tuple[Place, ...], tuple[Place, ...]] = {}
    for size in range(3):
        for others in combinations(around, size):
            mask = ((0, 0), *others)
            first = min(mask)
            shape = tuple(sorted((r - first[0], c - first[1]) for r, c in mask))
            masks.setdefault(shape, mask)
    return tuple(masks.values())


MASKS = _masks()  # 1 of order 0, 4 of order 1, 20 of order 2


@function("local_autocorrelation", sources=("s841:sss_lda_autocorr",))
def local_autocorrelation(images: Any) -> np.ndarray:
    r"""$\sum_r f(r) f(r + a) f(r + b)$ for every two neighbours a, b, of images (n, h, w): (n, 25).

    Order 0 is the sum of the brightness, order 1 has one neighbour and order 2 two. r runs over the
    pixels with all 8 neighbours, so the features stay as they are when an object that keeps clear
    of the border is shifted (Otsu and Kurita 1988, IAPR Workshop on Computer Vision). Raises
    DataError unless the images are finite and have 3 by 3 pixels at least.
    """
    F = np.asarray(images, dtype=np.float64)
    if F.ndim != 3 or not len(F) or min(F.shape[1:]) < 3 or not np.isfinite(F).all():
        raise DataError(
            "Local autocorrelation needs finite images of at least 3 by 3 pixels, shape (n, h, w); "
            f"got the shape {F.shape}."
        )
    return np.column_stack([_products(F, mask) for mask in MASKS])


def _products(F: np.ndarray, mask: tuple[Place, ...]) -> np.ndarray:
    """Sum over the inner pixels of the product over the places of a mask, shape (n,)."""
    height, width = F.shape[1] - 2, F.shape[2] - 2
    total = np.ones((len(F), height, width))
    for r, c in mask:
        total *= F[:, 1 + r : 1 + r + height, 1 + c : 1 + c + width]
    return total.sum(axis=(1, 2))
