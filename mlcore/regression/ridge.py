"""Ridge regression: least squares with a penalty on the squared length of the coefficients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.optimisation import closed_form
from mlcore.optimisation.conjugate_gradient import conjugate_gradient
from mlcore.optimisation.path import Path
from mlcore.optimisation.rows import Design, rows
from mlcore.regression.leave_one_out import (
    Influence,
    RidgeCurve,
    TriedStrengths,
    curve_along,
    influence,
    strengths_of,
)
from mlcore.regression.linear import LinearFit, linear_fields
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, real


@dataclass
class RidgeState:
    """Where the iteration stands; closed forms have one such state."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    alpha: float  # given, or chosen
    curve: RidgeCurve | None = None  # the criteria that chose it


@dataclass(frozen=True, eq=False, kw_only=True)
class RidgeFit(LinearFit):
    """A fitted ridge regression."""

    made_by: Ridge
    alpha: float  # given, or chosen
    curve: RidgeCurve | None  # the criteria that chose alpha; None where alpha was given

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along alpha on these rows."""
        return self.made_by.path(X, y, weights=weights)

    def influence(self, X: Any, y: Any, *, weights: Any = None) -> Influence:
        """Leverages and leave-one-out residuals of the training rows, in closed form.

        Exact for this alpha; with scale "mean" the penalty keeps its strength while a row is out.
        """
        given = self.made_by.given(X, y, weights=weights)
        design = self.made_by.rows(given)
        hat = design.leverages(
            closed_form.leverages(design, self.alpha * self.made_by.times(given))
        )
        return influence(given.target - self.predict(given.X), hat, given.weights)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenRidgeFit(TriedStrengths, RidgeFit):
    """One whose strength was chosen along a curve."""


def _cost(n: int, p: int, method: Ridge) -> tuple[float, float]:
    short, many = min(n, p), method.n_alphas if method.alpha_rule != "fixed" else 1
    by_gram = method.solver in ("auto", "cholesky") and many == 1
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
        weigh="copies",
        cost=_cost,
        units="its penalty",
        formula=r"\min_{w, b} \sum_i \omega_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|^2",
        synonyms=(
            "Tikhonov regularisation",
            "Tikhonov",
            "L2 regularisation",
            "L2",
            "weight decay",
            "shrinkage",
            "Ridge",
        ),
        line="coefficients kept short",
    )
)
@dataclass(frozen=True, kw_only=True)
class Ridge(IterativeMethod):
    r"""Least squares that keeps the coefficients short, so that they vary less between samples.

    Minimises $\sum_i \omega_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|^2$; the intercept b is free.
    Direction j of the columns, with singular value $s_j$, is kept by the share
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
        symbol=r"\alpha",
        doc="Strength of the penalty, in squared units of the columns. "
        "More gives shorter coefficients; 0 is least squares.",
        only_if={"alpha_rule": "fixed"},
    )
    alpha_rule: str = choice(
        "fixed",
        "fixed",
        "loo",
        "gcv",
        label="Choice of alpha",
        doc="Take alpha as given, or the one of the grid with the least leave-one-out error or "
        "generalised cross-validation score.",
    )
    n_alphas: int = integer(
        100,
        low=2,
        high=2000,
        soft=(10, 500),
        label="Number of alphas",
        doc="Size of the grid of alpha.",
        advanced=True,
        only_if={"alpha_rule": other_than("fixed")},
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
        label="Tolerance",
        doc="Conjugate gradients stop at this length of the gradient, relative to the first.",
        advanced=True,
        only_if={"alpha_rule": "fixed", "solver": "cg"},
    )

    def fit_class(self) -> type[RidgeFit]:
        """With what was tried, where the strength is chosen."""
        return RidgeFit if self.alpha_rule == "fixed" else ChosenRidgeFit

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            alpha_rule="fixed", scale="sum", offset=("centering", "none")
        ):
            return missing
        return {"alpha": self.alpha, "fit_intercept": self.offset != "none"}

    def conflict(self) -> str | None:
        """Refuse a rule that searches alpha with a solver that has no spectrum."""
        if self.alpha_rule != "fixed" and self.solver not in ("auto", "svd"):
            return (
                f"Ridge regression chooses alpha by {self.alpha_rule} from the singular values; "
                "set solver to svd or auto."
            )
        return None

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along the grid of alpha, from one decomposition of X, shape (n, p)."""
        given = self.given(X, y, weights=weights)
        design, times = self.rows(given), self.times(given)
        svd = closed_form.spectrum(design.X)
        strengths = strengths_of(svd, self.n_alphas)
        W = svd.weights(design.y, strengths)  # (q, A)
        split = [design.split(w) for w in W.T]
        return Path(
            alphas=strengths / times,
            coefficients=np.array([w for w, _ in split]),
            intercepts=np.array([b for _, b in split]),
            objective=_objective(design, W, strengths) / times,
            df=svd.hat(strengths).sum(axis=0) + (self.offset == "centering"),
        )

    def given(self, X: Any, y: Any, *, weights: Any = None) -> Given:
        """The checked rows X, shape (n, p), and targets, shape (n,)."""
        return self._given(X, y, weights=weights)

    def rows(self, given: Given) -> Design:
        """The design matrix, with the intercept taken out or added."""
        return rows(given.X, given.target, given.weights, self.offset)

    def times(self, given: Given) -> float:
        """Factor of alpha in the sum of squares: the total weight with scale "mean", else 1."""
        return float(given.w.sum()) if self.scale == "mean" else 1.0

    def _steps(self, given: Given) -> Iterator[Step]:
        design, times = self.rows(given), self.times(given)
        if self.alpha_rule != "fixed":
            yield self._chosen(design, times)
        elif self.solver == "cg":
            yield from self._by_gradients(design, times)
        else:
            w, by = self._solved(design, self.alpha * times)
            stop = Stop("converged", f"Solved in closed form by {by}.")
            yield _step(design, w, self.alpha, times, stop=stop, note="The minimum, at once.")

    def _finished(self, given: Given, end: Step) -> RidgeFit:
        fields = linear_fields(self, given, end)
        return self.fit_class()(**fields, alpha=end.state.alpha, curve=end.state.curve)

    def _by_gradients(self, design: Design, times: float) -> Iterator[Step]:
        """Conjugate gradients on (X'X + alpha I) w = X'y, one direction a step."""
        X, strength = design.X, self.alpha * times
        directions = conjugate_gradient(lambda v: (X @ v) @ X + strength * v, design.y @ X)
        what = "the gradient, relative to the first,"
        for k, (w, left) in enumerate(directions):
            stop = verdict(k, left, tol=self.tol, max_iter=10 * X.shape[1], what=what)
            note = f"Direction {k + 1}: the gradient is {left:.2g} of the first."
            yield _step(design, w, self.alpha, times, k=k, stop=stop, note=note)
            if stop:
                return

    def _solved(self, design: Design, strength: float) -> tuple[np.ndarray, str]:
        """The minimum by the chosen closed form, and its name."""
        if self.solver == "svd":
            return closed_form.by_svd(design, strength), "singular value decomposition"
        by = "QR decomposition" if self.solver == "qr" else "Cholesky decomposition"
        solve = closed_form.by_qr if self.solver == "qr" else closed_form.by_cholesky
        if (w := solve(design, strength)) is not None:
            return w, by
        if self.solver == "auto":
            by = "singular value decomposition, since the columns are nearly dependent"
            return closed_form.by_svd(design, strength), by
        raise DataError(
            f"Ridge regression by {by} needs columns that are clearly independent; with "
            f"alpha={self.alpha:g} these are not. Raise alpha, or set solver to svd."
        )

    def _chosen(self, design: Design, times: float) -> Step:
        """The minimum at the alpha with the least criterion."""
        svd = closed_form.spectrum(design.X)
        strengths = strengths_of(svd, self.n_alphas)
        curve = curve_along(design, svd, strengths, times)
        score = curve.loo if self.alpha_rule == "loo" else curve.gcv
        if np.isnan(score).all():
            raise DataError(
                "Ridge regression cannot choose alpha here: without any one of the rows the "
                "others do not say what it should be. Set alpha_rule to fixed or add rows."
            )
        best = int(np.nanargmin(score))
        w = svd.weights(design.y, strengths[best : best + 1])[:, 0]
        stop = Stop("converged", f"Solved at each of {self.n_alphas} values of alpha at once.")
        alpha = float(curve.alphas[best])
        note = f"alpha = {alpha:.3g} has the least {self.alpha_rule} error, {score[best]:.4g}."
        return _step(design, w, alpha, times, curve=curve, stop=stop, note=note)


def _objective(design: Design, W: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Sum of squares plus penalty for each column of W, shape (A,)."""
    return design.residual_squares(W) + strengths * (W**2).sum(axis=0)


def _step(
    design: Design,
    w: np.ndarray,
    alpha: float,
    times: float,
    *,
    k: int = 0,
    curve: RidgeCurve | None = None,
    stop: Stop | None,
    note: str,
) -> Step:
    objective = design.rss(w) / times + alpha * float(w @ w)
    return Step(k, objective, RidgeState(*design.split(w), alpha, curve), stop, note)
