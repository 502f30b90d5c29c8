"""Planners against pymdptoolbox on equal tables, Q-learning against the loop that people write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import gymnasium
import mdptoolbox.mdp as reference
import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.pairs import Pair
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.decisions.continuous.semi_gradient import SemiGradientControl
from mlcore.decisions.environments import MDPEnv, newest
from mlcore.decisions.explorers import Greedy
from mlcore.decisions.finite_horizon import FiniteHorizonDP
from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.learner import LearnedFit
from mlcore.decisions.mdp import FiniteMDP, from_transitions, policy_values
from mlcore.decisions.planning import PolicyIteration, ValueIteration
from mlcore.decisions.td_control import TDControl
from mlcore.optimisation.schedules import ConstantSchedule

SIZES = ((100, 4), (500, 4))
SIDES = (10, 20)  # of square grids
GAMMA = 0.95
EPSILON = 1e-8
HORIZON = 100
EPISODES = 2000
LATE = 200  # episodes at the end whose mean return is compared
DRIVES, LAST_DRIVES = 200, 20  # episodes of the mountain car


@lru_cache
def tables(n_states: int, n_actions: int) -> tuple[np.ndarray, np.ndarray]:
    """Dense transitions, shape (A, S, S), and rewards, shape (S, A), at random."""
    rng = np.random.default_rng(0)
    P = rng.random((n_actions, n_states, n_states))
    return P / P.sum(axis=2, keepdims=True), rng.normal(size=(n_states, n_actions))


@lru_cache
def world(n_states: int, n_actions: int) -> FiniteMDP:
    """The same tables as a world of ours."""
    P, R = tables(n_states, n_actions)
    return from_transitions(
        "random world",
        [
            [
                [(p, to, R[s, a], False) for to, p in enumerate(P[a, s])]
                for a in range(n_actions)
            ]
            for s in range(n_states)
        ],
        gamma=GAMMA,
        initial=np.full(n_states, 1 / n_states),
        max_steps=1000,
        state_names=tuple(map(str, range(n_states))),
        action_names=tuple(map(str, range(n_actions))),
    )  # fmt: skip


def _pairs() -> Iterator[Pair]:
    for n, k in SIZES:
        size = f"{n} states, {k} actions, dense"
        yield _planned(
            "policy_iteration", size, lambda n=n, k=k: world(n, k), PolicyIteration(),
            lambda n=n, k=k: reference.PolicyIteration(*tables(n, k), GAMMA),
        )  # fmt: skip
    for side in SIDES:
        yield _planned(
            "value_iteration", f"grid {side} x {side}",
            lambda side=side: grid(side), ValueIteration(tol=EPSILON),
            lambda side=side: reference.ValueIteration(
                *sparse(grid(side)), GAMMA, epsilon=EPSILON, max_iter=10_000
            ),
        )  # fmt: skip
    yield _staged()
    yield _learned()
    yield _driven()


@lru_cache
def grid(side: int) -> FiniteMDP:
    """An empty grid with a goal in one corner and the start in the other."""
    rows: list[str] = ["." * side for _ in range(side)]
    rows[0], rows[-1] = rows[0][:-1] + "G", "S" + rows[-1][1:]
    return GridWorld(layout="/".join(rows), gamma=GAMMA).world()


def sparse(mdp: FiniteMDP) -> tuple[list[csr_matrix], np.ndarray]:
    """The tables for the peer, one sparse matrix an action, with one state for the end."""
    n, k = mdp.n_states, mdp.n_actions
    sources, actions = mdp.pairs // k, mdp.pairs % k
    targets = np.where(mdp.ends, n, mdp.successors)
    P = []
    for a in range(k):
        own = actions == a
        cells = (np.append(sources[own], n), np.append(targets[own], n))
        P.append(csr_matrix((np.append(mdp.chances[own], 1.0), cells), shape=(n + 1, n + 1)))
    return P, np.vstack([mdp.expected_rewards, np.zeros(k)])


def _planned(
    name: str, size: str, mdp: Callable[[], FiniteMDP], ours: Any, theirs: Callable[[], Any]
) -> Pair:
    """What the two policies are worth: theirs stops by span, so its values are none."""

    def run() -> np.ndarray:
        solver = theirs()
        solver.run()
        return np.array(solver.policy)[: mdp().n_states]

    return Pair(
        name, "mdptoolbox", size,
        ours=lambda: ours.fit(mdp()).policy,
        theirs=run,
        gap=lambda a, b: float((policy_values(mdp(), b) - policy_values(mdp(), a)).max()),
    )  # fmt: skip


def _staged() -> Pair:
    """Values of every stage but the last, which is that with no decision left."""

    def run() -> np.ndarray:
        mdp = grid(SIDES[-1])
        solver = reference.FiniteHorizon(*sparse(mdp), GAMMA, HORIZON)
        solver.run()
        return solver.V[: mdp.n_states, ::-1].T

    return Pair(
        "finite_horizon_dp", "mdptoolbox", f"grid {SIDES[-1]} x {SIDES[-1]}, {HORIZON} decisions",
        ours=lambda: FiniteHorizonDP(horizon=HORIZON).fit(grid(SIDES[-1])).stage_values,
        theirs=run,
        gap=lambda a, b: float(np.abs(a - b).max()),
    )  # fmt: skip


def _learned() -> Pair:
    agent = TDControl(learning_rate=ConstantSchedule(value=0.5))
    return Pair(
        "td_control", "a loop over env.step", f"cliff, {EPISODES} episodes",
        ours=lambda: _late(agent.fit(cliff(), EPISODES)),
        theirs=lambda: _by_hand(cliff()),
        gap=lambda a, b: b - a,
    )  # fmt: skip


@lru_cache
def cliff() -> FiniteMDP:
    """Gymnasium's cliff as a world of ours."""
    return GymWorld(environment="cliff_walking", slippery=False, gamma=1.0).world()


