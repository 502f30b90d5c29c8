"""Draws of a latent function, given its labels: elliptical slice sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from mlcore.gaussian_process.laplace import Labelled
from mlcore.kernels.kernel import Kernel
from mlcore.spine.errors import DataError

LIFTED = 1e-8  # of the kernel's mean diagonal, added to it: equal rows leave no factor else
AHEAD = 64  # ellipses that are drawn together, by one matrix product


class Ellipses(NamedTuple):
    """A Gaussian of latent functions, and what the posterior has beside it."""

    centre: np.ndarray  # (2, n) its mean, whitened and at the rows
    root: np.ndarray  # (n, n) makes whitened functions of a normal variable; none for the prior
    weights: np.ndarray  # (n,) of the values at the rows in the logarithm of what it lacks
    curvature: np.ndarray  # (n,) of the squares about the mean there


class SliceChain:
    """A Markov chain over the latent function of two classes; its draws are of the posterior.

    Each move draws an ellipse through the present function from a Gaussian and takes a point of it
    where what the posterior has beside that Gaussian is above a level: an angle where it is not
    shrinks the arc about the present one. Moves take turns between the prior, which reaches far
    (Murray, Adams and MacKay, 2010, AISTATS, figure 2), and the Gaussian about the mode, under
    which neighbours have little in common (Nishihara, Murray and Adams, 2014, Journal of Machine
    Learning Research 15). O(n^2) a move.
    """

    def __init__(
        self, rows: Labelled, kernel: Kernel, weights: np.ndarray, rng: np.random.Generator
    ) -> None:
        """Begins where the latent function is the sum of `weights`, shape (n,), times k."""
        self.rows, self._rng = rows, rng
        self.factor = lifted_factor(kernel(rows.X))
        whitened = self.factor.T @ weights
        self._at = np.stack([whitened, self.factor @ whitened])
        none = np.zeros_like(weights)
        prior = Ellipses(np.zeros_like(self._at), np.empty((0, 0)), none, none)
        self._kinds = prior, self._about(weights)
        self._ahead: tuple[list[np.ndarray], ...] = [], []
        self._moves = 0

    @property
    def log_likelihood(self) -> float:
        """Of the present function, in nats."""
        return self._likelihood(self._at[1])

    def moved(self, count: int) -> np.ndarray:
        """Weights of the next `count` draws, shape (count, n): each function is a sum of k."""
        whitened = np.empty((count, self._at.shape[1]))
        for t in range(count):
            self._move(self._moves % 2)
            self._moves += 1
            whitened[t] = self._at[0]
        return solve_triangular(self.factor, whitened.T, lower=True, trans=1, check_finite=False).T

    def _about(self, weights: np.ndarray) -> Ellipses:
        """The Gaussian about the present function: the inverse of K^-1 + W is its covariance."""
        p = expit(self._at[1])
        W = self.rows.w * p * (1.0 - p)
        precision = self.factor.T @ (W[:, None] * self.factor)
        precision[np.diag_indices_from(precision)] += 1.0
        factor = np.linalg.cholesky(precision)
        root = solve_triangular(factor, np.eye(len(W)), lower=True, check_finite=False).T
        return Ellipses(self._at.copy(), root, weights, W)

    def _likelihood(self, latent: np.ndarray) -> float:
        return -float(self.rows.w @ np.logaddexp(0.0, -self.rows.sign * latent))

    def _lacking(self, latent: np.ndarray, kind: Ellipses) -> float:
        """Logarithm of posterior over Gaussian up to a constant: K^-1 cancels but for a line."""
        away = latent - kind.centre[1]
        more = 0.5 * (kind.curvature @ away**2) - kind.weights @ latent
        return self._likelihood(latent) + float(more)

    def _move(self, which: int) -> None:
        kind = self._kinds[which]
        here, other = self._at - kind.centre, self._ellipse(which)
        level = self._lacking(self._at[1], kind) + float(np.log1p(-self._rng.random()))
        angle = 2.0 * np.pi * self._rng.random()
        low, high = angle - 2.0 * np.pi, angle
        while True:
            at = kind.centre + here * np.cos(angle) + other * np.sin(angle)
            if self._lacking(at[1], kind) >= level:
                break
            low, high = (angle, high) if angle < 0.0 else (low, angle)
            angle = low + (high - low) * self._rng.random()
        self._at = at

    def _ellipse(self, which: int) -> np.ndarray:
        """A function from a Gaussian about zero, whitened and at the rows, shape (2, n)."""
        if not self._ahead[which]:
            normal = self._rng.standard_normal((AHEAD, self._at.shape[1]))
            root = self._kinds[which].root
            whitened = normal @ root.T if len(root) else normal
            both = np.stack([whitened, whitened @ self.factor.T], axis=1)
            self._ahead[which].extend(both)
        return self._ahead[which].pop()


def lifted_factor(K: np.ndarray) -> np.ndarray:
    """The lower Cholesky factor of K, (n, n), with a little more on the diagonal.

    Raises DataError where there is none.
    """
    lifted = K.copy()
    lifted[np.diag_indices_from(lifted)] += LIFTED * float(np.diag(K).mean())
    try:
        return np.linalg.cholesky(lifted)
    except np.linalg.LinAlgError:
        raise DataError(
            "Draws of a latent function need a positive definite matrix; that of the kernel on "
            "these rows has eigenvalues far below zero. Choose another kernel."
        ) from None


def independent_draws(trace: np.ndarray) -> float:
    """How many independent draws have a mean as exact as that of a chain's values, shape (S,).

    S over 1 plus twice the sum of the autocorrelations, which are added in pairs while a pair is
    positive. Geyer (1992), Statistical Science 7. A chain that stands still counts as one draw.
    """
    away = trace - trace.mean()
    size = len(trace)
    spectrum = np.abs(np.fft.rfft(away, 2 * size)) ** 2
    covariance = np.fft.irfft(spectrum)[:size]
    if covariance[0] <= 0:
        return 1.0
    pairs = (covariance[: size // 2 * 2] / covariance[0]).reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    kept = pairs[: ends[0]] if len(ends) else pairs
    return float(min(size, size / max(2.0 * kept.sum() - 1.0, 1.0)))
