"""Solvers to learn from reach the optimum of the solver that is set, and tell how."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.spine.registry import lookup

SOLVERS = ("platt_smo", "keerthi_smo", "dual_qp")
MACHINES = {
    "svc": {},
    "svc hard": {"C": None, "kernel": "rbf"},
    "svc squared": {"loss": "squared_hinge"},
    "svc without": {"intercept": False},
    "nu_svc": {"nu": 0.4},
    "svr": {"epsilon": 0.2},
    "nu_svr": {"nu": 0.3},
    "one_class_svm": {"nu": 0.25},
}


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, (X[:, 0] + X[:, 1] ** 2 > 0.6).astype(int)


def fitted(machine, **settings):
    X, y = rows()
    name = machine.split()[0]
    method = lookup("svm", name)(**MACHINES[machine], **settings)
    target = X[:, 0] + np.sin(2 * X[:, 1]) if name.endswith("svr") else y
    return method.fit(X, None if name == "one_class_svm" else target)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("machine", MACHINES)
def test_they_reach_the_same_optimum(machine, solver):
    X, _ = rows()
    own, exact = fitted(machine, solver=solver, tol=1e-7), fitted(machine, tol=1e-9)
    assert own.stop.kind == "converged", own.stop.why
    assert own.dual == pytest.approx(exact.dual, rel=1e-6, abs=1e-8)
    verb = "usualness" if machine == "one_class_svm" else "predict"
    if verb == "predict" and hasattr(own, "decision"):
        verb = "decision"
    ours, theirs = getattr(own, verb)(X), getattr(exact, verb)(X)
    np.testing.assert_allclose(ours, theirs, atol=2e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_move_brings_something_and_is_told(solver):
    X, y = rows()
    steps = record(lookup("svm", "svc")(solver=solver).steps(X, y))
    assert all(b.objective >= a.objective - 1e-12 for a, b in pairwise(steps))
    assert len(steps) > 5
    word = {"platt_smo": "threshold b", "keerthi_smo": "b_up", "dual_qp": "free"}[solver]
    assert all(word in step.note for step in steps)


def test_index_sets_are_those_of_the_multipliers_and_the_classes():
    X, y = rows()
    *_, end = lookup("svm", "svc")(solver="keerthi_smo").steps(X, y)
    fit = lookup("svm", "svc")(solver="keerthi_smo").fit(X, y)
    alpha, signs = np.zeros(40), np.where(y == 1, 1, -1)
    alpha[fit.support] = np.abs(fit.duals[:, 0])
    is_free = (alpha > 0) & (alpha < 1)
    expected = [
        is_free.sum(),
        *(((alpha == bound) & (signs == sign)).sum() for bound, sign in [(0, 1), (1, -1)]),
        *(((alpha == bound) & (signs == sign)).sum() for bound, sign in [(1, 1), (0, -1)]),
    ]
    assert sum(expected) == 40 and min(expected) > 0
    told = re.search(r"rows now: I0 (\d+), I1 (\d+), I2 (\d+), I3 (\d+), I4 (\d+)\.", end.note)
    assert told, end.note
    assert [int(count) for count in told.groups()] == expected
    rising, falling = re.findall(r" in I(\d)", end.note)
    assert rising in "012" and falling in "034"


def test_one_class_has_no_rows_of_the_other():
    *_, end = lookup("svm", "one_class_svm")(solver="keerthi_smo", nu=0.25).steps(rows()[0])
    assert "I2 0" in end.note and "I4 0" in end.note


def test_a_large_theta_stops_by_case_1_far_from_the_optimum():
    X, y = rows()
    solver = lookup("svm_solver", "keerthi_smo")
    exact = lookup("svm", "svc")(C=100.0, tol=1e-6).fit(X, y)
    early = lookup("svm", "svc")(C=100.0, solver=solver(theta=1.0)).fit(X, y)
    assert early.stop.kind == "limit"
    assert early.dual < 0.9 * exact.dual
    assert "Stopped by case 1" in early.stop.why and "Reduce theta" in early.stop.why
    late = lookup("svm", "svc")(C=100.0, tol=1e-6, solver=solver(theta=1e-10)).fit(X, y)
    assert late.stop.kind == "converged" and late.dual == pytest.approx(exact.dual, rel=1e-6)


def test_a_search_that_stops_before_its_first_move_does_not_say_that_all_is_well():
    solver = lookup("svm_solver", "keerthi_smo")(theta=1.0)
    (only,) = lookup("svm", "svc")(C=1e6, solver=solver).steps(*rows())
    assert only.note.startswith("Stopped by case 1, not at the minimum")


@pytest.mark.parametrize(("solver", "most"), [("platt_smo", "1,000"), ("dual_qp", "400")])
def test_more_rows_than_one_learns_from_are_refused(solver, most):
    X = np.random.default_rng(0).normal(size=(1001, 2))
    with pytest.raises(DataError, match=f"solves at most {most} rows, and these are 1,001"):
        lookup("svm", "svc")(solver=solver).fit(X, (X[:, 0] > 0).astype(int))


def test_one_machine_of_all_classes_has_no_pairs():
    with pytest.raises(ParamError, match="moves rows, not pairs"):
        lookup("svm", "svc")(solver="dual_qp", multiclass="crammer_singer")
