"""Solving by triangular matrices, without scipy.

That brings a second pool of BLAS threads: two pools on the same cores wait for each other, which
costs tens of milliseconds a call.
"""

from __future__ import annotations

import numpy as np

from mlcore.maths import _kernels
from mlcore.maths.arrays import read_only

SMALL = 64  # rows up to which one loop costs less than products of halves


def inverse_lower(L: np.ndarray) -> np.ndarray:
    """The inverse of a lower triangular matrix, shape (p, p), by halves.

    Raises numpy's LinAlgError if there is none.
    """
    out = np.zeros(L.shape)
    if len(L) <= SMALL:
        if not np.diagonal(L).all():
            raise np.linalg.LinAlgError("Singular matrix")
        _kernels.invert_lower(read_only(L), out)
        return out
    cut = len(L) // 2
    out[:cut, :cut] = inverse_lower(L[:cut, :cut])
    out[cut:, cut:] = inverse_lower(L[cut:, cut:])
    out[cut:, :cut] = -out[cut:, cut:] @ (L[cut:, :cut] @ out[:cut, :cut])
    return out


def under(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """L^-1 b, shape (p,), of a lower triangular matrix, (p, p)."""
    out = b.copy()
    _kernels.forward(read_only(L), out)
    return out


def over(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """L^-T b, shape (p,), of a lower triangular matrix, (p, p)."""
    out = b.copy()
    _kernels.backward(read_only(L), out)
    return out
