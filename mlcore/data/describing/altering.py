"""Images that are cut out, blurred, or altered by a wanted distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.maths.images import blurred
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.random import generator
from mlcore.spine.records import function

WAYS = ("shift", "rectangles", "darkening")
# Upper left and lower right corner of what covers a part of an image, as shares of its sides.
MARKS = (((0.15, 0.15), (0.35, 0.45)), ((0.6, 0.5), (0.8, 0.85)))


@function("extract_patches", title="Patches of an image", sources=("mi2:natural_images",))
def extract_patches(image: Any, side: int, n: int | None = None, seed: int = 0) -> np.ndarray:
    """Squares of `side` pixels cut from an image (h, w): shape (m, side, side).

    They lie at n places drawn at random; without n, at every place, row by row. Raises DataError
    if the side is below 1 or larger than the image.
    """
    F = _image(image, "Cutting patches")
    room = np.array(F.shape) - side + 1
    if side < 1 or room.min() < 1:
        raise DataError(
            f"Patches of {side} by {side} pixels cannot be cut from an image of {F.shape[0]} by "
            f"{F.shape[1]}. Choose a side from 1 to {min(F.shape)}."
        )
    if n is None:
        windows = np.lib.stride_tricks.sliding_window_view(F, (side, side))
        return windows.reshape(-1, side, side).copy()
    corners = generator(seed, "patches").integers(0, room, (n, 2))
    return patches_at(F, side, corners)


def patches_at(image: np.ndarray, side: int, corners: np.ndarray) -> np.ndarray:
    """The squares with these upper left corners, (n, 2), in pixels: shape (n, side, side)."""
    return np.stack([image[r : r + side, c : c + side] for r, c in corners])


@function("blur", title="Blurred image", sources=("cs2:loss_blurred_euclid",))
def blur(image: Any, sigma: float = 1.0) -> np.ndarray:
    """The image, shape (h, w), under a Gaussian of `sigma` pixels, dark beyond the border."""
    F = _image(image, "A blur")
    return blurred(F.reshape(1, -1), F.shape, sigma).reshape(F.shape)


@function(
    "alter_image",
    title="Image altered by a distance",
    sources=("cs2:image under shift / rectangles / darkening at equal $\\ell_2$",),
)
def alter_image(image: Any, kind: str, distance: float) -> np.ndarray:
    r"""$f'$ with $\|f' - f\|_2$ = `distance`, of an image f of shape (h, w).

    `kind` says how: "shift" moves it to the left, between two pixels where need be, and continues
    its right border; "rectangles" makes two parts of it brighter; "darkening" takes the same off
    every pixel. The eye hardly minds the first, and the last not at all. Raises ParamError for any
    other kind, and for a distance that is negative or not finite; DataError if no shift of the
    image reaches the distance.
    """
    F = _image(image, "Altering an image")
    if kind not in WAYS:
        raise ParamError(f"An image is altered by {', '.join(WAYS)}; got {kind!r}.")
    if not 0 <= distance < np.inf:
        raise ParamError(f"A distance is a number of at least 0; got {distance}.")
    if kind == "shift":
        return _shifted(F, distance)
    change = _marks(F.shape) if kind == "rectangles" else -np.ones(F.shape)
    return F + change * distance / np.linalg.norm(change)


def _image(image: Any, who: str) -> np.ndarray:
    F = np.asarray(image, dtype=np.float64)
    if F.ndim != 2 or not F.size or not np.isfinite(F).all():
        raise DataError(f"{who} needs one finite image, shape (h, w); got the shape {F.shape}.")
    return F


def _shifted(F: np.ndarray, distance: float) -> np.ndarray:
    """The image moved to the left until it lies at this distance from itself."""
    farthest = 0.0
    for k in range(F.shape[1]):
        before, after = _moved(F, k), _moved(F, k + 1)
        reached = float(np.linalg.norm(after - F))
        if reached >= distance:
            a, b = (before - F).ravel(), (after - before).ravel()
            return before + _share(a, b, distance) * (after - before)
        farthest = max(farthest, reached)
    raise DataError(
        f"However it is shifted, this image stays within {farthest:.4g} of itself; a distance of "
        f"{distance:.4g} was asked for. Ask for less."
    )


def _moved(F: np.ndarray, k: int) -> np.ndarray:
    """The image k whole pixels further to the left, its right border continued."""
    return np.pad(F, ((0, 0), (0, k)), mode="edge")[:, k:]


def _share(a: np.ndarray, b: np.ndarray, distance: float) -> float:
    """t in [0, 1] with |a + t b| = distance, where |a| is no more and |a + b| no less."""
    bb, ab, rest = b @ b, a @ b, distance**2 - a @ a
    # This form of the root stands also where b is nearly 0.
    return float(rest / (ab + np.sqrt(ab**2 + bb * rest))) if rest > 0 else 0.0


def _marks(shape: tuple[int, int]) -> np.ndarray:
    """Ones in two rectangles, at least a pixel each."""
    marks = np.zeros(shape)
    for first, last in MARKS:
        corners = zip(first, last, shape, strict=True)
        spans = [
            slice(int(a * side), max(round(b * side), int(a * side) + 1)) for a, b, side in corners
        ]
        marks[spans[0], spans[1]] = 1.0
    return marks
