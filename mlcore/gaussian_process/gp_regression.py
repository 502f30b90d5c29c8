"""Gaussian process regression: a distribution of curves, of which the rows leave some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.gaussian_process.approximations import Approximation
from mlcore.gaussian_process.criteria import CRITERIA, EVIDENCE
from mlcore.gaussian_process.learning import Ascent, Reached, started
from mlcore.gaussian_process.posteriors import GPFit, GPState, SparseGPState
from mlcore.gaussian_process.settings import (
    further_starts,
    learned_settings,
    most_steps,
    steepest_slope,
    why_no_process,
)
from mlcore.kernels.evidence import Observed
from mlcore.kernels.inducing import SparseProcess
from mlcore.kernels.kernel import LARGEST, Kernel
from mlcore.kernels.validity import notes_of_rows
from mlcore.maths.conflicts import note_of_interpolation
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, part, real
from mlcore.spine.wording import count, plural, rough


def _cost(n: int, p: int, method: GPRegressor) -> tuple[float, float]:
    rounds = 20.0 * (1 + method.n_restarts) if method.learn != "none" else 1.0
    seconds, numbers = method.approximation.takes(n, p)
    return 2e-3 + rounds * seconds, 8.0 * (numbers + n * p)


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
        weigh="copies",
        scores=("regression_scores", "predictive_scores"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"f(x) \sim \mathcal N\bigl(k_x^\top (K + \sigma^2 I)^{-1} y,\ "
        r"k(x, x) - k_x^\top (K + \sigma^2 I)^{-1} k_x\bigr)",
        synonyms=(
            "GP", "GPR", "Gaussian process", "kriging", "Bayesian kernel regression",
            "GaussianProcessRegressor", "marginal likelihood", "surrogate model",
            "leave-one-out predictive density", "pseudo-likelihood",
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
    largest evidence $\log p(y \mid X)$, or of the largest density of each row by all others,
    $\sum_i \log p(y_i \mid X, y_{-i})$, found along the gradient.

    Use it on up to a few thousand rows of standardised columns, where it matters how sure a
    prediction is. O(n^3) a step of learning, O(n^2) a variance. Far from the rows it returns to
    the mean; a few wild rows make the noise large everywhere; the evidence may have several
    maxima, of which more starts find the better.
    """

    kernel: Kernel = part("scaled", slot="kernel", doc="Covariance of the function at two rows.")
    approximation: Approximation = part(
        "exact",
        slot="gp_approximation",
        doc="Whether all pairs of rows count, some rows alone, or all through some of them.",
    )
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
        "Choose noise and kernel by the evidence of the training rows, by how likely each of them "
        "is by all others (leave-one-out), or take them as given.",
        "loo",
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
        most = self.approximation.most_rows
        return why_no_process(self.kernel, X, self.title(), most, self.approximation.remedy)

    def fit_class(self) -> type[GPFit]:
        """That of the approximation."""
        return self.approximation.fit_type

    def _steps(self, given: Given) -> Iterator[Step]:
        rows, _, _ = self._observed(given)
        kernel = self.kernel.resolve(rows.X, rows.w)
        make = self.approximation.maker(rows)
        process = make(rows, kernel, self.noise)
        if self.learn == "none":
            stop = Stop("converged", "Solved in closed form for the settings that are given.")
            return iter([Step(0, process.evidence, _state(process), stop, "The posterior.")])
        return self._learned(given, Ascent(process, make, CRITERIA[self.learn]))

    def _learned(self, given: Given, ascent: Ascent[Any]) -> Iterator[Step]:
        """Each step of each start; the state is the best so far."""
        best: Reached[Any] | None = None
        k, starts = 0, started(ascent, given.rng("starts"), 1 + self.n_restarts)
        for number, start in enumerate(starts, 1):
            for at in ascent.walk(start, tol=self.tol, max_iter=self.max_iter):
                if best is None or at.value >= best.value:
                    best = at
                is_last = at.stop is not None and number == len(starts)
                note = at.note if len(starts) == 1 else f"Start {number}: {at.note}"
                stop = best.stop or at.stop if is_last else None
                yield Step(k, best.value, _state(best.process), stop, note)
                k += 1

    def fit_together(self, given: Given) -> tuple[GPFit, ...]:
        """One fit an output of the target, (n, q), all by one kernel and one noise.

        Learned are those of the largest sum of the criterion over the outputs, each scaled by
        itself. Constant ones teach nothing: the more of them, the less noise there would be.
        """
        varies = np.ptp(given.target[given.w > 0], axis=0) > 0
        is_taught_by_all = bool(varies.all()) or not varies.any()
        teaching = given if is_taught_by_all else replace(given, y=given.target[:, varies].copy())
        end = self._end(teaching)
        rows, process = self._under(given, end.state)
        each = (
            self._finished(
                replace(given, y=np.ascontiguousarray(given.target[:, j])),
                replace(end, state=_state(process.of_output(j))),
            )
            for j in range(rows.outputs)
        )
        shared = self._of_shared(rows, process)
        if not is_taught_by_all:
            silent = int((~varies).sum())
            shared = self._of_shared(*self._under(teaching, end.state)) + (
                f" {count(silent, 'other output')} {plural(silent, 'is', 'are')} constant and "
                f"{plural(silent, 'teaches', 'teach')} nothing."
            )
        return tuple(replace(fit, notes=(shared, *fit.notes)) for fit in each)

    def _under(self, given: Given, state: GPState) -> tuple[Observed, Any]:
        """The rows that count, and their process under a kernel and a noise."""
        rows, _, _ = self._observed(given)
        return rows, self.approximation.maker(rows)(rows, state.kernel, state.noise)

    def _of_shared(self, rows: Observed, process: Any) -> str:
        """Which settings several outputs have in common, and what they are worth together."""
        criterion = CRITERIA.get(self.learn, EVIDENCE)
        ascent = Ascent.of(rows, self.kernel.resolve(rows.X, rows.w), self.noise, criterion)
        value = f"the {criterion.name} of all is {rough(criterion.value(process))}"
        return f"{count(rows.outputs, 'output')} share: {ascent.words(process)}; {value}."

    def _observed(self, given: Given) -> tuple[Observed, Any, Any]:
        """The rows that count with the scaled target, and how it was scaled.

        Mean and spread are numbers, or (q,) for several outputs.
        """
        used = given.w > 0
        y, w = given.target[used], given.w[used]
        if y.ndim == 1:
            scaled, mean, spread = self._scaled(y, w)
        else:
            each = (self._scaled(column, w) for column in y.T.copy())
            scaled, mean, spread = (np.stack(parts, axis=-1) for parts in zip(*each, strict=True))
        rows = self.approximation.kept(Observed(given.X[used], scaled, w), given.rng("rows kept"))
        return rows, mean, spread

    def _scaled(self, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, float, float]:
        """One output as `scaling` has it, (n,), with what was taken away and divided by."""
        mean = float(np.average(y, weights=w)) if self.scaling != "none" else 0.0
        spread = 1.0
        if self.scaling == "standardise":
            spread = float(np.sqrt(np.average((y - mean) ** 2, weights=w)))
            # Rounding of a constant target is no spread.
            spread = spread if spread > 1e-12 * max(float(np.abs(y).max()), 1e-300) else 1.0
        scaled = (y - mean) / spread
        if float(np.abs(scaled).max()) > LARGEST:
            raise DataError(f"{self.title()}: the target overflows. Standardise it.")
        return scaled, mean, spread

    def _finished(self, given: Given, end: Step) -> GPFit:
        state: GPState = end.state
        rows, mean, spread = self._observed(given)
        kernel, learns = self.kernel.resolve(rows.X, rows.w), self.learn != "none"
        ascent = Ascent.of(rows, kernel, self.noise, CRITERIA.get(self.learn, EVIDENCE))
        return self.approximation.fit_type(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            kernel=state.kernel,
            noise=state.noise,
            rows=rows.X,
            target=rows.y,
            row_weights=rows.w,
            weights=state.weights,
            **state.posterior,
            mean=mean,
            spread=spread,
            log_evidence=state.log_evidence,
            learned=ascent.paths if learns else (),
            notes=(
                *notes_of_rows(rows.X),
                *(ascent.notes(state.kernel, state.noise) if learns else ()),
                *_of_conflicts(rows, state),
            ),
        )


def _of_conflicts(rows: Observed, state: GPState) -> tuple[str, ...]:
    """That next to no noise leaves targets that no function can have; the residuals are its part.

    Where all rows count through some of them the residuals hold more than noise: nothing is told.
    """
    if isinstance(state, SparseGPState):
        return ()
    return note_of_interpolation(rows.X, rows.y, state.noise * state.weights / rows.w)


def _state(process: Any) -> GPState:
    """What a fit takes over, by the names that it has there, so that a step can be shown as one."""
    kind: Any = SparseGPState if isinstance(process, SparseProcess) else GPState
    return kind(
        kernel=process.kernel, noise=process.noise, weights=process.weights,
        log_evidence=process.evidence, **process.posterior,
    )  # fmt: skip
