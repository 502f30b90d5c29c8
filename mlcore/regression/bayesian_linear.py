"""Bayesian linear regression: a distribution of planes, and so of every prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.maths.normal import central_interval
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.regression.posterior import LEAST_SPARE, BayesState, Seen, seen_in
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop, last, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, real

SILENT = 1e-12  # gain of the columns, signal over noise, below which they say nothing
PICTURES = 60  # posteriors on the way from no rows to all


@dataclass(frozen=True, eq=False, kw_only=True)
class BayesianLinearFit(LinearFit):
    """The normal distribution of coefficients that the rows leave; its mean is the plane."""

    made_by: BayesianLinearRegression
    axes: np.ndarray  # (p, r) directions in which the rows tell coefficients apart, orthonormal
    axis_variances: np.ndarray  # (r,) of the coefficients along them; elsewhere that of the prior
    prior_variance: float  # of a coefficient, given or learned
    noise_variance: float  # of the target around the plane, given or learned, in squared units
    offset_variance: float  # of the plane at the mean of the columns
    middle: np.ndarray  # (p,) the mean of the columns, or zeros without an intercept
    log_evidence: float  # in nats; with an intercept, of the target less its mean

    @property
    def is_determined(self) -> bool:
        """Whether the rows tell all coefficients, and the prior is alone in no direction."""
        return self.axes.shape[1] == len(self.axes)

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the coefficients, shape (p, p)."""
        known = (self.axes * self.axis_variances) @ self.axes.T
        if self.is_determined:
            return known
        others = np.eye(len(known)) - self.axes @ self.axes.T
        return known + self.prior_variance * others

    @property
    def weight_mean(self) -> np.ndarray:
        """Coefficients and, last, the intercept, shape (p + 1,)."""
        return np.append(self.coefficients, self.intercept)

    @property
    def weight_covariance(self) -> np.ndarray:
        """Covariance of the coefficients and, last, the intercept, shape (p + 1, p + 1).

        The intercept is the height at the mean of the columns, less what the slopes add on the
        way to 0.
        """
        C = self.covariance
        across = -C @ self.middle
        height = self.offset_variance + float(self.middle @ C @ self.middle)
        return np.block([[C, across[:, None]], [across[None], np.array([[height]])]])

    @property
    def weight_prior(self) -> np.ndarray:
        """Standard deviations before the rows, shape (p + 1,); the offset is free."""
        offset = np.inf if self.made_by.intercept else 0.0
        return np.append(np.full(len(self.coefficients), np.sqrt(self.prior_variance)), offset)

    def prior_mean(self, X: Any) -> np.ndarray:
        """The height of the plane at the mean of the columns, shape (m,): it is free."""
        height = self.intercept + float(self.coefficients @ self.middle)
        return np.full(len(self._rows(X)), height)

    def prior_deviation(self, X: Any) -> np.ndarray:
        """Of planes through that height, whose slopes nothing is known of but tau, shape (m,)."""
        away = self._rows(X) - self.middle
        return np.sqrt(self.prior_variance * (away**2).sum(axis=1))

    def prior_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray:
        """Planes drawn from the prior, at rows X, (m, p), without noise, shape (count, m)."""
        X = self._rows(X)
        slopes = random.generator(seed, "prior functions").standard_normal((count, X.shape[1]))
        return self.prior_mean(X) + np.sqrt(self.prior_variance) * slopes @ (X - self.middle).T

    def function_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of the plane, without noise, in units of the target, shape (m,)."""
        return np.sqrt(self._variance(self._rows(X)))

    def predictive_deviation(self, X: Any) -> np.ndarray:
        """Standard deviation of what will be observed, in units of the target, shape (m,)."""
        return np.sqrt(self._variance(self._rows(X)) + self.noise_variance)

    def predictive_interval(self, X: Any, level: float) -> np.ndarray:
        """Ends of the central interval of what will be observed, shape (m, 2).

        `level` is its probability, between 0 and 1.
        """
        return central_interval(self.predict(X), self.predictive_deviation(X), level)

    def sample_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray:
        """Planes drawn from the posterior, at rows X, (m, p), without noise, shape (count, m)."""
        X = self._rows(X)
        rng = random.generator(seed, "functions")
        heights = np.sqrt(self.offset_variance) * rng.standard_normal((count, 1))
        free = np.sqrt(self.prior_variance) * rng.standard_normal((count, X.shape[1]))
        along = np.sqrt(self.axis_variances) * rng.standard_normal((count, len(self.axes.T)))
        away = free + (along - free @ self.axes) @ self.axes.T
        return self.predict(X) + heights + away @ (X - self.middle).T

    def _variance(self, X: np.ndarray) -> np.ndarray:
        """x'A^-1 x with the uncertainty of the offset, shape (m,)."""
        away = X - self.middle
        along = away @ self.axes
        variance = along**2 @ self.axis_variances + self.offset_variance
        if self.is_determined:
            return variance
        unknown = np.maximum((away**2).sum(axis=1) - (along**2).sum(axis=1), 0.0)
        return variance + self.prior_variance * unknown


