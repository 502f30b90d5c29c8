"""A Gaussian process whose rows tell of each other only through some of them: FITC."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import numpy as np
from scipy.linalg import cholesky, get_blas_funcs

from mlcore.kernels.evidence import (
    WHO,
    Observed,
    left_out_densities,
    left_out_slopes,
    scaled_rows,
    sum_of_outer,
)
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.low_rank import nystroem
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError

LIFT = 1e-8  # of the mean variance of the centers: keeps rows that are nearly alike apart
NARROWINGS, OPEN = 11, 0.02  # at most by 4 each time; of the trace
(TRSM,) = get_blas_funcs(("trsm",), dtype=np.float64)
LEAST_BLOCK = 256  # rows whose slopes are computed together


def spread_rows(X: np.ndarray, count: int) -> np.ndarray:
    """Rows of X, (n, p), that stand for all, at most `count`, in rising order.

    The pivots of `nystroem` for a Gaussian kernel that is narrowed until so many of them leave a
    share of its trace open, so that none is picked by rounding. Fewer where fewer rows differ.
    """
    n, spread = len(X), float(np.sqrt(X.var(axis=0).sum()))
    if count >= n:
        return np.arange(n)
    scaled = (X - X.mean(axis=0)) / (spread or 1.0)
    pivots = np.empty(0, dtype=np.intp)
    for power in range(NARROWINGS):
        picked = nystroem(RBF(gamma=4.0**power), scaled, count)
        pivots = picked.pivots
        if picked.left >= OPEN:
            break
    return np.sort(pivots)


class SparseProcess:
    """A process conditioned on rows through inducing points c among them: O(n c^2) once.

    With Q = K_nc K_cc^-1 K_cn the targets are normal of covariance Q + diag(l / w), where
    l = k(x, x) - Q(x, x) + noise: what these leave open of a row is noise of its own, and a
    row of weight w counts as w equal ones. The kernel must be resolved. Raises DataError where K_cc
    has no Cholesky factor. Snelson and Ghahramani (2006), NIPS 18; Quinonero-Candela and
    Rasmussen (2005), JMLR 6.
    """

    def __init__(self, rows: Observed, kernel: Kernel, noise: float, centers: np.ndarray) -> None:
        """`centers`, shape (c,), are the inducing points, as positions among the rows."""
        self.rows, self.kernel, self.centers = rows, kernel, centers
        Z = rows.X[centers]
        across = kernel.against(Z)(rows.X)  # (n, c)
        of_centers, diag = across[centers].copy(), kernel.diag(rows.X)
        np.fill_diagonal(of_centers, (1.0 + LIFT) * kernel.diag(Z))
        self.corner = _factor(of_centers, kernel)
        self.known = _under(self.corner, across.T)  # (c, n) V = L^-1 K_cn
        self.open = np.maximum(diag - (self.known**2).sum(axis=0), 0.0)  # (n,)
        self._condition(noise)

    def with_noise(self, noise: float) -> SparseProcess:
        """The process of another noise: less than half of the work."""
        other = copy(self)
        other._condition(noise)
        return other

    def of_output(self, j: int) -> SparseProcess:
        """That of one output alone."""
        other = copy(self)
        other.rows = self.rows.output(j)
        other._condition(self.noise)
        return other

    def _condition(self, noise: float) -> None:
        rows, self.noise = self.rows, noise
        self.own = self.open + noise  # (n,) l
        self.scaled = self.known * (rows.w / self.own)  # (c, n) V (l / w)^-1
        self.factor = _factor(np.eye(len(self.centers)) + self.scaled @ self.known.T, self.kernel)
        self.at_centers = _under(self.factor, self.scaled @ rows.y)  # (c,), or (c, q)
        fitted = self.known.T @ _over(self.factor, self.at_centers)
        # a = covariance^-1 y, of the shape of y
        self.duals = ((rows.y - fitted).T * rows.w / self.own).T
        self.fit = -0.5 * float(np.vdot(rows.y, self.duals))
        logs = 0.5 * float(np.log(self.own).sum())
        logs += float(np.log(np.diag(self.factor)).sum())
        self.complexity = -rows.outputs * logs
        self.evidence = self.fit + self.complexity - 0.5 * self._constant()

    def _constant(self) -> float:
        constant = len(self.rows.y) * np.log(2 * np.pi)
        constant += float((self.rows.w - 1.0) @ np.log(2 * np.pi * self.own))
        return self.rows.outputs * constant

    @property
    def own_weights(self) -> np.ndarray:
        """Weights of the kernels at the centers in the mean function, (c,), or (c, q)."""
        return self._over_both(self.at_centers)

    @property
    def reached(self) -> np.ndarray:
        """E with covariance^-1 = diag(w / l) - E'E, shape (c, n)."""
        return _under(self.factor, self.scaled)

    @property
    def weights(self) -> np.ndarray:
        """The mean function is the sum of weights times k, (n,) or (n, q): 0 but at the centers."""
        weights = np.zeros(self.rows.y.shape)
        weights[self.centers] = self.own_weights
        return weights

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """What a distribution of functions needs beside the weights, by name: (c, c), (c,)."""
        return {"factor": self.factor, "corner": self.corner, "inducing": self.centers}

    @property
    def precisions(self) -> np.ndarray:
        """The diagonal of the inverse of the covariance, shape (n,)."""
        return self.rows.w / self.own - (self.reached**2).sum(axis=0)

    @property
    def left_out(self) -> float:
        """The sum of log p(y_i | X, all other y); a row that is left out stays a center."""
        logs = left_out_densities(self.duals.T, self.precisions) - 0.5 * np.log(self.rows.w)
        return float(logs.sum()) - 0.5 * self._constant()

    def gradient(self) -> dict[str, float]:
        """Of the evidence by the logarithm of each setting, and of "noise"."""
        # It moves with the covariance C by <S, dC>, 2 S = a a' - C^-1 for each output.
        a, E, q = self.duals, self.reached, self.rows.outputs
        across = sum_of_outer(self.own_weights, a) - q * self._over_both(E)
        diag = 0.5 * (_summed(a**2) - q * (self.rows.w / self.own) + q * (E**2).sum(axis=0))
        return self._gradient(across, diag)

    def left_out_gradient(self) -> dict[str, float]:
        """Of `left_out`, as `gradient`."""
        # S = (C^-1 g a' + a g' C^-1) / 2 - C^-1 diag(h) C^-1, and C^-1 = diag(D) - E'E.
        a, E, D = self.duals, self.reached, self.rows.w / self.own
        squares = (E**2).sum(axis=0)
        g, h = left_out_slopes(a, D - squares)
        moved = scaled_rows(D, g) - E.T @ (E @ g)
        B = self._over_both(E)  # K_cc^-1 K_cn C^-1
        weighed = B * h
        across = sum_of_outer(B @ g, a) + sum_of_outer(self.own_weights, moved)
        across -= 2.0 * (weighed * D - (weighed @ E.T) @ E)
        inner = (E * h) @ E.T
        both = h * D * (D - 2.0 * squares) + (E * (inner @ E)).sum(axis=0)
        return self._gradient(across, _summed(moved * a) - both)

    def _gradient(self, across: np.ndarray, diag: np.ndarray) -> dict[str, float]:
        """Of what moves with the covariance by <S, dC>: 2 K_cc^-1 K_cn S, (c, n), and S_ii, (n,).

        And with what `_constant` has, by the logarithm of each setting, and of "noise".
        """
        w, A = self.rows.w, _over(self.corner, self.known)  # K_cc^-1 K_cn
        counted = 0.5 * self.rows.outputs * (w - 1.0)
        of_own = diag / w - counted / self.own  # by l, the other part of C held
        G = across - A * (2.0 * of_own)
        of_centers = -0.5 * (G @ A.T)
        slopes: dict[str, float] = {}
        for some, blocks in self._slopes():
            for path, (of_pairs, of_diag) in blocks.items():
                by = float(np.vdot(G[:, some].T, of_pairs)) + float(of_own[some] @ of_diag)
                slopes[path] = slopes.get(path, 0.0) + by
        for path, slope in self._slopes_of_centers().items():
            slopes[path] += float(np.vdot(of_centers, slope))
        return slopes | {"noise": self.noise * float(of_own.sum())}

    def _over_both(self, B: np.ndarray) -> np.ndarray:
        """(L F)^-T B for the factors of the centers and of what the rows tell of them."""
        return _over(self.corner, _over(self.factor, B))

    def _slopes_of_centers(self) -> dict[str, np.ndarray]:
        """dK_cc by the logarithm of each setting, (c, c), lifted as it is."""
        if not self.kernel.has_gradient:
            return {}
        slopes = self.kernel.gradient(self.rows.X[self.centers])
        lift = 1.0 + LIFT * np.eye(len(self.centers))
        return {path: slope * lift for path, slope in slopes.items()}

    def _slopes(self) -> Iterator[tuple[slice, dict[str, tuple[np.ndarray, np.ndarray]]]]:
        """Blocks of rows: dK against the centers, (b, c), and of k(x, x), (b,), by each setting."""
        if not self.kernel.has_gradient:
            return
        Z, n = self.rows.X[self.centers], len(self.rows.y)
        c, size = len(Z), max(len(Z), LEAST_BLOCK)
        for start in range(0, n, size):
            some = slice(start, min(start + size, n))
            slopes = self.kernel.gradient(np.vstack([Z, self.rows.X[some]]))
            yield some, {path: (d[c:, :c], np.diag(d)[c:]) for path, d in slopes.items()}


def _factor(A: np.ndarray, kernel: Kernel) -> np.ndarray:
    try:
        return cholesky(A, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise DataError(
            f"{WHO} needs a positive definite matrix; that of {kernel.title()} on the inducing "
            "points has none. Take fewer of them, raise the noise or choose another kernel."
        ) from None


def _summed(values: np.ndarray) -> np.ndarray:
    """Over outputs, (n,) of (n, q); as it is where there is one."""
    return values if values.ndim == 1 else values.sum(axis=1)


def _under(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """L^-1 B."""
    return _solved(L, B, 1)


def _over(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """L^-T B."""
    return _solved(L, B, 0)


def _solved(L: np.ndarray, B: np.ndarray, transposed: int) -> np.ndarray:
    # B' is in the order of BLAS and L solves it from the right: nothing is turned round.
    turned = TRSM(1.0, L, B.reshape(len(B), -1).T, side=1, lower=1, trans_a=transposed)
    return turned.T.reshape(B.shape)
