"""Moves of two multipliers, by hand and on the line that they have to keep."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine.iterate import record
from mlcore.svm.svc import SVC

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


def test_thresholds_begin_two_apart_and_meet_at_minus_the_offset():
    X, y = overlapping()
    every = states(X, y, solver="keerthi_smo", tol=1e-6)
    fit = SVC(kernel="linear", solver="keerthi_smo", tol=1e-6).fit(X, y)
    b_up, b_low = np.array([s.thresholds for s in every]).T
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
