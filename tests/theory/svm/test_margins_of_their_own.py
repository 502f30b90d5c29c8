"""Machines without an intercept, without slack, and with all classes in one."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.kernels.gram import Bordered, GramSource, gram
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.svm.smo import SMO
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR
from tests.theory.classification.test_svm import EXACT, mixed

WIDE = RBF(gamma=0.5)
FOUR = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]])
JOINT = "crammer_singer"


def of_all_rows(fit, n):
    beta = np.zeros((n, fit.duals.shape[1]))
    beta[fit.support] = fit.duals
    return beta


def test_a_bordered_matrix_ends_in_zeros():
    X, _ = mixed(n=5)
    once = GramSource(WIDE, X)
    K = Bordered(once).rows(np.array([5, 0, 3]))
    np.testing.assert_array_equal(K[0], 0.0)
    np.testing.assert_array_equal(K[1:, :5], once.rows(np.array([0, 3])))
    np.testing.assert_array_equal(K[:, 5], 0.0)


@pytest.mark.parametrize("solver", [SMO(), SMO(working_set=16)])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_without_an_intercept_each_multiplier_is_its_own(loss, solver):
    X, y = mixed()
    fit = SVC(intercept=False, kernel=WIDE, loss=loss, tol=1e-6, solver=solver).fit(X, y)
    beta, sign = of_all_rows(fit, len(X))[:, 0], np.where(y == 1, 1.0, -1.0)
    assert fit.intercepts[0] == 0.0
    assert abs(beta.sum()) > 0.1  # which an intercept would not allow
    alpha = beta * sign
    slack = 1.0 - sign * (gram(fit.kernel, X) @ beta) - (alpha if loss == "squared_hinge" else 0.0)
    free = (alpha > 0) & (alpha < 1.0 if loss == "hinge" else True)
    assert np.abs(slack[free]).max() < 1e-5
    assert slack[alpha == 0].max() < 1e-5
    assert fit.primal == pytest.approx(fit.dual, rel=1e-5)


def test_one_row_of_each_class_without_an_intercept_by_hand():
    # f = w x: 1 at x = 1 and -1 at x = -2 need w >= 1 and w >= 1/2. The first row alone holds it.
    fit = SVC(intercept=False, kernel="linear", C=10.0).fit([[1.0], [-2.0]], [1, 0])
    np.testing.assert_allclose(fit.decision([[1.0], [3.0], [0.0]]), [1.0, 3.0, 0.0], atol=EXACT)
    np.testing.assert_array_equal(fit.support, [0])


def test_a_tube_without_an_intercept_starts_at_the_origin():
    x = np.arange(1.0, 4.0)[:, None]
    # The flattest line from the origin within 0.1 of 1, 2 and 3 is held by the last: 2.9 / 3.
    fit = SVR(intercept=False, kernel="linear", C=100.0).fit(x, x[:, 0])
    np.testing.assert_allclose(fit.predict([[0.0], [3.0]]), [0.0, 2.9], atol=EXACT)
    assert fit.primal == pytest.approx((2.9 / 3) ** 2 / 2)
    flat = SVR(intercept=False, epsilon=3.5).fit(x, x[:, 0])
    assert "holds every row" in flat.notes[0]
    assert not SVR(intercept=False, epsilon=1.5, kernel="linear").fit(x, x[:, 0]).notes


def test_the_pairs_of_a_machine_without_an_intercept_name_one_row_or_two():
    X, y = mixed(n=40)
    notes = [s.note for s in record(SVC(intercept=False, kernel=WIDE).steps(X, y))[:-2]]
    assert any(note.startswith("Row ") for note in notes)
    assert all("41" not in note.split(" moved")[0] for note in notes)


def test_a_hard_margin_by_hand():
    fit = SVC(C=None, kernel="linear").fit(FOUR, [0, 0, 1, 1])
    np.testing.assert_allclose(fit.margins, 1 / np.sqrt(2), atol=EXACT)
    np.testing.assert_allclose(np.abs(fit.duals[:, 0]), [1.0, 1.0], atol=EXACT)
    np.testing.assert_allclose(fit.decision(FOUR), [-1, -1, 1, 1], atol=EXACT)
    assert fit.primal == pytest.approx(1.0) and fit.dual == pytest.approx(1.0)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_hard_margin_is_what_a_large_price_comes_to(intercept):
    X, y = mixed()
    hard = SVC(C=None, intercept=intercept).fit(X, y)
    dear = SVC(C=1e8, intercept=intercept).fit(X, y)
    np.testing.assert_allclose(hard.decision(X), dear.decision(X), atol=1e-6)
    assert (np.where(y == 1, 1.0, -1.0) * hard.decision(X)).min() > 1 - 1e-6
    assert hard.primal == pytest.approx(hard.dual, rel=1e-8)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        mixed(),
        mixed(n=700),  # by working sets
        (np.array([[0.0, 0], [0, 0], [1, 1]]), np.array([0, 1, 1])),  # a row in both classes
        (np.array([[0.0], [1], [2]]), np.array([0, 1, 0])),
    ],
)
def test_classes_that_overlap_have_no_hard_margin(X, y):
    with pytest.raises(DataError, match=r"with C infinite finds no border .* Set C to a number"):
        SVC(C=None, kernel="linear").fit(X, y)


def test_a_narrow_gap_is_a_margin():
    X, y = FOUR * [1, 0] + [1000.0, 0], np.array([0, 0, 1, 1])
    X[2:, 0] -= 0.99  # one hundredth between the classes, a thousand from the origin
    fit = SVC(C=None, kernel="linear").fit(X, y)
    np.testing.assert_allclose(2 * fit.margins, 0.01, rtol=1e-5)  # digits lost a thousand away


def test_a_machine_of_all_classes_by_hand():
    # w_1 = -w_0 = x / 4: the own class leads by 2 w_1 x, which is 1 and -1 at the two rows.
    fit = SVC(multiclass=JOINT, kernel="linear", C=10.0).fit([[1.0], [-1.0]], [1, 0])
    np.testing.assert_allclose(fit.decision([[1.0], [-2.0]]), [1.0, -2.0], atol=EXACT)
    np.testing.assert_allclose(fit.duals.sum(), 0.0, atol=EXACT)
    assert fit.primal == pytest.approx(0.25) and fit.dual == pytest.approx(0.25)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_conditions_of_a_machine_of_all_classes(C):
    X, y = mixed(classes=4)
    fit = SVC(multiclass=JOINT, kernel=WIDE, C=C, tol=1e-7).fit(X, y)
    beta, each = of_all_rows(fit, len(X)), np.arange(len(X))
    own = beta[each, y]
    np.testing.assert_allclose(beta.sum(axis=1), 0.0, atol=1e-9 * C)
    assert own.max() <= C * (1 + 1e-12)
    assert np.delete(beta.ravel(), each * 4 + y).max() <= 0.0
    ahead = gram(fit.kernel, X) @ beta
    ahead -= ahead[each, y][:, None]
    ahead[np.arange(4) != y[:, None]] += 1.0  # how far each class comes into the margin of a row
    slack = ahead.max(axis=1)
    assert slack[own < C * (1 - 1e-9)].max() < 1e-6
    assert (
        np.abs(ahead - slack[:, None])[beta < -1e-9].max() < 1e-6
    )  # only the nearest class counts
    assert fit.primal == pytest.approx(fit.dual, rel=1e-5)


def test_two_classes_in_one_machine_are_one_without_an_intercept_at_twice_the_price():
    X, y = mixed()
    joint = SVC(multiclass=JOINT, kernel=WIDE, C=1.5, tol=1e-9).fit(X, y)
    alone = SVC(intercept=False, kernel=WIDE, C=3.0).fit(X, y)
    np.testing.assert_allclose(joint.decision(X), alone.decision(X), atol=1e-7)


def test_the_dual_of_all_classes_never_falls_and_its_steps_name_rows():
    X, y = mixed(classes=3, n=60)
    steps = record(SVC(multiclass=JOINT, kernel=WIDE).steps(X, y))
    assert np.diff([s.objective for s in steps]).min() > -1e-12
    assert steps[0].note.startswith("Row ") and steps[-1].stop.kind == "converged"
    few = SVC(multiclass=JOINT, kernel=WIDE, max_iter=3).fit(X, y)
    assert (few.stop.kind, few.n_iter) == ("limit", 3)


def test_rows_of_all_classes_are_forgotten_and_computed_again(monkeypatch):
    X, y = mixed(classes=3, n=600)
    whole = SVC(multiclass=JOINT, kernel=WIDE, tol=1e-6).fit(X, y)
    monkeypatch.setattr("mlcore.svm.crammer_singer.MOST_AT_ONCE", 100)
    few = SVC(multiclass=JOINT, kernel=WIDE, tol=1e-6, solver=SMO(cache_size=1)).fit(X, y)
    np.testing.assert_allclose(few.decision(X), whole.decision(X), atol=1e-9)


def test_a_machine_of_all_classes_has_no_hard_margin():
    with pytest.raises(ParamError, match="needs a finite C"):
        SVC(multiclass=JOINT, C=None).fit(*mixed())
