"""Imputation by a Gaussian that is fitted, missing values and all, by expectation-maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, real
from mlcore.spine.wording import listed

SLOWEST = 0.999  # by which a change is taken to shrink; near rounding changes do not shrink at all


@dataclass(frozen=True, eq=False)
class GaussianState:
    """The Gaussian after an iteration, of the k columns of numbers that have any value."""

    mean: np.ndarray  # (k,) in the units of the columns
    covariance: np.ndarray  # (k, k)
    filled: np.ndarray  # what the iteration put into the missing values, row by row


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianImputerFit(StepFit):
    """The Gaussian of the training rows."""

    made_by: GaussianImputer
    used: np.ndarray  # (k,) positions of the columns of numbers that have any value
    mean: np.ndarray  # (k,) in the units of the columns
    covariance: np.ndarray  # (k, k), divisor n, with the ridge
    scale: np.ndarray  # (k,) in which the covariance is solved, positive
    empty: np.ndarray  # positions of the columns of numbers without any value
    n_missing: np.ndarray  # (k,) missing values among the training rows

    def holds_together(self) -> bool:
        """Whether mean and covariance have the sizes of the used columns."""
        k = len(self.used)
        return (self.mean.shape, self.covariance.shape) == ((k,), (k, k))

    @property
    def gaps(self) -> np.ndarray | None:
        """Positions of the used columns with missing values, (g,), most first; None without any."""
        order = np.argsort(-self.n_missing, kind="stable")
        return order[self.n_missing[order] > 0] if self.n_missing.any() else None

    def transform(self, X: Any) -> np.ndarray:
        """Rows whose missing values have the mean given what the row shows, shape (m, p)."""
        X = self._rows(X).copy()
        X[:, self.empty] = np.where(np.isnan(X[:, self.empty]), 0.0, X[:, self.empty])
        Z = (X[:, self.used] - self.mean) / self.scale
        S = self.covariance / np.outer(self.scale, self.scale)
        for rows, seen in _patterns(Z):
            hidden = ~seen
            slopes = np.linalg.solve(S[np.ix_(seen, seen)], S[np.ix_(seen, hidden)])
            guess = np.zeros((len(rows), hidden.sum()))
            # Added up column by column, a row gets the same bits whatever stands beside it.
            for z, slope in zip(Z[np.ix_(rows, seen)].T, slopes, strict=True):
                guess += z[:, None] * slope
            at = self.used[hidden]
            X[np.ix_(rows, at)] = self.mean[hidden] + guess * self.scale[hidden]
        return X

    def summary(self) -> StepSummary:
        """The mean of each column which has missing values in the training rows."""
        at = np.flatnonzero(self.n_missing)
        values = tuple((self.columns[self.used[i]].name, "mean", float(self.mean[i])) for i in at)
        note = "" if values else "No training row has a missing number."
        if names := [self.columns[j].name for j in self.empty]:
            note = f"No training row has a value of {listed(names)}: filled with 0."
        if self.stop is not None and self.stop.kind == "limit":
            note = f"{note} {self.stop.why}".strip()
        return StepSummary(self.made_by.title(), values, note)


def _cost(n: int, p: int, step: GaussianImputer) -> tuple[float, float]:
    iterations, patterns = min(step.max_iter, 40), min(n, 2.0**p, 100.0)
    once = 1e-3 + 1e-8 * n * p**2
    return once + iterations * (patterns * (1e-4 + 1e-9 * p**3) + 1e-8 * n * p), 40.0 * n * p


@enter(
    Card(
        "gaussian_imputer",
        "Gaussian imputation",
        ("preparation",),
        stage="fill",
        paper="Dempster, Laird and Rubin (1977), Journal of the Royal Statistical Society B 39",
        sources=("mi2:em_missing_values",),
        takes=("columns", "missing"),
        cost=_cost,
        formula=r"\hat x_h = \mu_h + \Sigma_{hs} \Sigma_{ss}^{-1} (x_s - \mu_s)",
        synonyms=(
            "EM imputation",
            "expectation-maximisation",
            "iterative imputer",
            "multivariate imputation",
        ),
        line="what a Gaussian expects of the missing",
    )
)
@dataclass(frozen=True, kw_only=True)
class GaussianImputer(IterativeMethod):
    """Fills the missing values of a row with what a Gaussian expects, given the rest of the row.

    The mean and covariance of a Gaussian are found by expectation-maximisation from all values
    that are there: each iteration replaces a missing value by its conditional mean, and adds its
    conditional covariance to the moments, without which the spread would shrink. The log-likelihood
    of what is seen, less n/2 times the ridge times the trace of the inverse covariance of
    standardised columns, never falls. Columns of names pass as they are.

    For numbers that depend on each other, with missing values that may depend on the values seen
    but not on those hidden. Straight lines only: it fills bent relations badly, and filled values
    lie closer together than true ones. A column without any value is filled with 0. O(n p^2) once,
    and O(p^3) an iteration for every pattern of missing values.
    """

    mixes_columns: ClassVar[bool] = True

    max_iter: int = integer(
        1000,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Maximum iterations",
        doc="Iterations at most.",
    )
    tol: float = real(
        1e-6,
        low=0.0,
        soft=(1e-8, 1e-2),
        label="Tolerance",
        doc="Stop when no mean or covariance is further from its limit, as far as the last two "
        "changes tell, in standard deviations.",
        advanced=True,
    )
    ridge: float = real(
        1e-6,
        above=0.0,
        soft=(1e-8, 1e-1),
        log=True,
        doc="Added to each variance, as a share of that of the seen values; keeps it invertible.",
        advanced=True,
    )

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._iterations(_Seen.of(given))

    def _iterations(self, seen: _Seen) -> Iterator[Step]:
        k = len(seen.used)
        mean, S, before = np.zeros(k), np.diag(seen.Z_variances + self.ridge), np.inf
        for iteration in range(self.max_iter):
            guess = _expected(seen, mean, S)
            new_mean, new_S = _moments(guess, self.ridge)
            change = max(_largest_difference(new_mean, mean), _largest_difference(new_S, S))
            left, before = _left_to_go(change, before), change
            what = "the distance to the limit"
            stop = verdict(iteration, left, tol=self.tol, max_iter=self.max_iter, what=what)
            if not len(guess.filled):
                stop = Stop(
                    "converged",
                    "Converged: there are no missing values, so one iteration is exact.",
                )
            objective = guess.loglik - seen.unit - guess.n * self.ridge * _trace_of_inverse(S) / 2
            mean, S = new_mean, new_S
            note = f"The largest change is {change:.3g} standard deviations."
            yield Step(iteration, objective, seen.in_units(mean, S, guess), stop, note)
            if stop:
                return

    def _finished(self, given: Given, end: Step) -> GaussianImputerFit:
        seen = _Seen.of(given)
        is_number = np.array([not holds_names(c) for c in given.columns])
        return GaussianImputerFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(c if holds_names(c) else as_number(c) for c in given.columns),
            n_iter=end.k + 1,
            stop=end.stop,
            used=seen.used,
            mean=end.state.mean,
            covariance=end.state.covariance,
            scale=seen.scale,
            empty=np.flatnonzero(is_number & np.isnan(given.X).all(axis=0)),
            n_missing=np.isnan(given.X[:, seen.used]).sum(axis=0),
        )


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Rows with missing values in the same columns: all that an iteration needs of them."""

    o: np.ndarray  # positions of the columns that they show
    h: np.ndarray  # positions of the others
    Z: np.ndarray  # (r, o)
    cells: np.ndarray  # (r, h) where their missing values stand among all missing values
    mean: np.ndarray  # (o,)
    factor: np.ndarray  # F of at most o rows, F'F being the scatter about the mean

    @classmethod
    def of(cls, Z: np.ndarray, mask: np.ndarray, cells: np.ndarray) -> _Pattern:
        """The pattern of rows Z, shape (r, k), that show the columns in `mask`."""
        shown = np.ascontiguousarray(Z[:, mask])
        mean = shown.mean(axis=0)
        factor = shown - mean
        if len(factor) > factor.shape[1]:
            # As good as the rows, and an iteration no longer costs more for more of them.
            factor = np.asarray(np.linalg.qr(factor, mode="r"))
        o, h = np.flatnonzero(mask), np.flatnonzero(~mask)
        return cls(o, h, shown, cells[:, ~mask], mean, factor)