def _late(fit: LearnedFit) -> float:
    """Mean return of the last episodes."""
    return float(fit.online[fit.episodes > EPISODES - LATE].mean())


def _by_hand(mdp: FiniteMDP) -> float:
    """Q-learning as a tutorial writes it; the mean return of the last episodes."""
    env, rng = MDPEnv(mdp), np.random.default_rng(0)
    q, returns = np.zeros((mdp.n_states, mdp.n_actions)), []
    for _ in range(EPISODES):
        s, _ = env.reset()
        is_over, total = False, 0.0
        while not is_over:
            a = int(rng.integers(4)) if rng.random() < 0.1 else int(q[s].argmax())
            to, reward, is_end, is_cut, _ = env.step(a)
            later = 0.0 if is_end else q[to].max()
            q[s, a] += 0.5 * (reward + mdp.gamma * later - q[s, a])
            s, is_over, total = to, is_end or is_cut, total + reward
        returns.append(total)
    return float(np.mean(returns[-LATE:]))


def _driven() -> Pair:
    agent = SemiGradientControl(learning_rate=ConstantSchedule(value=0.3), explorer=Greedy())
    return Pair(
        "semi_gradient_control", "a loop over env.step", f"mountain car, {DRIVES} episodes",
        ours=lambda: float(agent.fit(MountainCar().world(), DRIVES).online[-1]),
        theirs=_driven_by_hand,
        gap=lambda a, b: b - a,
    )  # fmt: skip


def _driven_by_hand() -> float:
    """SARSA(lambda) with tiles in Gymnasium's mountain car; the mean return of the last episodes.

    It judges no policies on the way, as ours does.
    """
    env, w = gymnasium.make(newest("MountainCar")), np.zeros((3, 8 * 81))
    low, span = np.array([-1.2, -0.07]), np.array([1.8, 0.14])
    moved = np.array([[(2 * i + 1) * t % 8 / 8 for i in range(2)] for t in range(8)])
    returns = []

    def tiles(s: np.ndarray) -> np.ndarray:
        cells = ((s - low) / span * 8 + moved).astype(int)
        return np.arange(8) * 81 + cells[:, 0] * 9 + cells[:, 1]

    for episode in range(DRIVES):
        e, phi = np.zeros_like(w), tiles(env.reset(seed=episode)[0])
        a, is_over, total = int(w[:, phi].sum(axis=1).argmax()), False, 0.0
        while not is_over:
            e *= 0.9
            e[a, phi] = 1.0
            s, reward, is_end, is_cut, _ = env.step(a)
            error = float(reward) - w[a, phi].sum()
            phi = tiles(s)
            a = int(w[:, phi].sum(axis=1).argmax())
            if not is_end:
                error += w[a, phi].sum()
            w += 0.3 / 8 * error * e
            is_over, total = is_end or is_cut, total + float(reward)
        returns.append(total)
    return float(np.mean(returns[-LAST_DRIVES:]))


PAIRS = list(_pairs())
