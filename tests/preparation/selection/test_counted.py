"""ReliefF, gain ratio and chi-square: published numbers, the reference, and naive loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn import feature_selection
from sklearn.datasets import load_iris, load_wine

from mlcore.data.generators.classes.xor import Xor
from mlcore.preparation.selection.counted import ChiSquare, GainRatio, chi_square, gain_ratio
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.selection.relief import ReliefF
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given

OUTLOOK = (
    "sunny sunny overcast rain rain rain overcast sunny sunny rain sunny overcast overcast rain"
)
WINDY = "0 1 0 0 0 1 1 0 0 0 1 1 0 1"
PLAY = "0 0 1 1 1 0 1 0 1 1 1 1 1 0"


def relevance(kind: Any, X: np.ndarray, y: np.ndarray, **more: Any) -> np.ndarray:
    return UnivariateFilter(relevance=kind).fit(X, y, **more).relevance


def tennis() -> tuple[np.ndarray, np.ndarray, tuple[Column, ...]]:
    """Quinlan's fourteen days, outlook one-hot and wind."""
    outlook = np.array(OUTLOOK.split())
    levels = ("overcast", "rain", "sunny")
    windy = np.array(WINDY.split(), dtype=float)
    X = np.column_stack([*((outlook == level) * 1.0 for level in levels), windy])
    columns = (*(Column(f"outlook={v}", source="outlook") for v in levels), Column("windy"))
    return X, np.array(PLAY.split(), dtype=int), columns


def test_the_published_gain_ratios_of_a_day_of_tennis():
    X, y, columns = tennis()
    found = relevance(GainRatio(), X, y, columns=columns)
    np.testing.assert_allclose(found, [0.246750 / 1.577406, 0.048127 / 0.985228], atol=2e-6)
    assert gain_ratio(np.array([[3.0, 4.0]])) == 0.0


def test_chi_square_of_levels_is_that_of_tables():
    X, y, columns = tennis()
    found = relevance(ChiSquare(), X, y, columns=columns)
    outlook = [[0, 4], [2, 3], [3, 2]]
    windy = [[2, 6], [3, 3]]
    theirs = [chi2_contingency(outlook).statistic / 2, chi2_contingency(windy).statistic]
    np.testing.assert_allclose(found, theirs, rtol=1e-12)  # Yates' correction in the second
    assert chi_square(np.ones((1, 3))) == 0.0


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_chi_square_of_values_is_that_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    ours, theirs = relevance(ChiSquare(of_what="values"), X, y), feature_selection.chi2(X, y)[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    chance = UnivariateFilter(relevance=ChiSquare(of_what="values")).fit(X, y).chance
    assert chance == pytest.approx(5.991465, abs=1e-6)  # two degrees of freedom


def naive_relief(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """The loops of Kononenko (1994), for numbers."""
    U = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    W, share = np.zeros(X.shape[1]), {c: np.mean(y == c) for c in np.unique(y)}
    for i in range(len(X)):
        distance = np.abs(U - U[i]).sum(axis=1)
        for c in share:
            others = [j for j in np.argsort(distance, kind="stable") if j != i and y[j] == c][:k]
            factor = -1.0 if c == y[i] else share[c] / (1 - share[y[i]])
            for j in others:
                W += factor * np.abs(U[i] - U[j]) / (len(others) * len(X))
    return W


def naive_rrelief(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """The loops of Robnik-Sikonja and Kononenko (2003), figure 3, with equal weights."""
    U, t = (X - X.min(axis=0)) / np.ptp(X, axis=0), y / np.ptp(y)
    by_target, by_value, by_both = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in range(len(X)):
        distance = np.abs(U - U[i]).sum(axis=1)
        for j in [j for j in np.argsort(distance, kind="stable") if j != i][:k]:
            by_target += abs(t[i] - t[j]) / k
            by_value += np.abs(U[i] - U[j]) / k
            by_both += abs(t[i] - t[j]) * np.abs(U[i] - U[j]) / k
    return by_both / by_target - (by_value - by_both) / (len(X) - by_target)


def weights(method: ReliefF, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    columns = tuple(Column(f"x{j}") for j in range(X.shape[1]))
    classes = None if y.dtype.kind == "f" else np.unique(y)
    return method.weights(Given(X, columns, y=y, classes=classes), Variables.of(columns))


@pytest.mark.parametrize("k", [1, 7])
def test_relief_is_its_published_loop(k):
    X, y = load_wine(return_X_y=True)
    X, y = X[::3], y[::3]
    ours = weights(ReliefF(n_neighbors=k, n_rows=None), X, y)
    np.testing.assert_allclose(ours, naive_relief(X, y, k), atol=1e-12)
    z = X[:, 0] * 2 + X[:, 3]
    ours = weights(ReliefF(n_neighbors=k, n_rows=None), X, z)
    np.testing.assert_allclose(ours, naive_rrelief(X, z, k), atol=1e-12)


def test_relief_sees_what_two_variables_say_only_together():
    table = Xor(n_samples=300, irrelevant=4).origin({}).table
    X = np.column_stack([c.values for c in table.columns[:6]])
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    step = UnivariateFilter(relevance=ReliefF(), n_features=2).fit(X, y)
    np.testing.assert_array_equal(step.chosen, [True, True, False, False, False, False])
    assert step.relevance[:2].min() > 2 * step.chance
    alone = UnivariateFilter(relevance="f_ratio").fit(X, y)
    assert alone.relevance.max() < 3 * alone.chance  # no variable by itself


def test_a_block_of_levels_is_one_variable_that_differs_or_not():
    X, y, columns = tennis()
    outlook = X[:, :3].argmax(axis=1)
    found = relevance(ReliefF(n_neighbors=2), X, y, columns=columns)
    U = np.column_stack([outlook, X[:, 3]])
    W, share = np.zeros(2), np.bincount(y) / 14
    for i in range(14):
        distance = (U[i] != U).sum(axis=1)
        for c in (0, 1):
            near = [j for j in np.argsort(distance, kind="stable") if j != i and y[j] == c][:2]
            factor = -1.0 if c == y[i] else share[c] / (1 - share[y[i]])
            W += factor * sum((U[i] != U[j]).astype(float) for j in near) / (2 * 14)
    np.testing.assert_allclose(found, np.maximum(W, 0), atol=1e-12)


@pytest.mark.parametrize("kind", [ReliefF(), GainRatio(), ChiSquare()])
def test_of_variables_that_say_nothing_one_in_twenty_passes_the_chance_level(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 80)), rng.integers(0, 2, 120)
    step = UnivariateFilter(relevance=kind).fit(X, y)
    assert (step.relevance > step.chance).mean() < 0.15  # 12 of 80, where 4 are expected


@pytest.mark.parametrize("kind", [GainRatio(), ChiSquare(), ChiSquare(of_what="values")])
def test_quantities_as_targets_and_negative_counts_are_refused(kind):
    X = np.abs(np.random.default_rng(0).normal(size=(20, 2)))
    with pytest.raises(DataError, match="the target holds a quantity"):
        relevance(kind, X, np.linspace(0.0, 1.0, 20))
    if kind.card.name == "chi_square" and kind.of_what == "values":
        with pytest.raises(DataError, match="never negative"):
            relevance(kind, X - 1.0, np.arange(20) % 2)


def test_entropy_based_bins_look_at_the_class():
    X, y = load_iris(return_X_y=True)
    found = relevance(GainRatio(discretiser="entropy_mdl"), X, y)
    assert found.argmax() in (2, 3)
    assert found.min() >= 0
