"""Losses of subsets from sums of squares that all subsets share: rows are read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

# Share of a column that the others of the subset must leave, else the columns count as dependent,
# the closed form would lose digits, and the method itself is fitted.
LEAST_PIVOT = 1e-7


class ClosedForm(Protocol):
    """`loss(at)`: the mean loss over the inner folds with the columns at positions `at`, (q,).

    None where the method itself must be fitted.
    """

    def loss(self, at: np.ndarray) -> float | None: ...


class LeastSquares:
    """Squared error of least squares with an intercept, or of ridge regression.

    With the sums G = X'X and b = X'y of centered training rows the coefficients solve
    (G + alpha I) w = b, and the error on test rows is y'y - 2 w'c + w'H w with the sums H and c
    of those rows. Columns are scaled to length 1, which leaves alpha over the squared length of
    each on the diagonal.
    """

    def __init__(self, inner: Sequence[Any], alpha: float = 0.0) -> None:
        sums = [_sums(fold, alpha) for fold in inner]
        self.G, self.b, self.H, self.c, self.yy = (np.stack(v) for v in zip(*sums, strict=True))
        self.m = np.array([len(fold.y_out) for fold in inner])

    def loss(self, at: np.ndarray) -> float | None:
        """The mean squared error over the folds with the columns at positions `at`, shape (q,)."""
        square = (slice(None), at[:, None], at)
        G, b = self.G[square], self.b[:, at]
        if not _is_safe(G):
            return None
        w = np.linalg.solve(G, b[..., None])[..., 0]
        quadratic = (w[:, None, :] @ self.H[square] @ w[..., None])[:, 0, 0]
        loss = self.yy - 2 * (w * self.c[:, at]).sum(axis=1) + quadratic
        return float(np.mean(loss / self.m))


def _sums(fold: Any, alpha: float) -> tuple[np.ndarray, ...]:
    middle, scale = _scale(fold.X)
    X, X_out = (fold.X - middle) / scale, (fold.X_out - middle) / scale
    y, y_out = fold.y - fold.y.mean(), fold.y_out - fold.y.mean()
    G = X.T @ X + np.diag(alpha / scale**2)
    return G, X.T @ y, X_out.T @ X_out, X_out.T @ y_out, y_out @ y_out


def _scale(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and length of the centered columns; what is constant stays so and is never safe."""
    middle = X.mean(axis=0)
    size = np.sqrt(((X - middle) ** 2).sum(axis=0))
    floor = 1e-10 * np.sqrt(len(X)) * np.abs(X).max(axis=0)
    return middle, np.where(size > floor, size, np.inf)


def _is_safe(G: np.ndarray) -> bool:
    """Whether no column is nearly a sum of others, in any fold; G has diagonals near 1."""
    try:
        L = np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        return False
    pivots = np.diagonal(L, axis1=1, axis2=2) ** 2
    return bool((pivots > LEAST_PIVOT * np.diagonal(G, axis1=1, axis2=2)).all())


class Discriminants:
    """Error rate of linear discriminants: means and scatter within classes are shared."""

    def __init__(self, inner: Sequence[Any]) -> None:
        self.folds = [_Classes(fold) for fold in inner]
        self.G = np.stack([fold.within for fold in self.folds])

    def loss(self, at: np.ndarray) -> float | None:
        """The mean error rate over the folds with the columns at positions `at`, shape (q,)."""
        G = self.G[:, at[:, None], at]
        if any(len(fold.classes) < 2 for fold in self.folds) or not _is_safe(G):
            return None
        return float(np.mean([f.error(g, at) for f, g in zip(self.folds, G, strict=True)]))


class _Classes:
    """One inner fold: columns scaled to unit length within classes, about the mean."""

    def __init__(self, fold: Any) -> None:
        self.classes, codes, counts = np.unique(fold.y, return_inverse=True, return_counts=True)
        self.middle = fold.X.mean(axis=0)
        of_class = (codes[:, None] == np.arange(len(self.classes))).astype(float)
        about = fold.X - self.middle
        means = of_class.T @ about / counts[:, None]
        within = about - means[codes]
        _, scale = _scale(within)
        within = within / scale
        self.within = within.T @ within
        self.n = len(fold.X)
        self.means = means / scale
        self.X_out, self.y_out = (fold.X_out - self.middle) / scale, fold.y_out
        self.log_prior = np.log(counts / counts.sum())

    def error(self, G: np.ndarray, at: np.ndarray) -> float:
        """Share of the test rows whose class is not the one of the largest score."""
        M = self.means[:, at]
        A = np.linalg.solve(G, M.T) * self.n  # G is the scatter; the covariance is G / n
        level = self.log_prior - 0.5 * (M * A.T).sum(axis=1)
        scores = self.X_out[:, at] @ A + level
        return float(np.mean(self.classes[scores.argmax(axis=1)] != self.y_out))


# By the name of the method: the form, and those of its settings that the form knows.
CLOSED_FORMS: dict[str, tuple[Callable[..., ClosedForm], tuple[str, ...]]] = {
    "linear_regression": (LeastSquares, ()),
    "ridge": (LeastSquares, ("alpha",)),
    "lda": (Discriminants, ()),
}


def closed_form(learner: Any) -> Callable[[Sequence[Any]], ClosedForm] | None:
    """The closed form of a method on inner folds; None where it has none for these settings."""
    make, names = CLOSED_FORMS.get(learner.card.name, (None, ()))
    settings = {name: getattr(learner, name) for name in names}
    # Where a learner differs from its defaults in more than that, it may be another one.
    if make is None or learner != type(learner)(**settings):
        return None
    return partial(make, **settings)
