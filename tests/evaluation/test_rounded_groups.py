"""Groups that have no width, or one mean, but for rounding; and agreements that are whole."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.group_stability import bic_spherical
from mlcore.evaluation.metrics.agreement import (
    homogeneity_completeness,
    normalised_mutual_information,
    variation_of_information,
)
from mlcore.evaluation.metrics.groups import calinski_harabasz, davies_bouldin
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.spine.errors import DataError


@pytest.mark.parametrize("n", [3, 1000])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_equal_rows_have_no_width_though_their_mean_is_rounded(n, offset):
    X = np.repeat([[0.1, 0.3], [0.7, 0.9]], n, axis=0) + offset
    labels = np.repeat([0, 1], n)
    assert calinski_harabasz(X, labels) == np.inf  # was 1e32
    assert np.isnan(bic_spherical(X, labels))  # was the best of all numbers of groups


def test_what_is_narrow_has_a_width():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.1, 0.3], [0.7, 0.9]], 50, axis=0) + 1e-9 * rng.normal(size=(100, 2))
    labels = np.repeat([0, 1], 50)
    assert np.isfinite([calinski_harabasz(X, labels), bic_spherical(X, labels)]).all()


def test_two_groups_about_one_mean_do_not_count():
    half = np.random.default_rng(0).normal(size=(7, 2))
    ring = np.vstack([half, -half])
    X, labels = np.vstack([ring + 0.1, 3 * ring + 0.1, ring + 50]), np.repeat([0, 1, 2], 14)
    assert davies_bouldin(X, labels) < 1  # was 1e16


def test_rows_that_lack_a_value_do_not_count():
    X, labels = np.random.default_rng(0).normal(size=(20, 2)), np.repeat([0, 1], 10)
    more = np.vstack([X, [[np.nan, 1.0]]])
    assert bic_spherical(more, np.append(labels, 1)) == bic_spherical(X, labels)


@pytest.mark.parametrize("k", range(2, 40))
def test_one_grouping_by_other_names_agrees_wholly(k):
    a = np.random.default_rng(k).integers(0, k, 500)
    b = (a * 7 + 1) % 41
    assert normalised_mutual_information(a, b) == pytest.approx(1, abs=3e-16)
    assert homogeneity_completeness(a, b) == (1, 1, 1)
    assert variation_of_information(a, b) == pytest.approx(0, abs=2e-15)
    assert homogeneity_completeness(a, b // 100).homogeneity == 0


def test_a_row_without_a_date_has_no_place_in_time():
    days = np.array(["2020-01-01", "NaT", "2020-01-03", "2020-01-04"], dtype="M8[D]")
    with pytest.raises(DataError, match="need a time for every row"):
        TimeSeriesSplit(n_splits=2).splits(4, order=days)
