"""The smoothest functions on a graph: eigenvectors of the least eigenvalues of its Laplacian."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh

from mlcore.maths.linear import signed

FEW = 200  # rows of which all eigenvectors take no time
LITTLE_FILL = 3  # columns up to which the factors of a sparse matrix stay sparse
SHIFT = 1e-9  # of the mean of the diagonal: keeps a singular matrix invertible


class Smooth(NamedTuple):
    """Eigenvectors of the least eigenvalues, the constant one left out."""

    values: np.ndarray  # (q,) rising
    vectors: np.ndarray  # (n, q) orthonormal, in columns


def smoothest(M: Any, known: np.ndarray, q: int, p: int) -> Smooth:
    """Of a sparse M, shape (n, n), positive semidefinite with M known = 0, the q next eigenvectors.

    p is the number of columns of the rows behind it. Raises no error for fewer than q: there are
    at most n - 1.
    """
    n = M.shape[0]
    q = min(q, n - 1)
    known = known / np.linalg.norm(known)
    # What is known gets the largest eigenvalue: the next ones are then the least. Of two rows one
    # eigenvalue is the whole trace, which a shift by it alone would tie with.
    top = 2.0 * float(M.diagonal().sum())
    if n <= FEW or q > n // 4:
        values, vectors = np.linalg.eigh(M.toarray() + top * np.outer(known, known))
        values, vectors = values[:q], vectors[:, :q]
    else:
        start = np.random.default_rng(0).normal(size=n)  # a fixed start: equal bits each time
        # Scipy's types know no matvec.
        # pyrefly: ignore[missing-argument, unexpected-keyword]
        solver = LinearOperator((n, n), matvec=_inverse(M, p))
        _, several = eigsh(M, q + 1, sigma=0.0, which="LM", OPinv=solver, v0=start)
        vectors = _without(several, known, q)
        values = np.einsum("iq,iq->q", vectors, M @ vectors)
    order = np.argsort(values, kind="stable")
    return Smooth(np.maximum(values[order], 0.0), signed(vectors[:, order].T).T)


def _without(several: np.ndarray, known: np.ndarray, q: int) -> np.ndarray:
    """Vectors spanned by `several`, shape (n, q + 1), orthogonal to `known`: shape (n, q)."""
    # In the span the known direction is replaced by itself; what is left is rotated as it came.
    weights = several.T @ known
    own = int(np.abs(weights).argmax())
    others = np.delete(several, own, axis=1)
    others = (others - np.outer(known, known @ others))[:, :q]
    # They are nearly orthonormal. A factorisation of all rows would wait for the threads of the
    # iterations before it, which are scipy's own.
    lower = np.linalg.cholesky(np.einsum("ni,nj->ij", others, others))
    return others @ np.linalg.inv(lower).T


def _inverse(M: Any, p: int) -> Any:
    """The function that solves (M + shift) x = b."""
    from scipy.sparse import csc_array, eye_array  # takes a moment to import
    from scipy.sparse.linalg import splu

    n = M.shape[0]
    shifted = csc_array(M + SHIFT * M.diagonal().mean() * eye_array(n))
    if p <= LITTLE_FILL:
        # Positive definite, so no pivots are looked for, and its own pattern says in which order:
        # half the fill of an order for any matrix.
        return splu(shifted, "MMD_AT_PLUS_A", 0.0, options={"SymmetricMode": True}).solve
    factor = cho_factor(shifted.toarray(), lower=True, overwrite_a=True, check_finite=False)
    return lambda b: cho_solve(factor, b, check_finite=False)