def _cost(n: int, p: int, method: BayesianLinearRegression) -> tuple[float, float]:
    short = min(n, p)
    return 1e-3 + (6.0 * n * p * short + 25.0 * short**3) / 1e10, 8.0 * (3 * n * p + 4 * short * p)


@enter(
    Card(
        "bayesian_linear",
        "Bayesian linear regression",
        ("regression",),
        paper="MacKay (1992), Neural Computation 4(3)",
        task="regression",
        peer="sklearn.linear_model.BayesianRidge",
        sources=(
            "epfl:bayes_linreg", "epfl:bayes_linreg_map", "epfl:bayes_linreg_marginal",
            "epfl:linreg_ml",
        ),
        takes=("weights",),
        weigh="copies",
        scores=("regression_scores", "predictive_scores"),
        cost=_cost,
        units="its prior",
        formula=r"w \mid y \sim \mathcal N\bigl(A^{-1} X^\top y / \sigma^2,\ A^{-1}\bigr), \quad "
        r"A = X^\top X / \sigma^2 + I / \tau^2",
        synonyms=(
            "BayesianRidge", "Bayesian ridge", "evidence approximation", "type II maximum "
            "likelihood", "empirical Bayes", "MAP", "posterior", "credible interval",
        ),
        line="all planes that the rows leave possible",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class BayesianLinearRegression(IterativeMethod):
    r"""Keeps every plane that the rows leave possible, and says how sure a prediction is.

    Coefficients are normal with variance $\tau^2$ before the rows are seen, the target has normal
    noise of variance $\sigma^2$, the offset is free. Given the rows, coefficients are normal around
    those of ridge regression with $\alpha = \sigma^2 / \tau^2$, and predictions have the variance
    $x^\top A^{-1} x + \sigma^2$, which grows with the distance from the mean of the rows. Both
    variances are those of the largest evidence $\log p(y \mid X)$, or given.

    Use it on few rows, where it matters how sure a prediction is, or for a ridge that chooses its
    own strength without leaving rows out; standardise first, since the prior compares the units of
    the columns. O(n p min(n, p)). The band is that of a plane: where the truth is bent, or the
    noise not the same everywhere, it is narrow and wrong.
    """

    peer_differs = (
        "Theirs counts the offset as known and stops by another rule, so variances differ slightly."
    )

    hyper: str = choice(
        "evidence",
        "evidence",
        "fixed",
        label="Variances",
        doc="Those of the largest evidence of the training rows, or as given.",
    )
    prior_variance: float = real(
        1.0,
        low=1e-12,
        high=1e12,
        soft=(1e-6, 1e6),
        log=True,
        symbol=r"\tau^2",
        doc="Variance of a coefficient before rows are seen, in squared units of the target over "
        "the column.",
        only_if={"hyper": "fixed"},
    )
    noise_variance: float = real(
        1.0,
        low=1e-12,
        high=1e12,
        soft=(1e-6, 1e6),
        log=True,
        symbol=r"\sigma^2",
        doc="Variance of the target around the plane, in its squared units.",
        only_if={"hyper": "fixed"},
    )
    intercept: bool = flag(
        True, doc="Whether the plane may lie at any height; else it goes through 0.", advanced=True
    )
    max_iter: int = integer(
        300,
        low=1,
        soft=(10, 1000),
        label="Most iterations",
        doc="Stop after this many estimates of the variances.",
        advanced=True,
        only_if={"hyper": "evidence"},
    )
    tol: float = real(
        1e-3,
        above=0.0,
        soft=(1e-8, 1e-1),
        log=True,
        label="Tolerance",
        doc="Stop when no variance changes by more than this share.",
        advanced=True,
        only_if={"hyper": "evidence"},
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(hyper="evidence")
        return missing or {"fit_intercept": self.intercept, "max_iter": self.max_iter}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        table = _counting(given)
        if self.hyper == "evidence":
            return self._by_evidence(self._seen(table, len(table.y)))
        return self._row_by_row(table)

    def _end(self, given: Given) -> Step:
        if self.hyper == "evidence":
            return last(self._steps(given))
        table = _counting(given)
        return self._after(table, len(table.y), len(_portions(len(table.y))) - 1)

    def _finished(self, given: Given, end: Step) -> BayesianLinearFit:
        at: BayesState = end.state
        return BayesianLinearFit(
            **linear_fields(self, given, end),
            axes=at.axes,
            axis_variances=at.axis_variances,
            prior_variance=at.prior_variance,
            noise_variance=at.noise_variance,
            offset_variance=at.offset_variance,
            middle=at.middle,
            log_evidence=at.log_evidence,
        )

    def _seen(self, table: _Table, count: int) -> Seen:
        """What the first rows say, in the directions of their columns."""
        w = None if table.w is None else table.w[:count]
        return seen_in(table.X[:count], table.y[:count], w, intercept=self.intercept)

    # Given variances: rows come in one after the other.

    def _row_by_row(self, table: _Table) -> Iterator[Step]:
        return (self._after(table, count, k) for k, count in enumerate(_portions(len(table.y))))

    def _after(self, table: _Table, count: int, k: int) -> Step:
        """The posterior after the first rows, which is the prior of the next."""
        state = self._seen(table, count).posterior(self.prior_variance, self.noise_variance)
        is_last = count == len(table.y)
        stop = Stop("converged", "All rows are seen; the variances are given.") if is_last else None
        note = f"{count} of {len(table.y)} rows seen: log evidence {state.log_evidence:.5g}."
        return Step(k, -state.log_evidence, state, stop, note)

    # Learned variances.

    def _by_evidence(self, seen: Seen) -> Iterator[Step]:
        """MacKay's fixed point: coefficients that the rows determine pay for the variances."""
        least = seen.least_noise
        noise, prior = max(seen.mean_square, least), seen.first_prior
        for k in range(self.max_iter):
            m, known = seen.estimate(prior, noise)
            after = max(float(m @ m) / known, 0.0) if known > 0 else 0.0
            left = seen.squares_left(m)
            spare = max(seen.df - known, LEAST_SPARE * seen.total)
            before, noise = (prior, noise), max(left / spare, least)
            least_prior = SILENT * noise / seen.strongest
            if is_silent := after <= least_prior:
                after, noise = least_prior, max(seen.mean_square, least)
            prior = after
            change = max(abs(np.log(prior / before[0])), abs(np.log(noise / before[1])))
            state = seen.posterior(prior, noise)
            stop = _special(is_exact=noise <= least, is_silent=is_silent)
            what = "the change of the variances"
            stop = stop or verdict(k, change, tol=self.tol, max_iter=self.max_iter, what=what)
            note = f"The rows determine {known:.3g} coefficients; noise variance {noise:.4g}."
            yield Step(k, -state.log_evidence, state, stop, note)
            if stop:
                return


def _special(*, is_exact: bool, is_silent: bool) -> Stop | None:
    if is_exact:
        return Stop("collapsed", "The plane fits the rows exactly: no noise is left to estimate.")
    if is_silent:
        why = "The columns say nothing of the target: every coefficient is taken for zero."
        return Stop("converged", why)
    return None


def _portions(n: int) -> np.ndarray:
    """Numbers of rows after which a picture is taken: all small ones, then ever larger steps."""
    return np.unique(np.rint(np.geomspace(1, n, PICTURES)).astype(int))


class _Table(NamedTuple):
    """The rows of positive weight."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,)
    w: np.ndarray | None  # (n,), None where all are 1


def _counting(given: Given) -> _Table:
    if given.weights is None:
        return _Table(given.X, given.target, None)
    keep = given.weights > 0
    return _Table(given.X[keep], given.target[keep], given.weights[keep])
