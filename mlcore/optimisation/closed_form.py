"""Least squares with a penalty on the squared length of the weights, solved without iterating.

All minimise ||y - X w||^2 + alpha ||w||^2 over w, shape (q,), for centred and weighted rows X. The
leverages are the diagonal of H = X (X'X + alpha I)^-1 X', which maps y to the fitted values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.maths.linear import thin_svd
from mlcore.optimisation.rows import Design
from mlcore.optimisation.triangles import EPS, HALF_THE_DIGITS, inverse_factor, sizes


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
    U, s, Vt = thin_svd(X)
    cut = (EPS * max(X.shape) if rcond is None else rcond) * (s[0] if len(s) else 0.0)
    r = int(np.count_nonzero(s > cut))
    return ThinSVD(U[:, :r], s[:r], Vt[:r].T)


class ScaledSVD(NamedTuple):
    """X / size = U diag(s) V' for columns brought to one size, without directions X does not have.

    A column in small units is a direction like any other. Sizes are powers of two: they cost no
    rounding.
    """

    U: np.ndarray  # (n, r)
    s: np.ndarray  # (r,), falling
    V: np.ndarray  # (q, r)
    size: np.ndarray  # (q,)

    def weights(self, y: np.ndarray) -> np.ndarray:
        """The w that minimises ||y - X w||, shape (q,); of several the shortest."""
        toward = self.U.T @ y
        if self._is_plain:
            return self.V @ (toward / self.s) / self.size
        return self.factor() @ toward

    def factor(self) -> np.ndarray:
        """Times its transpose the pseudo-inverse of X'X, shape (q, r)."""
        if self._is_plain:
            return self.V / self.s / self.size[:, None]
        from scipy.linalg import qr, solve_triangular  # takes a moment, and seldom is needed

        # The rows of X lie in the span of size * V, and so does the shortest solution. The largest
        # first, rows and columns, no row loses digits to another (Cox and Higham 1998).
        order = np.argsort(-self.size, kind="stable")
        turned = (self.V * self.size[:, None])[order]
        Q, R, pivots = map(np.asarray, qr(turned, mode="economic", pivoting=True))
        out = np.empty_like(Q)
        out[order] = Q @ solve_triangular(R, np.diag(1.0 / self.s)[pivots], trans=1)
        return out

    def hat(self) -> np.ndarray:
        """The leverages, shape (n,)."""
        return (self.U**2).sum(axis=1)

    @property
    def _is_plain(self) -> bool:
        return len(self.s) == len(self.size) or bool((self.size == self.size[0]).all())


def scaled_spectrum(X: np.ndarray, rounding: np.ndarray, rcond: float | None = None) -> ScaledSVD:
    """The directions of the scaled columns above rcond times the longest, as in `spectrum`.

    Columns no longer than `rounding`, shape (q,), are not brought to the size of the others.
    """
    size = sizes(X, rounding)
    return ScaledSVD(*spectrum(X / size, rcond), size)


def by_svd(rows: Design, alpha: float) -> np.ndarray:
    """The minimiser by singular values, shape (q,); the shortest where there are several."""
    n, q = rows.raw.shape
    if alpha == 0:
        short = np.column_stack([rows.X, rows.y]) if n < 2 * q else rows.reduced()
        svd = scaled_spectrum(short[:, :-1], rows.rounding, EPS * max(n, q))
        return svd.weights(short[:, -1])
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
    return _solve(_lifted(gram, alpha), toward)


def by_qr(rows: Design, alpha: float) -> np.ndarray | None:
    """The minimiser by QR of X above sqrt(alpha) I, shape (q,), without squaring X.

    None where X has fewer directions than columns.
    """
    n, q = rows.X.shape
    stacked = np.vstack([rows.X, np.sqrt(alpha) * np.eye(q)]) if alpha > 0 else rows.X
    size = sizes(stacked, rows.rounding)
    Q, R = np.linalg.qr(stacked / size)
    own = np.abs(np.diagonal(R))
    if len(own) < q or own.min() <= EPS * max(stacked.shape) * own.max():
        return None
    return np.linalg.solve(R, Q[:n].T @ rows.y) / size


def leverages(rows: Design, alpha: float) -> np.ndarray:
    """The diagonal of H, shape (n,)."""
    if rows.n < rows.raw.shape[1]:
        if (half := inverse_factor(_gram(rows, alpha))) is not None:
            # X X' (X X' + alpha I)^-1 = I - alpha (X X' + alpha I)^-1
            return 1.0 - alpha * np.einsum("ij,ij->j", half, half)
    else:
        gram, _ = rows.moments()
        if (half := inverse_in_any_units(_lifted(gram, alpha))) is not None:
            return rows.row_squares(half.T)
    if alpha == 0:
        return scaled_spectrum(rows.X, rows.rounding).hat()
    return spectrum(rows.X).hat(np.array([alpha]))[:, 0]


def _gram(rows: Design, alpha: float) -> np.ndarray:
    """X X' + alpha I, shape (n, n)."""
    return _lifted(rows.X @ rows.X.T, alpha)


def _lifted(gram: np.ndarray, alpha: float) -> np.ndarray:
    """gram + alpha I."""
    lifted = gram.copy()
    lifted.flat[:: len(gram) + 1] += alpha
    return lifted


def inverse_in_any_units(gram: np.ndarray, worst: float = HALF_THE_DIGITS) -> np.ndarray | None:
    """M with M'M the inverse of a Gram matrix, (q, q) both.

    None where its condition number may be above `worst` in any units of the columns.
    """
    if (half := inverse_factor(gram, worst)) is not None:
        return half
    diagonal = np.diagonal(gram)
    if not (diagonal > 0).all():
        return None
    size = np.ldexp(1.0, np.frexp(diagonal)[1] // 2)
    half = inverse_factor(gram / size / size[:, None], worst)
    return None if half is None else half / size


def _solve(gram: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if (half := inverse_in_any_units(gram)) is None:
        return None
    w = half.T @ (half @ b)
    # One step of refinement: multiplying by an inverse rounds more than solving.
    return w + half.T @ (half @ (b - gram @ w))
