"""Rankings of variables with missing values, by the published definitions."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.preparation.selection.counted import GainRatio, gain_ratio
from mlcore.preparation.selection.dependence import ByNeighbours, MutualInformation
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.gaps import Gap
from mlcore.preparation.selection.relevance import Correlation
from mlcore.preparation.selection.relief import ReliefF
from mlcore.spine.registry import entries

NAN = np.nan


def table(n=240, seed=0):
    """A column of the class, its other half missing; one that tells a little; two of noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 4))
    X[:, 0] += 3.0 * y
    X[:, 1] += 0.7 * y
    X[rng.permutation(n)[: n // 2], 0] = NAN
    X[rng.permutation(n)[: n // 5], 2] = NAN
    return X, y


def test_quinlan_s_days_of_golf():
    """C4.5 (1993), page 29: the outlook of one day of fourteen is not known."""
    counts = np.array([[2.0, 3.0], [3.0, 0.0], [3.0, 2.0]])  # sunny, overcast, rain: play or not
    assert gain_ratio(counts, 1) == pytest.approx(0.199 / 1.809, abs=1e-3)
    assert gain_ratio(counts, 1) < gain_ratio(counts)


@pytest.mark.parametrize("has_levels", [False, True])
def test_a_missing_value_differs_as_values_of_its_class_are_expected_to(has_levels):
    values = np.array([0.0, 1.0, 1.0, NAN, 2.0, 2.0, NAN, 1.0])
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    gap = Gap.of(values, classes, has_levels=has_levels)

    def candidates(row):
        alike = (classes == classes[row]) & ~np.isnan(values)
        return values[alike] if np.isnan(values[row]) else values[row : row + 1]

    i, j = (at.ravel() for at in np.indices((8, 8)))
    pairs = [np.abs(np.subtract.outer(candidates(a), candidates(b))) for a, b in zip(i, j)]
    brute = [(d > 0).mean() if has_levels else d.mean() for d in pairs]
    away = np.abs(values[i] - values[j])
    away = np.where(np.isnan(away), NAN, away > 0) if has_levels else away
    np.testing.assert_allclose(gap.filled(away, i, j), brute, atol=1e-12)


def test_a_class_without_a_value_is_taken_for_like_all_others():
    gap = Gap.of(np.array([0.0, 2.0, NAN]), np.array([0, 0, 1]), has_levels=False)
    assert gap.filled(np.array([NAN]), np.array([2]), np.array([0]))[0] == 1.0
    nothing = Gap.of(np.full(3, NAN), np.array([0, 0, 1]), has_levels=False)
    assert nothing.filled(np.array([NAN]), np.array([2]), np.array([0]))[0] == 0.0


@pytest.mark.parametrize(
    "relevance",
    [ReliefF(n_rows=None), GainRatio(), Correlation(), "chi_square", "f_ratio"],
)
def test_what_tells_most_is_first_though_half_of_it_is_missing(relevance):
    X, y = table()
    fit = UnivariateFilter(relevance=relevance, n_features=2).fit(X, y)
    assert fit.relevance.argmax() == 0 and fit.chosen[:2].all()
    assert fit.relevance[0] > 2 * fit.chance
    np.testing.assert_array_equal(fit.transform(X), X[:, :2])  # what is missing stays so


def test_a_quantity_is_told_by_a_variable_with_missing_values():
    X, _ = table()
    y = np.where(np.isnan(X[:, 0]), 1.5, X[:, 0])
    fit = UnivariateFilter(relevance=ReliefF(n_rows=None), n_features=1).fit(X, y)
    assert fit.chosen[0] and fit.relevance[0] > fit.chance


def test_variables_are_judged_on_the_rows_that_have_their_value():
    X, y = table()
    fit = UnivariateFilter(relevance=Correlation()).fit(X, y)
    for v in range(4):
        known = ~np.isnan(X[:, v])
        expected = abs(np.corrcoef(X[known, v], y[known])[0, 1])
        assert fit.relevance[v] == pytest.approx(expected, abs=1e-12)


def test_a_variable_whose_known_rows_are_of_one_class_has_no_relevance():
    X, y = table()
    X[y == 1, 1] = NAN
    X[:, 3] = NAN
    for relevance in (Correlation(), GainRatio(), ReliefF()):
        fit = UnivariateFilter(relevance=relevance, n_features=1).fit(X, y)
        assert fit.chosen[0] and np.isfinite(fit.relevance).all() and fit.relevance[3] == 0
    assert UnivariateFilter(relevance=Correlation()).fit(X, y).relevance[1] == 0


@pytest.mark.parametrize("n_known", [2, 3, 4, 9])
@pytest.mark.parametrize("relevance", [*entries("relevance")])
def test_a_variable_of_which_hardly_a_row_has_a_value_is_not_relevant(relevance, n_known):
    X, y = table(120)
    X = np.column_stack([X, np.where(np.arange(120) < n_known, y, NAN)])  # as if it told all
    fit = UnivariateFilter(relevance=relevance, n_features=2).fit(X, y)
    assert fit.relevance[4] == 0 and fit.chosen[:2].all()
    without = UnivariateFilter(relevance=relevance, n_features=2).fit(X[:, :4], y)
    np.testing.assert_array_equal(fit.relevance[:4], without.relevance)
    np.testing.assert_array_equal(fit.chance, without.chance)


def test_as_many_rows_as_an_estimate_needs_must_have_a_value():
    X, y = table(120)
    X[14:, 2] = NAN
    by_many = MutualInformation(estimator=ByNeighbours(n_neighbors=14))
    assert UnivariateFilter(relevance=by_many).fit(X, y).relevance[2] == 0
    assert UnivariateFilter(relevance=MutualInformation()).fit(X, y).relevance[2] > 0
