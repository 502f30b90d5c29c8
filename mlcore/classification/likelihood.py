"""From the curvature of a likelihood: standard errors, degrees of freedom, start of a path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.optimisation import losses
from mlcore.optimisation.composed import Objective, Point, walk
from mlcore.optimisation.newton import Newton
from mlcore.spine.iterate import last

MOST_UNKNOWNS = 400  # of one system of equations; beyond, other ways are quicker


def strongest(problem: Objective) -> float:
    """The strength of the penalty from which on all coefficients are zero, or nearly so."""
    start = problem.zero()
    only = replace(problem, X=np.zeros((problem.n, 1)))
    flat = last(walk(only, Newton(), tol=1e-10, max_iter=100))
    start[:, -1] = flat.state.intercept
    local = problem.loss.at(problem.y, problem.predictor(start))
    steepest = float(np.abs(problem.slope(local)[:, :-1]).max()) or 1.0
    penalty: Any = problem.penalty
    if penalty.l1 > 0:
        # Every penalty with an l1 part has a strength alpha, which their base class does not.
        return steepest / (penalty.l1 / penalty.alpha)
    w = np.ones(problem.n) if problem.weights is None else problem.weights
    spread = float((w @ (problem.X - problem.mean) ** 2).max()) or 1.0
    return 10.0 * problem.loss.steepest * spread


def freedom(problem: Objective, at: Point) -> float:
    """Degrees of freedom at a point: the coefficients that are not zero, intercepts included.

    With a penalty of squares, the trace of (H + alpha)^-1 H with the Hessian H of the loss; NaN
    where there are more than 400 unknowns.
    """
    W, l2 = at.coefficients, problem.penalty.l2
    if l2 == 0:
        return float(np.count_nonzero(W) + len(W))
    if problem.outputs * (problem.X.shape[1] + 1) > MOST_UNKNOWNS:
        return float("nan")
    H = problem.curvature(problem.loss.at(problem.y, at.predictor))
    own = np.full((len(W), W.shape[1] + 1), l2)
    own[:, -1] = 0.0
    return float(np.trace(np.linalg.lstsq(H + np.diag(own.ravel()), H, rcond=None)[0]))


def standard_errors(problem: Objective, predictor: np.ndarray, K: int) -> np.ndarray:
    """Standard errors of K vectors of coefficients and, last, their intercepts, shape (K, p + 1).

    From the curvature of the unpenalised loss at the predictor, shape (m, n); 0 for a reference
    class, NaN where the rows do not determine them, and of pairs, whose loss is no likelihood of
    the rows. Where all classes may grow together, of each less the mean over the classes, which
    alone is determined.
    """
    if isinstance(problem.loss, losses.Pairwise):
        return np.full((K, problem.X.shape[1] + 1), np.nan)
    if isinstance(problem.loss, losses.Reference):
        out = np.zeros((K, problem.X.shape[1] + 1))
        out[np.arange(K) != problem.loss.fixed] = _spread(problem, predictor, np.eye(K - 1))
        return out
    if not problem.loss.shared:
        return _spread(problem, predictor, np.eye(K))
    # With the first class at 0 the others are determined, whichever class that is.
    return _spread(problem, predictor, np.eye(K)[:, 1:] - 1.0 / K)


def _spread(problem: Objective, predictor: np.ndarray, contrasts: np.ndarray) -> np.ndarray:
    """Standard deviations of sums of coefficients over the outputs, and of such of intercepts.

    `contrasts` has shape (r, m): weights of the last m outputs, the others being fixed at 0. By
    the inverse curvature of these, (r, p + 1).
    """
    q, m = problem.X.shape[1] + 1, contrasts.shape[1]
    H = problem.curvature(problem.loss.at(problem.y, predictor))[-m * q :, -m * q :]
    if np.linalg.matrix_rank(H, hermitian=True) < len(H):
        return np.full((len(contrasts), q), np.nan)
    to_zero = np.eye(q)
    to_zero[-1, :-1] = -problem.mean  # from the intercept at the mean to that at zero
    covariance = np.linalg.inv(H).reshape(m, q, m, q)
    variances = np.einsum(
        "ra,ij,ajbk,ik,rb->ri", contrasts, to_zero, covariance, to_zero, contrasts, optimize=True
    )
    # Beside directions that are all but undetermined rounding leaves variances below 0.
    return np.sqrt(np.where(variances > 0, variances, np.nan))
