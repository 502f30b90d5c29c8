"""A Gaussian process whose rows tell of each other only through some of them: FITC."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from mlcore.kernels.evidence import WHO, Observed
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.low_rank import nystroem
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError

LIFT = 1e-8  # of the mean variance of the centers: keeps rows that are nearly alike apart
NARROWINGS, OPEN = 11, 0.02  # at most by 4 each time; of the trace
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
    for power in range(NARROWINGS):
        picked = nystroem(RBF(gamma=4.0**power), scaled, count)
        if picked.left >= OPEN:
            break
    return np.sort(picked.pivots)


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
        self.rows, self.kernel, self.noise, self.centers = rows, kernel, noise, centers
        Z = rows.X[centers]
        across = kernel.against(Z)(rows.X)  # (n, c)
        of_centers, diag = across[centers].copy(), kernel.diag(rows.X)
        np.fill_diagonal(of_centers, (1.0 + LIFT) * kernel.diag(Z))
        self.corner = _factor(of_centers, kernel)
        self.known = _under(self.corner, across.T)  # (c, n) V = L^-1 K_cn
        open_ = np.maximum(diag - (self.known**2).sum(axis=0), 0.0)
        self.own = open_ + noise  # (n,) l
        scaled = self.known * (rows.w / self.own)  # V (l / w)^-1
        self.factor = _factor(np.eye(len(centers)) + scaled @ self.known.T, kernel)
        self.reached = _under(self.factor, scaled)  # (c, n)
        at_centers = self.reached @ rows.y
        fitted = self.known.T @ _over(self.factor, at_centers)
        self.duals = (rows.y - fitted) * rows.w / self.own  # (n,) covariance^-1 y
        self.own_weights = _over(self.corner, _over(self.factor, at_centers))  # (c,)
        self.fit = -0.5 * float(rows.y @ self.duals)
        logs = 0.5 * float(np.log(self.own).sum())
        self.complexity = -float(np.log(np.diag(self.factor)).sum()) - logs
        constant = len(rows.y) * np.log(2 * np.pi)
        constant += float((rows.w - 1.0) @ np.log(2 * np.pi * self.own))
        self.evidence = self.fit + self.complexity - 0.5 * constant

    @property
    def weights(self) -> np.ndarray:
        """The mean function is the sum of weights times k, shape (n,): 0 but at the centers."""
        weights = np.zeros(len(self.rows.y))
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

    def gradient(self) -> dict[str, float]:
        """Of the evidence by the logarithm of each setting, and of "noise"."""
        w, a = self.rows.w, self.duals
        # d evidence / d l of each row, the other part of the covariance held.
        of_own = 0.5 * ((a**2 - self.precisions) / w - (w - 1.0) / self.own)
        A = _over(self.corner, self.known)  # K_cc^-1 K_cn
        G = np.outer(self.own_weights, a) - _over(self.corner, _over(self.factor, self.reached))
        G -= A * (2.0 * of_own)
        of_centers = -0.5 * (G @ A.T)
        slopes: dict[str, float] = {}
        for some, blocks in self._slopes():
            for path, (of_pairs, diag) in blocks.items():
                by = float(np.vdot(G[:, some].T, of_pairs)) + float(of_own[some] @ diag)
                slopes[path] = slopes.get(path, 0.0) + by
        for path, slope in self._slopes_of_centers().items():
            slopes[path] += float(np.vdot(of_centers, slope))
        return slopes | {"noise": self.noise * float(of_own.sum())}

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


def _under(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """L^-1 B."""
    return np.asarray(solve_triangular(L, B, lower=True, check_finite=False))


def _over(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """L^-T B."""
    return np.asarray(solve_triangular(L, B, lower=True, trans=1, check_finite=False))
