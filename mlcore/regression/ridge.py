"""Ridge regression: least squares with a penalty on the squared length of the coefficients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.component import Card, enter
from mlcore.errors import DataError
from mlcore.iterate import Step, Stop, last, verdict
from mlcore.method import Given, IterativeMethod
from mlcore.optimisation import closed_form
from mlcore.optimisation.closed_form import Solved, Spectrum
from mlcore.optimisation.conjugate_gradient import conjugate_gradient
from mlcore.optimisation.path import Path, falling
from mlcore.params import choice, integer, real
from mlcore.regression.linear import Design, LinearFit, constant_note, design

OWN = 1.0 - 1e-10  # a row with this leverage is fitted by itself: leaving it out is undefined
LEAST, MOST = 1e-6, 1e3  # ends of the grid of alpha, times the largest squared singular value


class RidgeCurve(NamedTuple):
    """Criteria along alpha, from one singular value decomposition."""

    alphas: np.ndarray  # (A,), falling
    loo: np.ndarray  # (A,), mean squared leave-one-out residual; NaN where undefined
    gcv: np.ndarray  # (A,), generalised cross-validation
    df: np.ndarray  # (A,), trace of H, the intercept included


@dataclass
class RidgeState:
    """Where conjugate gradients stand; closed forms have one such state."""

    coefficients: np.ndarray  # (p,)
    intercept: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RidgeFit(LinearFit):
    """A fitted ridge regression."""

    alpha: float  # given, or chosen
    solved_by: str  # name of the closed form, or cg
    hat_diag: np.ndarray  # (n,), leverage of each fitted row, the intercept included
    df: float  # sum of the leverages: effective number of parameters
    loo_residuals: np.ndarray  # (n,), target minus the prediction without that row
    loo_error: float  # mean squared leave-one-out residual, weighted; NaN where undefined
    curve: RidgeCurve | None  # the criteria that chose alpha; None where alpha was given

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along alpha on these rows."""
        return self.made_by.path(X, y, weights=weights)


def _cost(n: int, p: int, it: Ridge) -> tuple[float, float]:
    short, many = min(n, p), it.n_alphas if it.alpha_rule != "fixed" else 1
    by_gram = it.solver in ("auto", "cholesky") and many == 1
    flops = (3.0 if by_gram else 12.0) * n * p * short + 3.0 * n * short * many
    return 1e-4 + flops / 1e10, 8.0 * (3 * n * p + short**2 + 3 * n * many)


