"""Moves of two multipliers, by hand and on the line that they have to keep."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine.iterate import record
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.one_class_svm import OneClassSVM
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR

TWO, Y = np.array([[-1.0], [1.0]]), np.array([0, 1])


def states(X=TWO, y=Y, **settings):
    return [step.state for step in record(SVC(kernel="linear", **settings).steps(X, y))]


def test_two_rows_meet_at_one_half_in_one_move():
    """The slopes -1 and 1 are 2 apart, and fall by eta = 1 + 1 + 2 = 4 a unit."""
    move = states(C=1.0)[0].move
    np.testing.assert_allclose(move.before, 0)
    np.testing.assert_allclose(move.after, 0.5)
    np.testing.assert_allclose(move.free, 0.5)
    np.testing.assert_array_equal(move.top, 1.0)
    assert set(move.rows) == {0, 1}
    assert not move.is_clipped


def test_a_small_bound_cuts_the_move_at_the_corner():
    move = states(C=0.3)[0].move
    np.testing.assert_allclose(move.after, 0.3)
    np.testing.assert_allclose(move.free, 0.5)
    assert move.is_clipped


def overlapping(n=30):
    rng = np.random.default_rng(5)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize("solver", ["smo", "platt_smo", "keerthi_smo"])
def test_moves_stay_in_their_box_and_on_their_line(solver):
    X, y = overlapping()
    moves = [s.move for s in states(X, y, C=0.5, solver=solver) if s.move is not None]
    assert any(move.is_clipped for move in moves)
    assert not all(move.is_clipped for move in moves)
    for move in moves:
        assert (move.after >= 0).all()
        assert (move.after <= move.top).all()
        side = 2.0 * y[list(move.rows)] - 1.0
        # The sum of y alpha is kept, whether the bounds are or not.
        assert side @ move.after == pytest.approx(side @ move.before, abs=1e-12)
        assert side @ move.free == pytest.approx(side @ move.before, abs=1e-9)


def test_a_tube_around_two_rows_moves_the_upper_and_the_lower_multiplier():
    """f = 0.4 x lies on the edges of a tube of half width 0.6 around y = x at -1 and 1.

    The slopes of the row above the tube and of that below it differ by 2 (1 - 0.6) = 0.8, and fall
    by eta = 4 a unit of the pair.
    """
    y = np.array([-1.0, 1.0])
    steps = record(SVR(kernel="linear", epsilon=0.6).steps(TWO, y))
    move = steps[0].state.move
    assert move.rows == (1, 0)
    np.testing.assert_array_equal(move.sides, [1.0, -1.0])
    np.testing.assert_allclose(move.before, 0)
    np.testing.assert_allclose(move.after, 0.2)
    np.testing.assert_allclose(SVR(kernel="linear", epsilon=0.6).fit(TWO, y).predict([[2.0]]), 0.8)


OTHERS = {
    "svr": SVR(C=2.0, epsilon=0.1, tol=1e-6),
    "nu_svr": NuSVR(C=2.0, nu=0.4, tol=1e-6),
    "nu_svc": NuSVC(nu=0.4, tol=1e-6),
    "one_class_svm": OneClassSVM(nu=0.3, tol=1e-6),
}


def walked(method, n=30):
    X, y = overlapping(n)
    task = method.card.task
    target = None if task is None else y if task == "classification" else np.sin(X[:, 0]) + X[:, 1]
    return record(method.steps(X, target)), method.fit(X, target)


@pytest.mark.parametrize("name", OTHERS)
def test_moves_of_every_machine_stay_in_their_box_and_on_their_line(name):
    """What is kept: the sum of signed multipliers; where a group has its own, both are of it."""
    steps, fit = walked(OTHERS[name])
    moves = [s.state.move for s in steps if s.state.move is not None]
    assert any(move.is_clipped for move in moves)
    assert fit.moves_pairs
    for move in moves:
        assert (move.after >= 0).all()
        assert (move.after <= move.top).all()
        assert move.sides @ move.after == pytest.approx(move.sides @ move.before, abs=1e-12)
        if len(fit.groups) == 2 or name == "one_class_svm":
            assert move.sides[0] == move.sides[1]


@pytest.mark.parametrize("name", OTHERS)
def test_pairs_of_a_tube_may_be_of_both_sides_only_without_nu(name):
    steps, _ = walked(OTHERS[name])
    sides = {tuple(s.state.move.sides) for s in steps if s.state.move is not None}
    assert ((1.0, -1.0) in sides or (-1.0, 1.0) in sides) == (name == "svr")


def levels_of(name):
    """Where the thresholds of each group meet, (g,), and the fit."""
    steps, fit = walked(OTHERS[name])
    ends = np.array(steps[-1].state.thresholds)
    assert ends.shape == (len(fit.groups), 2)
    assert (ends[:, 1] - ends[:, 0]).max() <= 1e-6
    return ends.mean(axis=1), fit


def test_thresholds_of_a_tube_meet_at_minus_the_offset():
    levels, fit = levels_of("svr")
    assert -levels[0] == pytest.approx(fit.intercept, abs=1e-6)


def test_thresholds_of_both_edges_of_a_tube_meet_two_half_widths_apart():
    (above, below), fit = levels_of("nu_svr")
    assert -(above + below) / 2 == pytest.approx(fit.intercept, abs=1e-6)
    assert (below - above) / 2 == pytest.approx(fit.epsilon, abs=1e-6)


def test_thresholds_of_two_classes_meet_two_rho_apart():
    (first, second), fit = levels_of("nu_svc")
    assert (second - first) / 2 == pytest.approx(fit.rho[0], abs=1e-6)
    assert -(first + second) / 2 / fit.rho[0] == pytest.approx(fit.intercepts[0], abs=1e-5)


def test_thresholds_of_a_region_meet_at_rho():
    levels, fit = levels_of("one_class_svm")
    assert levels[0] == pytest.approx(fit.rho, abs=1e-6)


def test_thresholds_begin_two_apart_and_meet_at_minus_the_offset():
    X, y = overlapping()
    every = states(X, y, solver="keerthi_smo", tol=1e-6)
    fit = SVC(kernel="linear", solver="keerthi_smo", tol=1e-6).fit(X, y)
    b_up, b_low = np.array([s.thresholds for s in every])[:, 0].T
    assert b_low[0] > b_up[0]
    assert b_low[-1] - b_up[-1] <= 1e-6
    assert -(b_low[-1] + b_up[-1]) / 2 == pytest.approx(fit.intercepts[0], abs=1e-6)


def test_without_an_intercept_multipliers_move_alone():
    X, y = overlapping()
    every = states(X, y, intercept=False)
    assert any(s.move is None for s in every)


def test_a_programme_by_equations_moves_no_pairs():
    assert SVC(solver="dual_qp").fit(TWO, Y).moves_pairs is None
    assert SVC().fit(TWO, Y).moves_pairs
