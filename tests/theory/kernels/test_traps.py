"""What kernel methods are easily got wrong in: each by a case that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.composed import Scaled
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import entries, lookup

RNG = np.random.default_rng(7)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] - X[:, 1] ** 2 + 0.1 * RNG.normal(size=30)
SIDE = (np.median(Y) < Y).astype(int)
CONDITIONAL = [n for n, kind in entries("kernel").items() if kind().definite == "conditional"]


@pytest.mark.parametrize("name", CONDITIONAL)
def test_a_conditional_kernel_needs_an_offset(name):
    kernel = lookup("kernel", name)()
    for method in (KernelRidge(kernel=kernel, offset=False), GPRegressor(kernel=kernel)):
        with pytest.raises(MlcoreError, match=kernel.title()):
            method.fit(X, Y)
    fit = KernelRidge(kernel=kernel).fit(X, Y)
    assert fit.duals.sum() == pytest.approx(0, abs=1e-10)
    svc = lookup("svm", "svc")  # which stops at a stationary point of any kernel, and says so
    assert not svc(kernel=kernel).fit(X, SIDE).notes
    assert "not a valid kernel" in svc(kernel=kernel, intercept=False).fit(X, SIDE).notes[0]


def test_a_region_parted_from_the_origin_warns_where_the_origin_may_lie_among_the_rows():
    one_class = lookup("svm", "one_class_svm")
    fit = one_class(kernel=lookup("kernel", "linear")()).fit(X)
    assert "the origin may lie among them" in fit.notes[-1]
    assert not one_class().fit(X).notes


@pytest.mark.parametrize(
    "method",
    [KernelRidge(), lookup("svm", "svr")(tol=1e-9), lookup("svm", "nu_svr")(tol=1e-9)],
    ids=lambda method: method.card.name,
)
def test_the_order_of_rows_changes_nothing(method):
    order = RNG.permutation(30)
    one, other = method.fit(X, Y), method.fit(X[order], Y[order])
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-6)


def test_a_tube_of_no_width_has_each_row_on_its_border_or_at_the_bound():
    fit = lookup("svm", "svr")(C=0.5, epsilon=0.0, tol=1e-9).fit(X, Y)
    off, duals = Y - fit.predict(X), np.zeros(30)
    duals[fit.support] = fit.duals[:, 0]
    inside = np.abs(duals) < 0.5 - 1e-9
    assert inside.any() and (~inside).any()
    np.testing.assert_allclose(off[inside], 0, atol=1e-6)
    np.testing.assert_array_equal(np.sign(off[~inside]), np.sign(duals[~inside]))


def test_a_tube_that_holds_every_row_is_a_constant_and_a_sentence():
    fit = lookup("svm", "svr")(epsilon=float(np.ptp(Y))).fit(X, Y)
    assert np.ptp(fit.predict(X)) == 0 and len(fit.support) == 0
    assert "The tube holds every row" in fit.notes[0]


def test_a_setting_that_ends_at_an_end_of_its_range_is_told():
    x = np.linspace(0, 1, 30)[:, None]
    notes = GPRegressor().fit(x, 3 * x[:, 0]).notes
    assert "noise variance ended at the lower end of its range" in notes[0]
    assert not GPRegressor().fit(X, Y).notes


def test_no_variance_is_negative_where_rows_say_all():
    rows = np.linspace(0, 1, 40)[:, None]
    method = GPRegressor(kernel=RBF.from_sigma(3.0), learn="none", noise=1e-8)
    fit = method.fit(rows, np.sin(rows[:, 0]))
    spread = fit.function_deviation(rows)
    assert np.isfinite(spread).all() and (spread >= 0).all()


def test_a_linear_latent_function_is_bayesian_logistic_regression():
    """The mode by n latent values is that of p weights with the prior N(0, s)."""
    s, rows = 4.0, X[:, :1]
    kernel = Scaled(kernel=lookup("kernel", "linear")(), factor=s)
    fit = GPClassifier(kernel=kernel, learn="none").fit(rows, SIDE)
    sign = 2 * SIDE - 1

    def loss(w: np.ndarray) -> float:
        return np.logaddexp(0, -sign * rows[:, 0] * w[0]).sum() + w[0] ** 2 / (2 * s)

    w = minimize(loss, [0.0], tol=1e-14).x[0]
    np.testing.assert_allclose(fit.latent(rows)[:, 0], w * rows[:, 0], atol=1e-5)


def test_latent_values_beyond_the_exponential_stay_finite():
    kernel = Scaled(kernel=RBF.from_sigma(1.0), factor=1e8)
    fit = GPClassifier(kernel=kernel, learn="none").fit(X, SIDE)
    P = fit.probabilities(X)
    assert np.isfinite(P).all() and (fit.predict(X) == SIDE).all()
