"""Correlations between variables that may be blocks of columns, and with the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtrit

from mlcore.maths.ranks import mean_ranks
from mlcore.preparation.selection.judge import Variables
from mlcore.spine.method import Given
from mlcore.spine.params import choice
from mlcore.spine.random import generator

SURE = 0.95  # share of independent columns that stays below the level of chance
DRAWS = 4000  # of the normal distribution, for that level: it is then known to about 2 %
RANK = 1e-10  # relative length below which a direction of a block is rounding


def kind_of_correlation(**more: str) -> Any:
    """The choice between numbers, their ranks, and what else is named, with words for its help."""
    help_texts = [
        "Of the numbers, which sees straight lines",
        "or of their ranks (spearman), which sees whether one rises with the other, and feels no "
        "outliers",
        *more.values(),
    ]
    return choice("pearson", "pearson", "spearman", *more, doc=f"{'; '.join(help_texts)}.")


def basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the centered columns of X, shape (n, rank)."""
    about = X - X.mean(axis=0)
    size = np.sqrt((about**2).sum(axis=0))
    floor = RANK * np.sqrt(len(X)) * np.abs(X).max(axis=0)
    about = about[:, size > floor] / size[size > floor]
    if about.shape[1] < 2:
        return about
    U, s, _ = np.linalg.svd(about, full_matrices=False)
    return U[:, s > RANK * s[0]]


def ranks(X: np.ndarray) -> np.ndarray:
    """The place of each value in its column, equal ones at their mean place, shape (n, p)."""
    if X.ndim == 1:
        return mean_ranks(X)
    return np.stack([mean_ranks(column) for column in X.T], axis=1) if X.size else X


def correlations_with_target(
    given: Given, variables: Variables, kind: str
) -> tuple[list[np.ndarray], np.ndarray]:
    """The basis of each variable, and its correlation with the target, shape (d,).

    Of the numbers (pearson), or of their ranks (spearman): whether one rises with the other.
    """
    X, y = given.X, given.target
    if kind == "spearman":
        X = ranks(X)
        y = ranks(y) if given.classes is None else y  # classes have no order
    bases = [basis(X[:, at]) for at in variables.blocks]
    return bases, _with_target(bases, given, y)


def _with_target(bases: list[np.ndarray], given: Given, y: np.ndarray) -> np.ndarray:
    """The absolute correlation of each variable, by its basis, with the target, shape (d,).

    With classes the mean over them of that with "is of the class"; of a block the largest
    canonical correlation.
    """
    if given.classes is None:
        target = basis(y[:, None])
        return np.array([_canonical(Q.T @ target) for Q in bases])
    of_class = _indicators(y, given)
    shares, whole = of_class.mean(axis=0), basis(of_class)
    indicators = _one_against_rest(of_class)
    return np.array(
        [
            _canonical(Q.T @ whole)
            if Q.shape[1] > 1
            else float(np.abs(Q.T @ indicators).sum(axis=0) @ shares)
            for Q in bases
        ]
    )


def _indicators(y: np.ndarray, given: Given) -> np.ndarray:
    """1 where a row is of a class, else 0, shape (n, K)."""
    return (y[:, None] == np.arange(len(given.labels))).astype(float)


def _one_against_rest(of_class: np.ndarray) -> np.ndarray:
    """Each class against the rest, centered and of length 1, shape (n, K): none is all rows."""
    return np.hstack([basis(indicator[:, None]) for indicator in of_class.T])


def chance_level(given: Given) -> float:
    """The 95 % quantile of the correlation of a column that is independent of the target.

    Of a quantity by the t distribution with n - 2 degrees of freedom. The correlations with K
    classes are nearly normal, of variance 1 / (n - 1), and correlated as belonging to the classes
    is; their mean by shares has no distribution of its own, so it is drawn.
    """
    if given.n < 3:
        return float("nan")
    if given.classes is None:
        t = float(stdtrit(given.n - 2, (1 + SURE) / 2))
        return t / float(np.sqrt(given.n - 2 + t**2))
    of_class = _indicators(given.target, given)
    indicators = _one_against_rest(of_class)
    spread, axes = np.linalg.eigh(indicators.T @ indicators)
    normal = generator(0, "correlations by chance").standard_normal((DRAWS, len(spread)))
    drawn = (normal * np.sqrt(np.maximum(spread, 0.0))) @ axes.T
    level = np.quantile(np.abs(drawn) @ of_class.mean(axis=0), SURE)
    return min(float(level) / float(np.sqrt(given.n - 1)), 1.0)


def _canonical(products: np.ndarray) -> float:
    """The largest canonical correlation of two bases, from their products."""
    if products.size < 2:
        return float(min(np.abs(products).sum(), 1.0))
    return float(min(np.linalg.norm(products, 2), 1.0))


def correlations_between(bases: list[np.ndarray]) -> np.ndarray:
    """Correlations between the variables, shape (d, d)."""
    starts = np.cumsum([0, *(Q.shape[1] for Q in bases)])
    stacked = np.hstack(bases)
    products = stacked.T @ stacked
    out = np.eye(len(bases))
    single = [v for v, Q in enumerate(bases) if Q.shape[1] == 1]
    at = starts[single]
    out[np.ix_(single, single)] = np.minimum(np.abs(products[np.ix_(at, at)]), 1.0)
    for v in (v for v, Q in enumerate(bases) if Q.shape[1] > 1):
        rows = products[starts[v] : starts[v + 1]]
        for u in range(len(bases)):
            out[v, u] = out[u, v] = _canonical(rows[:, starts[u] : starts[u + 1]])
    np.fill_diagonal(out, 1.0)
    return out
