"""What the theory says of support vector machines, without a reference."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from mlcore.kernels.gram import gram
from mlcore.kernels.products import Linear, Polynomial, Sigmoid
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.rows import Afresh
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR

HARD = {"kernel": "linear", "C": 1e6}  # no row inside the street of separable classes
AMONG = Afresh.among
EXACT = 1e-9  # few rows are solved by linear equations


def mixed(n=120, p=3, seed=0, classes=2):
    """Classes that overlap, the border between them bent."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    level = X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(level, np.arange(1, classes) / classes), level)


def parts(fit, X, y):
    """Gram matrix, multipliers of all rows and signs of a fit of two classes."""
    beta = np.zeros(len(X))
    beta[fit.support] = fit.duals[:, 0]
    return gram(fit.kernel, X), beta, np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize(
    ("X", "y", "C", "w", "b", "alpha"),
    [
        ([[0, 0], [2, 0]], [0, 1], 1e6, (1, 0), -1, (0.5, 0.5)),
        ([[0, 0], [2, 0]], [0, 1], 0.2, (0.4, 0), -0.4, (0.2, 0.2)),
        ([[0, 0], [1, 1], [2, 0], [3, 1]], [0, 0, 1, 1], 1e6, (1, -1), -1, (0, 1, 1, 0)),
    ],
)
def test_by_hand(X, y, C, w, b, alpha):
    X, y = np.array(X, dtype=float), np.array(y)
    fit = SVC(kernel="linear", C=C).fit(X, y)
    beta = np.zeros(len(X))
    beta[fit.support] = fit.duals[:, 0]
    np.testing.assert_allclose(beta @ X, w, atol=EXACT)
    np.testing.assert_allclose(fit.intercepts, [b], atol=EXACT)
    np.testing.assert_allclose(np.abs(beta), alpha, atol=EXACT)
    np.testing.assert_allclose(fit.margins, 1 / np.linalg.norm(w), atol=EXACT)


