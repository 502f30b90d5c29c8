"""LinUCB against ridge regression, its recursion written out, and who does not look."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions import linucb
from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.agent import begun, stream
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.contextual import ContextualArms
from mlcore.decisions.linucb import LinUCB
from mlcore.decisions.ucb import UCB, GaussianTail
from mlcore.decisions.uniform import UniformArms
from mlcore.spine.errors import DataError
from mlcore.spine.random import generator

PROBLEM = ContextualArms(n_arms=4, n_features=3)
WORLD = PROBLEM.world()


@pytest.mark.parametrize("anew", [7, 1000])
def test_it_pulls_and_learns_as_the_paper_says(monkeypatch, anew):
    """Each pull has the largest index of a solve in every round, whatever ties chance decided."""
    monkeypatch.setattr(linucb, "ANEW", anew)
    agent = LinUCB(alpha=0.7, ridge=2.0)
    game = begun(WORLD, 400, 0, 0, stream(agent, 0, 0))
    fit = agent._played(game)
    A, b = np.array([2.0 * np.eye(3)] * 4), np.zeros((4, 3))
    for x, arm, rewards in zip(game.drawn.contexts, game.pulls, game.stacks.T, strict=True):
        theta = np.linalg.solve(A, b[:, :, None])[:, :, 0]
        width = np.sqrt((np.linalg.solve(A, np.tile(x[:, None], (4, 1, 1)))[:, :, 0] * x).sum(1))
        index = theta @ x + 0.7 * width
        assert index[arm] >= index.max() - 1e-9
        A[arm] += np.outer(x, x)
        b[arm] += rewards[arm] * x
    np.testing.assert_allclose(fit.inverses, np.linalg.inv(A), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fit.weights, np.linalg.solve(A, b[:, :, None])[:, :, 0], rtol=1e-9)
    assert fit.counts.tolist() == np.bincount(game.pulls, minlength=4).tolist()


def test_looking_at_the_context_pays():
    def mean(strategy):
        return np.mean([strategy.fit(WORLD, 2000, replicate=r).score for r in range(20)])

    ours, blind = mean(LinUCB()), mean(ActionValueBandit())
    chance = mean(UniformArms())
    assert ours < chance / 15
    assert blind == pytest.approx(chance, rel=0.1)


def test_contexts_have_length_one_and_arms_pay_nothing_in_the_mean():
    drawn = WORLD.drawn(5000, generator(0, "any"))
    np.testing.assert_allclose(np.linalg.norm(drawn.contexts, axis=1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(WORLD.weights, axis=1), 1.0)
    assert np.abs(drawn.stacks.mean(axis=1)).max() < 0.06
    residual = drawn.stacks - WORLD.weights @ drawn.contexts.T
    assert residual.std() == pytest.approx(0.5, rel=0.02)


def test_regret_is_that_of_the_best_arm_of_each_context():
    drawn = WORLD.drawn(50, generator(0, "any"))
    expected = drawn.contexts @ WORLD.weights.T
    assert WORLD.regret(expected.argmax(axis=1), drawn)[-1] == 0.0
    worst = WORLD.regret(expected.argmin(axis=1), drawn)
    assert worst[-1] == pytest.approx(np.ptp(expected, axis=1).sum())


def test_it_needs_contexts_and_others_do_without():
    with pytest.raises(DataError, match="LinUCB needs a bandit with contexts"):
        LinUCB().fit(BanditArms().world(), 10)
    assert UCB(tail=GaussianTail()).applies(WORLD) is None
