"""Gaussian process regression: a distribution of curves, of which the rows leave some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from mlcore.gaussian_process.learning import Ascent, Reached, started
from mlcore.gaussian_process.settings import (
    further_starts,
    learned_settings,
    most_steps,
    steepest_slope,
    why_no_process,
)
from mlcore.kernels.evidence import Observed, Process
from mlcore.kernels.kernel import LARGEST, Kernel
from mlcore.maths.normal import central_interval
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, part, real

BLOCK = 2048  # rows that are predicted together
JITTER = 1e-10  # of the mean variance: added before a sample is drawn, times 10 until it is enough


@dataclass(frozen=True, eq=False)
class GPState:
    """The process with the best settings so far."""

    kernel: Kernel
    noise: float
    factor: np.ndarray  # (n, n)
    weights: np.ndarray  # (n,)
    log_evidence: float


@dataclass(frozen=True, eq=False, kw_only=True)
class GPRegressionFit(Fit):
    """The distribution of functions that the rows leave, in units of the scaled target."""

    made_by: GPRegressor
    kernel: Any  # with what was learned
    noise: float  # variance around the function, of a row of weight 1
    rows: np.ndarray  # (n, p) the training rows of positive weight
    target: np.ndarray  # (n,) theirs, scaled
    row_weights: np.ndarray  # (n,)
    factor: np.ndarray  # (n, n) lower Cholesky factor of R K R + noise I, R the roots of weights
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
        cross = self._solved(X)
        covariance = self.kernel.against(X)(X) - cross.T @ cross
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

    def left_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each training row had it been left out, (n,) each.

        In closed form and in units of the target, with settings that were learned with it.
        """
        inverse = cho_solve((self.factor, True), np.eye(len(self.rows)), check_finite=False)
        variance = 1.0 / (np.diag(inverse) * self.row_weights)
        mean = self.target - self.weights * variance
        return self.mean + self.spread * mean, self.spread * np.sqrt(variance)

    @property
    def observed(self) -> Observed:
        """Rows, targets and weights together."""
        return Observed(self.rows, self.target, self.row_weights)

    def _solved(self, X: np.ndarray) -> np.ndarray:
        """L^-1 R k(rows, X), shape (n, m)."""
        cross = self.kernel.against(self.rows)(X).T * np.sqrt(self.row_weights)[:, None]
        return solve_triangular(self.factor, cross, lower=True, check_finite=False)

    def _variance(self, X: np.ndarray) -> np.ndarray:
        blocks = (X[i : i + BLOCK] for i in range(0, len(X), BLOCK))
        taken = [np.einsum("ij,ij->j", c, c) for c in map(self._solved, blocks)]
        return np.maximum(self.kernel.diag(X) - np.concatenate(taken), 0.0)


def _root(covariance: np.ndarray, scale: float) -> np.ndarray:
    """A lower factor of a covariance, (m, m), lifted as little as rounding asks for."""
    lift = JITTER * scale
    while lift < scale:
        try:
            return np.linalg.cholesky(covariance + lift * np.eye(len(covariance)))
        except np.linalg.LinAlgError:
            lift *= 10.0
    raise DataError("The covariance at these rows has no root. Ask for fewer rows.")


def _cost(n: int, p: int, method: GPRegressor) -> tuple[float, float]:
    rounds = 20.0 * (1 + method.n_restarts) if method.learn == "evidence" else 1.0
    return 2e-3 + rounds * (n**3 / 2e10 + n**2 * (3e-8 + 1e-10 * p)), 8.0 * (6 * n**2 + n * p)