def test_crossed_corners_by_a_polynomial():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    y = (X[:, 0] * X[:, 1] < 0).astype(int)
    fit = SVC(kernel=Polynomial(degree=2), C=1e6).fit(X, y)
    np.testing.assert_allclose(np.abs(fit.duals[:, 0]), 1 / 8, atol=EXACT)
    np.testing.assert_allclose(fit.dual, 1 / 4, atol=EXACT)
    np.testing.assert_allclose(fit.decision([[0.5, 0.3]]), -0.15, atol=EXACT)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.5), Linear(), Polynomial()])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_conditions_of_karush_kuhn_and_tucker_hold(kernel, C):
    X, y = mixed()
    fit = SVC(kernel=kernel, C=C).fit(X, y)
    K, beta, sign = parts(fit, X, y)
    alpha, slack = beta * sign, 1 - sign * (K @ beta + fit.intercepts[0])
    assert alpha.min() >= 0
    assert alpha.max() <= C
    assert abs(beta.sum()) < 1e-9 * C
    assert slack[alpha == 0].max() < 1e-6
    assert slack[alpha == C].min(initial=0) > -1e-6
    free = (alpha > 0) & (alpha < C)
    assert np.abs(slack[free]).max() < 1e-6
    np.testing.assert_allclose(fit.primal, fit.dual, rtol=1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("settings", [{}, {"solver": SMO(working_set=16)}])
def test_primal_and_dual_meet_within_the_tolerance(loss, settings):
    X, y = mixed(n=200)
    fit = SVC(loss=loss, tol=1e-5, **settings).fit(X, y)
    gap = fit.primal - fit.dual
    assert -1e-8 < gap < len(X) * 1e-5


def test_the_dual_never_falls():
    X, y = mixed(classes=3)
    steps = list(SVC(C=10.0).steps(X, y))
    assert np.diff([step.objective for step in steps]).min() > -1e-9
    assert steps[-1].stop.kind == "converged"


def test_blocks_of_rows_find_what_the_whole_matrix_finds():
    X, y = mixed(n=300)
    whole = SVC(C=5.0).fit(X, y)
    for size in (4, 32, 128):
        blocks = SVC(C=5.0, tol=1e-6, solver=SMO(working_set=size, cache_size=1)).fit(X, y)
        np.testing.assert_allclose(blocks.dual, whole.dual, rtol=1e-7)
        np.testing.assert_allclose(blocks.decision(X), whole.decision(X), atol=1e-4)


def test_rows_are_forgotten_and_computed_again():
    X, y = mixed(n=3000, p=5)
    few = SVC(C=10.0, solver=SMO(working_set=64, cache_size=1)).fit(X, y)
    many = SVC(C=10.0).fit(X, y)
    np.testing.assert_allclose(few.dual, many.dual, rtol=1e-5)


@pytest.mark.parametrize(
    ("method", "quantity"),
    [
        (SVC(C=5.0), False),
        (SVC(C=5.0, loss="squared_hinge"), False),
        (SVC(C=5.0, intercept=False), False),
        (NuSVC(nu=0.3), False),
        (SVR(C=5.0), True),
        (SVR(C=5.0, tol=1e-6), True),
    ],
)
def test_broad_sets_of_which_no_row_is_kept_find_what_the_whole_matrix_finds(
    method, quantity, monkeypatch
):
    X, y = mixed(n=1500)
    target = X[:, 0] + X[:, 1] ** 2 if quantity else y
    sizes = []
    monkeypatch.setattr(Afresh, "among", lambda *a: sizes.append(len(a[1])) or AMONG(*a))
    broad = replace(method, solver=SMO(working_set=64, cache_size=1)).fit(X, target)
    assert max(sizes) > 256
    whole = replace(method, solver=SMO(working_set=1500)).fit(X, target)
    np.testing.assert_allclose(broad.dual, whole.dual, rtol=1e-5)


@pytest.mark.parametrize("C", [1.0, 1e3])
def test_broad_sets_end_where_rounding_keeps_the_gap_open(C):
    X, y = mixed(n=1500)
    fit = SVC(C=C, kernel=RBF(gamma=0.1), solver=SMO(working_set=64, cache_size=1)).fit(X, y)
    assert fit.primal - fit.dual < 0.01 * fit.dual


def test_rows_without_a_multiplier_do_not_matter():
    X, y = mixed()
    fit = SVC(C=3.0, kernel=RBF(gamma=0.4)).fit(X, y)
    again = fit.made_by.fit(X[fit.support], y[fit.support])
    np.testing.assert_allclose(again.decision(X), fit.decision(X), atol=1e-7)


def test_a_hard_margin_has_as_much_multiplier_as_squared_length():
    X, y = mixed()
    X = X + 9.0 * y[:, None]
    fit = SVC(**HARD).fit(X, y)
    np.testing.assert_allclose(np.abs(fit.duals).sum(), fit.margins[0] ** -2, rtol=1e-6)


def test_the_street_narrows_as_slack_grows_dear():
    X, y = mixed()
    margins = [SVC(C=C).fit(X, y).margins[0] for C in np.logspace(-2, 3, 8)]
    assert np.diff(margins).max() <= 1e-9


def test_scaling_columns_and_width_together_changes_nothing():
    X, y = mixed()
    fit = SVC(kernel=RBF(gamma=0.5)).fit(X, y)
    other = SVC(kernel=RBF(gamma=0.005)).fit(10 * X, y)
    np.testing.assert_allclose(other.decision(10 * X), fit.decision(X), atol=1e-8)


def test_weights_are_counts_and_balance_is_a_weight():
    X, y = mixed(n=60)
    w = np.random.default_rng(1).integers(1, 4, 60)
    counted = SVC().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(
        SVC().fit(X, y, weights=w).decision(X), counted.decision(X), atol=1e-7
    )
    some = y == np.where(np.arange(60) < 40, y, 0)
    X, y = X[some], y[some]
    by_hand = len(y) / (2 * np.bincount(y))[y]
    balanced = SVC(class_weight="balanced", kernel=RBF(gamma=1.0)).fit(X, y)
    other = SVC(kernel=RBF(gamma=1.0)).fit(X, y, weights=by_hand)
    np.testing.assert_allclose(balanced.decision(X), other.decision(X), atol=1e-8)


@pytest.mark.parametrize("machine", [SVC, partial(NuSVC, nu=0.2)])
def test_weights_by_class_are_weights_of_their_rows(machine):
    X, y = mixed(classes=3)
    own = {"class_weight": "given", "by_class": (1.0, 3.0, 2.0)}
    same = {"multiclass": "ovr", "kernel": RBF(gamma=1.0)}
    given = machine(**own, **same).fit(X, y)
    by_hand = machine(**same).fit(X, y, weights=np.array([1.0, 3.0, 2.0])[y])
    np.testing.assert_allclose(given.decision(X), by_hand.decision(X), atol=1e-6)
    some = y > 0  # where the first class is missing, each would get its neighbour's
    with pytest.raises(DataError, match="a weight for each of 2 classes, in sorted order; got 3"):
        machine(**own, **same).fit(X[some], y[some])
    with pytest.raises(DataError, match="a weight for each of 3 classes, in sorted order; got 2"):
        machine(class_weight="given", by_class=(1.0, 2.0)).fit(X, y)
    with pytest.raises(ParamError, match="above 0"):
        machine(class_weight="given", by_class=(0.0, 1.0))


def test_one_against_the_rest_is_one_machine_a_class():
    X, y = mixed(classes=3)
    fit = SVC(multiclass="ovr", kernel=RBF(gamma=0.5)).fit(X, y)
    alone = [SVC(kernel=RBF(gamma=0.5)).fit(X, y == k).decision(X) for k in range(3)]
    np.testing.assert_allclose(fit.decision(X), np.column_stack(alone), atol=1e-8)


def test_pairs_share_what_they_would_find_alone():
    X, y = mixed(classes=3)
    fit = SVC(kernel=RBF(gamma=0.5)).fit(X, y)
    for k, (a, b) in enumerate(fit.machines):
        own = np.isin(y, (a, b))
        alone = SVC(kernel=RBF(gamma=0.5)).fit(X[own], y[own] == b)
        np.testing.assert_allclose(fit.values(X)[:, k], alone.decision(X), atol=1e-8)


def test_the_offset_is_an_interval_where_no_row_is_free():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    fit = SVC(kernel="linear", C=0.2).fit(X, y)
    low, high = fit.intervals[0]
    np.testing.assert_allclose((low, high), (-1.0, 0.8), atol=EXACT)
    np.testing.assert_allclose(fit.intercepts, [-0.1], atol=EXACT)


def test_recorded_steps_end_at_the_fit_and_name_rows():
    X, y = mixed()
    steps = record(SVC(C=2.0).steps(X, y))
    fit = SVC(C=2.0).fit(X, y)
    np.testing.assert_array_equal(steps[-1].state.duals, fit.duals)
    i, j = steps[0].state.pair
    assert y[i] != y[j]
    assert f"Rows {i + 1} and {j + 1} moved" in steps[0].note


def test_a_limit_of_pairs_is_said():
    X, y = mixed()
    fit = SVC(max_iter=3).fit(X, y)
    assert (fit.stop.kind, fit.n_iter) == ("limit", 3)


def test_what_cannot_be_fitted_is_said():
    X, y = mixed()
    with pytest.raises(DataError, match="must not be negative; column 2"):
        SVC(kernel="histogram_intersection").fit(X, y)
    with pytest.raises(DataError, match="overflows on these rows"):
        SVC(kernel=Polynomial(degree=10)).fit(X * 1e8, y)
    with pytest.raises(DataError, match="a row of every class with a weight"):
        SVC().fit(X, y, weights=(y == 0).astype(float))


def test_a_kernel_that_is_none_is_named():
    X, y = mixed()
    assert "not a valid kernel" in SVC(kernel=Sigmoid()).fit(X, y).notes[0]
    assert SVC().fit(X, y).notes == ()
