"""Least squares with a penalty on the squared length of the weights, solved without iterating.

All minimise ||y - X w||^2 + alpha ||w||^2 over w, shape (q,), for centred and weighted rows X. The
leverages are the diagonal of H = X (X'X + alpha I)^-1 X', which maps y to the fitted values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.optimisation.rows import Design
from mlcore.optimisation.triangles import EPS, inverse_factor


class ThinSVD(NamedTuple):
    """X = U diag(s) V', without the directions that X does not have."""

    U: np.ndarray  # (n, r)
    s: np.ndarray  # (r,), falling
    V: np.ndarray  # (q, r)

    def shrink(self, alphas: np.ndarray) -> np.ndarray:
        """s^2 / (s^2 + alpha), the share of each direction that is kept, shape (r, A)."""
        # Divided twice, since the square of a tiny s is 0; infinity gives a share of 0.
        with np.errstate(over="ignore"):
            return 1.0 / (1.0 + alphas / self.s[:, None] / self.s[:, None])

    def weights(self, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """The minimiser at each alpha, shape (q, A); the shortest one at alpha = 0."""
        return self.V @ (self.shrink(alphas) * ((self.U.T @ y) / self.s)[:, None])

    def hat(self, alphas: np.ndarray) -> np.ndarray:
        """The leverages at each alpha, shape (n, A)."""
        return (self.U**2) @ self.shrink(alphas)


def spectrum(X: np.ndarray, rcond: float | None = None) -> ThinSVD:
    """The decomposition of X, shape (n, q), with singular values above rcond times the largest.

    By default rcond is eps times the longer side.
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    cut = (EPS * max(X.shape) if rcond is None else rcond) * (s[0] if len(s) else 0.0)
    r = int(np.count_nonzero(s > cut))
    return ThinSVD(U[:, :r], s[:r], Vt[:r].T)


def by_svd(rows: Design, alpha: float) -> np.ndarray:
    """The minimiser by singular values, shape (q,); the shortest where there are several."""
    n, q = rows.raw.shape
    if n < 2 * q:
        return spectrum(rows.X).weights(rows.y, np.array([alpha]))[:, 0]
    short = rows.reduced()
    svd = spectrum(short[:, :-1], EPS * n)
    return svd.weights(short[:, -1], np.array([alpha]))[:, 0]


def by_cholesky(rows: Design, alpha: float) -> np.ndarray | None:
    """The minimiser by the Gram matrix of the shorter side, shape (q,).

    None where that would lose half the digits.
    """
    if rows.n < rows.raw.shape[1]:  # w = X' (X X' + alpha I)^-1 y
        toward = _solve(_gram(rows, alpha), rows.y)
        return None if toward is None else toward @ rows.X
    gram, toward = rows.moments()
    gram.flat[:: len(gram) + 1] += alpha
    return _solve(gram, toward)


def by_qr(rows: Design, alpha: float) -> np.ndarray | None:
    """The minimiser by QR of X above sqrt(alpha) I, shape (q,), without squaring X.

    None where X has fewer directions than columns.
    """
    n, q = rows.X.shape
    stacked = np.vstack([rows.X, np.sqrt(alpha) * np.eye(q)]) if alpha > 0 else rows.X
    Q, R = np.linalg.qr(stacked)
    size = np.abs(np.diagonal(R))
    if len(size) < q or size.min() <= EPS * max(stacked.shape) * size.max():
        return None
    return np.linalg.solve(R, Q[:n].T @ rows.y)


def leverages(rows: Design, alpha: float) -> np.ndarray:
    """The diagonal of H, shape (n,)."""
    if rows.n < rows.raw.shape[1]:
        if (half := inverse_factor(_gram(rows, alpha))) is not None:
            # X X' (X X' + alpha I)^-1 = I - alpha (X X' + alpha I)^-1
            return 1.0 - alpha * np.einsum("ij,ij->j", half, half)
    else:
        gram, _ = rows.moments()
        gram.flat[:: len(gram) + 1] += alpha
        if (half := inverse_factor(gram)) is not None:
            return rows.row_squares(half.T)
    return spectrum(rows.X).hat(np.array([alpha]))[:, 0]


def _gram(rows: Design, alpha: float) -> np.ndarray:
    """X X' + alpha I, shape (n, n)."""
    gram = rows.X @ rows.X.T
    gram.flat[:: len(gram) + 1] += alpha
    return gram


def _solve(gram: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if (half := inverse_factor(gram)) is None:
        return None
    w = half.T @ (half @ b)
    # One step of refinement: multiplying by an inverse rounds more than solving.
    return w + half.T @ (half @ (b - gram @ w))
