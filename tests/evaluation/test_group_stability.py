"""Prediction strength, consensus and the BIC of hard groups, each against its definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.clustering.kmeans import KMeans
from mlcore.evaluation.consensus import consensus_area, consensus_matrix
from mlcore.evaluation.group_counts import opinion
from mlcore.evaluation.group_stability import bic_spherical, prediction_strength, stability_index


def test_golden_prediction_strength():
    own = np.array([0, 0, 0, 0, 1, 1, 1])
    assert prediction_strength(own, [5, 5, 5, 2, 9, 9, 9]) == pytest.approx(0.5)  # 3 of 6 pairs
    assert prediction_strength(own, own + 7) == 1  # names of groups do not count
    assert prediction_strength(own, np.arange(7)) == 0
    assert prediction_strength(own, [5, 5, -1, -1, 9, 9, 9]) == pytest.approx(1 / 6)
    assert prediction_strength([0, 0, 1], [3, 3, 4]) == 1  # one row has no pairs, and no say
    assert np.isnan(prediction_strength([0, 1, -1], [0, 0, 0]))


def strength_by_definition(labels, predicted):
    """Tibshirani and Walther (2005): over all ordered pairs of a group of the test rows."""
    shares = []
    for j in np.unique(labels):
        inside = np.flatnonzero(labels == j)
        pairs = [predicted[a] == predicted[b] for a in inside for b in inside if a != b]
        shares.append(sum(pairs) / (len(inside) * (len(inside) - 1)))
    return min(shares)


@pytest.mark.parametrize("seed", range(4))
def test_prediction_strength_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    labels, predicted = np.arange(40) % 3, rng.integers(0, 4, 40)
    wanted = strength_by_definition(labels, predicted)
    assert prediction_strength(labels, predicted) == pytest.approx(wanted, abs=1e-14)


def test_the_largest_number_of_at_least_the_threshold_is_said():
    nothing = np.full(5, np.nan)
    values = np.array([1.0, 0.6, 0.8, 0.79, np.nan])
    assert opinion("prediction_strength", range(1, 6), values, nothing).says == (3,)
    assert opinion("prediction_strength", range(1, 6), nothing, nothing).says == ()


def consensus_by_definition(draws, rows):
    """Monti et al. (2003): the sum of the connectivity over that of the indicators."""
    found = np.full((len(rows), len(rows)), np.nan)
    for a, b in np.ndindex(found.shape):
        both = [dict(zip(at, of, strict=True)) for at, of in draws]
        both = [of for of in both if rows[a] in of and rows[b] in of]
        if both:
            found[a, b] = np.mean([of[rows[a]] == of[rows[b]] for of in both])
    return found


def test_the_consensus_is_that_of_its_definition():
    rng = np.random.default_rng(5)
    draws = [(np.sort(rng.choice(30, 9, replace=False)), rng.integers(0, 3, 9)) for _ in range(6)]
    rows = np.sort(rng.choice(30, 20, replace=False))
    found = consensus_matrix(draws, rows)
    np.testing.assert_allclose(found, consensus_by_definition(draws, rows), atol=1e-14)
    assert np.isnan(found).any()  # some two were never drawn together


def test_noise_is_together_with_itself_only():
    found = consensus_matrix([([0, 1, 2], [-1, -1, 0])], [0, 1, 2])
    np.testing.assert_array_equal(found, np.eye(3))


def test_the_area_is_that_below_the_distribution():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 6, 45) / 5
    consensus = np.eye(10)
    for (a, b), value in zip(combinations(range(10), 2), values, strict=True):
        consensus[a, b] = consensus[b, a] = value
    steps = np.linspace(0, 1, 100_001)
    below = np.searchsorted(np.sort(values), steps, side="right") / len(values)
    assert consensus_area(consensus) == pytest.approx(np.trapezoid(below, steps), abs=1e-4)
    assert consensus_area(np.ones((4, 4))) == 0
    assert np.isnan(consensus_area(np.full((3, 3), np.nan)))


def test_the_bic_is_that_of_the_likelihood_of_its_groups():
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(50, 3)), np.arange(50) % 4
    means = np.array([X[labels == k].mean(axis=0) for k in range(4)])
    variance = ((X - means[labels]) ** 2).sum() / (3 * (50 - 4))
    shares = np.bincount(labels) / 50
    likelihood = sum(
        np.log(shares[k]) + multivariate_normal(means[k], variance * np.eye(3)).logpdf(x)
        for x, k in zip(X, labels, strict=True)
    )
    wanted = -2 * likelihood + (3 + 4 * 3 + 1) * np.log(50)
    assert bic_spherical(X, labels) == pytest.approx(wanted, rel=1e-12)
    noisy = np.vstack([X, 99 * np.ones((2, 3))])
    assert bic_spherical(noisy, np.append(labels, [-1, -1])) == pytest.approx(wanted)
    assert np.isnan(bic_spherical(X[:3], [0, 1, 2]))
    assert np.isnan(bic_spherical(np.ones((4, 1)), [0, 0, 1, 1]))


def test_labels_by_chance_agree_the_less_the_more_groups_there_are():
    """Of 200 rows by the worked values, within three standard errors of 20 pairs."""
    found = [
        np.mean([stability_index(np.zeros(200), np.zeros(200), k, s).by_chance for s in range(4)])
        for k in range(1, 8)
    ]
    np.testing.assert_allclose(found, [0, 0.47, 0.61, 0.69, 0.73, 0.76, 0.77], atol=0.02)


def test_the_index_is_what_differs_after_matching():
    found = stability_index([0, 0, 0, 1, 1, 1], [4, 4, 2, 2, 2, 2], 2)
    assert found.differ == pytest.approx(1 / 6)


def test_four_corners_of_a_square_are_four_by_the_worked_indices():
    """200 rows of spread 0.6 at the corners of a square of side 5."""
    rng = np.random.default_rng(0)
    corners = np.array([[0.0, 0], [5, 0], [0, 5], [5, 5]])[np.arange(200) % 4]
    X = corners + 0.6 * rng.normal(size=(200, 2))

    def index(k):
        drawn = []
        for _ in range(12):
            one, other = np.array_split(rng.permutation(200), 2)
            fits = [KMeans(n_clusters=k, n_init=5).fit(X[half], seed=0) for half in (one, other)]
            drawn.append(stability_index(fits[1].labels, fits[0].predict(X[other]), k))
        differ, by_chance = np.mean(drawn, axis=0)
        return differ / by_chance

    found = [index(k) for k in range(2, 8)]
    assert int(np.argmin(found)) + 2 == 4
    # Twelve splits of one table, beside 20 of another. Which way a square is cut in two is chance.
    np.testing.assert_allclose(found[1:], [0.56, 0.025, 0.18, 0.37, 0.44], atol=0.15)
