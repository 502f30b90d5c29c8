"""Gram matrices about a mean in the space of features, and distances there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.kernels.gram import gram
from mlcore.kernels.kernel import Kernel
from mlcore.maths.squared_distances import beside
from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Centre(NamedTuple):
    """The means of the Gram matrix of the training rows."""

    means: np.ndarray  # (n,) mean of each row of the Gram matrix
    mean: float  # of all its values


def square(K: Any, who: str) -> np.ndarray:
    """A Gram matrix K, shape (n, n). Raises DataError if it is not square or not symmetric."""
    K = checks.matrix(K, who)
    if K.shape[0] != K.shape[1]:
        raise DataError(f"{who} needs a square Gram matrix; got {K.shape[0]} by {K.shape[1]}.")
    if np.abs(K - K.T).max() > 1e-8 * max(float(np.abs(K).max()), 1e-300):
        raise DataError(f"{who} needs a symmetric Gram matrix; this one is not.")
    return K


@function(
    "center_gram", title="Centred Gram matrix", sources=("epfl:gram_center", "mi2:kernel_centering")
)
def center_gram(K: Any) -> tuple[np.ndarray, Centre]:
    """H K H with H = I - 1/n, shape (n, n), and the means that centre new rows likewise.

    Schölkopf, Smola and Müller (1998), Neural Computation 10.
    """
    K = square(K, "Centring")
    about = Centre(K.mean(axis=1), float(K.mean()))
    return K - about.means[:, None] - about.means + about.mean, about


@function(
    "center_cross",
    title="Centred rows of new points",
    sources=("mi2:kernel_centering", "cs1:k_centred"),
)
def center_cross(K_new: Any, about: Centre) -> np.ndarray:
    """The block of new rows with the fitted ones, shape (m, n), about the mean of the fitted.

    Raises DataError if K_new has another number of columns than there were fitted rows.
    """
    K_new = checks.matrix(K_new, "Centring")
    if K_new.shape[1] != len(about.means):
        raise DataError(
            f"Centring was fitted on {len(about.means)} rows; got a block with {K_new.shape[1]}."
        )
    return K_new - K_new.mean(axis=1, keepdims=True) - about.means + about.mean


@function("kernel_distance", sources=("cs1:k_distance", "mi2:distance_kernel"))
def kernel_distance(kernel: Kernel, X: Any, Z: Any) -> np.ndarray:
    """sqrt(k(x, x) - 2 k(x, z) + k(z, z)) of rows X, (n, p), and Z, (m, p): shape (n, m)."""
    X = checks.matrix(X, "A distance")
    Z, fixed = beside(Z, X), kernel.resolve(X)
    squares = fixed.diag(X)[:, None] - 2.0 * gram(fixed, X, Z) + fixed.diag(Z)
    return np.sqrt(np.maximum(squares, 0.0))


@function("kernel_variance", sources=("cs1:k_variance",))
def kernel_variance(K: Any) -> float:
    """Mean squared distance of the rows from their mean in the features: mean k(x,x) - mean K."""
    K = square(K, "A variance")
    return float(np.diag(K).mean() - K.mean())


@function("distance_to_mean", sources=("epfl:dist_kernel",))
def distance_to_mean(kernel: Kernel, X: Any, members: Any, Z: Any) -> np.ndarray:
    """Distance of the rows Z, (m, p), from the mean of X[members] in the features, shape (m,).

    Raises DataError if `members` are not whole numbers of rows of X.
    """
    X = checks.matrix(X, "A distance")
    Z, fixed, at = beside(Z, X), kernel.resolve(X), np.asarray(members)
    if at.dtype.kind not in "iu" or at.ndim != 1 or not ((at >= 0) & (at < len(X))).all():
        raise DataError(
            f"A mean needs the numbers of its members, at least one, from 0 to {len(X) - 1}."
        )
    own = X[at]
    squares = fixed.diag(Z) - 2.0 * gram(fixed, own, Z).mean(axis=0) + gram(fixed, own).mean()
    return np.sqrt(np.maximum(squares, 0.0))
