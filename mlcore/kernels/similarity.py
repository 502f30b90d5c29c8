"""How well a kernel agrees with labels, or with another kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.kernels.centring import center_gram, square
from mlcore.spine import random
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Independence(NamedTuple):
    """The Hilbert-Schmidt criterion and, if asked for, its p-value under independence."""

    value: float
    p_value: float  # NaN without permutations


@function("alignment", title="Kernel alignment", sources=("epfl:kernel_polarization",))
def alignment(K: Any, L: Any, *, centred: bool = True) -> float:
    """<K, L> / (|K| |L|) of Gram matrices, shape (n, n), from -1 to 1.

    Centred, so that unequal classes do not raise it. For labels in {-1, 1}, L is their outer
    product. 0 where a matrix is constant. Cortes, Mohri and Rostamizadeh (2012), JMLR 13.
    """
    K, L = _pair(K, L, "Alignment")
    if centred:
        K, L = center_gram(K)[0], center_gram(L)[0]
    size = float(np.linalg.norm(K) * np.linalg.norm(L))
    return float((K * L).sum() / size) if size > 0 else 0.0


@function("polarization", title="Kernel polarization", sources=("epfl:kernel_polarization",))
def polarization(K: Any, y: Any) -> float:
    """y' K y for labels y in {-1, 1}, shape (n,): large where classes are alike within.

    Raises DataError if there is not one label a row of K, shape (n, n).
    """
    K, y = square(K, "Polarization"), np.asarray(y, dtype=float)
    if y.shape != (len(K),):
        raise DataError(f"Polarization needs one label a row; got {len(y)} for {len(K)} rows.")
    return float(y @ K @ y)


@function("hsic", title="Hilbert-Schmidt independence criterion", sources=("s841:hsic",))
def hsic(K: Any, L: Any, *, n_permutations: int = 0, seed: int = 0) -> Independence:
    """tr(K H L H) / (n - 1)^2, and the share of permutations of L that reach it.

    K and L have shape (n, n). Gretton and others (2005), ALT 16. Raises DataError if there
    is a single row, or if K and L differ in size.
    """
    K, L = _pair(K, L, "The independence criterion")
    if len(K) < 2:
        raise DataError("The independence criterion needs at least two rows; got one.")
    centred = center_gram(K)[0]
    scale = (len(K) - 1) ** 2
    value = float((centred * L).sum() / scale)
    if not n_permutations:
        return Independence(value, float("nan"))
    rng, reached = random.generator(seed, "permutations"), 0
    for _ in range(n_permutations):
        order = rng.permutation(len(K))
        reached += (centred * L[np.ix_(order, order)]).sum() / scale >= value
    # The value itself is one of the permutations: a p-value is never 0.
    return Independence(value, (1 + reached) / (1 + n_permutations))


def _pair(K: Any, L: Any, who: str) -> tuple[np.ndarray, np.ndarray]:
    K, L = square(K, who), square(L, who)
    if K.shape != L.shape:
        raise DataError(f"{who} needs two matrices of one size; got {len(K)} and {len(L)} rows.")
    return K, L
