"""Small worlds against closed forms, linear algebra and golden numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions.linear_quadratic import LinearQuadratic
from mlcore.decisions.planning import PolicyIteration, ValueIteration
from mlcore.decisions.table_worlds import ASplitWorld, ChainWalk, DivergenceWorld, RandomMDP
from mlcore.decisions.td_control import TDControl
from mlcore.decisions.weakest_link import WeakestLink, weakest_link_level
from mlcore.spine.errors import ParamError


@pytest.mark.parametrize(
    ("gamma", "p", "level", "value"),
    [
        (0.5, 0.5, 1, 8.0), (0.5, 0.95, 2, 13.267), (0.8, 0.9, 6, 97.553), (0.8, 0.99, 8, 146.802),
        (0.9, 0.7, 4, 129.416), (0.95, 0.8, 6, 487.649), (0.99, 0.99, 9, 9119.965),
    ],
)  # fmt: skip
def test_when_to_bank_in_the_weakest_link(gamma, p, level, value):
    world = WeakestLink(gamma=gamma, p=p).world()
    known, fit = weakest_link_level(gamma, p), ValueIteration().fit(world)
    assert known.level == level
    assert known.values.max() == pytest.approx(value, abs=6e-4)
    assert fit.values[0] == pytest.approx(known.values.max(), rel=1e-7)
    assert "".join("ab"[a] for a in fit.policy[: level + 1]) == "a" * level + "b"
    np.testing.assert_allclose(PolicyIteration().fit(world).values, fit.values, rtol=1e-7)


def test_one_banks_later_who_answers_better_or_plays_longer():
    levels = [
        [weakest_link_level(gamma, p).level for p in np.linspace(0.05, 0.99, 20)]
        for gamma in np.linspace(0.05, 0.99, 20)
    ]
    assert (np.diff(levels, axis=0) >= 0).all() and (np.diff(levels, axis=1) >= 0).all()


def test_values_of_a_chain_solve_their_linear_equations():
    world = ChainWalk(n_states=4, rewarded=(2.0, 3.0)).world()
    fit = PolicyIteration().fit(world)
    assert fit.policy.tolist() == [1, 1, 0, 0]  # right, right, left, left
    P = np.array([[0.1, 0.9, 0, 0], [0.1, 0, 0.9, 0], [0, 0.9, 0, 0.1], [0, 0, 0.9, 0.1]])
    pays = np.array([0.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(fit.values, np.linalg.solve(np.eye(4) - 0.9 * P, P @ pays))
    with pytest.raises(ParamError, match="whole numbers from 1 to 20; got 21"):
        ChainWalk(rewarded=(21.0,))


def test_planners_agree_in_a_random_world_of_the_size_asked_for():
    world = RandomMDP(n_states=30, n_actions=4, branches=5).world()
    assert (np.bincount(world.pairs) == 5).all()
    np.testing.assert_allclose(np.bincount(world.pairs, world.chances), 1.0)
    np.testing.assert_allclose(
        ValueIteration().fit(world).values, PolicyIteration().fit(world).values, atol=1e-6
    )
    assert (RandomMDP(draw=1).world().chances != RandomMDP().world().chances).any()


def test_a_split_is_worth_what_it_pays_in_the_mean():
    world = ASplitWorld().world()
    np.testing.assert_allclose(PolicyIteration().fit(world).values, [0.45, 1.0, 0.0])
    learned = TDControl().fit(world, 4000).values
    np.testing.assert_allclose(learned, [0.45, 1.0, 0.0], atol=0.05)
    # Least squares of value minus what followed, over the four moves that can be seen.
    seen = np.array([[1, -0.9, 0], [1, 0, -0.9], [0, 1, 0], [0, 0, 1]])
    found = np.linalg.lstsq(seen, np.array([0.0, 0.0, 1.0, 0.0]), rcond=None)[0]
    d = 0.9**2 / (2 * (1 + 0.9**2))
    np.testing.assert_allclose(found, [0.45, 1 - d, d])


@pytest.mark.parametrize(("gamma", "end"), [(0.9, 46.9), (0.8, 0.130), (5 / 6, 1.0)])
def test_refitting_one_weight_diverges_where_the_table_converges(gamma, end):
    world = DivergenceWorld(gamma=gamma).world()
    feature, w = np.array([1.0, 2.0]), 1.0
    for _ in range(50):
        w = feature @ (gamma * world.matrix(np.zeros(2, int)) @ feature * w) / (feature @ feature)
    assert w == pytest.approx(end, rel=5e-3)
    assert np.abs(ValueIteration(initial_value=1.0).fit(world).values).max() < 1e-6


def test_a_state_is_held_at_zero_by_the_line_of_the_closed_form():
    # A grid of twentieths, judged away from its ends, where being put back pays.
    problem = LinearQuadratic(n_states=41, noise=0.3, gamma=0.9, effort=0.5)
    fit, at, best = PolicyIteration().fit(problem.world()), problem.grid(), problem.optimum()
    inner = np.abs(at) < 1.2
    off = np.abs(at[fit.policy] + best.gain * at)[inner]
    assert off.max() < 0.51 * (at[1] - at[0])  # the nearest action of the grid
    curve = np.polyfit(at[inner], fit.values[inner], 2)
    np.testing.assert_allclose(curve, [-best.curvature, 0.0, -best.floor], rtol=0.03, atol=1e-9)


def test_the_closed_form_of_a_regulator_solves_its_equation():
    golden = (1 + np.sqrt(5)) / 2
    assert LinearQuadratic(gamma=1.0).optimum()[:2] == pytest.approx((golden - 1, golden))
    of_the_notes = LinearQuadratic(gamma=0.9, effort=0.5).optimum()[:2]
    assert of_the_notes == pytest.approx((0.709153, 1.354577), abs=5e-7)
    for gamma, rho in ((0.3, 2.0), (0.95, 0.1), (0.99, 50.0), (0.0, 1.0), (0.9, 0.0)):
        gain, P, _ = LinearQuadratic(gamma=gamma, effort=rho).optimum()
        assert pytest.approx(1 + gamma * P - gamma * P * gain) == P
        assert (rho + gamma * P) * gain == pytest.approx(gamma * P)


def test_states_lie_in_a_row_and_without_order_in_a_square():
    assert WeakestLink().world().grid.shape == (1, 10)
    assert ChainWalk(n_states=30).world().grid.shape == (5, 6)
    grid = RandomMDP(n_states=14).world().grid
    assert grid.shape == (4, 4) and grid.letters == "S" + 13 * "." + "##"


def test_what_a_linear_policy_is_worth_has_the_golden_numbers_of_the_notes():
    world = LinearQuadratic(gamma=0.9, effort=0.5, noise=0.1)

    def worth(gain):
        of = world.linear_policy(gain, spread=0.5)  # where E s^2 = 1 at the start
        return -(of.curvature + of.floor)

    assert worth(0.3) == pytest.approx(-7.493828, abs=5e-7)
    slope = (worth(0.3 + 1e-5) - worth(0.3 - 1e-5)) / 2e-5
    assert slope == pytest.approx(12.281259, abs=1e-6)
    best = world.optimum()
    assert world.linear_policy(best.gain) == pytest.approx(best)
    assert worth(best.gain) > max(worth(best.gain - 0.01), worth(best.gain + 0.01))
    assert world.linear_policy(-0.1).curvature == np.inf  # 0.9 * 1.1^2 > 1: pushed away for good


def test_a_linear_policy_is_worth_what_a_recursion_of_moments_says():
    world, k, spread = LinearQuadratic(gamma=0.8, effort=0.7, noise=0.3), 0.4, 0.2
    square, total = 1.5, 0.0  # E s^2, and the discounted cost so far
    for t in range(300):
        total += 0.8**t * (square + 0.7 * (k**2 * square + spread**2))
        square = (1 - k) ** 2 * square + spread**2 + 0.3**2
    of = world.linear_policy(k, spread)
    assert of.curvature * 1.5 + of.floor == pytest.approx(total, rel=1e-12)


def test_the_matrix_of_a_random_policy_is_the_sum_over_its_actions_to_the_bit():
    """By one product where the table is full, as here."""
    world = RandomMDP(n_states=6, branches=3).world()
    assert world.dense is not None
    policy = np.random.default_rng(0).dirichlet(np.ones(world.n_actions), size=world.n_states)
    each = [world.matrix(np.full(world.n_states, a)) for a in range(world.n_actions)]
    expected = np.sum([policy[:, a, None] * P for a, P in enumerate(each)], axis=0)
    np.testing.assert_array_equal(world.matrix(policy), expected)
