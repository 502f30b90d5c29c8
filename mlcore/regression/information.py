"""What rows tell about coefficients: which directions they determine, and how well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.optimisation.closed_form import spectrum
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.triangles import has_six_digits

CLEAR = 1e-4  # an eigenvalue of columns of length 1 that six digits show
SINGULAR = 1e-11  # share of the largest eigenvalue, of columns of length 1, that is rounding


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


def determined(problem: Objective) -> tuple[np.ndarray | None, np.ndarray]:
    """Orthonormal directions, (p, r), that the rows tell apart, None where these are all; and the
    Gram matrix, (p + 1, p + 1), to six digits where that many tell.

    Coefficients along the other directions change no prediction, and are zero in the shortest
    solution.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # then six digits do not tell
        gram = problem.gram(problem.weights, np.float32)
    if has_six_digits(gram) and _is_definite(gram[:-1, :-1]):
        return None, gram
    gram = problem.gram(problem.weights)
    if problem.n > problem.X.shape[1]:
        H = gram[:-1, :-1]
        scale = _lengths(H)
        values = np.linalg.eigvalsh(H / np.outer(scale, scale))
        if values[0] > SINGULAR * values[-1]:
            return None, gram
    used = slice(None) if problem.weights is None else problem.weights > 0
    return spectrum(problem.X[used] - problem.mean).V, gram


def _is_definite(H: np.ndarray) -> bool:
    """Whether no eigenvalue, of columns of length 1, is below `CLEAR`."""
    scale = _lengths(H)
    try:
        np.linalg.cholesky(H / np.outer(scale, scale) - CLEAR * np.eye(len(H)))
        return True
    except np.linalg.LinAlgError:
        return False


def _lengths(H: np.ndarray) -> np.ndarray:
    """Root of the diagonal, 1 where that is 0, shape (q,)."""
    lengths = np.sqrt(np.diagonal(H))
    return np.where(lengths > 0, lengths, 1.0)
