"""The path of the elastic net over alpha, and rules that choose a point on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.optimisation.coordinate import POLISH, LeastSquares, descend, least_squares
from mlcore.optimisation.path import Path, falling
from mlcore.optimisation.rows import Design, rows
from mlcore.spine import checks
from mlcore.spine.method import Given
from mlcore.spine.records import function

SHORTEST = 1e-3  # the last alpha of a path, as a share of the first
LEAST_RATIO = 0.01  # below, the first alpha would grow without bound
SWEEPS = 10_000  # most of one point of a path


class AlphaCurve(NamedTuple):
    """A criterion along alpha; the least is chosen."""

    alphas: np.ndarray  # (A,), falling
    score: np.ndarray  # (A,), mean squared error on test rows, or the criterion
    spread: np.ndarray  # (A,), standard error of the mean over folds; 0 for a criterion
    name: str  # cv, aic or bic


@function("alpha_max", title="Largest useful lasso penalty", sources=("cs1:reg_l1",))
def alpha_max(X: Any, y: Any, l1_ratio: float = 1.0) -> float:
    """The least alpha at which the elastic net, with free intercept, has no coefficient left.

    X has shape (n, p), y shape (n,). An l1_ratio below 0.01 counts as 0.01: for 0 there is none.
    """
    X = checks.matrix(X, "The elastic net")
    y = checks.target(y, len(X), "The elastic net")
    return highest(rows(X, y, None, "centering"), l1_ratio)


def highest(design: Design, l1_ratio: float) -> float:
    """The least alpha at which every coefficient is zero; an l1_ratio below 0.01 counts as 0.01."""
    steepest = float(np.abs(design.toward(design.y)).max())
    return steepest / (design.total * max(l1_ratio, LEAST_RATIO)) or 1.0


def grid(design: Design, l1_ratio: float, count: int) -> np.ndarray:
    """Falling alphas from where all is zero, shape (A,)."""
    return falling(highest(design, l1_ratio), SHORTEST, count)


def falling_path(design: Design, l1_ratio: float, alphas: np.ndarray, tol: float) -> Path:
    """A solution at each of the alphas, shape (A,), each started from the one before."""
    problem, n = least_squares(design, many=True), design.total
    W, objective = np.empty((len(alphas), len(problem.toward))), np.empty(len(alphas))
    df, end = np.empty(len(alphas)), None
    for a, alpha in enumerate(alphas):
        l1, l2 = alpha * n * l1_ratio, alpha * n * (1.0 - l1_ratio)
        *_, end = descend(problem, l1, l2, tol=tol, max_iter=SWEEPS, start=end, batch=POLISH)
        W[a] = end.w
        objective[a] = end.objective / n
        df[a] = _freedom(problem, end.w, l2) + (design.offset == "centering")
    split = [design.split(w) for w in W]
    return Path(alphas, W, np.array([b for _, b in split]), objective, df)


def by_folds(
    given: Given, offset: str, l1_ratio: float, alphas: np.ndarray, folds: int, tol: float
) -> AlphaCurve:
    """Mean squared error on test rows over shuffled folds, at each of the alphas, shape (A,)."""
    order = given.rng("folds of alpha").permutation(given.n)
    errors = np.array(
        [_error(given, offset, l1_ratio, alphas, out, tol) for out in np.array_split(order, folds)]
    )
    spread = errors.std(axis=0, ddof=1) / np.sqrt(folds)
    return AlphaCurve(alphas, errors.mean(axis=0), spread, "cv")


def by_criterion(
    design: Design, l1_ratio: float, alphas: np.ndarray, name: str, tol: float
) -> AlphaCurve:
    """RSS / s^2 plus 2 or log n a degree of freedom, at each of the alphas, shape (A,).

    The noise variance s^2 is that of least squares. The number of coefficients that are not zero
    estimates the degrees of freedom of the lasso (Zou, Hastie and Tibshirani 2007).
    """
    path = falling_path(design, l1_ratio, alphas, tol)
    left = design.residuals(path.coefficients.T)
    w = np.ones(design.n) if design.weights is None else design.weights
    rss, n = w @ left**2, np.count_nonzero(w)
    full = np.linalg.lstsq(design.X, design.y, rcond=None)[0]
    noise = float(((design.y - design.X @ full) ** 2).sum()) / (n - design.X.shape[1] - 1)
    price = 2.0 if name == "aic" else np.log(n)
    score = rss / max(noise, np.finfo(float).tiny) + price * path.df
    return AlphaCurve(alphas, score, np.zeros_like(score), name)


def _error(
    given: Given, offset: str, l1_ratio: float, alphas: np.ndarray, out: np.ndarray, tol: float
) -> np.ndarray:
    """Mean squared error on the rows `out` of the path fitted to the others, shape (A,)."""
    stay = np.ones(given.n, dtype=bool)
    stay[out] = False
    w = given.weights
    design = rows(given.X[stay], given.target[stay], None if w is None else w[stay], offset)
    path = falling_path(design, l1_ratio, alphas, tol)
    left = given.target[out, None] - given.X[out] @ path.coefficients.T - path.intercepts
    return np.average(left**2, axis=0, weights=None if w is None else w[out])


def _freedom(problem: LeastSquares, w: np.ndarray, l2: float) -> float:
    """Trace of the map from the target to the fitted values, for a fixed support."""
    on = np.flatnonzero(w)
    if l2 == 0 or not len(on):
        return float(len(on))
    values = np.linalg.eigvalsh(problem.gram(on))
    return float((values / (values + l2)).sum())
