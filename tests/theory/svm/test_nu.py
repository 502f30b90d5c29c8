"""What the theory says of machines of a chosen share, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.kernels.gram import gram
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR
from tests.theory.classification.test_svm import mixed

WIDE = RBF(gamma=0.5)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
def test_nu_lies_between_the_rows_beyond_the_margin_and_the_support_vectors(nu, scheme):
    X, y = mixed(classes=3)
    if scheme == "ovr" and nu > 2 / 3:
        with pytest.raises(DataError, match=r"twice the share of the smaller class, .* 0\.6667"):
            NuSVC(nu=nu, multiclass=scheme).fit(X, y)
        return
    fit = NuSVC(nu=nu, kernel=WIDE, multiclass=scheme).fit(X, y)
    assert (fit.beyond <= nu).all()
    assert (fit.supported >= nu - 1e-12).all()


@pytest.mark.parametrize("solver", [SMO(), SMO(working_set=16)])
def test_the_classifier_with_c_of_one_through_rho_is_the_same(solver):
    X, y = mixed()
    nu = NuSVC(nu=0.4, kernel=WIDE, tol=1e-9, solver=solver).fit(X, y)
    same = SVC(C=float(nu.strengths[0]), kernel=WIDE, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(nu.decision(X), same.decision(X), atol=1e-6)
    np.testing.assert_allclose(nu.margins, same.margins, rtol=1e-6)
    np.testing.assert_allclose(nu.primal, nu.dual, rtol=1e-6)


def test_multipliers_of_each_class_sum_to_half_of_nu():
    X, y = mixed()
    fit = NuSVC(nu=0.4, kernel=WIDE).fit(X, y)
    alpha = np.abs(fit.duals[:, 0]) * fit.rho[0]
    for k in (0, 1):
        np.testing.assert_allclose(alpha[y[fit.support] == k].sum(), 0.4 * len(X) / 2)
    assert alpha.max() <= 1.0 + 1e-12
    beta = np.zeros(len(X))
    beta[fit.support] = fit.duals[:, 0]
    output = gram(fit.kernel, X) @ beta + fit.intercepts[0]
    free = (alpha > 1e-9) & (alpha < 1 - 1e-9)
    np.testing.assert_allclose(np.abs(output[fit.support[free]]), 1.0, atol=1e-8)


def test_no_pair_lowers_the_dual():
    X, y = mixed()
    values = [s.objective for s in record(NuSVC(nu=0.4, kernel=WIDE).steps(X, y))]
    assert np.diff(values).min() > -1e-9


def test_two_rows_by_hand():
    # Multipliers sum to nu n / 2 = 1 / 2 in each class: w = 1 before rho, which is 1 as well.
    fit = NuSVC(nu=0.5, kernel="linear").fit([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    np.testing.assert_allclose(fit.rho, 1.0)
    np.testing.assert_allclose(fit.decision([[0.0, 0.0], [2.0, 0.0], [1.5, 7.0]]), [-1, 1, 0.5])
    np.testing.assert_allclose(fit.margins, 1.0)


def test_what_has_no_solution_is_said():
    X, y = mixed()
    few = np.flatnonzero(y == 1)[:6]
    at = np.concatenate([np.flatnonzero(y == 0), few])
    with pytest.raises(DataError, match=r"nu = 0\.5 has no solution.* 0\.1818 here"):
        NuSVC(nu=0.5, kernel=WIDE).fit(X[at], y[at])
    limit = 12 / 66
    assert NuSVC(nu=limit, kernel=WIDE).fit(X[at], y[at]).limits == pytest.approx(limit)
    balanced = NuSVC(nu=0.9, kernel=WIDE, class_weight="balanced").fit(X[at], y[at])
    assert balanced.limits == pytest.approx(1.0)
    with pytest.raises(DataError, match="finds no margin"):
        NuSVC(nu=0.02, kernel="linear").fit(X, y)


def test_a_row_of_weight_two_is_two_rows():
    X, y = mixed(n=60)
    w = np.random.default_rng(1).integers(1, 3, 60)
    fit = NuSVC(nu=0.4, kernel=WIDE, tol=1e-9).fit(X, y, weights=w)
    same = NuSVC(nu=0.4, kernel=WIDE, tol=1e-9).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(fit.decision(X), same.decision(X), atol=1e-6)


def noisy(spread, n=80):
    """A sine with even noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(2 * X[:, 0]) + spread * rng.normal(size=n)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8])
def test_nu_lies_between_the_rows_outside_the_tube_and_the_support_vectors(nu):
    X, y = noisy(0.3)
    fit = NuSVR(nu=nu, C=10.0).fit(X, y)
    assert fit.beyond[0] <= nu <= fit.supported[0] + 1e-12
    outside = np.abs(y - fit.predict(X)) > fit.epsilon + 1e-8
    assert fit.beyond[0] == pytest.approx(outside.mean())
    assert fit.primal == pytest.approx(fit.dual, rel=1e-6)


def test_regression_with_the_width_that_was_found_is_the_same():
    X, y = noisy(0.3)
    fit = NuSVR(nu=0.3, C=10.0, tol=1e-9).fit(X, y)
    same = SVR(epsilon=fit.epsilon, C=10.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(fit.predict(X), same.predict(X), atol=1e-6)


def test_the_tube_follows_the_noise():
    widths = [NuSVR(nu=0.3, C=10.0).fit(*noisy(spread)).epsilon for spread in (0.1, 0.3, 0.9)]
    assert widths[0] < widths[1] < widths[2]
    np.testing.assert_allclose(widths[1] / widths[0], 3.0, rtol=0.3)


def test_what_is_interpolated_lies_in_a_tube_of_no_width():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 40))
    fit = NuSVR(nu=0.9, kernel="linear", C=1e6).fit(X, X[:, 0])
    assert fit.epsilon == pytest.approx(0.0, abs=1e-6)
    assert fit.beyond[0] == 0.0
