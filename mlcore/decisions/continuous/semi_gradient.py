"""Semi-gradient control: Q-learning, SARSA and expected SARSA with features of the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.agent import Agent
from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import ControlFit, Controller, Course
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.decisions.lookahead import TARGETS, name_of, trace_decay
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, part


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueFit(ControlFit):
    """One replicate of a learner whose scores are values of the actions."""


@enter(
    Card(
        "semi_gradient_control",
        "Semi-gradient control",
        ("learning",),
        "Sutton (1996), Advances in Neural Information Processing Systems 8",
        sources=("cs2:sarsa", "cs2:q_learning", "cs2:linear_value", "epfl:rl_td"),
        random=True,
        cost=lambda n, p, self: (self._seconds(n, p), 2e6),
        formula=r"w \leftarrow w + \alpha\,[\,r + \gamma\, \hat q(s', a') - \hat q(s, a)\,]\,e,"
        r"\quad e \leftarrow \gamma\lambda\, e + \phi(s, a),"
        r"\quad \hat q(s, a) = w \cdot \phi(s, a)",
        synonyms=(
            "linear function approximation",
            "SARSA(lambda)",
            "Watkins Q(lambda)",
            "approximate Q-learning",
        ),
        line="action values linear in features",
    )
)
@dataclass(frozen=True, kw_only=True)
class SemiGradientControl(Controller):
    r"""Temporal-difference control where states are vectors: values are linear in features of them.

    $\hat q(s, a) = w_a \cdot \phi(s)$. After a move all weights whose features were on lately, by
    their eligibility e, go towards the reward plus gamma times the value of what follows: of the
    action taken next (SARSA), of the best one (Q-learning), of the mean over how it is chosen
    (expected SARSA). The target is taken for given, therefore half a gradient. Features that are 0
    or 1 have replacing traces, others accumulating ones; Q-learning cuts them at every action that
    is not the best.

    For worlds that no table can hold. A move costs O(A) times the features that are on, and O(1)
    a trace. Where moves cost something the first values of zero promise too much, so it explores
    without being told to; where they pay it needs actions at random. Fails by diverging with large
    steps, Q-learning in the worst case with any; and where the features cannot tell states apart
    that need different actions.
    """

    target: str = choice("sarsa", *TARGETS, doc="Which value of the next state an update looks at.")
    decay: float = trace_decay(
        0.9, "How slowly the eligibility of a feature fades: 0 looks one move ahead."
    )
    explorer: Any = part("epsilon_greedy_explorer", slot="explorer", doc="How it chooses actions.")
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="Share of an error that one update removes, from 0 to 1.",
    )  # fmt: skip

    @property
    def label(self) -> str:
        """The name of the method that its target makes it."""
        return name_of(self.target, self.decay)

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """The method with each target."""
        return tuple(cls(target=target) for target in ("sarsa", "q_learning", "expected_sarsa"))

    def fit(
        self, world: ContinuousWorld, budget: int = 300, *, seed: int = 0, replicate: int = 0
    ) -> ValueFit:
        """Learn over `budget` episodes.

        Raises DataError if the world does not suit, or if the values grow without bounds.
        """
        self._check(world, budget, seed)
        course = self._course(world, budget, seed, replicate)
        rates, chances = self.learning_rate.values(budget), self.explorer.chances(budget)
        for k, first, end in course.pieces():
            self._learn(course, k, rates[first:end], chances.epsilons[first:end],
                        chances.temperatures[first:end])  # fmt: skip
        return ValueFit(**self._known(course))

    def _learn(
        self, course: Course, k: int, rates: np.ndarray, epsilons: np.ndarray,
        temperatures: np.ndarray,
    ) -> None:  # fmt: skip
        """Learn from the episodes of piece k, and judge what was learned."""
        returns, lengths = np.zeros(len(rates)), np.zeros(len(rates), dtype=np.int64)
        world, encoded = course.world, course.encoded
        is_finite = _kernels.learn_values(
            world.numbers, encoded.basis, encoded.n_active, encoded.is_binary, encoded.scale,
            world.gamma, self.decay, TARGETS.index(self.target), rates, epsilons, temperatures,
            world.max_steps, course.nature, course.own, course.weights, course.visits, returns,
            lengths,
        )  # fmt: skip
        if not is_finite:
            raise self._diverged()
        course.note(k, returns, lengths)
