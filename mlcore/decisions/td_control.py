"""Temporal-difference control with traces: Q-learning, SARSA, expected SARSA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import DIVERGED, SNAPSHOTS, Agent, diverged, stream
from mlcore.decisions.explorers import Chances
from mlcore.decisions.learner import TableLearner, Trace, empty_trace
from mlcore.decisions.lookahead import (
    TARGETS,
    moves_ahead,
    name_of,
    step_count,
    trace_decay,
    trace_kind,
)
from mlcore.decisions.mdp import FiniteMDP
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, part, real


@enter(
    Card(
        "td_control",
        "Temporal-difference control",
        ("learning",),
        "Watkins and Dayan (1992), Machine Learning 8",
        sources=("cs2:sarsa", "cs2:q_learning", "cs2:sarsa_optimistic", "epfl:rl_td"),
        random=True,
        cost=lambda n, p, self: (4e-6 * n + 1e-6 * SNAPSHOTS * p, 16.0 * SNAPSHOTS * p),
        formula=r"Q \leftarrow Q + \alpha\,"
        r"[\,r + \gamma \max_{a'} Q(s',a') - Q(s,a)\,]\,e, \quad"
        r"e \leftarrow \gamma\lambda\, e + \mathbf{1}_{s,a}",
        synonyms=(
            "Q-learning",
            "SARSA",
            "expected SARSA",
            "SARSA(lambda)",
            "Watkins Q(lambda)",
            "eligibility traces",
            "n-step SARSA",
            "tree backup",
            "Monte Carlo control",
            "temporal-difference learning",
            "TD learning",
            "off-policy control",
            "reinforcement learning",
        ),
        line="every move corrects one entry of a table",
    )
)
@dataclass(frozen=True, kw_only=True)
class TDControl(TableLearner):
    r"""Learns the value of each action by acting: every move corrects one entry of a table.

    After a move the value of the action goes a step towards the reward plus gamma times the value
    of what follows: of the best action there (Q-learning), of the one that is taken next (SARSA),
    or of the mean over how it is chosen (expected SARSA). With $\lambda$ above 0 the actions before
    it on the way are corrected too, by their eligibility $e$, which fades by $\gamma \lambda$ a
    move; Q-learning cuts it at every action that is not the best (Watkins' rule), since what
    follows one says nothing of the best policy. Or the rewards of n moves are added up before the
    value of what follows is trusted; Q-learning then takes the value of the best action where
    another was taken, which is tree backup for the best policy.

    Needs no model of the world. Q-learning learns the best policy whatever it does meanwhile; the
    other two value the policy that they follow, exploration and all, and so keep away from cliffs.
    O(A) a move, and O(1) for each action with a trace; O(n A) with n of them looked ahead. Fails
    where it never looks: with too little exploration, or with steps that shrink like one over the
    visits, which keep the first, wrong values for very long; by diverging, where large steps meet
    accumulating traces.
    """

    chanceless: ClassVar[tuple[str, ...]] = ("decay", "traces", "n_steps")

    target: str = choice(
        "q_learning", *TARGETS, doc="Which value of the next state an update looks at."
    )
    explorer: Any = part("epsilon_greedy_explorer", slot="explorer", doc="How it chooses actions.")
    learning_rate: Any = part(
        "visit_power_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="How far a value moves towards its target, from 0 to 1.",
    )  # fmt: skip
    decay: float = trace_decay(
        0.0, "How slowly the eligibility of an action fades: 0 looks one move ahead."
    )
    traces: str = trace_kind("replacing", "an action is taken")
    n_steps: int = step_count()
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", advanced=True,
        doc="Value of every action at the beginning; a high one makes all be tried.",
    )  # fmt: skip

    @property
    def label(self) -> str:
        """The name of the method that its target and its traces or steps make it."""
        return name_of(self.target, self.decay, self.n_steps)

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """The method with each target, and those that are known with traces and with steps."""
        both = ("sarsa", "q_learning")
        traced = (cls(target=target, decay=0.9) for target in both)
        ahead = (cls(target=target, n_steps=4) for target in both)
        return (*(cls(target=target) for target in TARGETS), *traced, *ahead)

    def _chances(self, budget: int) -> Chances:
        return self.explorer.chances(budget)

    def _learned(self, world: FiniteMDP, budget: int, seed: int, replicate: int) -> Trace:
        trace, shape = empty_trace(world, budget), (world.n_states, world.n_actions)
        q, visits = np.full(shape, self.initial_value), np.zeros(shape, dtype=np.int64)
        rate, chances = self.learning_rate, self._chances(budget)
        _kernels.td_control(
            *world.entries, *world.change, world.gamma, world.initial, TARGETS.index(self.target),
            self.decay, self.traces == "replacing", moves_ahead(self.decay, self.n_steps),
            rate.values(budget), float(rate.exponent), *chances, world.max_steps, trace.episodes,
            random.generator(seed, f"world {replicate}"), stream(self, seed, replicate), q, visits,
            np.zeros(world.n_states, dtype=np.int64), trace.online, trace.lengths,
            trace.gained, trace.q, trace.visits,
        )  # fmt: skip
        # No episode earns more than this; a table without traces stays between what it is told.
        most = world.max_steps * float(np.abs(world.rewards).max()) + abs(self.initial_value)
        if self.decay and not float(np.abs(trace.q).max()) < DIVERGED * max(1.0, most):
            raise diverged(self.label)
        return trace
