"""Distances of images that forgive small shifts."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.distances.pairwise import apart, frame_of
from mlcore.maths.images import blurred
from mlcore.maths.squared_distances import beside
from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


@function(
    "blurred_distances",
    sources=("cs2:loss_blurred_euclid", "cs1:vq_loss_choice"),
)
def blurred_distances(
    X: Any, shape: tuple[int, int], sigma: float = 1.0, Z: Any = None
) -> np.ndarray:
    r"""$\|G x - G z\|$ of every two images of X, (n, h w), and Z, (m, h w), or X itself: (n, m).

    `shape` is (h, w); G blurs by a Gaussian of `sigma` pixels, dark beyond the border, so that a
    shift by less than that costs little. With sigma = 0 it is the Euclidean distance. Raises
    DataError if h w is not the number of columns.
    """
    X = checks.matrix(X, "A blurred distance")
    if shape[0] < 1 or shape[1] < 1 or shape[0] * shape[1] != X.shape[1]:
        raise DataError(
            f"Images of {shape[0]} by {shape[1]} pixels do not have {X.shape[1]} columns. "
            "Give the height and width of the images."
        )
    A = blurred(X, shape, sigma)
    B = A if Z is None else blurred(beside(Z, X), shape, sigma)
    return apart(frame_of("euclidean", A), A, B)