@dataclass(frozen=True, eq=False)
class _Seen:
    """The columns of numbers that have values, standardised by what is seen."""

    used: np.ndarray  # (k,) their positions
    center: np.ndarray  # (k,)
    scale: np.ndarray  # (k,)
    Z_variances: np.ndarray  # (k,) 1, or 0 for a constant
    unit: float  # what the log-likelihood in the units of the table is less
    column: np.ndarray  # which column each missing value is in, row by row
    patterns: tuple[_Pattern, ...]

    @classmethod
    def of(cls, given: Given) -> _Seen:
        is_number = np.array([not holds_names(c) for c in given.columns])
        used = np.flatnonzero(is_number & ~np.isnan(given.X).all(axis=0))
        X = given.X[:, used]
        is_seen = ~np.isnan(X)
        counts = is_seen.sum(axis=0)
        center = np.where(is_seen, X, 0.0).sum(axis=0) / counts
        spread = np.sqrt((np.where(is_seen, X - center, 0.0) ** 2).sum(axis=0) / counts)
        varies = np.nanmax(X, axis=0, initial=-np.inf) > np.nanmin(X, axis=0, initial=np.inf)
        scale = np.where(varies & (spread > 0), spread, 1.0)
        Z = (X - center) / scale
        unit = float(counts @ np.log(scale))
        cells = np.cumsum(~is_seen).reshape(is_seen.shape) - 1
        patterns = tuple(
            _Pattern.of(Z[rows], mask, cells[rows]) for rows, mask in _patterns(Z, every=True)
        )
        return cls(used, center, scale, varies * 1.0, unit, np.nonzero(~is_seen)[1], patterns)

    def in_units(self, mean: np.ndarray, S: np.ndarray, guess: _Guess) -> GaussianState:
        filled = guess.filled * self.scale[self.column] + self.center[self.column]
        covariance = S * np.outer(self.scale, self.scale)
        return GaussianState(self.center + mean * self.scale, covariance, filled)


