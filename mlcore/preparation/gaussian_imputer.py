"""Imputation by a Gaussian that is fitted, holes and all, by expectation-maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.component import Card, enter
from mlcore.iterate import Step, Stop, verdict
from mlcore.method import Given, IterativeMethod
from mlcore.params import integer, real
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names, listed


@dataclass(frozen=True, eq=False)
class GaussianState:
    """The Gaussian after a turn, of the k columns of numbers that have any value."""

    mean: np.ndarray  # (k,) in the units of the columns
    covariance: np.ndarray  # (k, k)
    filled: np.ndarray  # what the turn put into the holes, row by row


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianImputerFit(StepFit):
    """The Gaussian of the training rows."""

    made_by: GaussianImputer
    used: np.ndarray  # (k,) positions of the columns of numbers that have any value
    mean: np.ndarray  # (k,) in the units of the columns
    covariance: np.ndarray  # (k, k), divisor n, with the ridge
    scale: np.ndarray  # (k,) in which the covariance is solved, positive
    empty: np.ndarray  # positions of the columns of numbers without any value
    holes: np.ndarray  # (k,) missing values among the training rows

    def holds_together(self) -> bool:
        """Whether the Gaussian has the columns that it says."""
        k = len(self.used)
        return (self.mean.shape, self.covariance.shape) == ((k,), (k, k))

    def transform(self, X: Any) -> np.ndarray:
        """Rows whose holes have the mean given what the row shows, shape (m, p)."""
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
        """The mean of each column which has holes in the training rows."""
        at = np.flatnonzero(self.holes)
        values = tuple((self.columns[self.used[i]].name, "mean", float(self.mean[i])) for i in at)
        note = "" if values else "No training row has a missing number."
        if names := [self.columns[j].name for j in self.empty]:
            note = f"No training row has a value of {listed(names)}: filled with 0."
        if self.stop is not None and self.stop.kind == "limit":
            note = f"{note} {self.stop.why}".strip()
        return StepSummary(self.made_by.title(), values, note)


def _cost(n: int, p: int, it: GaussianImputer) -> tuple[float, float]:
    turns, patterns = min(it.max_iter, 40), min(n, 2.0**p, 100.0)
    return 1e-3 + turns * (patterns * (1e-4 + 1e-9 * p**3) + 2e-9 * n * p**2), 40.0 * n * p


@enter(
    Card(
        "gaussian_imputer",
        "Gaussian imputation",
        ("preparation",),
        paper="Dempster, Laird and Rubin (1977), Journal of the Royal Statistical Society B 39",
        sources=("mi2:em_missing_values",),
        takes=("columns", "missing"),
        cost=_cost,
        formula=r"\hat x_h = \mu_h + \Sigma_{hs} \Sigma_{ss}^{-1} (x_s - \mu_s)",
    )
)
@dataclass(frozen=True, kw_only=True)
class GaussianImputer(IterativeMethod):
    """Fills the holes of a row with what a Gaussian expects, given the rest of the row.

    The mean and covariance of a Gaussian are found by expectation-maximisation from all values
    that are there: each turn replaces a hole by its conditional mean, and adds its conditional
    covariance to the moments, without which the spread would shrink. The log-likelihood of what
    is seen, less n/2 times the ridge times the trace of the inverse covariance of standardised
    columns, never falls. Columns of names pass as they are.

    For numbers that depend on each other, with holes that may depend on the values seen but not on
    those hidden. Straight lines only: it fills bent relations badly, and filled values lie closer
    together than true ones. A column without any value is filled with 0. O(n p^2) a turn, and
    O(p^3) for every pattern of holes.
    """

    max_iter: int = integer(
        200, low=1, soft=(10, 1000), log=True, label="Most turns", doc="Turns at most."
    )
    tol: float = real(
        1e-6,
        low=0.0,
        soft=(1e-8, 1e-2),
        label="Tolerance",
        doc="Stop when no mean or covariance changes more, in standard deviations.",
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
        return self._turns(_Seen.of(given))

    def _turns(self, seen: _Seen) -> Iterator[Step]:
        k = len(seen.used)
        mean, S = np.zeros(k), np.diag(seen.Z_variances + self.ridge)
        for turn in range(self.max_iter):
            guess = _expected(seen, mean, S)
            new_mean, new_S = _moments(guess, self.ridge)
            change = max(_apart(new_mean, mean), _apart(new_S, S))
            stop = verdict(
                turn, change, tol=self.tol, max_iter=self.max_iter, what="the largest change"
            )
            if not np.isnan(seen.Z).any():
                stop = Stop("converged", "Converged: there are no holes, so one turn is exact.")
            objective = guess.loglik - seen.unit - guess.n * self.ridge * _trace(S) / 2
            mean, S = new_mean, new_S
            note = f"The largest change is {change:.3g} standard deviations."
            yield Step(turn, objective, seen.in_units(mean, S, guess), stop, note)
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
            holes=np.isnan(given.X[:, seen.used]).sum(axis=0),
        )


@dataclass(frozen=True, eq=False)
class _Seen:
    """The columns of numbers that have values, standardised by what is seen."""

    Z: np.ndarray  # (n, k)
    used: np.ndarray  # (k,) their positions
    center: np.ndarray  # (k,)
    scale: np.ndarray  # (k,)
    Z_variances: np.ndarray  # (k,) 1, or 0 for a constant
    unit: float  # what the log-likelihood in the units of the table is less
    patterns: list[tuple[np.ndarray, np.ndarray]]  # rows, and (k,) what they show

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
        return cls(Z, used, center, scale, varies * 1.0, unit, list(_patterns(Z, every=True)))

    def in_units(self, mean: np.ndarray, S: np.ndarray, guess: _Guess) -> GaussianState:
        holes = np.isnan(self.Z)
        X = guess.Z * self.scale + self.center
        covariance = S * np.outer(self.scale, self.scale)
        return GaussianState(self.center + mean * self.scale, covariance, X[holes])


class _Guess(NamedTuple):
    Z: np.ndarray  # (n, k) with the holes filled
    shows: np.ndarray  # (n,) whether a row has any value
    extra: np.ndarray  # (k, k) sum of the conditional covariances
    loglik: float  # of what is seen, in standardised units

    @property
    def n(self) -> int:
        return int(self.shows.sum())


def _patterns(Z: np.ndarray, *, every: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows with holes in the same columns, and which they show, shape (k,); all if `every`."""
    masks, which = np.unique(~np.isnan(Z), axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which[order], np.arange(len(masks) + 1))
    for i, mask in enumerate(masks):
        if every or not mask.all():
            yield order[bounds[i] : bounds[i + 1]], mask


