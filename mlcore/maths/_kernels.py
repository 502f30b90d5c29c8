"""Compiled loops over arrays of any meaning."""

from __future__ import annotations

# The types of numba do not know its option `_nrt`.
# pyright: reportCallIssue=false
import numpy as np
from numba import njit


@njit(cache=True, nogil=True, _nrt=False)
def pick(K, which, out):
    """Fill `out`, shape (c, c), with the rows and columns `which`, (c,), of K."""
    for i in range(which.shape[0]):
        row = K[which[i]]
        for j in range(which.shape[0]):
            out[i, j] = row[np.uint64(which[j])]  # unsigned: no place from the end
