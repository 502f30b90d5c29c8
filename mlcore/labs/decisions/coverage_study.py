"""What can be learned from moves that somebody else has made, by how much of the world they saw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.decisions.grid_world import GridWorld
from mlcore.decisions.mdp import FiniteMDP, greedy_policy, return_of
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

ROOMS = GridWorld(  # a door near the start and the goal, and one far from both
    layout="........./....#..../....#..../....#..../....#..../S.......G",
    slip=0.0, step_reward=0.0, gamma=0.95, max_steps=100,
)  # fmt: skip
NEAR_DOOR = "row 6, column 5"
METHODS = ("planning on counts", "Q-learning, one pass", "one improvement")
EPSILONS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1.0)
ROUNDS = 10  # in which the data of a learner that acts itself are collected
RATE = 0.5  # of Q-learning: no move of this world is random
LOWEST = -1e3  # value of what was never seen: nothing here is worth less
SWEEPS = 500  # of planning at most; far fewer suffice where nothing is random


class Coverage(NamedTuple):
    """Policies learned from data of one behaviour each, and of one that learns as it goes."""

    epsilons: np.ndarray  # (m,) share of random moves of the behaviour
    covered: np.ndarray  # (R, m) share of the pairs of state and action that were seen
    returns: np.ndarray  # (3, R, m) of the learned policies, in the order of METHODS
    own_covered: np.ndarray  # (R,) of who follows its own policy
    own_returns: np.ndarray  # (R,)
    behaviour: float  # return of the behaviour without random moves
    best: float
    epsilon: float


class Moves(NamedTuple):
    """Moves as they were made, (n,) each."""

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    nexts: np.ndarray
    ends: np.ndarray


@enter(
    Card(
        "coverage_study",
        "Learning from what others did",
        ("lab",),
        sources=("cs2:sampling_distribution_study",),
        random=True,
        cost=lambda n, p, it: (0.1 + it.replicates * (0.1 + 6e-5 * it.moves), 1e7),
        formula=r"\hat Q(s, a)\ \text{from}\ (s_i, a_i, r_i, s_i')_{i \le n},\qquad"
        r"\hat\pi(s) = \arg\max_{a:\,(s, a)\ \text{seen}} \hat Q(s, a)",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("offline reinforcement learning", "batch reinforcement learning",
                  "behaviour policy", "coverage", "exploration"),
        line="nobody learns what the data do not show",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class CoverageStudy(Lab):
    """Two rooms with two doors. The behaviour knows the far door, which is a long way round.

    Its moves are all that three methods see. One plans on how often what followed what, one makes a
    single pass of Q-learning over the moves in their order, and one values the behaviour itself and
    improves it once. None of them trusts an action that was never taken. A fourth learner acts
    itself: in ten rounds it follows what it has planned so far, with some random moves.
    """

    tasks = (
        "Look at what three methods make of data without any random move.",
        "Find where random moves make the policies worse again, and say why.",
        "Give them ten times the moves: which end of the curves rises?",
        "Set the random moves of the learner that acts itself to 0, then to 0.5.",
    )
    seen = (
        "Without random moves nobody finds the near door, however much data there are. Some are "
        "enough for planning, and one improvement is nearly as good. With nothing but random moves "
        "few episodes come to the goal: the far room is hardly seen, and one pass over few rewards "
        "teaches little. Following one's own policy with a few random moves covers less than "
        "chance does, but where it matters: nearly every time it finds the near door."
    )

    moves: int = integer(
        1000, low=50, high=20_000, soft=(100, 10_000), log=True, label="Moves",
        doc="That are seen, in episodes of at most 100.",
    )  # fmt: skip
    epsilon: float = real(
        0.2, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\epsilon", label="Own random moves",
        doc="Share of random moves of the learner that acts itself.",
    )  # fmt: skip
    replicates: int = integer(
        10, low=1, high=50, soft=(2, 30), label="Replicates", doc="Sets of data for each behaviour."
    )

    def compute(self, seed: int = 0) -> Coverage:
        """The same world for all; each set of data by its own chance."""
        world, behaviour = ROOMS.world(), far_way()
        runs = [self._run(world, behaviour, seed, k) for k in range(self.replicates)]
        own = [self._own(world, seed, k) for k in range(self.replicates)]
        covered, returns = zip(*runs, strict=True)
        return Coverage(
            np.array(EPSILONS), np.array(covered), np.transpose(returns, (2, 0, 1)),
            np.array([share for share, _ in own]), np.array([value for _, value in own]),
            return_of(world, behaviour), world.best, self.epsilon,
        )  # fmt: skip

    def _run(
        self, world: FiniteMDP, behaviour: np.ndarray, seed: int, replicate: int
    ) -> tuple[list[float], list[list[float]]]:
        """Coverage, and the return of each method, for each share of random moves."""
        rngs = [generator(seed, f"moves {replicate} {k}") for k in range(len(EPSILONS))]
        data = [
            collected(world, behaviour, epsilon, self.moves, rng)
            for epsilon, rng in zip(EPSILONS, rngs, strict=True)
        ]
        returns = [[return_of(world, own) for own in learned(world, moves)] for moves in data]
        return [Seen(world, moves).share for moves in data], returns

    def _own(self, world: FiniteMDP, seed: int, replicate: int) -> tuple[float, float]:
        """Coverage and return of who plans again after each of its rounds, and begins like the
        behaviour; where no reward is known to be ahead it goes on as before."""
        rng, data, policy = generator(seed, f"own {replicate}"), [], far_way()
        share = 0.0
        for k in range(ROUNDS):
            n = self.moves * (k + 1) // ROUNDS - self.moves * k // ROUNDS
            data.append(collected(world, policy, self.epsilon, n, rng))
            seen = Seen(world, Moves(*map(np.concatenate, zip(*data, strict=True))))
            share, q = seen.share, seen.planned()
            policy = np.where(q.max(axis=1) > 0, seen.greedy(q, policy), policy)
        return share, return_of(world, policy)


def far_way() -> np.ndarray:
    """The best policy of who takes the near door for a wall, (S,)."""
    world = ROOMS.world()
    door = world.state_names.index(NEAR_DOOR)
    rewards = np.where(world.successors == door, -10.0, world.rewards)
    return replace(world, rewards=rewards).solution.policy


def collected(
    world: FiniteMDP, policy: np.ndarray, epsilon: float, n: int, rng: np.random.Generator
) -> Moves:
    """n moves by a policy, shape (S,), with random ones, where each has one outcome; (n,) each."""
    is_random = rng.random(n) < epsilon
    lots = rng.integers(world.n_actions, size=n)
    first = int(world.initial.argmax())
    states, actions, s, steps = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), first, 0
    for t in range(n):
        a = int(lots[t] if is_random[t] else policy[s])
        states[t], actions[t] = s, a
        entry, steps = s * world.n_actions + a, steps + 1
        is_over = world.ends[entry] or steps == world.max_steps
        s, steps = (first, 0) if is_over else (int(world.successors[entry]), steps)
    pairs = states * world.n_actions + actions
    return Moves(states, actions, world.rewards[pairs], world.successors[pairs], world.ends[pairs])


class Seen:
    """What a set of moves has shown of a world."""

    def __init__(self, world: FiniteMDP, moves: Moves):
        self.world, self.moves = world, moves
        self.shape = (world.n_states, world.n_actions)
        self.pairs = moves.states * world.n_actions + moves.actions

    @cached_property
    def counts(self) -> np.ndarray:
        """How often each action was taken, (S, A)."""
        return np.bincount(self.pairs, minlength=int(np.prod(self.shape))).reshape(self.shape)

    @property
    def share(self) -> float:
        """Of the pairs of state and action that were seen at all."""
        return float((self.counts > 0).mean())

    @cached_property
    def rewards(self) -> np.ndarray:
        """Mean reward of each pair, 0 where there is none, (S * A,)."""
        total = np.bincount(self.pairs, self.moves.rewards, self.counts.size)
        return total / np.maximum(self.counts.ravel(), 1)

    @cached_property
    def transitions(self) -> np.ndarray:
        """Shares of what followed each pair, (S * A, S); an end leads nowhere."""
        n = self.world.n_states
        cells = self.pairs * n + self.moves.nexts
        total = np.bincount(cells, ~self.moves.ends, self.counts.size * n).reshape(-1, n)
        return total / np.maximum(self.counts.ravel(), 1)[:, None]

    def backup(self, values: np.ndarray) -> np.ndarray:
        """Values of the actions, (S, A), by those of the states, (S,)."""
        return (self.rewards + self.world.gamma * self.transitions @ values).reshape(self.shape)

    def greedy(self, q: np.ndarray, current: np.ndarray | None = None) -> np.ndarray:
        """The best action that was seen in each state, the `current` one of equals, (S,).

        Where none was seen every action is as bad as any other.
        """
        return greedy_policy(np.where(self.counts > 0, q, LOWEST), current)

    def planned(self) -> np.ndarray:
        """Value iteration on the shares, over actions that were seen, (S, A)."""
        values = np.zeros(self.world.n_states)
        for _ in range(SWEEPS):
            best = np.where(self.counts > 0, self.backup(values), -np.inf).max(axis=1)
            before, values = values, np.where(np.isfinite(best), best, 0.0)
            if (values == before).all():
                break
        return self.backup(values)

    def valued(self) -> np.ndarray:
        """Action values of the behaviour itself, (S, A), by the shares of its actions."""
        chances = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        weights = chances.ravel()[:, None]
        n, A = self.shape
        P = (weights * self.transitions).reshape(n, A, n).sum(axis=1)
        r = (chances * self.rewards.reshape(self.shape)).sum(axis=1)
        return self.backup(np.linalg.solve(np.eye(n) - self.world.gamma * P, r))

    def passed(self) -> np.ndarray:
        """Q-learning, one correction a move in their order, (S, A)."""
        q, gamma = np.zeros(self.shape), self.world.gamma
        for s, a, reward, to, is_end in zip(*(own.tolist() for own in self.moves), strict=True):
            later = 0.0 if is_end else gamma * q[to].max()
            q[s, a] += RATE * (reward + later - q[s, a])
        return q


def learned(world: FiniteMDP, moves: Moves) -> list[np.ndarray]:
    """The policy of each method, (S,) each, in the order of METHODS."""
    seen = Seen(world, moves)
    return [seen.greedy(q) for q in (seen.planned(), seen.passed(), seen.valued())]
