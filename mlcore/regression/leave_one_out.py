"""The error of leaving out each row in turn, from one fit of a linear smoother."""

from __future__ import annotations

from typing import Any, NamedTuple

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


class Influence(NamedTuple):
    """What each fitted row does to the fit."""

    hat_diag: np.ndarray  # (n,), share of the row's own target in its fitted value
    df: float  # sum of hat_diag: effective number of parameters, the intercept included
    loo_residuals: np.ndarray  # (n,), target minus the prediction without that row
    loo_error: float  # mean squared leave-one-out residual, weighted; NaN where undefined
    note: str = ""  # names the rows that are fitted by themselves, if there are any


def strengths_of(found: ThinSVD, count: int) -> np.ndarray:
    """The grid: from hardly any direction kept to nearly all of each."""
    # Columns of zeros, and columns whose squares underflow, have no scale of their own.
    top = (float(found.s[0] ** 2) if len(found.s) else 0.0) or 1.0
    return falling(MOST * top, LEAST / MOST, count)


def curve_along(held: Design, found: ThinSVD, strengths: np.ndarray, times: float) -> RidgeCurve:
    """Leave-one-out and generalised cross-validation error at every strength."""
    counts = np.ones(held.n) if held.weights is None else held.weights
    left = held.residuals(found.weights(held.y, strengths))  # (n, A)
    hat = found.hat(strengths) + held.leverages(np.zeros(held.n))[:, None]
    df = hat.sum(axis=0)
    spare = np.where(hat > OWN, np.nan, 1.0 - hat)
    loo = counts @ (left / spare) ** 2 / held.total
    used = np.maximum(1.0 - df / np.count_nonzero(counts), EPS)
    return RidgeCurve(strengths / times, loo, counts @ left**2 / held.total / used**2, df)


def influence(residuals: np.ndarray, hat: np.ndarray, w: np.ndarray | None) -> Influence:
    """What leaving out each row does, from the residuals and leverages of all rows."""
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
    (y_i - yhat_i) / (1 - h_ii).
    """
    held = _held(X, y, (alpha,))
    if alpha == 0:
        w = scaled_spectrum(held.X, held.rounding).weights(held.y)[:, None]
    else:
        w = spectrum(held.X).weights(held.y, np.array([alpha]))
    left = held.residuals(w)[:, 0]
    return influence(left, held.leverages(leverages(held, alpha)), None)


@function(
    "ridge_curve",
    title="Ridge criteria along alpha",
    sources=("prac:krr_loo", "prac:krr_loo_eig", "prac:krr_select_C"),
)
def ridge_curve(X: Any, y: Any, alphas: Any) -> RidgeCurve:
    """Leave-one-out and generalised cross-validation error of ridge at each alpha, shape (A,).

    X has shape (n, p), y shape (n,); the intercept is free. One decomposition serves all alphas.
    """
    strengths = np.asarray(alphas, dtype=float).ravel()
    held = _held(X, y, strengths)
    return curve_along(held, spectrum(held.X), strengths, 1.0)


def _held(X: Any, y: Any, alphas: Any) -> Design:
    X = checks.matrix(X, "Leaving one out")
    if not (np.isfinite(alphas).all() and np.min(alphas) >= 0):
        raise ParamError("The strengths of the penalty must be finite and at least 0.")
    return rows(X, checks.target(y, len(X), "Leaving one out"), None, "centering")
