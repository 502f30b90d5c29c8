"""What rows tell about coefficients: which directions they determine, and how well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.rows import read_once
from mlcore.optimisation.thin import THIN
from mlcore.optimisation.triangles import has_six_digits

CLEAR = 1e-4  # an eigenvalue of columns of length 1 that six digits show
SINGULAR = 1e-11  # share of the largest eigenvalue, of columns of length 1, that is rounding
FEW, OF_A_COLUMN = 1024, 32  # rows, at least so many of a column, whose products are near to those
# of all; where these are not even twice as many, all are read


class Information(NamedTuple):
    """Of the coefficients and, last, the intercept where every column is 0."""

    rank: int  # how many unknowns the rows determine
    errors: np.ndarray  # (p + 1,) standard errors for dispersion 1; NaN where not all are


def information(problem: Objective, weights: np.ndarray) -> Information:
    """Fisher's information of rows of a problem with these weights, shape (n,), inverted."""
    H = problem.gram(weights)
    scale = _lengths(H)
    values, axes = np.linalg.eigh(H / np.outer(scale, scale))
    rank = int((values > SINGULAR * values[-1]).sum())
    if rank < len(H):
        return Information(rank, np.full(len(H), np.nan))
    half = (axes / np.sqrt(values)) / scale[:, None]  # half half' is the inverse of H
    back = np.append(-problem.mean, 1.0)  # from the intercept at the mean to that at zero
    variances = np.append((half[:-1] ** 2).sum(axis=1), ((back @ half) ** 2).sum())
    return Information(rank, np.sqrt(variances))


class Determined(NamedTuple):
    """What rows tell apart, and where they lead."""

    # (p, r), orthonormal, that the rows tell apart; None where these are all. Coefficients along
    # the others change no prediction, and are zero in the shortest solution.
    directions: np.ndarray | None
    gram: np.ndarray  # (p + 1, p + 1), about the mean: to six digits or of few rows where they tell
    mean: np.ndarray  # (p,) of the rows that were asked
    slope: np.ndarray | None = None  # (p,) of the loss where few rows were asked, about the mean


def determined(problem: Objective, slopes: np.ndarray) -> Determined:
    """Which directions the rows of a problem tell apart; few rows are asked first.

    Where few rows tell all directions apart, so do all rows. With slopes of the loss by their
    predictors, shape (n,), few rows tell about how it falls, too.
    """
    if (told := _of_few(problem, slopes)) is not None:
        return told
    with np.errstate(over="ignore", invalid="ignore"):  # then six digits do not tell
        gram, mean = problem.gram(problem.weights, np.float32), problem.mean
    if has_six_digits(gram) and _is_definite(gram[:-1, :-1]):
        return Determined(None, gram, mean)
    gram = problem.gram(problem.weights)
    if problem.n > problem.X.shape[1]:
        H = gram[:-1, :-1]
        scale = _lengths(H)
        values = np.linalg.eigvalsh(H / np.outer(scale, scale))
        if values[0] > SINGULAR * values[-1]:
            return Determined(None, gram, mean)
    used = slice(None) if problem.weights is None else problem.weights > 0
    return Determined(spectrum(problem.X[used] - mean).V, gram, mean)


def _of_few(problem: Objective, slopes: np.ndarray) -> Determined | None:
    """The same by every so-many-th row; None where these would be most, or do not tell."""
    p = problem.X.shape[1]
    step = problem.n // max(FEW, OF_A_COLUMN * p)
    if step < 2 or p > THIN:
        return None
    X, weights = problem.X[::step], problem.weights
    weights = None if weights is None or (weights == weights[0]).all() else weights[::step]
    share = (len(X) if weights is None else weights.sum()) / problem.total
    if not share > 0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # then six digits do not tell
        thin = read_once(X, slopes[::step], is_centred=True, weights=weights, precision=np.float32)
    if thin is None or not has_six_digits(thin.gram) or not _is_definite(thin.gram):
        return None
    gram = np.zeros((p + 1, p + 1))
    gram[:-1, :-1], gram[-1, -1] = thin.gram / share, problem.total
    return Determined(None, gram, thin.x_mean, thin.toward / share)


def _is_definite(H: np.ndarray) -> bool:
    """Whether no eigenvalue, of columns of length 1, is below `CLEAR`."""
    scale = _lengths(H)
    scaled = H / scale / scale[:, None]
    scaled.flat[:: len(H) + 1] -= CLEAR
    try:
        np.linalg.cholesky(scaled)
        return True
    except np.linalg.LinAlgError:
        return False


def _lengths(H: np.ndarray) -> np.ndarray:
    """Root of the diagonal, 1 where that is 0, shape (q,)."""
    lengths = np.sqrt(np.diagonal(H))
    return np.where(lengths > 0, lengths, 1.0)
