"""The first eigenvectors of a matrix that is known only by its products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

BLOCK = 10  # least number of directions that are multiplied together, to read the rows once for all
FRESH = 1e-10  # share of the first eigenvalue below which a residual is rounding
LOOKS = 2  # products from one look at the residuals to the next
HALF_WAY = 8  # products after which residuals must be below ...
HOPEFUL = 1e-2  # ... this share of the first eigenvalue, or the last ones are not worth waiting for
MOST = 18  # products

Product = Callable[[np.ndarray], np.ndarray]  # V A, shape (b, p), of V, (b, p)


def first_eigenvectors(product: Product, p: int, k: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The k largest eigenvalues, falling, and vectors, (k, p), of a symmetric A, none below zero.

    The block Lanczos method of Golub and Underwood (1977), every direction kept orthogonal to all
    earlier ones; as many begin as are wanted, so that equal eigenvalues are told apart. None where
    the eigenvalues are so near to the next that it would take long.
    """
    size = max(k, BLOCK)
    block = _orthonormal(np.cos(np.outer(np.arange(1.0, size + 1), np.arange(1.0, p + 1))))
    space, inner = block, np.zeros((0, 0))
    for done in range(1, MOST + 1):
        image = product(block)
        along = image @ space.T
        rest = image - along @ space
        inner = _bordered(inner, along)
        if done % LOOKS == 0:
            values, vectors = np.linalg.eigh(inner)  # of its lower half
            values, vectors = values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]
            off = np.linalg.norm(vectors[-size:].T @ rest, axis=1).max() / values[0]
            if off <= FRESH:
                return values, vectors.T @ space
            if done >= HALF_WAY and off > HOPEFUL:
                return None
        block = _beside(space, rest)
        space = np.vstack([space, block])
    return None


def _bordered(inner: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The matrix within the space, shape (m, m), with the rows of the last block added below."""
    m, size = along.shape[1], len(along)
    wider = np.zeros((m, m))
    wider[: m - size, : m - size] = inner
    wider[m - size :] = along
    return wider


def _beside(space: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Orthonormal rows that span the rest and are orthogonal to the space, (m, p), to rounding."""
    for _ in range(2):
        rest = _orthonormal(rest - (rest @ space.T) @ space)
    return rest


def _orthonormal(rows: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.linalg.qr(rows.T)[0].T)
