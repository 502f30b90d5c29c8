"""Imputation by a Gaussian against chained regressions, which do the same work another way."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # asked for by its import
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LinearRegression

from benchmarks.pairs import Pair
from mlcore.preparation.gaussian_imputer import GaussianImputer

ROWS, COLUMNS, PATTERNS, SHARE = 5000, 20, 30, 0.2


@lru_cache(maxsize=1)
def with_missing() -> tuple[np.ndarray, np.ndarray]:
    """Rows of dependent columns, and the same with missing values in thirty patterns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)) @ (0.4 * rng.normal(size=(COLUMNS, COLUMNS)) + 1)
    masks = rng.random((PATTERNS, COLUMNS)) < SHARE
    return X, np.where(masks[rng.integers(0, PATTERNS, ROWS)], np.nan, X)


def filled(step: Any) -> np.ndarray:
    """Fitted and applied to the same rows."""
    return step.fit(with_missing()[1]).transform(with_missing()[1])


def error(filled: np.ndarray) -> float:
    """Mean squared error of the filled values, as a share of the variance of the columns."""
    X, incomplete = with_missing()
    is_missing = np.isnan(incomplete)
    return float((((filled - X) / X.std(axis=0))[is_missing] ** 2).mean())


PAIRS = [
    Pair(
        "gaussian_imputer",
        "sklearn.IterativeImputer",
        f"{ROWS} x {COLUMNS}, {PATTERNS} patterns",
        lambda: filled(GaussianImputer()),
        lambda: filled(IterativeImputer(LinearRegression(), max_iter=30)),
        lambda a, b: error(a) - error(b),
    )
]
