"""Rows that are images: pixels in reading order, one column a pixel."""

from __future__ import annotations

from math import isqrt

import numpy as np

from mlcore.errors import DataError


def image_shape(p: int, height: int | str, who: str) -> tuple[int, int]:
    """Height and width of images of p pixels; "auto" takes them for squares.

    DataError where p pixels do not make such an image.
    """
    h = isqrt(p) if isinstance(height, str) else height
    if h * (p // h) == p and (h * h == p or not isinstance(height, str)):
        return h, p // h
    if isinstance(height, str):
        raise DataError(
            f"{who} takes rows for square images; {p} columns make none. Give the height."
        )
    raise DataError(f"{who} is told images of {h} rows of pixels; {p} columns do not make such.")


def blurred(X: np.ndarray, shape: tuple[int, int], sigma: float) -> np.ndarray:
    """Each image of X, (n, h w), under a Gaussian of `sigma` pixels, dark beyond the border."""
    from scipy.ndimage import gaussian_filter  # takes a moment to import

    images = X.reshape(-1, *shape)
    return gaussian_filter(images, (0, sigma, sigma), mode="constant").reshape(X.shape)