@enter(
    Card(
        "gp_regression",
        "Gaussian process regression",
        ("gaussian_process", "regression"),
        paper="Williams and Rasmussen (1996), NIPS 8",
        task="regression",
        sources=(
            "epfl:gpr", "epfl:gp_prior_sample", "epfl:gp_posterior_noisefree",
            "epfl:gpr_feature_space", "s841:gaussian_process",
        ),
        takes=("weights",),
        scores=("regression_scores", "predictive_scores"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"f(x) \sim \mathcal N\bigl(k_x^\top (K + \sigma^2 I)^{-1} y,\ "
        r"k(x, x) - k_x^\top (K + \sigma^2 I)^{-1} k_x\bigr)",
        synonyms=(
            "GP", "GPR", "Gaussian process", "kriging", "Bayesian kernel regression",
            "GaussianProcessRegressor", "marginal likelihood", "surrogate model",
        ),
        line="a band of functions, wide where rows lack",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPRegressor(IterativeMethod):
    r"""Predicts a normal distribution at every place, wide where no rows are near.

    Functions are normal with covariance $k(x, z)$, observations have noise of variance
    $\sigma^2$ around them; given the rows, $f(x)$ is normal with mean
    $k_x^\top (K + \sigma^2 I)^{-1} y$. Settings of the kernel and the noise are those of the
    largest evidence $\log p(y \mid X)$, found along its gradient.

    Use it on up to a few thousand rows of standardised columns, where it matters how sure a
    prediction is. O(n^3) a step of learning, O(n^2) a variance. Far from the rows it returns to
    the mean; a few wild rows make the noise large everywhere; the evidence may have several
    maxima, of which more starts find the better.
    """

    kernel: Kernel = part("scaled", slot="kernel", doc="Covariance of the function at two rows.")
    noise: float = real(
        0.1,
        low=1e-8,
        high=1e6,
        soft=(1e-4, 1.0),
        log=True,
        symbol=r"\sigma^2",
        label="Noise variance",
        doc="Variance of the target around the function, in units of the scaled target's variance; "
        "where it is learned, the start.",
    )
    learn: str = learned_settings(
        "Choose noise and kernel by the evidence of the training rows, or take them as given."
    )
    scaling: str = choice(
        "standardise",
        "standardise",
        "centre",
        "none",
        label="Scaling of the target",
        doc="Divide the target by its standard deviation after its mean is taken away, take the "
        "mean away only, or take the target as it is.",
        advanced=True,
    )
    n_restarts: int = further_starts()
    tol: float = steepest_slope()
    max_iter: int = most_steps()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse kernels that are no covariance, and more rows than their matrix has room for."""
        return why_no_process(self.kernel, X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        rows, _, _ = self._observed(given)
        process = Process(rows, self.kernel.resolve(rows.X, rows.w), self.noise)
        if self.learn == "none":
            stop = Stop("converged", "Solved in closed form for the settings that are given.")
            return iter([Step(0, process.evidence, _state(process), stop, "The posterior.")])
        return self._learned(given, Ascent(process))

    def _learned(self, given: Given, ascent: Ascent) -> Iterator[Step]:
        """Each step of each start; the state is the best so far."""
        best: Reached | None = None
        k, starts = 0, started(ascent, given.rng("starts"), 1 + self.n_restarts)
        for number, start in enumerate(starts, 1):
            for at in ascent.walk(start, tol=self.tol, max_iter=self.max_iter):
                if best is None or at.evidence >= best.evidence:
                    best = at
                is_last = at.stop is not None and number == len(starts)
                note = at.note if len(starts) == 1 else f"Start {number}: {at.note}"
                stop = best.stop or at.stop if is_last else None
                yield Step(k, best.evidence, _state(best.process), stop, note)
                k += 1

    def _observed(self, given: Given) -> tuple[Observed, float, float]:
        """The rows of positive weight with the scaled target, and how it was scaled."""
        used = given.w > 0
        y, w = given.target[used], given.w[used]
        mean = float(np.average(y, weights=w)) if self.scaling != "none" else 0.0
        spread = 1.0
        if self.scaling == "standardise":
            spread = float(np.sqrt(np.average((y - mean) ** 2, weights=w)))
            # Rounding of a constant target is no spread.
            spread = spread if spread > 1e-12 * max(float(np.abs(y).max()), 1e-300) else 1.0
        scaled = (y - mean) / spread
        if float(np.abs(scaled).max()) > LARGEST:
            raise DataError(f"{self.title()}: the target overflows. Standardise it.")
        return Observed(given.X[used], scaled, w), mean, spread

    def _finished(self, given: Given, end: Step) -> GPRegressionFit:
        state: GPState = end.state
        rows, mean, spread = self._observed(given)
        ascent = Ascent.of(rows, self.kernel.resolve(rows.X, rows.w), self.noise)
        learns = self.learn == "evidence"
        return GPRegressionFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            kernel=state.kernel,
            noise=state.noise,
            rows=rows.X,
            target=rows.y,
            row_weights=rows.w,
            factor=state.factor,
            weights=state.weights,
            mean=mean,
            spread=spread,
            log_evidence=state.log_evidence,
            learned=ascent.paths if learns else (),
            notes=ascent.notes(state.kernel, state.noise) if learns else (),
        )


def _state(process: Process) -> GPState:
    return GPState(process.kernel, process.noise, process.factor, process.weights, process.evidence)
