"""What is left of a Gaussian process of a quantity: of all pairs of rows, or of inducing points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from mlcore.gaussian_process.criteria import CRITERIA, EVIDENCE, LEFT_OUT, Criterion
from mlcore.kernels.evidence import Observed, spectral_evidence, spectral_left_out
from mlcore.kernels.inducing import SparseProcess
from mlcore.kernels.kernel import Kernel
from mlcore.maths.normal import central_interval
from mlcore.spine import random
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit

BLOCK = 2048  # rows that are predicted together
JITTER = 1e-10  # of the mean variance: added before a sample is drawn, times 10 until it is enough


@dataclass(frozen=True, eq=False, kw_only=True)
class GPState:
    """The process of all pairs with the best settings so far."""

    kernel: Any
    noise: float
    weights: np.ndarray  # (n,)
    factor: np.ndarray  # (n, n), or (c, c) of inducing points
    log_evidence: float

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """What a fit has of it beside the weights, by name: (n, n)."""
        return {"factor": self.factor}


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseGPState(GPState):
    """That through inducing points."""

    corner: np.ndarray  # (c, c)
    inducing: np.ndarray  # (c,)

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """What a fit has of it beside the weights, by name: (c, c), (c,)."""
        return {"factor": self.factor, "corner": self.corner, "inducing": self.inducing}


@dataclass(frozen=True, eq=False, kw_only=True)
class GPFit(Fit):
    """The distribution of functions that the rows leave, in units of the scaled target."""

    kernel: Any  # with what was learned
    noise: float  # variance around the function, of a row of weight 1
    rows: np.ndarray  # (n, p) the training rows of positive weight
    target: np.ndarray  # (n,) theirs, scaled
    row_weights: np.ndarray  # (n,)
    weights: np.ndarray  # (n,) the mean function is the sum of weights times k
    mean: float  # of the target
    spread: float  # by which it was divided
    log_evidence: float  # in nats, of the scaled target
    learned: tuple[str, ...]  # paths of the settings that were learned, and "noise"
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The mean function in units of the target, shape (m,)."""
        X, against = self._rows(X), self.kernel.against(self.rows)
        parts = [against(X[i : i + BLOCK]) @ self.weights for i in range(0, len(X), BLOCK)]
        return self.mean + self.spread * np.concatenate(parts)

    @property
    def intercept(self) -> float:
        """The mean of the target, to which the curve returns."""
        return self.mean

    def contributions(self, X: Any) -> np.ndarray:
        """What each fitted row adds to the prediction at rows X, (m, n), in units of the target."""
        return self.spread * self.weights * self.kernel.against(self.rows)(self._rows(X))

    def function_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of the function, without noise, in units of the target, (m,)."""
        return self.spread * np.sqrt(self._variance(self._rows(X)))

    def predictive_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of what will be observed, in units of the target, shape (m,)."""
        return self.spread * np.sqrt(self._variance(self._rows(X)) + self.noise)

    def predictive_interval(self, X: Any, level: float) -> np.ndarray:
        """Ends of the central interval of what will be observed, shape (m, 2).

        `level` is its probability, between 0 and 1.
        """
        return central_interval(self.predict(X), self.predictive_deviation(X), level)

    def sample_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray:
        """Functions drawn at rows X, (m, p), in units of the target, shape (count, m)."""
        X = self._rows(X)
        covariance = self.kernel.against(X)(X) - self._taken(X)
        root = _root(covariance, float(self.kernel.diag(X).mean()))
        rng = random.generator(seed, "functions")
        return self.predict(X) + self.spread * rng.standard_normal((count, len(X))) @ root.T

    def prior_mean(self, X: Any) -> np.ndarray:
        """The mean of the target, to which functions are drawn before the rows, shape (m,)."""
        return np.full(len(self._rows(X)), self.mean)

    def prior_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of the function before the rows, in units of the target, (m,)."""
        return self.spread * np.sqrt(self.kernel.diag(self._rows(X)))

    def prior_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray:
        """Functions drawn before the rows at X, (m, p), in units of the target, (count, m)."""
        X = self._rows(X)
        root = _root(self.kernel.against(X)(X), float(self.kernel.diag(X).mean()))
        rng = random.generator(seed, "prior functions")
        return self.mean + self.spread * rng.standard_normal((count, len(X))) @ root.T

    @property
    def criterion(self) -> Criterion:
        """By what settings are learned; the evidence where they are as given."""
        method: Any = self.made_by
        return CRITERIA.get(method.learn, EVIDENCE)

    @property
    def observed(self) -> Observed:
        """Rows, scaled targets and weights together."""
        return Observed(self.rows, self.target, self.row_weights)

    def criterion_at(self, kernel: Kernel, noises: np.ndarray) -> np.ndarray:
        """The criterion with another kernel and each of these noises, (q,), in nats.

        NaN where there is no process. The kernel must be resolved.
        """
        raise NotImplementedError(f"{type(self).__name__} judges no settings")

    def left_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each training row had it been left out, (n,) each.

        In closed form and in units of the target, with settings that were learned with it.
        """
        mean, variance = self._left_one_out()
        return self.mean + self.spread * mean, self.spread * np.sqrt(variance)

    def _taken(self, X: np.ndarray) -> np.ndarray:
        """By how much the rows lower the covariance at places X, shape (m, m)."""
        raise NotImplementedError(f"{type(self).__name__} declares no covariance")

    def _taken_of_each(self, X: np.ndarray) -> np.ndarray:
        """The diagonal of that, shape (m,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no variance")

    def _left_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the scaled target of each row left out, (n,) each."""
        raise NotImplementedError(f"{type(self).__name__} leaves no row out")

    def _variance(self, X: np.ndarray) -> np.ndarray:
        taken = [self._taken_of_each(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.maximum(self.kernel.diag(X) - np.concatenate(taken), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class GPRegressionFit(GPFit):
    """The process of all pairs of rows."""

    factor: np.ndarray  # (n, n) lower Cholesky factor of R K R + noise I, R the roots of weights

    def criterion_at(self, kernel: Kernel, noises: np.ndarray) -> np.ndarray:
        """By the eigenvalues of the kernel, which serve all noises. O(n^3)."""
        spectral = spectral_left_out if self.criterion is LEFT_OUT else spectral_evidence
        return spectral(self.observed, kernel, noises)

    def _left_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        inverse = cho_solve((self.factor, True), np.eye(len(self.rows)), check_finite=False)
        variance = 1.0 / (np.diag(inverse) * self.row_weights)
        return self.target - self.weights * variance, variance

    def _taken(self, X: np.ndarray) -> np.ndarray:
        solved = self._solved(X)
        return solved.T @ solved

    def _taken_of_each(self, X: np.ndarray) -> np.ndarray:
        solved = self._solved(X)
        return np.einsum("ij,ij->j", solved, solved)

    def _solved(self, X: np.ndarray) -> np.ndarray:
        """L^-1 R k(rows, X), shape (n, m)."""
        cross = self.kernel.against(self.rows)(X).T * np.sqrt(self.row_weights)[:, None]
        return solve_triangular(self.factor, cross, lower=True, check_finite=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseGPFit(GPFit):
    """The process that knows the function at some of the rows, and all others through them."""

    inducing: np.ndarray  # (c,) which of the rows; all others have a weight of 0
    corner: np.ndarray  # (c, c) lower Cholesky factor L of the Gram matrix of these rows
    factor: np.ndarray  # (c, c) that of I + L^-1 k (variances)^-1 k' L^-T

    def predict(self, X: Any) -> np.ndarray:
        """The mean function in units of the target, shape (m,)."""
        X, against = self._rows(X), self.kernel.against(self.rows[self.inducing])
        own = self.weights[self.inducing]
        parts = [against(X[i : i + BLOCK]) @ own for i in range(0, len(X), BLOCK)]
        return self.mean + self.spread * np.concatenate(parts)

    def criterion_at(self, kernel: Kernel, noises: np.ndarray) -> np.ndarray:
        """Through the same inducing points. O(n c^2) a noise."""
        try:
            process = SparseProcess(self.observed, kernel, float(noises[0]), self.inducing)
            each = (process.with_noise(float(noise)) for noise in noises)
            return np.array([self.criterion.value(one) for one in each])
        except DataError:  # no Cholesky factor: no process to judge
            return np.full(len(noises), np.nan)

    def _left_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """A row that is left out stays an inducing point."""
        process = SparseProcess(self.observed, self.kernel, self.noise, self.inducing)
        variance = 1.0 / process.precisions
        return self.target - process.duals * variance, variance

    def _taken(self, X: np.ndarray) -> np.ndarray:
        prior, left = self._solved(X)
        return prior.T @ prior - left.T @ left

    def _taken_of_each(self, X: np.ndarray) -> np.ndarray:
        prior, left = self._solved(X)
        return np.einsum("ij,ij->j", prior, prior) - np.einsum("ij,ij->j", left, left)

    def _solved(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the function at these rows would tell, and what they do not tell of it: (c, m)."""
        cross = self.kernel.against(self.rows[self.inducing])(X).T
        prior = solve_triangular(self.corner, cross, lower=True, check_finite=False)
        return prior, solve_triangular(self.factor, prior, lower=True, check_finite=False)


def _root(covariance: np.ndarray, scale: float) -> np.ndarray:
    """A lower factor of a covariance, (m, m), lifted as little as rounding asks for."""
    lift = JITTER * scale
    while lift < scale:
        try:
            return np.linalg.cholesky(covariance + lift * np.eye(len(covariance)))
        except np.linalg.LinAlgError:
            lift *= 10.0
    raise DataError("The covariance at these rows has no root. Ask for fewer rows.")
