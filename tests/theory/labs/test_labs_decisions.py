"""The labs of decisions: the effect that each promises appears, by theory where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from figures.labs.decisions import bandit_casino as casino_drawn
from figures.labs.decisions import cliff as cliff_drawn
from figures.labs.decisions import optimism as optimism_drawn
from mlcore.decisions.policy_gradients import policy_objective
from mlcore.decisions.ucb import UCB
from mlcore.labs.decisions.a_split import ASplitLab
from mlcore.labs.decisions.avi_divergence import AVIDivergence
from mlcore.labs.decisions.bandit_as_mdp import BanditAsMDP
from mlcore.labs.decisions.bandit_casino import ROUNDS, BanditCasino
from mlcore.labs.decisions.banking import SIDE, BankingLab
from mlcore.labs.decisions.cliff import CliffLab
from mlcore.labs.decisions.coverage_study import CoverageStudy
from mlcore.labs.decisions.equal_gain import EqualGainLab
from mlcore.labs.decisions.exploration import ExplorationLab
from mlcore.labs.decisions.far_sighted import FarSightedLab, stay_for_ever
from mlcore.labs.decisions.markovian_arms import Chain, MarkovianArmsLab, gittins
from mlcore.labs.decisions.optimism import OptimismLab
from mlcore.labs.decisions.policy_gradient_lab import PolicyGradientLab, preferences
from mlcore.labs.decisions.rollout_horizon import RolloutHorizonLab
from mlcore.labs.decisions.step_size import StepSizeLab
from mlcore.labs.decisions.two_worlds import two_worlds
from mlcore.spine.errors import ParamError


def test_who_learns_the_edge_falls_and_who_learns_its_own_behaviour_keeps_away():
    c = CliffLab(replicates=6).compute(0)
    q, sarsa, expected = c.late.mean(axis=1)
    # Means of 20 are -49, -26.3 and -20.7; a single replicate has a standard deviation of 8, 5, 2.
    assert q < -38 and -35 < sarsa < -18 and -24 < expected < -17
    assert c.best == -13 and (c.greedy[0] == -13).all()
    away = cliff_drawn._rows_away(c)
    assert away[0] == 0 and min(away[1:]) >= 1
    rare = CliffLab(replicates=6, epsilon=0.01).compute(0)
    assert (rare.late.mean(axis=1) > -24).all()


def test_too_little_exploration_is_stuck_and_too_much_never_earns():
    e = ExplorationLab(replicates=5).compute(0)
    online, seldom = e.online.mean(axis=1), e.seldom.mean(axis=1)
    assert 0 < online.argmax() < len(online) - 1
    assert online.max() > 1.15 * max(online[0], online[-1])
    assert e.greedy.mean(axis=1)[0] < 0.75 * e.greedy.mean(axis=1).max()
    assert seldom[0] > 0.5 and seldom[-1] < 0.02
    falling = ExplorationLab(replicates=5, is_falling=True).compute(0)
    assert falling.online.mean(axis=1)[-1] > 1.1 * online[-1]


def test_a_mean_of_all_targets_crawls():
    s = StepSizeLab(moves=100_000).compute(0)
    ends = dict(zip(s.rules, s.errors[:, -1], strict=True))
    assert ends["p = 1"] > 0.25 and ends["p = 0.7"] < 0.03
    near = StepSizeLab(moves=100_000, gamma=0.5).compute(0)
    assert near.errors[near.rules.index("p = 1"), -1] < 0.02


def test_own_pulls_get_the_rewards_and_the_regret_of_a_strategy_that_pulls_the_same():
    lab = BanditCasino(casino=3)
    pulls = UCB().pulls(lab._world(5, 3), ROUNDS, seed=5)
    own = BanditCasino(casino=3, pulls=tuple(int(arm) + 1 for arm in pulls)).compute(5)
    np.testing.assert_allclose(own.regret, own.theirs[own.names.index("UCB")])
    fit = UCB().fit(lab._world(5, 3), ROUNDS, seed=5)
    np.testing.assert_allclose(own.sums / own.counts, fit.means)


def test_greedy_is_caught_by_a_worse_arm_and_ucb_is_not():
    c = BanditCasino().compute(0)
    astray = dict(zip(c.names, c.astray, strict=True))
    assert astray["greedy"] > 0.2 and astray["UCB"] < 0.05
    ends = dict(zip(c.names, c.long[:, :, -1], strict=True))
    assert np.median(ends["greedy"]) < np.median(ends["UCB"])
    assert ends["greedy"].mean() > 2 * ends["Thompson sampling"].mean()


def test_arms_are_clicked_as_long_as_there_are_rounds_and_stay_closed_until_opened():
    lab = BanditCasino().clicked((2, 7)).clicked((0,))
    assert lab.pulls == (3, 1)
    full = BanditCasino(pulls=(1,) * ROUNDS)
    assert full.clicked((0,)).pulls == full.pulls
    with pytest.raises(ParamError, match="no arm 4"):
        BanditCasino(n_arms=3, pulls=(4,))
    closed = casino_drawn.pictures(lab.compute(0))
    assert "true mean" not in {column.name for column in closed[0].table}
    assert "regret, you" not in {column.name for column in closed[1].table}


def test_the_arm_whose_interval_reaches_highest_is_pulled():
    o = OptimismLab().compute(0)
    tops = np.where(np.isnan(o.centres), np.inf, o.centres + o.widths)
    chosen = np.take_along_axis(tops, o.pulls[:, None], axis=1)[:, 0]
    np.testing.assert_array_equal(chosen, tops.max(axis=1))
    assert not o.is_worse.any()
    late = tops[-50:]
    assert (late.max(axis=1) - late.min(axis=1)).max() < 0.15  # upper ends are level
    assert OptimismLab(alpha=0.05).compute(0).is_worse[10:].any(axis=1).all()
    frames = optimism_drawn.recording(o).frames
    assert len(frames) >= 60


def test_a_baseline_shrinks_the_cloud_and_leaves_its_middle():
    g = PolicyGradientLab().compute(0)
    for cloud in (g.plain, g.based):
        error = cloud.std(axis=0) / np.sqrt(len(cloud))
        assert (np.abs(cloud.mean(axis=0) - g.exact) < 4 * error).all()
    assert (g.based.std(axis=0) < 0.5 * g.plain.std(axis=0)).all()
    world, step = two_worlds(0.9), 1e-5
    for k, off in enumerate(np.eye(2) * step):
        ends = [policy_objective(world, preferences(g.theta + s * off)) for s in (1, -1)]
        assert g.exact[k] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def test_the_natural_gradient_leaves_where_the_plain_one_stands_still():
    g = PolicyGradientLab(poor=-3.0, rich=3.0, n_rollouts=1).compute(0)
    assert g.heights[0, -1] < 10 and g.heights[1, -1] > 17
    assert PolicyGradientLab().clicked((0,)) == PolicyGradientLab(poor=-4.0, rich=-4.0)
    assert PolicyGradientLab().clicked((10**6,)) == PolicyGradientLab()


@pytest.mark.parametrize(("gamma", "values"), [(0.3, (10 / 7, 20 / 7)), (0.9, (18.0, 20.0))])
def test_one_goes_where_the_discount_is_above_a_half(gamma, values):
    f = FarSightedLab(gamma=gamma).compute()
    np.testing.assert_allclose(f.values, values)
    assert f.goes == (gamma > 0.5)
    np.testing.assert_array_equal(f.go > f.stay + 1e-9, f.gammas > 0.5)
    short = f.gammas < 0.5
    np.testing.assert_allclose(f.stay[short], stay_for_ever(f.gammas[short]))


def test_three_levels_of_banking_are_nowhere_best():
    b = BankingLab().compute()
    assert b.never == (3, 5, 7)
    assert b.best == 4 and b.values.max() == pytest.approx(129.4156, abs=1e-4)
    assert (np.diff(b.levels, axis=0) >= 0).all() and (np.diff(b.levels, axis=1) >= 0).all()
    corner = BankingLab().clicked((SIDE**2 - 1,))
    assert (corner.gamma, corner.p) == (0.98, 0.98) and corner.compute().best == 9


@pytest.mark.parametrize(("gamma", "after"), [(0.9, 46.9), (0.8, 0.130), (5 / 6, 1.0)])
def test_least_squares_undo_a_contraction_and_averages_do_not(gamma, after):
    d = AVIDivergence(gamma=gamma).compute()
    assert d.sizes[0, -1] / d.sizes[0, 0] == pytest.approx(after, rel=2e-3)
    np.testing.assert_allclose(d.factors[0][1:], 1.2 * d.gammas[1:])
    np.testing.assert_allclose(d.factors[1:, 1:], np.tile(d.gammas[1:], (2, 1)))


def test_a_cut_return_is_biased_and_one_that_chance_ends_is_not():
    r = RolloutHorizonLab().compute(0)
    bias = float(r.biases[r.horizons == 12][0])
    at_twelve = RolloutHorizonLab(horizon=12).compute(0).cut
    assert at_twelve.mean() - r.true == pytest.approx(bias, abs=4 * at_twelve.std() / 63)
    assert r.geometric.mean() == pytest.approx(r.true, abs=4 * r.geometric.std() / 63)
    assert (r.biases >= r.bounds).all() and (r.biases < 0).all()
    assert r.geometric.std() > 4 * r.cut.std()


@pytest.mark.parametrize(("p", "gamma"), [(0.5, 0.9), (0.2, 0.7), (1.0, 0.9), (0.5, 0.0)])
def test_the_squared_residual_pulls_what_follows_a_coin_together(p, gamma):
    s = ASplitLab(good=p, gamma=gamma).compute()
    np.testing.assert_allclose(s.true, (gamma * p, 1, 0))
    off = gamma**2 / (1 + gamma**2)
    wrong = (gamma * p, 1 - (1 - p) * off, p * off if p < 1 else 0)  # what is never seen is 0
    for values, expected in zip(s.values, (s.true, wrong, s.true), strict=True):
        np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(s.errors[1], s.coins * (1 - s.coins) * off, atol=1e-9)
    assert s.losses[1] <= s.losses[0] and (s.errors[[0, 2]] == 0).all()


def test_what_comes_before_the_long_run_decides_between_equal_gains():
    for change, bonus in ((0.25, 3.0), (0.25, 2.0), (0.5, 0.0)):
        e = EqualGainLab(change=change, bonus=bonus).compute()
        np.testing.assert_allclose(e.gains, 1)
        np.testing.assert_allclose(e.biases, (-1, bonus - 1 - 1 / (2 * change)), atol=1e-9)
        np.testing.assert_allclose((e.rewards - 1).sum(axis=1), e.biases, atol=1e-9)
        near = np.diff(e.discounted[:, -1])[0]
        assert near == pytest.approx(np.diff(e.biases)[0], abs=0.02)


@pytest.mark.parametrize("settings", [{}, {"power": 0.7, "n_rounds": 900}, {"epsilon": 1.0}])
def test_q_learning_in_one_state_is_the_strategy_of_a_bandit_to_the_last_bit(settings):
    both = BanditAsMDP(**settings).compute(3)
    np.testing.assert_array_equal(both.learned, both.played)
    np.testing.assert_array_equal(*both.visits)
    own = BanditAsMDP(is_shared=False, **settings).compute(3)
    np.testing.assert_array_equal(own.learned, both.learned)
    assert (own.played != own.learned).any()
    assert both.visits.sum(axis=1).tolist() == 2 * [both.rounds[-1]]


@pytest.mark.parametrize("draw", [0, 2, 9])
def test_the_index_of_each_arm_alone_plays_both_as_well_as_can_be(draw):
    m = MarkovianArmsLab(draw=draw).compute()
    assert (m.lost[0] == 0).all() and (m.losses[0] == 0).all()
    assert m.losses[1, 0] == 0 and m.losses[1, -1] > 0.01  # who looks at the next reward alone
    assert (m.indices >= m.rewards - 1e-12).all()
    np.testing.assert_allclose(m.indices.max(axis=1), m.rewards.max(axis=1))


def test_an_index_is_the_best_that_an_arm_pays_until_one_stops():
    # After one move of 0 there is 1 for ever: stopping never is best, with gamma a move.
    ways = Chain(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(gittins(ways, 0.8), (0.8, 1.0))
    # What pays once and then nothing is best stopped after the first move.
    once = Chain(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.7, 0.0]))
    np.testing.assert_allclose(gittins(once, 0.8), (0.7, 0.0), atol=1e-12)


def test_nobody_learns_what_the_data_do_not_show():
    c = CoverageStudy(replicates=6).compute(0)
    assert c.behaviour == pytest.approx(0.95**17) and c.best == pytest.approx(0.95**7)
    assert (c.returns[:, :, 0] <= c.behaviour + 1e-12).all()  # no random move: no near door
    planned = c.returns[0].mean(axis=0)
    assert planned[3] > 1.3 * planned[0] and planned[-1] < 0.85 * planned.max()
    assert np.median(c.own_returns) == pytest.approx(c.best)
    assert c.own_covered.mean() < 0.7 * c.covered.mean(axis=0)[-1]
    narrow = CoverageStudy(replicates=3, moves=5000, epsilon=0.0).compute(0)
    np.testing.assert_allclose(narrow.own_returns, narrow.behaviour)
    np.testing.assert_allclose(narrow.returns[[0, 2], :, 0], narrow.behaviour)
    np.testing.assert_allclose(narrow.returns[0, :, 3], narrow.best)
