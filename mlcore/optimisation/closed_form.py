"""Least squares with a penalty on the squared length of the weights, solved without iterating.

All minimise ||y - X w||^2 + alpha ||w||^2 over w, for rows X of shape (n, p) that are already
centred and weighted, and give the leverages, the diagonal of H = X (X'X + alpha I)^-1 X'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

EPS = float(np.finfo(float).eps)
# A Gram matrix has the square of the condition number of X: beyond this, half the digits are lost.
WORST_GRAM = 1e-8


class Solved(NamedTuple):
    """Weights and leverages."""

    w: np.ndarray  # (p,)
    hat: np.ndarray  # (n,), diagonal of H


class Spectrum(NamedTuple):
    """X = U diag(s) V', without the directions that X does not have."""

    U: np.ndarray  # (n, r)
    s: np.ndarray  # (r,), falling
    V: np.ndarray  # (p, r)

    def shrink(self, alphas: np.ndarray) -> np.ndarray:
        """s^2 / (s^2 + alpha), the share of each direction that is kept, shape (r, A)."""
        s2 = self.s[:, None] ** 2
        return s2 / (s2 + alphas)

    def weights(self, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """The minimiser at each alpha, shape (p, A); the shortest one at alpha = 0."""
        return self.V @ (self.shrink(alphas) * ((self.U.T @ y) / self.s)[:, None])

    def hat(self, alphas: np.ndarray) -> np.ndarray:
        """The leverages at each alpha, shape (n, A)."""
        return (self.U**2) @ self.shrink(alphas)

    def solved(self, y: np.ndarray, alpha: float) -> Solved:
        """Weights and leverages at one alpha."""
        at = np.array([alpha])
        return Solved(self.weights(y, at)[:, 0], self.hat(at)[:, 0])


def spectrum(X: np.ndarray, rcond: float | None = None) -> Spectrum:
    """Singular values above rcond times the largest; by default eps times the longer side."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    cut = (EPS * max(X.shape) if rcond is None else rcond) * (s[0] if len(s) else 0.0)
    r = int(np.count_nonzero(s > cut))
    return Spectrum(U[:, :r], s[:r], Vt[:r].T)


def by_cholesky(X: np.ndarray, y: np.ndarray, alpha: float) -> Solved | None:
    """By the Gram matrix of the shorter side; None where that would lose half the digits."""
    n, p = X.shape
    tall = n >= p
    gram = X.T @ X if tall else X @ X.T
    gram.flat[:: len(gram) + 1] += alpha
    factor, failed = lapack.dpotrf(gram, lower=True)
    if failed or lapack.dpocon(factor, np.abs(gram).sum(axis=0).max(), uplo="L")[0] < WORST_GRAM:
        return None
    return _tall(X, y, factor) if tall else _wide(X, y, factor, alpha)


def _tall(X: np.ndarray, y: np.ndarray, factor: np.ndarray) -> Solved:
    w, _ = lapack.dpotrs(factor, y @ X, lower=True)
    inverse = _inverse(factor)
    return Solved(w, np.einsum("ij,ij->i", X @ inverse, X))


def _wide(X: np.ndarray, y: np.ndarray, factor: np.ndarray, alpha: float) -> Solved:
    """w = X' (X X' + alpha I)^-1 y, and H = I - alpha (X X' + alpha I)^-1."""
    a, _ = lapack.dpotrs(factor, y, lower=True)
    return Solved(a @ X, 1.0 - alpha * np.diagonal(_inverse(factor)))


def _inverse(factor: np.ndarray) -> np.ndarray:
    inverse, _ = lapack.dpotri(factor, lower=True)
    return np.tril(inverse) + np.tril(inverse, -1).T


def by_qr(X: np.ndarray, y: np.ndarray, alpha: float) -> Solved | None:
    """By X above sqrt(alpha) I, which never squares X; None where X has too few directions."""
    n, p = X.shape
    stacked = np.vstack([X, np.sqrt(alpha) * np.eye(p)]) if alpha > 0 else X
    Q, R = qr(stacked, mode="economic", check_finite=False)
    size = np.abs(np.diagonal(R))
    if len(size) < p or size.min() <= EPS * max(stacked.shape) * size.max():
        return None
    w = solve_triangular(R, Q[:n].T @ y, check_finite=False)
    return Solved(w, np.einsum("ij,ij->i", Q[:n], Q[:n]))