@enter(
    Card(
        "ridge",
        "Ridge regression",
        ("regression",),
        paper="Hoerl and Kennard (1970), Technometrics 12(1)",
        task="regression",
        peer="sklearn.linear_model.Ridge",
        sources=("prac:ridge", "cs1:reg_l2", "prac:krr_loo", "prac:krr_select_C"),
        takes=("weights",),
        cost=_cost,
        formula=r"\min_{w, b} \sum_i \omega_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|^2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Ridge(IterativeMethod):
    r"""Least squares that keeps the coefficients short, so that they vary less between samples.

    Minimises $\sum_i \omega_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|^2$; the intercept b is free.
    Direction j of the columns, with singular value s_j, is kept by the share
    $s_j^2 / (s_j^2 + \alpha)$. The error of leaving one row out follows from one fit:
    $(y_i - \hat y_i) / (1 - h_{ii})$.

    Use it when columns are many or correlated; standardise them first, since the penalty compares
    their units. O(n p min(n, p)). It keeps every column, and a wild row pulls it as it pulls least
    squares; for a sparse answer use the elastic net.
    """

    alpha: float = real(
        1.0,
        low=0.0,
        soft=(1e-3, 1e4),
        log=True,
        symbol="alpha",
        doc="Strength of the penalty, in squared units of the columns; used by the fixed rule. "
        "More gives shorter coefficients; 0 is least squares.",
    )
    alpha_rule: str = choice(
        "fixed",
        "fixed",
        "loo",
        "gcv",
        doc="Take alpha as given, or the one of the grid with the least leave-one-out error or "
        "generalised cross-validation score.",
    )
    n_alphas: int = integer(
        100, low=2, high=2000, soft=(10, 500), doc="Size of the grid of alpha.", advanced=True
    )
    scale: str = choice(
        "sum",
        "sum",
        "mean",
        doc="Whether the squares are summed or averaged: with the mean, alpha counts n times.",
        advanced=True,
    )
    offset: str = choice(
        "centering",
        "centering",
        "constant_feature",
        "none",
        doc="Free intercept by centring, a constant column that is penalised too, or no intercept.",
        advanced=True,
    )
    solver: str = choice(
        "auto",
        "auto",
        "cholesky",
        "svd",
        "qr",
        "cg",
        doc="How the minimum is found; auto takes Cholesky, and the singular value decomposition "
        "where Cholesky would lose digits or alpha is chosen.",
        advanced=True,
    )
    tol: float = real(
        1e-10,
        above=0.0,
        soft=(1e-12, 1e-3),
        log=True,
        doc="Conjugate gradients stop at this length of the gradient, relative to the first.",
        advanced=True,
    )

    def conflict(self) -> str | None:
        """The rules that search alpha need the whole spectrum."""
        if self.alpha_rule != "fixed" and self.solver not in ("auto", "svd"):
            return (
                f"Ridge regression chooses alpha by {self.alpha_rule} from the singular values; "
                "set solver to svd or auto."
            )
        return None

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along the grid of alpha, from one decomposition."""
        given = self._given(X, y, weights, None, None, None, 0)
        rows, times = design(given, self.offset), self._times(given)
        found = closed_form.spectrum(rows.X)
        strengths = _strengths(found, self.n_alphas)
        W = found.weights(rows.y, strengths)  # (q, A)
        split = [rows.split(w) for w in W.T]
        return Path(
            alphas=strengths / times,
            coefficients=np.array([w for w, _ in split]),
            intercepts=np.array([b for _, b in split]),
            objective=_objective(rows, W, strengths) / times,
            df=found.hat(strengths).sum(axis=0) + (self.offset == "centering"),
        )

    def _times(self, given: Given) -> float:
        """How many times alpha counts against the sum of squares."""
        return float(given.w.sum()) if self.scale == "mean" else 1.0

    def _steps(self, given: Given) -> Iterator[Step]:
        rows, times = design(given, self.offset), self._times(given)
        if self.solver == "cg":
            yield from self._turns(rows, times)
            return
        found = self._solved(given, rows)
        stop = Stop("converged", f"Solved in closed form by {found.by}.")
        yield _step(0, rows, found.solved.w, found.strength, times, stop, "The minimum, at once.")

    def _fit(self, given: Given) -> RidgeFit:
        rows = design(given, self.offset)
        found = self._solved(given, rows)
        if self.solver != "cg":
            stop = Stop("converged", f"Solved in closed form by {found.by}.")
            return self._built(given, rows, found, *rows.split(found.solved.w), 1, stop)
        end = last(self._turns(rows, self._times(given)))
        w, b = end.state.coefficients, end.state.intercept
        return self._built(given, rows, found, w, b, end.k + 1, end.stop)

    def _turns(self, rows: Design, times: float) -> Iterator[Step]:
        """Conjugate gradients on (X'X + alpha I) w = X'y, one direction a step."""
        X, strength = rows.X, self.alpha * times
        limit = 10 * X.shape[1]
        turns = conjugate_gradient(lambda v: (X @ v) @ X + strength * v, rows.y @ X)
        for k, (w, residual) in enumerate(turns):
            what = "the gradient, relative to the first,"
            stop = verdict(k, residual, tol=self.tol, max_iter=limit, what=what)
            note = f"Direction {k + 1}: the gradient is {residual:.2g} of the first."
            yield _step(k, rows, w, strength, times, stop, note)
            if stop:
                return

    def _solved(self, given: Given, rows: Design) -> _Found:
        """The minimum by the chosen closed form, and at the chosen alpha."""
        strength = self.alpha * self._times(given)
        if self.alpha_rule != "fixed":
            return self._chosen(given, rows)
        if self.solver == "svd":
            found = closed_form.spectrum(rows.X)
            return _Found(found.solved(rows.y, strength), strength, "svd")
        by = "qr" if self.solver == "qr" else "cholesky"
        solve = closed_form.by_qr if by == "qr" else closed_form.by_cholesky
        if (solved := solve(rows.X, rows.y, strength)) is not None:
            return _Found(solved, strength, by)
        if self.solver in ("cholesky", "qr"):
            raise DataError(
                f"Ridge regression by {by} needs columns that are clearly independent; with "
                f"alpha={self.alpha:g} these are not. Raise alpha, or set solver to svd."
            )
        found = closed_form.spectrum(rows.X)
        note = "The columns are nearly dependent, so the singular value decomposition was used."
        return _Found(found.solved(rows.y, strength), strength, "svd", notes=(note,))

    def _chosen(self, given: Given, rows: Design) -> _Found:
        found = closed_form.spectrum(rows.X)
        strengths = _strengths(found, self.n_alphas)
        curve = _curve(rows, found, strengths, self._times(given))
        score = curve.loo if self.alpha_rule == "loo" else curve.gcv
        if np.isnan(score).all():
            raise DataError(
                "Ridge regression cannot choose alpha here: without any one of the rows the "
                "others do not say what it should be. Set alpha_rule to fixed or add rows."
            )
        best = int(np.nanargmin(score))
        solved = found.solved(rows.y, float(strengths[best]))
        return _Found(solved, float(strengths[best]), "svd", curve)

    def _built(
        self,
        given: Given,
        rows: Design,
        found: _Found,
        w: np.ndarray,
        b: float,
        n_iter: int,
        stop: Stop | None,
    ) -> RidgeFit:
        hat = rows.leverages(found.solved.hat)
        loo, alone = _left_out(given.y - given.X @ w - b, hat)
        return RidgeFit(
            made_by=self,
            columns=given.columns,
            n_iter=n_iter,
            stop=stop,
            coefficients=w,
            intercept=b,
            notes=(*found.notes, *constant_note(given), *alone),
            alpha=found.strength / self._times(given),
            solved_by="cg" if self.solver == "cg" else found.by,
            hat_diag=hat,
            df=float(hat.sum()),
            loo_residuals=loo,
            loo_error=float(np.average(loo**2, weights=given.weights)),
            curve=found.curve,
        )


class _Found(NamedTuple):
    """A minimum, the strength it belongs to, and how it was reached."""

    solved: Solved
    strength: float  # alpha as it stands against the sum of squares
    by: str
    curve: RidgeCurve | None = None
    notes: tuple[str, ...] = ()


def _objective(rows: Design, w: np.ndarray, strength: Any) -> Any:
    """Sum of squares plus penalty, for w of shape (q,) or (q, A)."""
    y = rows.y if w.ndim == 1 else rows.y[:, None]
    return ((y - rows.X @ w) ** 2).sum(axis=0) + strength * (w**2).sum(axis=0)


def _step(
    k: int, rows: Design, w: np.ndarray, strength: float, times: float, stop: Any, note: str
) -> Step:
    objective = float(_objective(rows, w, strength)) / times
    return Step(k, objective, RidgeState(*rows.split(w)), stop, note)


def _strengths(found: Spectrum, count: int) -> np.ndarray:
    """The grid: from hardly any direction kept to nearly all of each."""
    top = float(found.s[0] ** 2) if len(found.s) else 1.0
    return falling(MOST * top, LEAST / MOST, count)


def _curve(rows: Design, found: Spectrum, strengths: np.ndarray, times: float) -> RidgeCurve:
    """Leave-one-out and generalised cross-validation error at every strength."""
    counts = np.ones(len(rows.y)) if rows.root is None else rows.root**2
    left = rows.residuals(found.weights(rows.y, strengths))  # (n, A)
    offset = rows.leverages(np.zeros(len(rows.y)))[:, None]
    hat = found.hat(strengths) + offset
    total, df = counts.sum(), hat.sum(axis=0)
    spare = np.where(hat > OWN, np.nan, 1.0 - hat)
    loo = counts @ (left / spare) ** 2 / total
    gcv = (counts @ left**2 / total) / np.maximum(1.0 - df / np.count_nonzero(counts), 0.0) ** 2
    return RidgeCurve(strengths / times, loo, gcv, df)


def _left_out(residuals: np.ndarray, hat: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Leave-one-out residuals, NaN for rows that are fitted by themselves, and what to say."""
    alone = np.flatnonzero(hat > OWN)
    loo = residuals / np.where(hat > OWN, np.nan, 1.0 - hat)
    if not len(alone):
        return loo, ()
    shown = ", ".join(str(i + 1) for i in alone[:5]) + (" and more" if len(alone) > 5 else "")
    return loo, (
        f"The fit passes through {len(alone)} of the rows by itself (row {shown}), so the error "
        "of leaving one out is undefined there.",
    )
