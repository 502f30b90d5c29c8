"""One-class machines: what nu bounds, rows in symmetric places, the smallest sphere."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.svm.one_class_svm import OneClassSVM


def cloud(n=200, p=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


@pytest.mark.parametrize("nu", [0.03, 0.1, 0.5, 0.9])
def test_nu_bounds_rows_outside_from_above_and_support_vectors_from_below(nu):
    X = cloud()
    fit = OneClassSVM(nu=nu, kernel=RBF(gamma=0.5)).fit(X)
    assert (fit.predict(X) == -1).sum() <= nu * 200 <= len(fit.support)
    assert fit.duals.sum() == pytest.approx(nu * 200, rel=1e-12)
    assert fit.duals.min() > 0
    assert fit.duals.max() <= 1
    np.testing.assert_allclose(fit.own_usualness, fit.usualness(X), rtol=1e-9)


def test_rows_between_the_bounds_lie_on_the_border_and_those_at_the_bound_not_inside():
    X = cloud()
    fit = OneClassSVM(nu=0.2, kernel=RBF(gamma=0.5)).fit(X)
    own, free = fit.own_usualness[fit.support], fit.duals[:, 0] < 1
    np.testing.assert_allclose(own[free], fit.rho, rtol=1e-8)
    assert (own[~free] <= fit.rho * (1 + 1e-8)).all()
    others = np.setdiff1d(np.arange(200), fit.support)
    assert (fit.own_usualness[others] >= fit.rho * (1 - 1e-8)).all()


def test_corners_of_a_square_share_alike():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    fit = OneClassSVM(nu=0.5, kernel=RBF(gamma=1.0)).fit(X)
    np.testing.assert_allclose(fit.duals, 0.5)
    # rho is the sum of the kernel at a corner: itself, two at distance 1, one at sqrt(2).
    assert fit.rho == pytest.approx(0.5 * (1 + 2 * np.exp(-1) + np.exp(-2)))
    assert (fit.predict(X) == 1).all()
    assert fit.predict([[0.5, 0.5], [3.0, 3.0]]).tolist() == [1, -1]


def test_the_region_is_that_of_the_smallest_sphere_in_the_features():
    """All rows of a Gaussian kernel have length 1, so the distance to the center falls with s."""
    X = cloud(80, seed=1)
    fit = OneClassSVM(nu=0.15, kernel=RBF(gamma=0.7)).fit(X)
    a = fit.duals[:, 0] / fit.duals.sum()
    K = RBF(gamma=0.7)(X[fit.support])
    squared = 1.0 - 2.0 * RBF(gamma=0.7)(X, X[fit.support]) @ a + a @ K @ a
    radius = 1.0 + a @ K @ a - 2.0 * fit.rho / fit.duals.sum()  # of the spec's r^2, in shares
    np.testing.assert_array_equal(squared <= radius + 1e-9, fit.predict(X) == 1)


def test_a_row_of_weight_two_is_two_rows():
    X = cloud(40, seed=2)
    w = np.ones(40)
    w[:5] = 2.0
    weighted = OneClassSVM(nu=0.2, kernel=RBF(gamma=0.5)).fit(X, weights=w)
    repeated = OneClassSVM(nu=0.2, kernel=RBF(gamma=0.5)).fit(np.vstack([X, X[:5]]))
    np.testing.assert_allclose(weighted.usualness(X), repeated.usualness(X), rtol=1e-6)
    assert weighted.rho == pytest.approx(repeated.rho, rel=1e-6)


def test_a_kernel_that_is_not_of_differences_is_told():
    assert "origin" in OneClassSVM(kernel=Linear()).fit(cloud() + 5.0).notes[-1]
    assert OneClassSVM().fit(cloud()).notes == ()


def test_the_dual_never_falls_and_is_that_of_the_multipliers():
    method = OneClassSVM(nu=0.3, kernel=RBF(gamma=0.5))
    duals = np.array([step.objective for step in method.steps(cloud(60))])
    assert (np.diff(duals) >= -1e-9).all()
    fit = method.fit(cloud(60))
    K = RBF(gamma=0.5)(fit.support_vectors)
    assert fit.dual == pytest.approx(-0.5 * float(fit.duals[:, 0] @ K @ fit.duals[:, 0]))


def test_rows_that_are_all_equal_are_told():
    fit = OneClassSVM().fit(np.ones((12, 2)))
    assert any("All rows are equal" in note for note in fit.notes)
    assert (fit.predict(np.ones((3, 2))) == 1).all()
    one = OneClassSVM().fit(np.column_stack([np.arange(12.0), np.ones(12)]))
    assert not one.notes
