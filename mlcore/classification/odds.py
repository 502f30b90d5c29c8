"""What a unit of each column does to the odds of a class, and how sure the rows are of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.fit import Column


@dataclass(frozen=True, eq=False, kw_only=True)
class LogOdds:
    """The logarithm of the odds of one class against others as a line, with standard errors.

    e to the power of a coefficient is an odds ratio: by it a unit of the column multiplies the
    odds, whatever the other columns are.
    """

    columns: tuple[Column, ...]  # p of them
    coefficients: np.ndarray  # (p,) log-odds per unit
    intercept: float
    standard_errors: np.ndarray  # (p,), NaN where there are none
    intercept_error: float
    against: tuple[int, ...]  # positions of the others among the classes of the fit; where they
    # are all classes, this one too, the odds are against the geometric mean of the probabilities
    missing: str = ""  # why there are no standard errors
    df_residual: float = np.inf  # by the curvature of the likelihood: a normal distribution
    link: str = "logit"


def between(fit: Any, k: int, j: int, missing: str) -> LogOdds:
    """Class k against class j, of a fit with scores of K classes, or of the second of two.

    j is its reference, or the other of two.
    """
    W, b = np.atleast_2d(fit.coefficients), np.atleast_1d(fit.intercept)
    errors, error = np.atleast_2d(fit.standard_errors), np.atleast_1d(fit.intercept_error)
    if len(W) == 1:
        sign = 1.0 if k == 1 else -1.0
        return _line(fit, sign * W[0], sign * b[0], errors[0], error[0], (j,), missing)
    return _line(fit, W[k] - W[j], b[k] - b[j], errors[k], error[k], (j,), missing)


def against_mean(fit: Any, k: int, missing: str) -> LogOdds:
    """Class k against the mean of the scores of all classes, of a fit without a reference.

    log p_k less the mean of log p_j: what of a coefficient is the same whichever number is added to
    those of all classes.
    """
    W, b = fit.coefficients, fit.intercept
    every = tuple(range(len(W)))
    return _line(
        fit, W[k] - W.mean(axis=0), b[k] - b.mean(), fit.standard_errors[k],
        fit.intercept_error[k], every, missing,
    )  # fmt: skip


def against_rest(fit: Any, k: int, missing: str) -> LogOdds:
    """Class k against all others, of a fit with a model of its own for each class."""
    rest = tuple(j for j in range(len(fit.classes)) if j != k)
    return _line(
        fit, fit.coefficients[k], fit.intercept[k], fit.standard_errors[k], fit.intercept_error[k],
        rest, missing,
    )  # fmt: skip


def _line(
    fit: Any, w: np.ndarray, b: Any, errors: np.ndarray, error: Any, against: tuple[int, ...],
    missing: str,
) -> LogOdds:  # fmt: skip
    return LogOdds(
        columns=fit.columns,
        coefficients=w,
        intercept=float(b),
        standard_errors=errors,
        intercept_error=float(error),
        against=against,
        missing=missing,
    )
