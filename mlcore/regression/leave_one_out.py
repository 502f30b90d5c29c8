"""The error of leaving out each row in turn, from one fit of a linear smoother."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.optimisation.closed_form import ThinSVD, leverages, scaled_spectrum, spectrum
from mlcore.optimisation.path import falling
from mlcore.optimisation.rows import Design, rows
from mlcore.optimisation.triangles import EPS
from mlcore.spine import checks
from mlcore.spine.errors import ParamError
from mlcore.spine.records import function

OWN = 1.0 - 1e-10  # a row with this leverage is fitted by itself: leaving it out is undefined
LEAST, MOST = 1e-6, 1e3  # ends of the grid of alpha, times the largest squared singular value


class RidgeCurve(NamedTuple):
    """Criteria along alpha, from one singular value decomposition."""

    alphas: np.ndarray  # (A,), falling
    loo: np.ndarray  # (A,), mean squared leave-one-out residual; NaN where undefined
    gcv: np.ndarray  # (A,), generalised cross-validation
    df: np.ndarray  # (A,), trace of H, the intercept included


class TriedStrengths:
    """What a fit has whose strength `alpha` was chosen by its method along a `curve`."""

    made_by: Any
    alpha: float
    curve: RidgeCurve
    tried_name: ClassVar[str] = "alpha"

    @property
    def chosen(self) -> float:
        """The strength that was chosen."""
        return self.alpha

    @property
    def tried(self) -> np.ndarray:
        """Strengths that were tried, ascending, shape (A,)."""
        return self.curve.alphas[::-1]

    @property
    def tried_errors(self) -> np.ndarray:
        """Mean squared error of rows left out under each, by the criterion that chose, (A,)."""
        return (self.curve.loo if self.made_by.alpha_rule == "loo" else self.curve.gcv)[::-1]

    @property
    def tried_df(self) -> np.ndarray:
        """Effective number of parameters under each, the intercept included, shape (A,)."""
        return self.curve.df[::-1]


class Influence(NamedTuple):
    """The influence of each training row on the fit."""

    hat_diag: np.ndarray  # (n,), share of the row's own target in its fitted value
    df: float  # sum of hat_diag: effective number of parameters, the intercept included
    loo_residuals: np.ndarray  # (n,), target minus the prediction without that row
    loo_error: float  # mean squared leave-one-out residual, weighted; NaN where undefined
    note: str = ""  # names the rows that are fitted by themselves, if there are any


def strengths_of(svd: ThinSVD, count: int) -> np.ndarray:
    """A falling grid of strengths, shape (A,), from almost full to almost no shrinkage."""
    # Columns of zeros, and columns whose squares underflow, have no scale of their own.
    top = (float(svd.s[0] ** 2) if len(svd.s) else 0.0) or 1.0
    return falling(MOST * top, LEAST / MOST, count)


def curve_along(design: Design, svd: ThinSVD, strengths: np.ndarray, times: float) -> RidgeCurve:
    """Leave-one-out and generalised cross-validation error at each of the strengths, shape (A,)."""
    counts = np.ones(design.n) if design.weights is None else design.weights
    left = design.residuals(svd.weights(design.y, strengths))  # (n, A)
    hat = svd.hat(strengths) + design.leverages(np.zeros(design.n))[:, None]
    df = hat.sum(axis=0)
    spare = np.where(hat > OWN, np.nan, 1.0 - hat)
    loo = counts @ (left / spare) ** 2 / design.total
    used = np.maximum(1.0 - df / np.count_nonzero(counts), EPS)
    return RidgeCurve(strengths / times, loo, counts @ left**2 / design.total / used**2, df)


def influence(residuals: np.ndarray, hat: np.ndarray, w: np.ndarray | None) -> Influence:
    """The leave-one-out residuals r / (1 - h), from residuals and leverages, both shape (n,)."""
    alone = np.flatnonzero(hat > OWN)
    loo = residuals / np.where(hat > OWN, np.nan, 1.0 - hat)
    shown = ", ".join(str(i + 1) for i in alone[:5]) + (" and more" if len(alone) > 5 else "")
    note = f"Leaving out row {shown} is undefined: the fit passes through it by itself."
    error = float(np.average(loo**2, weights=w))
    return Influence(hat, float(hat.sum()), loo, error, note if len(alone) else "")


@function("loo_linear", title="Leave-one-out residuals", sources=("s841:loo_linear_shortcut",))
def loo_linear(X: Any, y: Any, alpha: float = 0.0) -> Influence:
    """Leverages and leave-one-out residuals of least squares with penalty alpha |w|^2, alpha >= 0.

    X has shape (n, p), y shape (n,); the intercept is free. One fit serves all rows:
    (y_i - yhat_i) / (1 - h_ii). Raises ParamError if alpha is negative or not finite.
    """
    design = _design(X, y, (alpha,))
    if alpha == 0:
        w = scaled_spectrum(design.X, design.rounding).weights(design.y)[:, None]
    else:
        w = spectrum(design.X).weights(design.y, np.array([alpha]))
    left = design.residuals(w)[:, 0]
    return influence(left, design.leverages(leverages(design, alpha)), None)


@function(
    "ridge_curve",
    title="Ridge criteria along alpha",
    sources=("prac:krr_loo", "prac:krr_loo_eig", "prac:krr_select_C"),
)
def ridge_curve(X: Any, y: Any, alphas: Any) -> RidgeCurve:
    """Leave-one-out and generalised cross-validation error of ridge at each alpha, shape (A,).

    X has shape (n, p), y shape (n,); the intercept is free. One decomposition serves all alphas.
    Raises ParamError if an alpha is negative or not finite.
    """
    strengths = np.asarray(alphas, dtype=float).ravel()
    design = _design(X, y, strengths)
    return curve_along(design, spectrum(design.X), strengths, 1.0)


def _design(X: Any, y: Any, alphas: Any) -> Design:
    X = checks.matrix(X, "Leaving one out")
    if not (np.isfinite(alphas).all() and np.min(alphas) >= 0):
        raise ParamError("The strengths of the penalty must be finite and at least 0.")
    return rows(X, checks.target(y, len(X), "Leaving one out"), None, "centering")
