"""Actor and critic: the error of a learned value moves the policy after every move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import Course
from mlcore.decisions.continuous.policy import PolicySearch, TableCourse
from mlcore.decisions.lookahead import trace_decay
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part, real


@enter(
    Card(
        "actor_critic",
        "Actor-critic",
        ("learning",),
        "Sutton and Barto (2018), Reinforcement Learning, section 13.5",
        sources=("cs2:actor_critic", "cs2:policy_softmax"),
        random=True,
        cost=lambda n, p, self: (2.0 * self._seconds(n, p), 2e6),
        formula=r"\delta = r + \gamma\, v(s') - v(s), \quad w \leftarrow w + \beta\,\delta\,e,"
        r"\quad \theta \leftarrow \theta + \alpha\,\delta\,z,"
        r"\quad z \leftarrow \gamma\lambda\, z + \gamma^t\, \nabla \ln \pi(a \mid s)",
        synonyms=(
            "advantage actor-critic",
            "policy gradient",
            "softmax policy",
            "Gaussian policy",
            "continuous actions",
        ),
        line="a policy and the values that judge it",
    )
)
@dataclass(frozen=True, kw_only=True)
class ActorCritic(PolicySearch):
    r"""A policy and its values learn from each other: the values judge every move of the policy.

    The actor draws actions with probabilities $\pi(a \mid s) \propto e^{\theta_a \cdot \phi(s)}$,
    or any amount from a normal distribution; the critic learns $v(s) = w \cdot \phi(s)$ by temporal
    differences. Its error, how much better a move went than the critic expected, makes the action
    likelier or less likely, along $\nabla \ln \pi$. Both errors are carried back by traces.

    Learns from every move where REINFORCE waits for the end, with less scatter and some bias: a
    critic that is wrong leads the actor astray. It explores by its own chances, and may become sure
    too early; then nothing moves it any more. As costly as semi-gradient control.
    """

    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="How far the preferences of the actor move.",
    )  # fmt: skip
    critic_rate: float = real(
        0.2, low=0.0, high=10.0, soft=(0.01, 1.0), log=True, symbol=r"\beta",
        label="Learning rate of the critic", doc="Share of an error that one update removes.",
    )  # fmt: skip
    decay: float = trace_decay(0.8, "How slowly what was done fades: 0 looks one move back.")

    def _learning(
        self, course: Course | TableCourse, critic: np.ndarray, each: int
    ) -> Iterator[int]:
        world, encoded = course.world, course.encoded
        rates = self.learning_rate.values(int(course.until[-1]))
        spread, is_learned = self.policy.numbers
        for k, first, end in course.pieces():
            returns, lengths = np.zeros(end - first), np.zeros(end - first, dtype=np.int64)
            is_finite = _kernels.learn_policy(
                course.numbers, encoded.basis, encoded.n_active, encoded.scale,
                spread, is_learned, world.gamma, course.counting, self.decay, rates[first:end],
                self.critic_rate, world.max_steps,
                course.nature, course.own, course.weights, critic, course.visits, returns, lengths,
            )  # fmt: skip
            if not is_finite:
                raise self._diverged()
            course.note(k, returns, lengths)
            yield k