def _expected(seen: _Seen, mean: np.ndarray, S: np.ndarray) -> _Guess:
    """The E-step: conditional means in the holes, conditional covariances, log-likelihood."""
    Z, extra, loglik = seen.Z.copy(), np.zeros_like(S), 0.0
    shows = np.ones(len(Z), dtype=bool)
    for rows, mask in seen.patterns:
        o, h = np.flatnonzero(mask), np.flatnonzero(~mask)
        D = (Z[np.ix_(rows, o)] - mean[o]).T
        # One factor a pattern serves the slopes, the distances and the determinant.
        L = np.linalg.cholesky(S[np.ix_(o, o)])
        solved = np.linalg.solve(L, np.hstack([S[np.ix_(o, h)], D]))
        A, D = solved[:, : len(h)], solved[:, len(h) :]
        Z[np.ix_(rows, h)] = mean[h] + D.T @ A
        log_det = 2 * np.log(np.diag(L)).sum() + len(o) * np.log(2 * np.pi)
        loglik -= (len(rows) * log_det + (D**2).sum()) / 2
        if len(o):
            extra[np.ix_(h, h)] += len(rows) * (S[np.ix_(h, h)] - A.T @ A)
        shows[rows] = len(o) > 0
    return _Guess(Z, shows, extra, float(loglik))


def _moments(guess: _Guess, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """The M-step, over the rows that show anything."""
    Z = guess.Z[guess.shows]
    mean = Z.sum(axis=0) / max(guess.n, 1)
    D = Z - mean
    S = (D.T @ D + guess.extra) / max(guess.n, 1)
    return mean, S + ridge * np.eye(len(S))


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max(initial=0.0))


def _trace(S: np.ndarray) -> float:
    """The trace of the inverse."""
    return float(np.trace(np.linalg.inv(S)))