class _Guess(NamedTuple):
    rows: np.ndarray  # (P,) rows of each pattern that shows anything
    means: np.ndarray  # (P, k) of these rows with their missing values filled
    factors: np.ndarray  # (f, k) F of all patterns, F'F being their scatters about their means
    extra: np.ndarray  # (k, k) sum of the conditional covariances
    loglik: float  # of what is seen, in standardised units
    filled: np.ndarray  # what stands in the missing values, row by row

    @property
    def n(self) -> int:
        return int(self.rows.sum())


def _patterns(Z: np.ndarray, *, every: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows that lack the same columns, and which they show, shape (k,); all if `every`."""
    masks, which = np.unique(~np.isnan(Z), axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which[order], np.arange(len(masks) + 1))
    for i, mask in enumerate(masks):
        if every or not mask.all():
            yield order[bounds[i] : bounds[i + 1]], mask


def _expected(seen: _Seen, mean: np.ndarray, S: np.ndarray) -> _Guess:
    """The E-step: conditional means of missing values, conditional covariances, likelihood."""
    k, shown = len(mean), [p for p in seen.patterns if len(p.o)]
    means, extra, loglik = np.empty((len(shown), k)), np.zeros_like(S), 0.0
    filled = mean[seen.column]  # all that is known of a row that shows nothing
    factors = []
    for p, whole in zip(shown, means, strict=True):
        r, width = p.Z.shape
        # One factor a pattern serves the slopes, the distances and the determinant.
        L = np.linalg.cholesky(S[np.ix_(p.o, p.o)])
        beside = (S[np.ix_(p.o, p.h)], (p.mean - mean[p.o])[:, None], p.factor.T)
        solved = np.linalg.solve(L, np.hstack(beside))
        A, off, F = solved[:, : len(p.h)], solved[:, len(p.h)], solved[:, len(p.h) + 1 :]
        loglik -= r * (np.log(np.diag(L)).sum() + (width * np.log(2 * np.pi) + off @ off) / 2)
        loglik -= (F**2).sum() / 2
        slopes = np.linalg.solve(L.T, A)
        whole[p.o], whole[p.h] = p.mean, mean[p.h] + off @ A
        factors.append(np.empty((len(p.factor), k)))
        factors[-1][:, p.o], factors[-1][:, p.h] = p.factor, p.factor @ slopes
        filled[p.cells] = p.Z @ slopes + (mean[p.h] - mean[p.o] @ slopes)
        extra[np.ix_(p.h, p.h)] += r * (S[np.ix_(p.h, p.h)] - A.T @ A)
    rows = np.array([len(p.Z) for p in shown], dtype=np.float64)
    return _Guess(rows, means, np.vstack([np.empty((0, k)), *factors]), extra, loglik, filled)


def _moments(guess: _Guess, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """The M-step, over the rows that show anything."""
    n = max(guess.n, 1)
    mean = guess.rows @ guess.means / n
    D = guess.means - mean
    S = (guess.factors.T @ guess.factors + (D.T * guess.rows) @ D + guess.extra) / n
    return mean, S + ridge * np.eye(len(S))


def _left_to_go(change: float, before: float) -> float:
    """The sum of all changes to come if they shrink as the last one did; at least the last."""
    rate = min(change / before, SLOWEST) if before > 0 else 0.0
    return change * max(rate / (1.0 - rate), 1.0)


def _largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max(initial=0.0))


def _trace_of_inverse(S: np.ndarray) -> float:
    """The trace of the inverse."""
    return float(np.trace(np.linalg.inv(S)))
