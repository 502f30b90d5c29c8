"""Temporal-difference control: Q-learning, SARSA, expected SARSA."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import (
    SNAPSHOTS,
    Agent,
    PolicyFit,
    PolicyState,
    marks,
    stream,
)
from mlcore.decisions.explorers import Chances
from mlcore.decisions.mdp import FiniteMDP, changes, greedy_policy, return_of
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.params import choice, part, real

TARGETS = ("q_learning", "sarsa", "expected_sarsa")
LABELS = {"q_learning": "Q-learning", "sarsa": "SARSA", "expected_sarsa": "Expected SARSA"}


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedFit(PolicyFit):
    """One replicate of a learner: what it knows at the end, and its learning curves."""

    visits: np.ndarray  # (S, A) how often each action was taken
    episodes: np.ndarray  # (m,) the episodes after which the rest was noted
    online: np.ndarray  # (m,) mean return of the episodes since the note before, while exploring
    lengths: np.ndarray  # (m,) mean number of moves of these
    greedy: np.ndarray  # (m,) mean return of the greedy policy, exactly
    errors: np.ndarray  # (m,) largest error of a value that can be reached; NaN if not known


class Trace(NamedTuple):
    """What the kernel notes of a replicate."""

    episodes: np.ndarray  # (m,)
    online: np.ndarray  # (m,)
    lengths: np.ndarray  # (m,)
    q: np.ndarray  # (m, S, A)
    visits: np.ndarray  # (m, S, A)


@enter(
    Card(
        "td_control",
        "Temporal-difference control",
        ("learning",),
        "Watkins and Dayan (1992), Machine Learning 8",
        sources=("cs2:sarsa", "cs2:q_learning", "cs2:sarsa_optimistic", "epfl:rl_td"),
        random=True,
        cost=lambda n, p, self: (4e-6 * n + 1e-6 * SNAPSHOTS * p, 16.0 * SNAPSHOTS * p),
        formula=r"Q(s,a) \leftarrow Q(s,a) + \alpha\,"
        r"[\,r + \gamma \max_{a'} Q(s',a') - Q(s,a)\,]",
        synonyms=(
            "Q-learning",
            "SARSA",
            "expected SARSA",
            "temporal-difference learning",
            "TD learning",
            "off-policy control",
            "reinforcement learning",
        ),
        line="every move corrects one entry of a table",
    )
)
@dataclass(frozen=True, kw_only=True)
class TDControl(Agent):
    """Learns the value of each action by acting: every move corrects one entry of a table.

    After a move the value of the action goes a step towards the reward plus gamma times the value
    of what follows: of the best action there (Q-learning), of the one that is taken next (SARSA),
    or of the mean over how it is chosen (expected SARSA).

    Needs no model of the world. Q-learning learns the best policy whatever it does meanwhile; the
    other two value the policy that they follow, exploration and all, and so keep away from cliffs.
    O(A) a move. Fails where it never looks: with too little exploration, or with steps that shrink
    like one over the visits, which keep the first, wrong values for very long.
    """

    acts_in = FiniteMDP

    target: str = choice(
        "q_learning", *TARGETS, doc="Which value of the next state an update looks at."
    )
    explorer: Any = part("epsilon_greedy_explorer", slot="explorer", doc="How it chooses actions.")
    learning_rate: Any = part(
        "visit_power_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="How far a value moves towards its target, from 0 to 1.",
    )  # fmt: skip
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", advanced=True,
        doc="Value of every action at the beginning; a high one makes all be tried.",
    )  # fmt: skip

    @property
    def label(self) -> str:
        """The name of the method that its target makes it."""
        return LABELS[self.target]

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """The method with each target."""
        return tuple(cls(target=target) for target in TARGETS)

    def fit(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> LearnedFit:
        """Learn over `budget` episodes. Raises DataError if the world does not suit."""
        self._check(world, budget, seed)
        trace = self._learned(world, budget, seed, replicate)
        q = trace.q[-1]
        policy = greedy_policy(q)
        greedy = _greedy_returns(world, trace.q)
        return LearnedFit(
            made_by=self, n_iter=budget, values=q.max(axis=1), q=q.copy(), policy=policy,
            score=float(greedy[-1]), visits=trace.visits[-1].copy(), episodes=trace.episodes,
            online=trace.online, lengths=trace.lengths, greedy=greedy,
            errors=_errors(world, trace.q),
        )  # fmt: skip

    def steps(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> Iterator[Step]:
        """What it knows after some of the episodes, at most about 60 times."""
        self._check(world, budget, seed)
        return _snapshots(world, self._learned(world, budget, seed, replicate))

    def _chances(self, budget: int) -> Chances:
        return self.explorer.chances(budget)

    def _learned(self, world: FiniteMDP, budget: int, seed: int, replicate: int) -> Trace:
        until = marks(budget, SNAPSHOTS)
        shape = (world.n_states, world.n_actions)
        trace = Trace(
            until, np.zeros(len(until)), np.zeros(len(until)),
            np.zeros((len(until), *shape)), np.zeros((len(until), *shape), dtype=np.int64),
        )  # fmt: skip
        q, visits = np.full(shape, self.initial_value), np.zeros(shape, dtype=np.int64)
        rate, chances = self.learning_rate, self._chances(budget)
        _kernels.td_control(
            *world.entries, world.gamma, world.initial, TARGETS.index(self.target),
            rate.values(budget), float(rate.exponent), *chances,
            world.max_steps, until, random.generator(seed, f"world {replicate}"),
            stream(self, seed, replicate), q, visits,
            np.zeros(world.n_states, dtype=np.int64), trace.online, trace.lengths,
            trace.q, trace.visits,
        )  # fmt: skip
        return trace


def _greedy_returns(world: FiniteMDP, tables: np.ndarray) -> np.ndarray:
    """The exact return of the greedy policy of each table, shape (m,)."""
    return_by_policy: dict[bytes, float] = {}
    returns = []
    for q in tables:
        policy = greedy_policy(q)
        key = policy.tobytes()
        if key not in return_by_policy:  # late tables differ, their policies seldom do
            return_by_policy[key] = return_of(world, policy)
        returns.append(return_by_policy[key])
    return np.array(returns)


def _errors(world: FiniteMDP, tables: np.ndarray) -> np.ndarray:
    """Largest error of the value of a state that can be reached, by table, shape (m,)."""
    if world.unsolvable:
        return np.full(len(tables), np.nan)
    here = world.reachable
    values = tables.max(axis=2)[:, here]
    return np.abs(values - world.solution.values[here]).max(axis=1)


def _snapshots(world: FiniteMDP, trace: Trace) -> Iterator[Step]:
    greedy = _greedy_returns(world, trace.q)
    before = np.zeros(world.n_states, dtype=np.int64)
    for k, episode in enumerate(trace.episodes):
        q = trace.q[k]
        policy = greedy_policy(q)
        changed = int((policy != before).sum()) if k else 0
        is_last = k + 1 == len(trace.episodes)
        stop = Stop("limit", f"Stopped after {episode} episodes, as asked.") if is_last else None
        note = (
            f"Episode {episode}: a return of {trace.online[k]:.3g} in {trace.lengths[k]:.3g} moves "
            f"on the way here; {changes(changed)}."
        )
        state = PolicyState(q.max(axis=1), policy, trace.visits[k].sum(axis=1))
        yield Step(k, float(greedy[k]), state, stop, note)
        before = policy
