"""Preparation steps and measures against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn import impute, metrics, preprocessing

from benchmarks.pairs import Pair
from mlcore.evaluation.metrics import agreement, classes, groups, ranking
from mlcore.preparation.basis_expansion import BasisExpansion
from mlcore.preparation.discretizer import Discretizer
from mlcore.preparation.impute import Impute
from mlcore.preparation.min_max import MinMax
from mlcore.preparation.normalizer import Normalizer
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.standardise import Standardise
from mlcore.spine.fit import Column

MILLION = 1_000_000
LEVELS = tuple("abcde")


@lru_cache(maxsize=1)  # a million rows weigh 160 MB: one table at a time
def table(what: str, n: int) -> np.ndarray:
    """Rows of 20 columns: numbers, the same with missing values, or codes of five levels."""
    rng = np.random.default_rng(0)
    if what == "codes":
        return rng.integers(0, len(LEVELS), (n, 20)).astype(float)
    X = rng.normal(size=(n, 20))
    if what == "missing values":
        X[rng.random(X.shape) < 0.05] = np.nan
    return X


@lru_cache(maxsize=1)
def predicted(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True classes 0 and 1, scores, and classes as predicted by the sign of the score."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    scores = rng.normal(size=n) + y
    return y, scores, (scores > 0.5).astype(int)


@lru_cache(maxsize=1)
def grouped(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of 10 columns and their groups."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 10)), rng.integers(0, 8, n)


def apart(a: Any, b: Any) -> float:
    """The largest difference; infinite where one has a value and the other has none."""
    a, b = np.asarray(a), np.asarray(b)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    return float(np.nanmax(np.abs(a - b)))


def prepared(step: Any, what: str, n: int, columns: Any = None) -> np.ndarray:
    """Fitted and applied to the same rows."""
    X = table(what, n)
    return step.fit(X, columns=columns).transform(X)


def step_pair(name: str, step: Any, peer: Any, what: str, n: int) -> Pair:
    """Fitting and transforming by both."""
    names = tuple(Column(f"x{j}", "nominal", LEVELS, f"x{j}") for j in range(20))
    columns = names if what == "codes" else None
    return Pair(
        name,
        f"sklearn.{type(peer).__name__}",
        f"{n} x 20, {what}",
        lambda: prepared(step, what, n, columns),
        lambda: peer.fit(table(what, n)).transform(table(what, n)),
        apart,
    )


def measure_pair(name: str, ours: Callable, theirs: Callable, n: int, data: Callable) -> Pair:
    """The same measure by both."""
    return Pair(
        name, f"sklearn.{theirs.__name__}", f"{n} rows",
        lambda: ours(*data(n)), lambda: theirs(*data(n)), apart,
    )  # fmt: skip


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    """True classes and scores."""
    y, scores, _ = predicted(n)
    return y, scores


def calls(n: int) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted classes."""
    y, _, predicted_classes = predicted(n)
    return y, predicted_classes


ALL: Any = None  # to a checker their number of rows is an int

PAIRS = [
    step_pair("standardise", Standardise(), preprocessing.StandardScaler(), "numbers", MILLION),
    step_pair(
        "standardise", Standardise(), preprocessing.StandardScaler(), "missing values", MILLION
    ),
    step_pair(
        "standardise robust",
        Standardise(center="median", scale="iqr"),
        preprocessing.RobustScaler(),
        "numbers",
        200_000,
    ),
    step_pair("min_max", MinMax(), preprocessing.MinMaxScaler(), "numbers", MILLION),
    step_pair(
        "impute", Impute(), impute.SimpleImputer(strategy="median"), "missing values", 200_000
    ),
    step_pair(
        "impute mean", Impute(strategy="mean"), impute.SimpleImputer(), "missing values", MILLION
    ),
    step_pair(
        "one_hot", OneHot(), preprocessing.OneHotEncoder(sparse_output=False), "codes", 200_000
    ),
    step_pair(
        "discretizer",
        Discretizer(),
        preprocessing.KBinsDiscretizer(encode="ordinal", quantile_method="linear", subsample=ALL),
        "numbers",
        200_000,
    ),
    step_pair(
        "basis_expansion",
        BasisExpansion(),
        preprocessing.PolynomialFeatures(include_bias=False),
        "numbers",
        50_000,
    ),
    step_pair("normalizer", Normalizer(), preprocessing.Normalizer(), "numbers", MILLION),
    step_pair(
        "quantile_transformer",
        QuantileTransformer(),
        preprocessing.QuantileTransformer(subsample=ALL),
        "numbers",
        50_000,
    ),
    measure_pair("roc_auc", ranking.roc_auc, metrics.roc_auc_score, MILLION, scores),
    measure_pair(
        "average_precision",
        ranking.average_precision,
        metrics.average_precision_score,
        MILLION,
        scores,
    ),
    measure_pair(
        "confusion_matrix", classes.confusion_matrix, metrics.confusion_matrix, MILLION, calls
    ),
    measure_pair("accuracy", classes.accuracy, metrics.accuracy_score, MILLION, calls),
    measure_pair(
        "silhouette_samples", groups.silhouette_samples, metrics.silhouette_samples, 5000, grouped
    ),
    measure_pair(
        "adjusted_rand", groups.adjusted_rand, metrics.adjusted_rand_score, MILLION, calls
    ),
    measure_pair(
        "adjusted_mutual_information",
        agreement.adjusted_mutual_information,
        metrics.adjusted_mutual_info_score,
        MILLION,
        calls,
    ),
]
