"""Generalised linear regression: a plane for the logarithm of a mean, and noise to match it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.optimisation.composed import Objective, Point
from mlcore.optimisation.deviances import Shifted
from mlcore.optimisation.newton import Guess, Newton
from mlcore.optimisation.penalties import ElasticNetPenalty, NoPenalty
from mlcore.optimisation.rows import BLOCK
from mlcore.regression.families import Family
from mlcore.regression.information import Determined, determined, information
from mlcore.regression.linear import constant_note
from mlcore.regression.linked import LinkedFit, LinkedMethod
from mlcore.spine.capabilities_of_sums import Sum, weighted_columns
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, real


@dataclass
class GeneralisedLinearState:
    """Where the iteration stands."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    predictor: np.ndarray  # (n,) before the link is undone
    rank: int | None  # how many unknowns the rows determine, where that was asked for


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralisedLinearFit(LinkedFit):
    """A fitted generalised linear regression."""

    made_by: GeneralisedLinear
    coefficients: np.ndarray  # (p,) of the linked mean for one unit; 1 for an exposure's logarithm
    intercept: float  # linked mean where every column is 0
    pearson_dispersion: float  # by Pearson's residuals: about 1 for counts that are Poisson's
    standard_errors: np.ndarray  # (p,) NaN with a penalty, for an exposure, or if undetermined
    intercept_error: float
    df_residual: float  # of the t statistics; infinite where the dispersion is known
    notes: tuple[str, ...] = ()

    def predict(self, X: Any) -> np.ndarray:
        """The mean at each row, in units of the target, shape (m,)."""
        return self.made_by.loss().mean(self._linked(X))

    def _linked(self, X: Any) -> np.ndarray:
        X, slopes = self._rows(X), self.coefficients
        if (at := self.made_by.exposure_at(self.columns)) is not None:
            slopes = slopes.copy()
            slopes[at] = 0.0  # it enters by its logarithm
        return X @ slopes + self.intercept + self.offset(X)

    @property
    def as_sum(self) -> Sum:
        """The linked mean: a line a column."""
        return self._sum_of(weighted_columns(self.coefficients[:, None]))


def _cost(n: int, p: int, method: GeneralisedLinear) -> tuple[float, float]:
    return 1.5e-3 + 10.0 * (n * 6e-8 + n * (p + 1) ** 2 / 3e9 + p**3 / 1e9), 60.0 * n + 24.0 * p**2


