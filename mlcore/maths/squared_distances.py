"""Squared distances by one matrix product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlcore.maths import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

# Rows on one side are prepared once; the function gives the block of any rows X with them, (m, n).
# It may write into `room`, of that shape and type: fresh memory costs more than what is put there.
Block = Callable[..., np.ndarray]

# Shares of the lengths below which a square is taken anew: above, ten digits are left.
NEAR = 1e-6
ALONE = 2**19  # multiplications for which the library wakes no threads
FEW = 2**24  # below which threads do not pay
AT_ONCE = 2**19  # squares that are mended as soon as they are made, while they are in the cache
WHO = "A squared distance"


def beside(Z: Any, X: np.ndarray, who: str = "A distance") -> np.ndarray:
    """Rows Z, shape (m, p), checked to have the columns of X, shape (n, p).

    Raises DataError if they have another number of columns.
    """
    Z = checks.matrix(Z, who)
    if Z.shape[1] != X.shape[1]:
        raise DataError(
            f"{who} needs rows of as many columns; got {X.shape[1]} and {Z.shape[1]} columns."
        )
    return Z


def squares_against(Z: np.ndarray, dtype: Any = np.float64) -> Block:
    """The function that gives |x - z|^2 of any rows X, shape (m, p), with Z: shape (m, n).

    |x|^2 - 2 x.z + |z|^2 loses every digit where rows lie far from zero, so the mean of Z is taken
    away first; what rounding leaves below zero is zero.
    """
    shift = Z.mean(axis=0) if len(Z) else np.zeros(Z.shape[1])
    about = Z - shift
    side = np.column_stack([about, np.ones(len(Z)), np.einsum("ij,ij->i", about, about)])
    side = np.ascontiguousarray(side.astype(dtype).T)

    def block(X: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        near = X - shift
        # One product does all: (-2x, |x|^2, 1) . (z, 1, |z|^2).
        other = np.ones((len(X), len(side)), dtype)
        other[:, :-2] = -2.0 * near
        other[:, -2] = np.einsum("ij,ij->i", near, near)
        squares = product(other, side, room)
        return np.maximum(squares, 0, out=squares)

    return block


def product(A: np.ndarray, B: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
    """A @ B, shape (m, n), of A, shape (m, p), and B, (p, n).

    Of few numbers it is done a few rows at a time: the library of matrix products then wakes no
    threads, which would cost more than they do, and go on spinning beside what follows.
    """
    each = B.shape[0] * B.shape[1]
    few = ALONE // max(each, 1)
    if len(A) <= few or few == 0 or len(A) * each > FEW:
        return np.matmul(A, B, out=room)
    out = np.empty((len(A), B.shape[1]), np.result_type(A, B)) if room is None else room
    for start in range(0, len(A), few):
        np.matmul(A[start : start + few], B, out=out[start : start + few])
    return out


@function(
    "sq_distances",
    title="Squared distances",
    also=("squared_distances",),
    sources=("prac:fast_sqdist", "cs1:edm", "cs2:loss_sq_euclid"),
)
def sq_distances(X: Any, Z: Any = None) -> np.ndarray:
    """|x - z|^2 of every two rows of X, shape (n, p), and Z, (m, p): shape (n, m).

    By one matrix product; where rows are so near that it loses digits, by their differences. So
    equal rows are at exactly zero.
    """
    X = checks.matrix(X, WHO)
    Z = X if Z is None else beside(Z, X, WHO)
    block, shift, squares = squares_against(Z), Z.mean(axis=0), np.empty((len(X), len(Z)))
    own, lengths = (read_only(((rows - shift) ** 2).sum(axis=1)) for rows in (X, Z))
    few = max(1, AT_ONCE // max(1, len(Z)))
    for start in range(0, len(X), few):
        part = slice(start, start + few)
        block(X[part], squares[part])
        rows = read_only(X[part]), read_only(Z), own[part], lengths
        _kernels.mend(*rows, NEAR, squares[part])
    return squares
