"""Correlations between variables that may be blocks of columns, and with the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.method import Given
from mlcore.params import choice
from mlcore.preparation.selection.judge import Variables

RANK = 1e-10  # relative length below which a direction of a block is rounding


def kind_of_correlation() -> Any:
    """The choice between numbers and their ranks."""
    return choice(
        "pearson",
        "pearson",
        "spearman",
        doc="Of the numbers, which sees straight lines; or of their ranks (spearman), which sees "
        "whether one rises with the other, and feels no outliers.",
    )


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
    from scipy.stats import rankdata  # takes a moment, and only this asks for it

    return rankdata(X, axis=0)


def measured(given: Given, variables: Variables, kind: str) -> tuple[list[np.ndarray], np.ndarray]:
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
    of_class = (y[:, None] == np.arange(len(given.classes))).astype(float)
    shares, whole = of_class.mean(axis=0), basis(of_class)
    each = np.hstack([basis(one[:, None]) for one in of_class.T])  # (n, K): no class is all rows
    return np.array(
        [
            _canonical(Q.T @ whole)
            if Q.shape[1] > 1
            else float(np.abs(Q.T @ each).sum(axis=0) @ shares)
            for Q in bases
        ]
    )


def _canonical(products: np.ndarray) -> float:
    """The largest canonical correlation of two bases, from their products."""
    if products.size < 2:
        return float(min(np.abs(products).sum(), 1.0))
    return float(min(np.linalg.norm(products, 2), 1.0))


def between(bases: list[np.ndarray]) -> np.ndarray:
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
