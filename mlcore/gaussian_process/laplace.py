"""The Laplace approximation: the latent function of two classes as a Gaussian about its mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve
from scipy.special import expit

from mlcore.gaussian_process.learning import Climb
from mlcore.kernels.evidence import POTRF, POTRI
from mlcore.kernels.kernel import Kernel
from mlcore.spine.errors import DataError

ENOUGH = 1e-10  # of the largest weight: a slope at the mode that rounding explains
GAIN = 1e-11  # of the log posterior: a step of Newton that brings no more was the last
ROUNDING = 1e-13  # of the log posterior: by so much it may seem to fall
MOST_NEWTON = 100  # steps; the log posterior is concave, and ten are usual
MOST_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows of two classes. A row of weight w counts as w equal ones."""

    X: np.ndarray  # (n, p)
    sign: np.ndarray  # (n,) -1 or 1
    w: np.ndarray  # (n,) above zero


class Mode(NamedTuple):
    """A place of the latent function on the way to its mode."""

    weights: np.ndarray  # (n,) the latent function is the sum of weights times k
    latent: np.ndarray  # (n,) its values at the rows
    root: np.ndarray  # (n,) root of the curvature of each row's log likelihood
    factor: np.ndarray  # (n, n) lower Cholesky factor of I + R K R, R the roots
    log_posterior: float  # up to a constant, in nats
    slope: np.ndarray  # (n,) of the log likelihood; equal to the weights at the mode
    halvings: int = 0  # of the step that led here

    @property
    def evidence(self) -> float:
        """The log evidence by the Gaussian about this place. Rasmussen and Williams, 3.32."""
        return self.log_posterior - float(np.log(np.diag(self.factor)).sum())


def newton(K: np.ndarray, rows: Labelled, start: np.ndarray) -> Iterator[Mode]:
    """Steps to the mode of the posterior from weights `start`, shape (n,); K has shape (n, n).

    Rasmussen and Williams (2006), algorithm 3.1; a step is halved while the log posterior falls.
    """
    at = _mode(K, rows, start, K @ start, 0)
    yield at
    for _ in range(MOST_NEWTON):
        if np.abs(at.slope - at.weights).max() <= ENOUGH * rows.w.max():
            return
        new = _stepped(K, rows, at)
        if new is None:
            return
        yield new
        # Steps shrink as their squares: the one after a small gain would change the last digits.
        if new.log_posterior - at.log_posterior <= GAIN * max(1.0, abs(at.log_posterior)):
            return
        at = new


def at_mode(K: np.ndarray, rows: Labelled, start: np.ndarray) -> Mode:
    """The last of these steps; K has shape (n, n), `start` shape (n,)."""
    modes = newton(K, rows, start)
    mode = next(modes)
    for later in modes:
        mode = later
    return mode


def _stepped(K: np.ndarray, rows: Labelled, at: Mode) -> Mode | None:
    """One step of Newton, or None where rounding hides any increase."""
    b = at.root**2 * at.latent + at.slope  # line 6
    inner = cho_solve((at.factor, True), at.root * (K @ b), check_finite=False)
    by = b - at.root * inner - at.weights  # line 7, less where we are
    along, length = K @ by, 1.0
    least = at.log_posterior - ROUNDING * max(1.0, abs(at.log_posterior))
    for halvings in range(MOST_HALVINGS):
        weights, latent = at.weights + length * by, at.latent + length * along
        if _log_posterior(rows, weights, latent) >= least:
            return _mode(K, rows, weights, latent, halvings)
        length /= 2.0
    return None


def _log_posterior(rows: Labelled, weights: np.ndarray, latent: np.ndarray) -> float:
    likelihood = -float(rows.w @ np.logaddexp(0.0, -rows.sign * latent))
    return likelihood - 0.5 * float(weights @ latent)


def _mode(
    K: np.ndarray, rows: Labelled, weights: np.ndarray, latent: np.ndarray, halvings: int
) -> Mode:
    p = expit(latent)
    root = np.sqrt(rows.w * p * (1.0 - p))
    B = K * root[:, None]
    B *= root
    B[np.diag_indices_from(B)] += 1.0
    # B is symmetric, so its transpose, which is in the order of LAPACK, is B.
    factor, info = POTRF(B.T, lower=1, clean=1, overwrite_a=1)
    if info:
        raise DataError(
            "A Gaussian process of classes needs a positive definite matrix; that of the kernel "
            "on these rows has eigenvalues far below zero. Choose another kernel."
        )
    slope = rows.w * (rows.sign > 0) - rows.w * p
    value = _log_posterior(rows, weights, latent)
    return Mode(weights, latent, root, factor, value, slope, halvings)


class Laplace:
    """The approximation for one kernel, which must be resolved: some times O(n^3).

    `start`, shape (n,), are weights near the mode. Raises DataError where a matrix has no factor.
    """

    def __init__(self, rows: Labelled, kernel: Kernel, start: np.ndarray | None = None) -> None:
        self.rows, self.kernel = rows, kernel
        self.K, self._slopes = kernel.differentiated(rows.X)
        begin = np.zeros(len(rows.w)) if start is None else start
        self.mode = at_mode(self.K, rows, begin)

    @property
    def evidence(self) -> float:
        """log q(y | X), in nats."""
        return self.mode.evidence

    def gradient(self) -> dict[str, float]:
        """By the logarithm of each setting of the kernel. Rasmussen and Williams, algorithm 5.1.

        With the implicit part: the mode moves with the settings.
        """
        mode, K = self.mode, self.K
        lower = POTRI(mode.factor, lower=1)[0]  # half of B^-1
        inverse = lower + lower.T
        inverse[np.diag_indices_from(inverse)] -= np.diag(lower)
        p = expit(mode.latent)
        # The posterior variance times the curvature is 1 - B^-1_ii, without a division by it.
        bend = -0.5 * (1.0 - np.diag(inverse)) * (1.0 - 2.0 * p)
        R = inverse
        R *= mode.root[:, None]
        R *= mode.root
        moved = bend - R @ (K @ bend)  # (I - R K) bend: the implicit part for any b is b'moved
        # One pass a setting, as that of a quantity (`mlcore/kernels/evidence.py`).
        a = mode.weights
        by = (0.5 * a + moved)[:, None] * a - 0.5 * R
        return {
            path: float(np.einsum("ij,ij->", by, slope)) for path, slope in self._slopes.items()
        }


class LatentClimb(Climb[Laplace]):
    """The evidence of rows of two classes, each mode sought from that of the settings before."""

    def __init__(self, rows: Labelled, kernel: Kernel) -> None:
        super().__init__(rows.X, kernel, None)
        self.rows = rows
        self._near: np.ndarray | None = None

    def _made(self, kernel: Kernel, noise: float | None) -> Laplace:
        process = Laplace(self.rows, kernel, self._near)
        self._near = process.mode.weights
        return process
