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
from mlcore.spine.params import choice, part, real


@enter(
    Card(
        "actor_critic",
        "Actor-critic",
        ("learning",),
        "Sutton and Barto (2018), Reinforcement Learning, section 13.5; Bhatnagar, Sutton, "
        "Ghavamzadeh and Lee (2009), Automatica 45",
        sources=(
            "cs2:actor_critic",
            "cs2:policy_softmax",
            "cs2:compatible_features",
            "cs2:natural_actor_critic",
        ),
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
            "natural actor-critic",
            "NAC",
            "compatible features",
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

    The natural ascent learns from the same errors an advantage that is linear in the scores,
    $u \leftarrow u + \beta\,(\delta\, z - \gamma^t (u \cdot \psi)\, \psi)$ with
    $\psi = \nabla \ln \pi(a \mid s)$, and moves every weight by it: $\theta \leftarrow \theta +
    \alpha\, u$. That is the gradient divided by the Fisher information, so that a state that is
    seldom reached, or whose policy is nearly sure, learns as fast as any other.

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
    ascent: str = choice(
        "plain", "plain", "natural", label="Ascent",
        doc="Along the gradient; or along the weights of the compatible advantage, which is the "
        "natural gradient, move by move (natural actor-critic).",
    )  # fmt: skip
    decay: float = trace_decay(0.8, "How slowly what was done fades: 0 looks one move back.")

    def conflict(self) -> str | None:
        """Scores of amounts have no bound, and neither have steps along them."""
        if self.ascent == "natural" and self.policy.numbers[0]:
            return (
                f"{self.title()} takes natural steps of policies whose actions are counted: scores "
                "of a normal distribution are too large for one move. Choose the softmax policy, "
                "or natural ascent of the policy gradient, which waits for whole episodes."
            )
        return super().conflict()

    def _learning(
        self, course: Course | TableCourse, critic: np.ndarray, each: int
    ) -> Iterator[int]:
        world, encoded = course.world, course.encoded
        rates = self.learning_rate.values(int(course.until[-1]))
        spread, is_learned = self.policy.numbers
        advantage = np.zeros(course.weights.size if self.ascent == "natural" else 0)
        for k, first, end in course.pieces():
            returns, lengths = np.zeros(end - first), np.zeros(end - first, dtype=np.int64)
            is_finite = _kernels.learn_policy(
                course.numbers, encoded.basis, encoded.n_active, encoded.scale,
                spread, is_learned, world.gamma, course.counting, self.decay, rates[first:end],
                self.critic_rate, world.max_steps,
                course.nature, course.own, course.weights, critic, advantage,
                course.visits, returns, lengths,
            )  # fmt: skip
            if not is_finite:
                raise self._diverged()
            course.note(k, returns, lengths)
            yield k
