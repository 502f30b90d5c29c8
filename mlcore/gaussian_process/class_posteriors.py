"""What is left of a Gaussian process of classes: latent functions about their modes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from mlcore.gaussian_process.averages import averaged_logistic, sampled_logistic
from mlcore.gaussian_process.laplace import Labelled, Laplace
from mlcore.kernels.kernel import Kernel
from mlcore.maths.class_scores import best_class
from mlcore.spine.fit import Fit

BLOCK = 2048  # rows that are predicted together
BY_CHANCE = "monte_carlo"  # the average over latent values that are drawn


@dataclass(frozen=True, eq=False)
class GPClassifierState:
    """The machines so far; those that follow have weights of zero, which say one half of all."""

    kernels: tuple[Kernel, ...]  # (M,)
    weights: np.ndarray  # (M, n)
    evidences: np.ndarray  # (M,)


@dataclass(frozen=True, eq=False, kw_only=True)
class GPClassifierFit(Fit):
    """A latent function for two classes, one a class against the rest for more."""

    classes: np.ndarray  # (K,) sorted labels
    kernels: tuple[Any, ...]  # (M,) with what was learned
    rows: np.ndarray  # (n, p) the training rows of positive weight
    signs: np.ndarray  # (M, n) 1 for the rows of the class of a machine, -1 for others
    row_weights: np.ndarray  # (n,)
    weights: np.ndarray  # (M, n) the mode is the sum of weights times k
    roots: np.ndarray  # (M, n) roots of the curvature of each row's log likelihood
    factors: np.ndarray  # (M, n, n) lower Cholesky factors of I + R K R, R the roots
    log_evidences: np.ndarray  # (M,) of the Gaussian about each mode, in nats
    learned: tuple[str, ...]  # paths of the settings that were learned
    notes: tuple[str, ...] = ()
    # (S / 2,) of a standard normal variable, for averages by chance
    draws: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def _average(self) -> str:
        method: Any = self.made_by
        return method.average

    def holds_together(self) -> bool:
        """Whether averages by chance have draws."""
        return self.draws.ndim == 1 and (self._average != BY_CHANCE or len(self.draws) > 0)

    @property
    def log_evidence(self) -> float:
        """The mean over the machines, in nats."""
        return float(self.log_evidences.mean())

    def evidence_at(self, m: int, kernel: Kernel) -> float:
        """The log evidence of machine m with another kernel, in nats; some times O(n^3)."""
        rows = Labelled(self.rows, self.signs[m], self.row_weights)
        return Laplace(rows, kernel, self.weights[m]).evidence

    def latent(self, X: Any) -> np.ndarray:
        """Mean of the latent function of each machine, shape (m, M)."""
        return self._latent(self._rows(X))[0]

    def latent_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of the latent function of each machine, shape (m, M)."""
        return self._latent(self._rows(X))[1]

    def decision(self, X: Any) -> np.ndarray:
        """The latent mean, (m,), positive for the second class; of more the log-odds of each."""
        X = self._rows(X)
        if len(self.classes) == 2:
            return self._latent(X)[0][:, 0]
        P = self._each(X)
        return np.log(P) - np.log1p(-P)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, shape (m,)."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K); those of more than two sum to 1 by scaling."""
        P = self._each(self._rows(X))
        if len(self.classes) == 2:
            return np.column_stack([1.0 - P[:, 0], P[:, 0]])
        return P / P.sum(axis=1, keepdims=True)

    def sampling_error(self, X: Any) -> np.ndarray:
        """Standard error of the mean over the draws for each machine, shape (m, M).

        0 where the average is not by draws.
        """
        mean, deviation = self._latent(self._rows(X))
        if self._average != BY_CHANCE:
            return np.zeros_like(mean)
        return self._sampled(mean, deviation)[1]

    def _each(self, X: np.ndarray) -> np.ndarray:
        """Probability of the class of each machine, shape (m, M), away from 0 and 1."""
        mean, deviation = self._latent(X)
        if self._average == "plug_in":
            P = expit(mean)
        elif self._average == BY_CHANCE:
            P = self._sampled(mean, deviation)[0]
        else:
            columns = zip(mean.T, deviation.T, strict=True)
            P = np.column_stack([averaged_logistic(*column) for column in columns])
        return np.clip(P, 1e-15, 1.0 - 1e-15)  # a logarithm of it stays finite

    def _sampled(self, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
        """Means over the draws and their standard errors, shape (2, m, M)."""
        columns = zip(mean.T, deviation.T, strict=True)
        return np.stack([sampled_logistic(*column, self.draws) for column in columns], axis=-1)

    def _latent(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation. Rasmussen and Williams, algorithm 3.2, lines 4 to 6."""
        mean, variance = np.empty((2, len(X), len(self.kernels)))
        for m, kernel in enumerate(self.kernels):
            against = kernel.against(self.rows)
            for i in range(0, len(X), BLOCK):
                cross = against(X[i : i + BLOCK])
                mean[i : i + BLOCK, m] = cross @ self.weights[m]
                taken = solve_triangular(
                    self.factors[m], self.roots[m][:, None] * cross.T, lower=True,
                    check_finite=False,
                )  # fmt: skip
                variance[i : i + BLOCK, m] = -np.einsum("ij,ij->j", taken, taken)
            variance[:, m] += kernel.diag(X)
        return mean, np.sqrt(np.maximum(variance, 0.0))
