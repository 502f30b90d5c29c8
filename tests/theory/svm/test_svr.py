"""What the theory says of support vector regression, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.kernels.gram import GramSource, TwiceGram
from mlcore.kernels.rbf import RBF
from mlcore.spine.iterate import record
from mlcore.spine.wording import rough
from mlcore.svm.svr import SVR

X4, Y4 = np.arange(4.0)[:, None], np.array([0.0, 1.0, 1.0, 3.0])


def wave(n=60, seed=0):
    """A sine with noise of standard deviation 0.1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize(
    ("loss", "slope", "intercept", "primal"),
    [
        ("epsilon_insensitive", 1.0, -0.1, 1.3),
        ("squared_epsilon_insensitive", 43 / 60, 7 / 40, 133 / 240),
    ],
)
def test_four_rows_by_hand(loss, slope, intercept, primal):
    fit = SVR(kernel="linear", loss=loss).fit(X4, Y4)
    assert fit.predict([[1.0]])[0] - fit.predict([[0.0]])[0] == pytest.approx(slope)
    assert fit.intercept == pytest.approx(intercept)
    assert fit.primal == pytest.approx(primal)
    assert fit.dual == pytest.approx(primal)


def test_multipliers_say_where_a_row_lies():
    X, y = wave()
    fit = SVR(kernel=RBF(gamma=1.0), C=2.0).fit(X, y)
    away = y - fit.predict(X)
    beta = np.zeros(len(y))
    beta[fit.support] = fit.duals[:, 0]
    assert beta.sum() == pytest.approx(0, abs=1e-9)
    assert (np.abs(beta) <= 2.0).all()
    assert (np.abs(away[beta == 0]) <= 0.1 + 1e-7).all()
    bound = np.abs(beta) == 2.0
    assert (away[bound] * np.sign(beta[bound]) >= 0.1 - 1e-7).all()
    free = (beta != 0) & ~bound
    np.testing.assert_allclose(away[free], 0.1 * np.sign(beta[free]), atol=1e-7)


def test_rows_without_a_multiplier_could_be_left_out():
    X, y = wave()
    method = SVR(kernel=RBF(gamma=1.0))
    fit = method.fit(X, y)
    assert len(fit.support) < len(y)
    alone = method.fit(X[fit.support], y[fit.support])
    np.testing.assert_allclose(alone.predict(X), fit.predict(X), atol=1e-6)


def test_a_wider_tube_has_fewer_support_vectors_and_the_widest_none():
    X, y = wave()
    counts = [len(SVR(epsilon=e).fit(X, y).support) for e in (0.01, 0.1, 0.3)]
    assert counts == sorted(counts, reverse=True)
    fit = SVR(epsilon=2.0).fit(X, y)
    assert len(fit.support) == 0
    assert np.ptp(fit.predict(X)) == 0
    assert "holds every row" in fit.notes[0]


def test_a_weight_of_two_is_a_row_that_is_twice_there():
    X, y = wave(30)
    w = np.array([1.0, 2.0, 0.0] * 10)
    method = SVR(kernel=RBF(gamma=1.0))
    repeated = np.repeat(np.arange(30), w.astype(int))
    weighted, twice = method.fit(X, y, weights=w), method.fit(X[repeated], y[repeated])
    assert weighted.dual == pytest.approx(twice.dual, rel=1e-6)
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), atol=1e-2)


def test_a_wild_row_pulls_no_more_when_it_is_wilder():
    X, y = wave()
    y[7] = 10.0
    near = SVR(kernel=RBF(gamma=1.0)).fit(X, y)
    y[7] = 1000.0
    np.testing.assert_allclose(SVR(kernel=RBF(gamma=1.0)).fit(X, y).predict(X), near.predict(X))


def test_the_dual_rises_to_the_primal():
    X, y = wave()
    steps = record(SVR(C=5.0).steps(X, y))
    values = [step.objective for step in steps]
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] == pytest.approx(steps[-1].state.primal)


def test_a_gram_matrix_that_is_twice_there():
    X, _ = wave(7)
    once = GramSource(RBF(gamma=1.0), X)
    twice = TwiceGram(once)
    np.testing.assert_allclose(twice.rows(np.array([9, 2, 3])), np.tile(once.rows([2, 2, 3]), 2))


@pytest.mark.parametrize("intercept", [True, False])
def test_a_c_that_cannot_reach_the_target_is_told_by_how_much(intercept):
    X, y = wave()
    method = SVR(kernel=RBF(gamma=30.0), C=0.01, epsilon=0.0, intercept=intercept)
    fit = method.fit(X, y)
    reach = float((0.01 * RBF(gamma=30.0)(X)).sum(axis=1).max())
    b = fit.intercept
    assert np.abs(fit.predict(X) - b).max() <= reach * (1 + 1e-9) < np.ptp(y) / 2
    assert any(f"by at most {rough(reach)} at any row" in note for note in fit.notes)
    enough = SVR(kernel=RBF(gamma=30.0), C=100.0, epsilon=0.0, intercept=intercept).fit(X, y)
    assert not any("at any row" in note for note in enough.notes)
