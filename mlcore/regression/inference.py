"""Standard errors, intervals and influence of least squares, under noise of equal variance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from mlcore.maths.arrays import means
from mlcore.optimisation.closed_form import leverages, scaled_spectrum, spectrum
from mlcore.optimisation.rows import rows
from mlcore.regression.linear_regression import LeastSquaresFit
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function


class Coefficient(NamedTuple):
    """One line of the table of coefficients."""

    name: str
    value: float
    error: float  # standard error
    t: float
    p: float  # probability of a t at least as far from 0 if the coefficient were 0
    low: float  # ends of the interval of the asked level
    high: float


class Interval(NamedTuple):
    """A band about the prediction."""

    predicted: np.ndarray  # (m,)
    low: np.ndarray  # (m,)
    high: np.ndarray  # (m,)


@function("regression_summary", sources=("s841:statistical_intervals",))
def regression_summary(fit: LeastSquaresFit, level: float = 0.95) -> list[Coefficient]:
    """Coefficients with standard errors, t, p and intervals; the intercept comes last.

    Raises ParamError if the level does not lie between 0 and 1.
    """
    _check_level(level)
    names = [*(c.name for c in fit.columns), "intercept"]
    values = np.append(fit.coefficients, fit.intercept)
    errors = np.append(fit.standard_errors, fit.intercept_error)
    wide = _quantile(level, fit.df_residual)
    lines = []
    for name, value, error in zip(names, values.tolist(), errors.tolist(), strict=True):
        t = value / error if error > 0 else float("nan")
        p = float(2.0 * stdtr(fit.df_residual, -abs(t))) if fit.df_residual else float("nan")
        lines.append(
            Coefficient(name, value, error, t, p, value - wide * error, value + wide * error)
        )
    return lines


@function("prediction_interval", sources=("s841:statistical_intervals",))
def prediction_interval(
    fit: LeastSquaresFit, X: Any, level: float = 0.95, kind: str = "mean"
) -> Interval:
    """The prediction at X, shape (m, p), with a band for the mean ("mean") or a new row ("new").

    y +- t s sqrt(h) for the mean and y +- t s sqrt(1 + h) for a new row of weight 1. Raises
    DataError if the fit has no residual degrees of freedom, ParamError for another kind or level.
    """
    _check_level(level)
    if kind not in ("mean", "new"):
        raise ParamError(f"An interval is for the mean or for a new row; got {kind!r}.")
    if fit.df_residual == 0:
        raise DataError(
            "Least squares with as many parameters as rows leaves no residuals to say how wide an "
            "interval is. Add rows, or use fewer columns."
        )
    predicted = fit.predict(X)
    Z = np.column_stack([np.asarray(X, dtype=float), np.ones(len(predicted))])
    variance = ((Z @ fit.spread) ** 2).sum(axis=1) + (fit.sigma**2 if kind == "new" else 0.0)
    wide = _quantile(level, fit.df_residual) * np.sqrt(variance)
    return Interval(predicted, predicted - wide, predicted + wide)


@function("vif", title="Variance inflation factors", sources=("s841:multiple_regression_vif",))
def vif(X: Any) -> np.ndarray:
    """1 / (1 - R^2) of each column regressed on the others, shape (p,); from 10 on, a warning sign.

    Infinite for a column that others determine, NaN for a constant one.
    """
    X = checks.matrix(X, "Variance inflation")
    A = X - means(X)
    size = (A**2).sum(axis=0)
    svd = spectrum(A / np.where(size > 0, np.sqrt(size), 1.0))
    inflation = ((svd.V / svd.s) ** 2).sum(axis=1)
    loose = 1.0 - (svd.V**2).sum(axis=1) > 1e-9
    return np.where(size > 0, np.where(loose, np.inf, inflation), np.nan)


@function("hat_matrix", sources=("s841:hat_matrix", "s841:degrees_of_freedom"))
def hat_matrix(X: Any, alpha: float = 0.0) -> np.ndarray:
    """H with fitted values H y, for least squares with intercept and penalty alpha |w|^2.

    X has shape (n, p), H shape (n, n); its trace is the effective number of parameters.
    """
    X = checks.matrix(X, "The hat matrix")
    design = rows(X, np.zeros(len(X)), None, "centering")
    if alpha == 0:
        U = scaled_spectrum(design.X, design.rounding).U
        return U @ U.T + 1.0 / len(X)
    svd = spectrum(design.X)
    shrinkage = svd.shrink(np.array([alpha]))[:, 0]
    return (svd.U * shrinkage) @ svd.U.T + 1.0 / len(X)


@function("leverage", sources=("s841:hat_matrix",))
def leverage(X: Any) -> np.ndarray:
    """Diagonal of the hat matrix of least squares with intercept, shape (n,); sums to rank + 1."""
    X = checks.matrix(X, "Leverage")
    design = rows(X, np.zeros(len(X)), None, "centering")
    return design.leverages(leverages(design, 0.0))


@function("cooks_distance", title="Cook's distance", sources=("s841:hat_matrix",))
def cooks_distance(fit: LeastSquaresFit, X: Any, y: Any) -> np.ndarray:
    """How far all fitted values move when a row is left out, in units of p s^2, shape (n,).

    D_i = r_i^2 h_i / (p s^2 (1 - h_i)^2), p the rank with intercept (Cook 1977, Technometrics 19).
    """
    h = leverage(X)
    left = np.asarray(y, dtype=float) - fit.predict(X)
    parameters = fit.rank + 1
    alone = np.where(1.0 - h > 1e-10, 1.0 - h, np.nan)
    return left**2 * h / (parameters * fit.sigma**2 * alone**2)


def _quantile(level: float, df: int) -> float:
    return float(stdtrit(df, 0.5 + level / 2)) if df else float("nan")


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ParamError(f"The level of an interval must lie between 0 and 1; got {level!r}.")
