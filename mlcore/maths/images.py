"""Rows that are images: pixels in reading order, one column a pixel and color."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np

from mlcore.spine.errors import DataError, ParamError

COLORS = ("red", "green", "blue")
MOST_BLUR = 1000.0  # pixels; a wider one leaves the mean of most images
LUMA = np.array([0.299, 0.587, 0.114])  # how bright each color looks: ITU-R BT.601
PLACED = re.compile(r"pixel_(\d+)_(\d+)(?:_(red|green|blue))?")
NUMBERED = re.compile(r"pixel_?(\d+)")


class Images(NamedTuple):
    """Which columns of a row are the pixels of an image, and where they lie in it."""

    at: np.ndarray  # (h w c,) columns in reading order, the colors of a pixel side by side
    shape: tuple[int, int]  # height h and width w
    channels: int = 1  # c: 1 for grey, 3 for red, green and blue

    def of(self, X: np.ndarray) -> np.ndarray:
        """The images of rows X, (n, p): shape (n, h, w, c)."""
        return X[:, self.at].reshape(len(X), *self.shape, self.channels)


def pixel_name(row: int, column: int, color: str = "") -> str:
    """The name of the column of a pixel, as `named_images` reads it."""
    return f"pixel_{row}_{column}" + (f"_{color}" if color else "")


def named_images(names: Sequence[str]) -> Images | None:
    """The image that the names of columns describe; None if they describe none, or a part of one.

    A pixel is called `pixel_ROW_COLUMN`, both from 0, with `_red`, `_green` and `_blue` behind
    where there are colors; or `pixel` and a number in reading order, from 0 or 1, of a square.
    """
    placed = {at: m for at, name in enumerate(names) if (m := PLACED.fullmatch(name))}
    if not placed:
        return _numbered(names)
    has_colors = any(m[3] for m in placed.values())
    places = {(int(m[1]), int(m[2]), m[3]): at for at, m in placed.items()}
    h, w = (1 + max(int(m[axis]) for m in placed.values()) for axis in (1, 2))
    colors = COLORS if has_colors else (None,)
    if len(placed) != h * w * len(colors):
        return None
    wanted = [(r, c, color) for r in range(h) for c in range(w) for color in colors]
    if not all(place in places for place in wanted):
        return None
    return Images(np.array([places[place] for place in wanted]), (h, w), len(colors))


def _numbered(names: Sequence[str]) -> Images | None:
    places = {int(m[1]): at for at, name in enumerate(names) if (m := NUMBERED.fullmatch(name))}
    side, first = isqrt(len(places)), min(places, default=0)
    if side < 2 or side * side != len(places) or first > 1 or max(places) - first >= len(places):
        return None
    return Images(np.array([places[k] for k in sorted(places)]), (side, side))


def images_in(names: Sequence[str], height: int | str, who: str) -> Images:
    """The image of the columns: by their names, else of all columns, of this height or square.

    Raises DataError if the columns make no such image, or their names mean another height.
    """
    images = named_images(names)
    if images is None:
        if any(PLACED.fullmatch(name) for name in names):
            raise DataError(
                f"{who} needs every pixel of an image; some are no column here. "
                "Put it before steps that leave out columns."
            )
        return Images(np.arange(len(names)), image_shape(len(names), height, who))
    if not isinstance(height, str) and height != images.shape[0]:
        raise DataError(
            f"{who} is told images of {height} rows of pixels; the names of the columns say "
            f"{images.shape[0]}. Leave the height to the names."
        )
    return images


def image_shape(p: int, height: int | str, who: str) -> tuple[int, int]:
    """Height and width of images of p pixels; a word for the height takes them for squares.

    Raises DataError if p pixels do not make such an image.
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
    """Each image of X, shape (n, h w), blurred by a Gaussian of `sigma` pixels, dark outside.

    Raises ParamError if sigma is not from 0 to 1000 pixels.
    """
    from scipy.ndimage import gaussian_filter  # takes a moment to import

    if not 0 <= sigma <= MOST_BLUR:
        raise ParamError(f"A blur is a width of 0 to {MOST_BLUR:g} pixels; got {sigma}.")
    images = X.reshape(-1, *shape)
    return gaussian_filter(images, (0, sigma, sigma), mode="constant").reshape(X.shape)


def shrunk(images: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Images (n, h, w) with fewer pixels, (n, *shape), each the mean of the area it covers."""
    down, across = (_shares(old, new) for old, new in zip(images.shape[1:], shape, strict=True))
    # One side after the other, and no product of matrices, whose sums depend on how many rows.
    return np.einsum("naw,bw->nab", np.einsum("nhw,ah->naw", images, down), across)


def _shares(old: int, new: int) -> np.ndarray:
    """How much of each new pixel each old one covers along a side, (new, old); rows add up to 1."""
    edges = np.arange(new + 1) * old / new
    start, end = (
        np.maximum(edges[:-1, None], np.arange(old)),
        np.minimum(edges[1:, None], np.arange(1, old + 1)),
    )
    return np.maximum(end - start, 0.0) * new / old
