"""Rows in coordinates in which they are orthonormal, for least squares with ever new weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.rows import means
from mlcore.optimisation.triangles import EPS, inverse_factor
from mlcore.regression.robust_losses import ScaledLoss
from mlcore.spine.method import Given

EXACT = 1e-12  # of the largest target: an error that is smaller is rounding


class Rows(NamedTuple):
    """Rows of positive weight in coordinates in which they are orthonormal."""

    Q: np.ndarray  # (n, r), the sum of w_i q_i q_i' is the identity
    y: np.ndarray  # (n,) less its mean
    w: np.ndarray  # (n,) given weights
    back: np.ndarray  # (p + 1, r) to coefficients, and the offset at the mean of the columns
    penalty: np.ndarray  # (r, r) alpha times the squared length of the coefficients
    x_mean: np.ndarray  # (p,)
    y_mean: float
    is_plain: bool  # all weights are one

    @property
    def is_interpolated(self) -> bool:
        """Whether there are as many directions as rows."""
        return self.Q.shape[1] >= len(self.Q)

    @property
    def exact(self) -> float:
        """A scale that is only rounding."""
        return EXACT * float(np.abs(self.y).max())

    @property
    def weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows, shape (n, r), and targets, (n,), times their weights, for errors not squared."""
        return (self.Q, self.y) if self.is_plain else (self.Q * self.w[:, None], self.y * self.w)

    def left(self, w: np.ndarray) -> np.ndarray:
        """Errors of the plane w, shape (n,)."""
        return self.y - self.Q @ w

    def shortest(self) -> np.ndarray:
        """Least squares with the penalty, shape (r,)."""
        toward = (self.w * self.y) @ self.Q
        return np.linalg.solve(np.eye(len(toward)) + self.penalty, toward)

    def reweighted(
        self, w: np.ndarray, left: np.ndarray, scale: float, loss: ScaledLoss
    ) -> np.ndarray:
        """The way from w, shape (r,), to least squares with the weights of its errors, `left`."""
        u = loss.weights(left / scale)
        toward = (self.w * u * left) @ self.Q - self.penalty @ w
        gram = self._gram(u) + self.penalty
        if (half := inverse_factor(gram)) is None:
            return np.linalg.lstsq(gram, toward, rcond=EXACT)[0]
        return half.T @ (half @ toward)

    def _gram(self, u: np.ndarray) -> np.ndarray:
        """The sum of w_i u_i q_i q_i', by the rows that count less than in full if these are few.

        Steps lead from the present plane, so an error of rounding here is mended by the next.
        """
        less = np.flatnonzero(u < 1.0)
        if 2 * len(less) > len(u):
            return _gram_of(self.Q, self.w * u)
        return np.eye(self.Q.shape[1]) - _gram_of(self.Q[less], (self.w * (1.0 - u))[less])

    def split(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients of the columns, shape (p,), and intercept of the plane w, shape (r,)."""
        v = self.back @ w
        return v[:-1], float(self.y_mean + v[-1] - self.x_mean @ v[:-1])


def rows_of(given: Given, alpha: float) -> Rows:
    """The rows that are given, less those of weight zero, with a penalty of strength alpha."""
    keep = slice(None) if given.weights is None else given.weights > 0
    X, y, w = given.X[keep], given.target[keep], given.w[keep]
    x_mean, y_mean = means(X, w), float(means(y[:, None], w)[0])
    Z = np.column_stack([X - x_mean, np.ones(len(X))])
    # Powers of two cost no rounding. What is only rounding of the mean is not brought to size.
    longest, rounding = np.abs(Z).max(axis=0), 4.0 * EPS * np.abs(np.append(x_mean, 0.0))
    size = np.where(longest > rounding, np.ldexp(1.0, np.frexp(longest)[1]), 1.0)
    Z /= size
    Q, back = _orthonormal(Z, w)
    back = back / size[:, None]
    penalty = alpha * back[:-1].T @ back[:-1]
    return Rows(Q, y - y_mean, w, back, penalty, x_mean, y_mean, bool((w == 1.0).all()))


def _orthonormal(Z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q, shape (n, r), and B with Q = Z B: by Cholesky where that is exact, else by the SVD."""
    half = inverse_factor(_gram_of(Z, w)) if len(Z) > Z.shape[1] else None
    if half is not None:
        return Z @ half.T, half.T
    root = np.sqrt(w)[:, None]
    svd = spectrum(Z * root)
    return svd.U / root, svd.V / svd.s


def _gram_of(Z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The sum of w_i z_i z_i', shape (q, q)."""
    rooted = Z * np.sqrt(w)[:, None]
    return rooted.T @ rooted
