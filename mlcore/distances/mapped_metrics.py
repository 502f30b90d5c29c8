"""Distances after a map of the rows: of blurred images, and in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.distances.metrics import Distance, Frame
from mlcore.maths.images import blurred, image_shape
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer, part, real

MOST_LANDMARKS = 3000  # rows of which every pair is compared, twice


@enter(
    Card(
        "blurred_euclidean",
        "Blurred Euclidean",
        ("metric",),
        also=("function:BlurredEuclidean",),
        kind="part",
        sources=("cs2:loss_blurred_euclid", "cs1:vq_loss_choice"),
        formula=r"\|G x - G z\|_2",
    )
)
@dataclass(frozen=True, kw_only=True)
class BlurredEuclidean(Distance):
    """The length of the difference of two blurred images: small shifts cost little.

    G blurs by a Gaussian of `sigma` pixels, dark beyond the border. With sigma = 0 it is the
    Euclidean distance.
    """

    sigma: float = real(
        1.0,
        low=0.0,
        high=20.0,
        soft=(0.0, 4.0),
        symbol=r"\sigma",
        doc="Width of the blur in pixels.",
    )
    height: int | str = integer(
        "auto", low=1, soft=(1, 64), auto="auto", doc="Rows of pixels of an image; auto: a square."
    )

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """The matrix of the blur, which is linear: each pixel becomes its blurred spot."""
        p = X.shape[1]
        return Frame(axes=blurred(np.eye(p), image_shape(p, self.height, self.title()), self.sigma))


@enter(
    Card(
        "kernel_distance",
        "Kernel distance",
        ("metric",),
        also=("function:KernelDistance",),
        kind="part",
        sources=("epfl:dist_kernel", "mi2:distance_kernel", "cs1:k_distance"),
        formula=r"\sqrt{k(x, x) - 2 k(x, z) + k(z, z)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class KernelDistance(Distance):
    """How far apart two rows are among the features of a kernel.

    The kernel must be positive semidefinite. O(n^3) for n stored rows, at most 3,000.
    """

    kernel: Any = part("polynomial", slot="kernel", doc="The kernel whose features are compared.")

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Orthonormal axes of the span of the features of X, shape (n, r).

        Raises DataError if there are more than 3000 rows, or the kernel is undefined or not
        positive semidefinite on them.
        """
        if len(X) > MOST_LANDMARKS:
            raise DataError(
                f"{self.title()} compares every two of at most {MOST_LANDMARKS:,} rows; got "
                f"{len(X):,}. Use fewer rows or another metric."
            )
        if reason := self.kernel.applies(X):
            raise DataError(reason)
        kernel = self.kernel.resolve(X)
        values, vectors = np.linalg.eigh(kernel(X))
        scale = max(values[-1], 0.0) * len(X) * np.finfo(np.float64).eps
        if values[0] < -1e-6 * max(values[-1], 1e-300):
            raise DataError(
                f"{self.title()} needs a positive semidefinite kernel; {kernel.title()} gave these "
                f"rows an eigenvalue of {values[0]:.3g}. Choose another kernel."
            )
        kept = values > scale
        axes = vectors[:, kept] / np.sqrt(values[kept])
        return Frame(axes=axes, kernel=kernel, landmarks=X.copy())
