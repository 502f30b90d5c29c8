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
    fit = agent.played(game)
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


@pytest.mark.parametrize("anew", [7, 1000])
def test_the_hybrid_model_is_algorithm_2_of_the_paper(monkeypatch, anew):
    """Its matrices as they are printed; z are the products of arm features and context."""
    monkeypatch.setattr(linucb, "ANEW", anew)
    agent = LinUCB(alpha=0.7, sharing="hybrid")
    game = begun(WORLD, 300, 0, 0, stream(agent, 0, 0))
    fit, d, e = agent.played(game), 3, 6
    A0, b0 = np.eye(e), np.zeros(e)
    A, B, b = np.array([np.eye(d)] * 4), np.zeros((4, d, e)), np.zeros((4, d))

    def index(x, a):
        z, beta, inverse = np.kron(WORLD.features[a], x), np.linalg.solve(A0, b0), np.linalg.inv(A0)
        own = np.linalg.inv(A[a])
        theta = own @ (b[a] - B[a] @ beta)
        s = z @ inverse @ z - 2 * z @ inverse @ B[a].T @ own @ x + x @ own @ x
        s += x @ own @ B[a] @ inverse @ B[a].T @ own @ x
        return z @ beta + x @ theta, s

    for x, arm, rewards in zip(game.drawn.contexts, game.pulls, game.stacks.T, strict=True):
        every = [mean + 0.7 * np.sqrt(s) for mean, s in (index(x, a) for a in range(4))]
        assert every[arm] >= max(every) - 1e-9
        z, own = np.kron(WORLD.features[arm], x), np.linalg.inv(A[arm])
        A0 += B[arm].T @ own @ B[arm]
        b0 += B[arm].T @ own @ b[arm]
        A[arm] += np.outer(x, x)
        B[arm] += np.outer(x, z)
        b[arm] += rewards[arm] * x
        own = np.linalg.inv(A[arm])
        A0 += np.outer(z, z) - B[arm].T @ own @ B[arm]
        b0 += rewards[arm] * z - B[arm].T @ own @ b[arm]
    x = np.array([0.6, -0.3, 0.9])
    for a in range(4):
        mean, s = index(x, a)
        assert x @ fit.weights[a] == pytest.approx(mean, rel=1e-9)
        assert x @ fit.inverses[a] @ x == pytest.approx(s, rel=1e-9)


def test_shared_weights_are_one_ridge_regression():
    agent = LinUCB(ridge=2.0, sharing="shared")
    game = begun(WORLD, 200, 0, 0, stream(agent, 0, 0))
    fit = agent.played(game)
    Z = np.array([
        np.kron(WORLD.features[a], x) for a, x in zip(game.pulls, game.drawn.contexts, strict=True)
    ])  # fmt: skip
    r = game.stacks[game.pulls, np.arange(200)]
    B = np.linalg.solve(Z.T @ Z + 2.0 * np.eye(6), Z.T @ r).reshape(2, 3)
    np.testing.assert_allclose(fit.weights, WORLD.features @ B, rtol=1e-9)


def test_sharing_pays_where_features_tell_the_weights_and_misleads_where_they_do_not():
    def mean(sharing, told):
        world = ContextualArms(n_arms=10, n_features=5, told=told).world()
        strategy = LinUCB(sharing=sharing)
        return np.mean([strategy.fit(world, 1000, replicate=r).score for r in range(10)])

    assert mean("shared", 1.0) < 0.5 * mean("per_arm", 1.0)
    assert mean("shared", 1.0) < mean("hybrid", 1.0) < mean("per_arm", 1.0)
    assert mean("shared", 0.0) > 2.0 * mean("per_arm", 0.0)


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
