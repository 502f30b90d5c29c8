"""The linear system of kernel ridge regression, and what leaving rows out says of its strength."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.triangular import over, under
from mlcore.spine.errors import DataError

OWN = 1e-10  # what must be left of a row's own share for its residual to be told without it


class KernelSystem(NamedTuple):
    """(Q R K R Q + s u u' + alpha I) b = Q R y: R the roots of weights, Q = I - u u'.

    Q takes the intercept out of K and y. Without s the direction u of the intercept, of which b has
    nothing, would hold 1 / alpha of the inverse, beside which a small share of a row is lost.
    """

    K: np.ndarray  # (n, n) Q R K R Q + s u u'
    y: np.ndarray  # (n,) Q R y
    root: np.ndarray  # (n,) the diagonal of R
    along: np.ndarray  # (n,) u, of length 1; zeros without an intercept
    size: float  # s, the mean of the diagonal of K; 0 without an intercept
    target: np.ndarray  # (n,)
    raw: np.ndarray  # (n, n) K

    def of_output(self, y: np.ndarray) -> KernelSystem:
        """The same rows with another target, (n,)."""
        return self._replace(y=shifted(y, self.root, self.along), target=y)

    def raised(self, alpha: float) -> np.ndarray:
        """K with alpha on its diagonal, shape (n, n), a copy."""
        A = self.K.copy()
        A.flat[:: len(A) + 1] += alpha
        return A

    def duals(self, scaled: np.ndarray) -> np.ndarray:
        """The weights of the kernels, shape (n,), from duals over the roots, (n,)."""
        return self.root * scaled

    def intercept(self, scaled: np.ndarray) -> float:
        """What is left over of the target on the whole, from duals over the roots, (n,)."""
        if not self.along.any():
            return 0.0
        left = self.target - self.raw @ self.duals(scaled)
        return float(np.average(left, weights=self.root**2))

    @property
    def centers(self) -> slice:
        """The rows that kernels stand at: all of them."""
        return slice(None)

    def residuals(self, scaled: np.ndarray) -> np.ndarray:
        """Target minus prediction, shape (n,)."""
        return self.target - self.raw @ self.duals(scaled) - self.intercept(scaled)

    def mean_value(self, values: np.ndarray) -> float:
        """Mean eigenvalue of the Gram matrix, which these are, (n,)."""
        return float(values.mean())

    def tried(self, values: np.ndarray, U: np.ndarray, alphas: np.ndarray, *, by: str) -> Tried:
        """Criteria along alpha, (A,), from K = U diag(values) U' of shape (n, n)."""
        return tried_along(self, values, U, alphas, by=by)

    def objective(self, scaled: np.ndarray, alpha: float) -> float:
        """Squares plus alpha times the squared length in the features, of `scaled`, (n,)."""
        image = self.K @ scaled
        return float(((self.y - image) ** 2).sum() + alpha * (scaled @ image))


class Tried(NamedTuple):
    """Strengths, and what leaving rows out says of each."""

    alphas: np.ndarray  # (A,) ascending
    errors: np.ndarray  # (A,)
    df: np.ndarray  # (A,)


NONE_TRIED = Tried(*(np.zeros(0) for _ in range(3)))


def shifted(y: np.ndarray, root: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Q R y, shape (n,): about its mean, where there is an intercept."""
    return root * (y - np.average(y, weights=root**2)) if along.any() else root * y


def kernel_system(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, kernel: Any, offset: bool
) -> KernelSystem:
    """The system of rows X, (n, p), targets and weights, (n,); the kernel is resolved."""
    raw = kernel.against(X)(X)
    raw.flat[:: len(raw) + 1] = kernel.diag(X)
    root = np.sqrt(w)
    K = raw * root[:, None] * root if (w != 1).any() else raw
    if not offset:
        none = np.zeros(len(y))
        return KernelSystem(K, shifted(y, root, none), root, none, 0.0, y, raw)
    along = root / np.linalg.norm(root)
    toward = K @ along
    toward -= 0.5 * float(along @ toward) * along
    size = float(np.abs(np.diagonal(K)).mean()) or 1.0
    toward -= 0.5 * size * along
    K = K - along[:, None] * toward - toward[:, None] * along
    return KernelSystem(K, shifted(y, root, along), root, along, size, y, raw)


def factored(system: Any, alpha: float, who: str) -> np.ndarray:
    """Cholesky's factor of the system, lower triangular, shape (n, n); no target changes it.

    Raises DataError where rounding swallows alpha.
    """
    try:
        return np.linalg.cholesky(system.raised(alpha))
    except np.linalg.LinAlgError:
        raise DataError(
            f"{who}: alpha={alpha:g} is lost beside the Gram matrix, which has no inverse. Raise "
            "alpha, choose another kernel, or solve by eigenvalues."
        ) from None


def solved(system: Any, factor: np.ndarray) -> np.ndarray:
    """The duals over the roots of the weights, shape (n,), by the decomposition of the system."""
    return over(factor, under(factor, system.y))


def shortest(
    system: Any, values: np.ndarray, U: np.ndarray, alpha: float
) -> tuple[np.ndarray, int]:
    """The duals over the roots of the weights, shape (n,), from K = U diag(values) U'.

    Directions of which rounding leaves nothing, with alpha, get nothing; also how many these are.
    """
    raised = values + alpha
    kept = raised > len(values) * np.finfo(float).eps * float(raised.max())
    along = np.where(kept, U.T @ system.y, 0.0) / np.where(kept, raised, 1.0)
    return U @ along, int((~kept).sum())


def tried_along(
    system: KernelSystem, values: np.ndarray, U: np.ndarray, alphas: np.ndarray, *, by: str
) -> Tried:
    """Criteria along alpha, (A,), from K = U diag(values) U' of shape (n, n)."""
    inverses = 1.0 / (values[:, None] + alphas)  # (n, A)
    B = U @ (inverses * (U.T @ system.y)[:, None])  # duals over the roots
    df = (values[:, None] * inverses).sum(axis=0)
    if system.along.any():  # u counts as s / (s + alpha) of a parameter, the intercept as one
        df += alphas / (system.size + alphas)
    if by == "gcv":
        n = len(values)
        squares = (alphas * B) ** 2
        share = np.maximum(1.0 - df / n, OWN)
        return Tried(alphas, squares.sum(axis=0) / float(system.root @ system.root) / share**2, df)
    own = (U**2) @ inverses - (system.along**2)[:, None] / (system.size + alphas)
    errors = left_out(B, own, system.root[:, None], alphas) ** 2
    return Tried(alphas, np.average(errors, axis=0, weights=system.root**2), df)


def left_out(B: Any, own: Any, root: Any, alphas: Any) -> np.ndarray:
    """Residuals of rows left out, of the shape of B, from duals over the roots of the weights.

    `own` is the diagonal of the inverse of the system; alpha times it is 1 minus the leverage.
    """
    return B / np.where(alphas * own > OWN, own, np.nan) / root
