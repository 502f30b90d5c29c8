"""Eligibility traces of temporal-difference control: what they are worth, exactly."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.decisions.agent import stream
from mlcore.decisions.mdp import FiniteMDP, from_transitions
from mlcore.decisions.td_control import TDControl
from mlcore.decisions.windy_grid import WindyGrid
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine import codec
from mlcore.spine.errors import DataError

PAID = (3.0, -1.0, 0.5, 2.0)  # on the way along a corridor, move by move
GAMMA = 0.9


def corridor() -> FiniteMDP:
    """One way to go, so that no state is met twice in an episode."""
    n = len(PAID)
    moves = [[[(1.0, min(s + 1, n - 1), PAID[s], s == n - 1)]] for s in range(n)]
    return from_transitions(
        "corridor", moves, gamma=GAMMA, initial=np.eye(n)[0], max_steps=50,
        state_names=tuple("abcd"), action_names=("on",),
    )  # fmt: skip


def lambda_returns(q: np.ndarray, decay: float) -> np.ndarray:
    """The forward view: G_t = r + gamma ((1 - lambda) q(next) + lambda G_t+1), shape (S,)."""
    later, forward = 0.0, np.zeros(len(q))
    for s in reversed(range(len(q))):
        ahead = 0.0 if s + 1 == len(q) else q[s + 1]
        later = PAID[s] + GAMMA * ((1 - decay) * ahead + decay * later)
        forward[s] = later
    return forward


@pytest.mark.parametrize("traces", ["replacing", "accumulating"])
@pytest.mark.parametrize("target", ["sarsa", "q_learning", "expected_sarsa"])
@pytest.mark.parametrize("decay", [0.0, 0.6, 1.0])
def test_the_backward_view_is_the_forward_view(target, decay, traces):
    """Where no pair is met twice, traces move every value towards its lambda-return."""
    rate = ConstantSchedule(value=0.3)
    agent = TDControl(target=target, decay=decay, traces=traces, learning_rate=rate)
    q = np.zeros(len(PAID))
    for _ in range(7):
        q = q + 0.3 * (lambda_returns(q, decay) - q)
    np.testing.assert_allclose(agent.fit(corridor(), 7).q[:, 0], q, atol=1e-14)


def test_lambda_one_is_monte_carlo():
    """With steps of one over its visits each value is the mean of the returns that followed it."""
    mean = VisitPowerSchedule(power=1.0)
    agent = TDControl(target="sarsa", decay=1.0, initial_value=5.0, learning_rate=mean)
    fit = agent.fit(corridor(), 4)
    returns = lambda_returns(np.zeros(len(PAID)), 1.0)
    np.testing.assert_allclose(fit.q[:, 0], returns, atol=1e-14)
    one_ahead = TDControl(target="sarsa", learning_rate=mean)
    assert one_ahead.fit(corridor(), 1).q[:, 0].tolist() == list(PAID)


@pytest.mark.parametrize("target", ["sarsa", "q_learning", "expected_sarsa"])
@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_n_rewards_are_added_up_before_a_value_is_trusted(target, n):
    """Every value moves towards the n-step return, with the value n moves on as it was before."""
    agent = TDControl(target=target, n_steps=n, learning_rate=ConstantSchedule(value=0.3))
    q, m = np.zeros(len(PAID)), len(PAID)
    for _ in range(5):
        ahead = np.append(q, np.zeros(n))
        paid = [sum(GAMMA ** (k - s) * PAID[k] for k in range(s, min(s + n, m))) for s in range(m)]
        q = q + 0.3 * (paid + GAMMA**n * ahead[n : n + m] - q)
    np.testing.assert_allclose(agent.fit(corridor(), 5).q[:, 0], q, atol=1e-14)


def test_a_limit_of_time_cuts_the_steps_and_not_the_world():
    """By hand: 4 moves on the spot, n of 3, each paying 1, a step of 0.5, a discount of 0.5."""
    agent = TDControl(target="sarsa", n_steps=3, learning_rate=ConstantSchedule(value=0.5))
    q = 0.5 * (1 + 0.5 + 0.25)  # after move 3, of the first
    later = q
    for _ in range(3):  # of the fourth, the third, the second, to what the end is worth
        later = 1 + 0.5 * later
        q += 0.5 * (later - q)
    assert agent.fit(loop(max_steps=4), 1).q[0, 0] == pytest.approx(q, abs=1e-14)


def loop(max_steps: int = 3) -> FiniteMDP:
    """One state, left by nothing but the end of time, that pays 1 a move."""
    return from_transitions(
        "loop", [[[(1.0, 0, 1.0, False)]]], gamma=0.5, initial=np.ones(1), max_steps=max_steps,
        state_names=("on",), action_names=("run",),
    )  # fmt: skip


def test_traces_add_up_or_begin_anew_where_a_pair_is_met_again():
    """By hand: three moves on the spot, a step of 0.1, a fading of 0.5 * 0.8 a move."""
    for traces, trace_by_move in (("replacing", (1, 1, 1)), ("accumulating", (1, 1.4, 1.56))):
        q = 0.0
        for trace in trace_by_move:
            q += 0.1 * trace * (1.0 + 0.5 * q - q)
        agent = TDControl(
            target="sarsa", decay=0.8, traces=traces, learning_rate=ConstantSchedule(value=0.1)
        )
        assert agent.fit(loop(), 1).q[0, 0] == pytest.approx(q, abs=1e-14)


def fork() -> FiniteMDP:
    """From a to b; there "best" pays nothing and "worse" costs 2 or 8; both end."""
    end = [[(1.0, 1, 0.0, True)], [(0.5, 1, -2.0, True), (0.5, 1, -8.0, True)]]
    return from_transitions(
        "fork", [[[(1.0, 1, 0.0, False)]] * 2, end], gamma=1.0, initial=np.eye(2)[0],
        max_steps=9, state_names=("a", "b"), action_names=("best", "worse"),
    )  # fmt: skip


@pytest.mark.parametrize("ahead", [{"decay": 1.0}, {"n_steps": 2}])
def test_an_action_that_is_not_the_best_is_cut(ahead):
    """What a random action costs comes to the state before it with SARSA, not with Q-learning.

    So do the cuts of Watkins, and tree backup for the greedy policy.
    """
    rate = ConstantSchedule(value=0.05)
    sarsa, watkins = (
        TDControl(target=target, learning_rate=rate, **ahead).fit(fork(), 600)
        for target in ("sarsa", "q_learning")
    )
    assert sarsa.values[0] < -0.1  # 1 episode in 20 costs 5
    assert watkins.values[0] == pytest.approx(0.0, abs=1e-3)


def test_chance_does_not_depend_on_traces():
    """Runs from before traces keep their numbers, and lambdas are compared under one chance."""
    plain = TDControl()
    named = codec.digest(plain, without=TDControl.chanceless)
    assert named == "ae4b5ac00d59e052f6d3ff9b1fb71c20228f627556ef44df971c493f2114a999"
    draws = {
        stream(agent, 0, 0).random()
        for agent in (plain, TDControl(decay=0.7), TDControl(n_steps=3))
    }
    assert draws == {0.5213538632450858}


def test_large_steps_on_traces_that_add_up_diverge():
    rate = ConstantSchedule(value=0.9)
    agent = TDControl(target="sarsa", decay=1.0, traces="accumulating", learning_rate=rate)
    with pytest.raises(DataError, match=r"SARSA\(λ\) diverged"):
        agent.fit(WindyGrid().world(), 30)
