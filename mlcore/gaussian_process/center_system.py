"""The system of kernel ridge regression where kernels stand at a few rows only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.gaussian_process.kernel_system import OWN, Tried, shifted
from mlcore.kernels.low_rank import nystroem
from mlcore.maths.triangular import inverse_lower, over
from mlcore.spine.errors import DataError


class CenterSystem(NamedTuple):
    """(F'F + alpha I) b = F'y with F = Q R G, y = Q R target, and G G' about the Gram matrix.

    R has the roots of the weights on its diagonal, Q takes the direction u of the intercept out.
    Minimises the squares plus alpha times the squared length over the functions that are sums of
    kernels at the centers. Has the names of `KernelSystem`, of m centers where that has n rows.
    """

    K: np.ndarray  # (m, m) F'F
    y: np.ndarray  # (m,) F' Q R target
    F: np.ndarray  # (n, m)
    shifted: np.ndarray  # (n,) Q R target
    root: np.ndarray  # (n,) the diagonal of R
    along: np.ndarray  # (n,) u, of length 1; zeros without an intercept
    target: np.ndarray  # (n,)
    mean: np.ndarray  # (m,) what Q takes out of the rows of G: their mean, or zeros
    centers: np.ndarray  # (m,) which rows
    corner: np.ndarray  # (m, m) lower triangular, G at the centers
    left: float  # share of the trace of the Gram matrix that the centers do not explain

    def of_output(self, y: np.ndarray) -> CenterSystem:
        """The same rows and centers with another target, (n,)."""
        moved = shifted(y, self.root, self.along)
        return self._replace(y=self.F.T @ moved, shifted=moved, target=y)

    def raised(self, alpha: float) -> np.ndarray:
        """K with alpha on its diagonal, shape (m, m), a copy."""
        return self.K + alpha * np.eye(len(self.K))

    def duals(self, scaled: np.ndarray) -> np.ndarray:
        """The weights of the kernels at the centers, shape (m,), from the solution, (m,)."""
        return over(self.corner, scaled)

    def intercept(self, scaled: np.ndarray) -> float:
        """What is left over of the target on the whole, by the solution, (m,)."""
        if not self.along.any():
            return 0.0
        return float(np.average(self.target, weights=self.root**2) - self.mean @ scaled)

    def residuals(self, scaled: np.ndarray) -> np.ndarray:
        """Target minus prediction, shape (n,)."""
        return (self.shifted - self.F @ scaled) / self.root

    def objective(self, scaled: np.ndarray, alpha: float) -> float:
        """Squares plus alpha times the squared length in the features, of `scaled`, (m,)."""
        left = self.shifted - self.F @ scaled
        return float(left @ left + alpha * (scaled @ scaled))

    def mean_value(self, values: np.ndarray) -> float:
        """Mean eigenvalue of the matrix of `KernelSystem`, from those of K, (m,)."""
        n, total = len(self.F), float(values.sum())
        if self.along.any():  # u counts as the mean of the diagonal
            total += (total + float(self.root @ self.root) * float(self.mean @ self.mean)) / n
        return total / n

    def missing(self, alpha: float) -> np.ndarray:
        """1 minus the leverage of each row, shape (n,), with these centers."""
        back = inverse_lower(np.linalg.cholesky(self.raised(alpha))).T
        return 1.0 - ((self.F @ back) ** 2).sum(axis=1) - self.along**2

    def tried(self, values: np.ndarray, U: np.ndarray, alphas: np.ndarray, *, by: str) -> Tried:
        """Criteria along alpha, (A,), from K = U diag(values) U' of shape (m, m)."""
        inverses = 1.0 / (values[:, None] + alphas)  # (m, A)
        H = self.F @ U
        left = self.shifted[:, None] - H @ (inverses * (U.T @ self.y)[:, None])
        df = (values[:, None] * inverses).sum(axis=0) + float(self.along.any())
        if by == "gcv":
            share = np.maximum(1.0 - df / len(left), OWN)
            total = float(self.root @ self.root)
            return Tried(alphas, (left**2).sum(axis=0) / total / share**2, df)
        own = 1.0 - H**2 @ inverses - (self.along**2)[:, None]
        errors = without(left, own, self.root[:, None]) ** 2
        return Tried(alphas, np.average(errors, axis=0, weights=self.root**2), df)


def without(left: Any, own: Any, root: Any) -> Any:
    """Residuals of rows left out from those of the fit times the roots of the weights.

    `own` is 1 minus the leverage; NaN for a row that is fitted by itself.
    """
    return left / np.where(own > OWN, own, np.nan) / root


def center_system(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, kernel: Any, offset: bool, n_centers: int
) -> CenterSystem:
    """The system of rows X, (n, p), targets and weights, (n,); the kernel is resolved.

    Raises DataError for a kernel that is zero between all rows.
    """
    F, centers, corner, left = nystroem(kernel, X, n_centers)
    if not len(centers):
        raise DataError(
            f"{kernel.title()} is 0 at every row, so no row can be a center. Choose another kernel."
        )
    root = np.sqrt(w)
    along, mean = np.zeros(len(y)), np.zeros(len(centers))
    if offset:
        along, mean = root / np.linalg.norm(root), (w / w.sum()) @ F
        F -= mean
    if (w != 1).any():
        F *= root[:, None]
    moved = shifted(y, root, along)
    return CenterSystem(F.T @ F, F.T @ moved, F, moved, root, along, y, mean, centers, corner, left)
