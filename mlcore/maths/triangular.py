"""Solving by triangular matrices, without scipy.

That brings a second pool of BLAS threads: two pools on the same cores wait for each other, which
costs tens of milliseconds a call.
"""

from __future__ import annotations

import numpy as np

from mlcore.maths import _kernels
from mlcore.maths.arrays import read_only

SMALL = 64  # rows below which a general inverse costs no more than a triangular one


def inverse_lower(L: np.ndarray) -> np.ndarray:
    """The inverse of a lower triangular matrix, shape (p, p), by halves."""
    if len(L) <= SMALL:
        return np.linalg.inv(L)
    cut = len(L) // 2
    out = np.zeros_like(L)
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
