"""What is constant is so whatever its value: 0.1, whose mean is rounded, is as constant as 0."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.evaluation.deviance_scores import deviance_explained
from mlcore.evaluation.explaining.nearness import scale_of
from mlcore.evaluation.group_profiles import profiles
from mlcore.evaluation.metrics.numbers import explained_variance, r2
from mlcore.evaluation.scoring import Case, Reconstruction, Rows
from mlcore.maths.arrays import deviations, means
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.reduction.pca import PCA
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.regression.inference import vif
from mlcore.regression.linear_regression import LinearRegression
from mlcore.runs.findings.columns import inflation
from mlcore.spine.fit import Column

N = 7  # the mean of so many times 0.1 is not 0.1
FLAT = np.full(N, 0.1)
VARIED = np.random.default_rng(0).normal(size=(N, 2))
X = np.column_stack([FLAT, VARIED])


def test_the_mean_of_equal_numbers_is_this_number():
    assert FLAT.mean() != 0.1  # what all below is about
    assert means(X)[0] == 0.1
    np.testing.assert_array_equal(means(X)[1:], VARIED.mean(axis=0))
    np.testing.assert_array_equal(deviations(X), [0.0, *VARIED.std(axis=0)])


@pytest.mark.parametrize("measure", [r2, explained_variance])
@pytest.mark.parametrize("weights", [None, np.r_[0.0, np.full(N - 1, 0.1)]])
def test_of_a_constant_target_no_share_is_explained(measure, weights):
    y = FLAT if weights is None else np.r_[5.0, FLAT[1:]]  # the first does not count
    assert np.isnan(measure(y, VARIED[:, 0], weights=weights))


def test_of_a_constant_target_no_deviance_is_explained():
    fit = GeneralisedLinear().fit(VARIED, np.arange(1.0, N + 1))
    assert np.isnan(deviance_explained(FLAT, FLAT + 0.5, fit))
    nearly = np.array([0.3, 0.1 + 0.2])  # apart by the last bit, of which no deviance is left
    counts = GeneralisedLinear(family="poisson").fit(VARIED, np.arange(1.0, N + 1))
    assert np.isnan(deviance_explained(nearly, nearly + 0.5, counts))
    assert np.isnan(LinearRegression().fit(VARIED, FLAT).r2)


def test_of_a_target_that_hardly_varies_no_deviance_is_explained():
    y = np.array([1.0, np.nextafter(1.0, 2.0), 1.0])  # its deviance is rounded to 0
    fit = GeneralisedLinear(family="poisson").fit(VARIED, np.arange(1.0, N + 1))
    assert np.isnan(deviance_explained(y, np.full(3, 1.5), fit))


def test_of_rows_that_are_all_the_same_no_variance_is_kept():
    fit = PCA(n_components=1).fit(VARIED)
    case = Case(method=fit.made_by, fit=fit, train=Rows(VARIED), test=Rows(np.full((N, 2), 0.1)))
    assert np.isnan(Reconstruction().scored(case).scores["variance_kept"])


def test_a_column_that_varies_in_the_noise_alone_tells_no_groups_apart():
    values = np.r_[FLAT, 5.0][:, None]
    labels = np.r_[np.arange(N) % 2, -1]
    (trait,) = profiles(values, (Column("x"),), labels)
    assert trait.share == 0.0


@pytest.mark.parametrize("score", ["zscore", "mahalanobis"])
def test_a_constant_column_makes_no_row_an_outlier(score):
    remote = [OutlierRemover(score=score).fit(Z).scores(Z) for Z in (X, VARIED)]
    np.testing.assert_allclose(*remote, rtol=1e-12)


@pytest.mark.parametrize("codes", [None, np.arange(N) % 2])
def test_no_axis_of_mahalanobis_lies_along_a_constant_column(codes):
    axes = Mahalanobis(scope="within" if codes is not None else "total").frame(X, codes).axes
    assert axes is not None
    np.testing.assert_array_equal(axes[0], 0.0)
    assert axes.shape == (3, 2)


def test_a_constant_column_is_inflated_by_no_other():
    two = np.column_stack([X, np.full(N, 0.7)])
    assert np.isnan(vif(two)[[0, 3]]).all()
    factors, R = inflation(two)
    assert factors[0] == pytest.approx(1.0)
    assert R[0, 3] == 0.0


def test_a_constant_column_is_measured_as_it_is():
    np.testing.assert_array_equal(scale_of(X, np.zeros(3, bool)).units[0], 1.0)