@enter(
    Card(
        "generalised_linear",
        "Generalised linear regression",
        ("regression",),
        paper="Nelder and Wedderburn (1972), J. Royal Statistical Society A 135(3)",
        task="regression",
        peer="sklearn.linear_model.TweedieRegressor",
        takes=("weights",),
        weigh="precisions",
        scores=("regression_scores", "deviance_scores"),
        cost=_cost,
        units="its penalty",
        formula=r"\min_{w, b} \; \frac{1}{2 \sum_i \omega_i} \sum_i \omega_i \, d(y_i, \mu_i) + "
        r"\alpha \left( \rho \|w\|_1 + \tfrac{1 - \rho}{2} \|w\|^2 \right), "
        r"\qquad g(\mu_i) = x_i^\top w + b + \log e_i",
        synonyms=(
            "GLM", "generalized linear model", "Poisson regression", "PoissonRegressor",
            "gamma regression", "GammaRegressor", "Tweedie regression", "TweedieRegressor",
            "log-linear model", "count data", "counts", "log link", "IRLS", "offset", "exposure",
            "binomial regression", "proportions", "logistic regression with counts", "rates",
        ),
        line="counts and amounts through a link",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GeneralisedLinear(LinkedMethod, IterativeMethod):
    r"""A linear model of the mean's logarithm, for counts and amounts whose noise grows with them.

    Minimises half the mean deviance $d$ of the family about the means $\mu_i$, plus a penalty; the
    intercept is free. With the logarithm as link, a unit of a column multiplies the mean by $e^w$.
    A step of Newton's method is a weighted least squares fit.

    Use it for counts, rates and amounts, which are never negative and scatter more where they are
    large, and for shares. Counts of unequal times or numbers of people have these as exposure: a
    column whose logarithm enters with coefficient 1. Of shares the weight is the number of trials.
    O(n p^2) a step, some six of them. It is a plane behind the link: bent influences need further
    columns. Of the identity as link no mean may fall to zero, and steps become short near it.
    """

    peer_differs = "Theirs stops at a slope of 1e-4 by default; ours goes on to the optimum."

    alpha: float = real(
        0.0, low=0.0, soft=(0.0, 10.0), symbol=r"\alpha",
        doc="Strength of the penalty on the coefficients, beside half the mean deviance.",
    )  # fmt: skip
    l1_ratio: float = real(
        0.0, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\rho", label="L1 ratio",
        doc="Share of the absolute values in the penalty: they set coefficients to exactly zero.",
        advanced=True,
    )  # fmt: skip
    max_iter: int = integer(
        100, low=1, soft=(1, 1000), label="Maximum iterations", doc="Most Newton steps.",
        advanced=True,
    )  # fmt: skip
    tol: float = real(
        1e-8, above=0.0, soft=(1e-12, 1e-2), log=True, label="Tolerance",
        doc="Stop when no slope is steeper than this share of the root mean square of the rows' "
        "slopes at the beginning.",
        advanced=True,
    )  # fmt: skip

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        tweedie = "gaussian", "poisson", "gamma", "inverse_gaussian", "tweedie"
        if missing := self.beyond_peer(l1_ratio=0.0, family=tweedie, exposure=None):
            return missing
        return {
            "power": self.family.variance_power,
            "link": "log" if self.has_log else "identity",
            "alpha": self.alpha,
            "solver": "newton-cholesky",
            "tol": 1e-10,
            "max_iter": 1000,
        }

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse targets outside the family, a mean without a logarithm, vanishing differences."""
        return self._unfit(y) or vanishing(X, self.title())

    def _problem(self, given: Given, offset: np.ndarray) -> Objective:
        # Weights that sum to 1 make the objective a mean, so that alpha does not depend on n.
        penalty = NoPenalty()
        if self.alpha > 0:
            penalty = ElasticNetPenalty(alpha=self.alpha, l1_ratio=self.l1_ratio)
        weights = given.w / given.w.sum()
        loss, y = self.loss(), given.target
        if self.exposure is None:
            return Objective(loss, penalty, given.X, y, weights)
        return Objective(Shifted(loss), penalty, given.X, np.column_stack([y, offset]), weights)

    def _steps(self, given: Given) -> Iterator[Step]:
        given, offset = self._exposed(given)
        problem = self._problem(given, offset)
        start = problem.zero()
        start[0, -1] = self._start(given, offset)
        local = problem.loss.at(problem.y, start[:, -1:])  # of the same in every row
        tol = self.tol * (float(problem.weights @ local.slope[0] ** 2) ** 0.5 or 1.0)
        told, rank, directions = None, None, None
        if problem.penalty.l1 == 0:
            told = determined(problem, local.slope[0])
            directions, problem = told.directions, replace(problem, centre=told.mean)
            rank = 1 + (problem.X if directions is None else directions).shape[1]
        if directions is not None:
            problem = replace(problem, X=given.X @ directions, centre=None)
            start = np.append(np.zeros(directions.shape[1]), start[0, -1])[None, :]
        rest = float(problem.weights @ self.family.saturated(given.target))
        for step in self._walk(problem, start, told, problem.value(local, start), tol):
            at: Point = step.state
            w = at.coefficients[0] if directions is None else directions @ at.coefficients[0]
            state = GeneralisedLinearState(w, float(at.intercept[0]), at.predictor[0], rank)
            yield replace(step, state=state, objective=step.objective + rest)

    def _walk(
        self,
        problem: Objective,
        start: np.ndarray,
        told: Determined | None,
        value: float,
        tol: float,
    ) -> Iterator[Step]:
        """From a start of such a value, with what rows told beforehand."""
        limits = {"tol": tol, "max_iter": self.max_iter}
        # Of the identity steps are short near a mean of zero, and every curvature is another.
        if problem.n <= BLOCK or told is None or self.used_link == "identity":
            return Newton().steps(problem, start, **limits)
        first, guess = None, None
        if told.directions is None and self.exposure is None:
            first = told.gram * self.loss().expected_curvature(start[0, -1])  # of every row
            guess = _guess(problem, start, told, first, value)
        return Newton().kept_steps(problem, start, first, guess, **limits)

    def _finished(self, given: Given, end: Step) -> GeneralisedLinearFit:
        at: GeneralisedLinearState = end.state
        came, (given, offset) = given, self._exposed(given)
        family, w, y = self.family, given.w, given.target
        predictor = at.predictor + offset
        mean, constant = self.loss().mean(predictor), self._start(given, offset)
        rate = mean if self.exposure is None else self.loss().mean(at.predictor)
        rank, errors = at.rank, np.full(given.p + 1, np.nan)  # a penalty leaves no such errors
        if self.alpha == 0 or rank is None:
            problem = replace(self._problem(given, offset), weights=given.weights)
            inner = information(problem, w * self.loss().expected_curvature(predictor))
            rank, errors = inner.rank, inner.errors if self.alpha == 0 else errors
        df = int((w > 0).sum()) - rank
        pearson = float(w @ _pearson(family, y, mean)) / df if df > 0 else np.nan
        dispersion = pearson if family.known is None else family.known
        errors = dispersion**0.5 * errors
        told = (
            *constant_note(given),
            *self._separated(given, rate, constant),
            *_overdispersed(family, y, pearson),
        )
        return GeneralisedLinearFit(
            **self._judged(came, mean, constant + offset),
            n_iter=end.k + 1,
            stop=end.stop,
            coefficients=self._beside(came.columns, at.coefficients, 1.0),
            intercept=at.intercept,
            dispersion=dispersion,
            pearson_dispersion=pearson,
            standard_errors=self._beside(came.columns, errors[:-1], np.nan),
            intercept_error=float(errors[-1]),
            df_residual=float(df) if family.known is None else np.inf,
            notes=told,
        )

    def _separated(self, given: Given, mean: np.ndarray, constant: float) -> tuple[str, ...]:
        """A sentence where trials, or rows without anything, are told apart without error.

        Means, (n,), and what is linked of the best constant are those of one unit of exposure.
        """
        family, counts = self.family, given.w > 0
        y, mean = given.target[counts], mean[counts]
        if _is_single(family, y):
            what = "tell 0 and 1 apart without error"
            is_sure = family.deviance(y, mean).mean() <= CERTAIN
        elif not self.has_log or family.variance_power < 1:
            return ()
        else:
            what = "tell rows apart whose targets are all 0"
            low = mean < CERTAIN * np.exp(constant)
            is_sure = low.any() and not y[low].any() and _is_open(given.X[counts], y > 0)
        return (f"The columns {what}: {BOUNDED if self.alpha > 0 else UNBOUND}",) if is_sure else ()

    def _beside(self, columns: tuple[Column, ...], values: np.ndarray, own: float) -> np.ndarray:
        """Values of the columns with that of the exposure, where there is one, shape (p,)."""
        at = self.exposure_at(columns)
        return values if at is None else np.insert(values, at, own)


def _guess(
    problem: Objective, start: np.ndarray, told: Determined, first: np.ndarray, value: float
) -> Guess | None:
    """Where a Newton step of few rows leads from the start; None where all rows were asked."""
    if told.slope is None:
        return None
    curvature = first[:-1, :-1].copy()
    curvature.flat[:: len(curvature) + 1] += problem.penalty.l2
    theta = start.copy()
    theta[0, :-1] = -np.linalg.solve(curvature, told.slope)
    return Guess(theta, value)


def _pearson(family: Family, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Squared errors over the variance, shape (n,); 0 for a mean that cannot be missed."""
    variance, squares = family.variance(mean), (y - mean) ** 2
    return np.divide(squares, variance, out=np.zeros(len(y)), where=variance > 0)


# Mean deviance of single trials, and share of the mean, below which nothing is left to chance.
CERTAIN = 1e-6


def _is_open(X: np.ndarray, fixed: np.ndarray) -> bool:
    """Whether linear predictors can move while those of some rows, (n,), stay."""
    rows = np.column_stack([np.ones(len(X)), X / np.maximum(np.abs(X).max(axis=0), 1e-300)])
    return bool(np.linalg.matrix_rank(rows[fixed]) < np.linalg.matrix_rank(rows))


UNBOUND = (
    "the coefficients grow without bound, and their errors mean nothing. "
    "Give the penalty a strength."
)
BOUNDED = (
    "the penalty alone bounds the coefficients, and as weak as it is they are huge. "
    "Give it more strength."
)


def _is_single(family: Family, y: np.ndarray) -> bool:
    """Whether shares are of one trial each, 0 or 1."""
    return "logit" in family.links and bool(np.isin(y, (0.0, 1.0)).all())


OVERDISPERSED = 1.5  # from which on intervals of counts are a fifth too narrow and more


def _overdispersed(family: Family, y: np.ndarray, pearson: float) -> tuple[str, ...]:
    """A sentence where counts or shares scatter more than the family says."""
    # A single trial cannot scatter more.
    if family.known is None or _is_single(family, y) or not pearson > OVERDISPERSED:
        return ()
    return (
        f"The targets scatter {pearson:.3g} times as much as the family says (Pearson): standard "
        f"errors are too small by about the root of it.",
    )
