"""REINFORCE: ascent along the gradient of the return, estimated from whole episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import Course
from mlcore.decisions.continuous.policy import PolicySearch, TableCourse
from mlcore.decisions.continuous.rollouts import Rollouts, mean_of_others, solved
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.policy_gradients import exact_policy_gradient, natural_policy_gradient
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, part, real


@enter(
    Card(
        "policy_gradient",
        "Policy gradient (REINFORCE)",
        ("learning",),
        "Williams (1992), Machine Learning 8",
        sources=(
            "cs2:policy_gradient_mc",
            "cs2:policy_gradient_exact",
            "cs2:policy_softmax",
            "cs2:opt_natural_gradient",
        ),
        random=True,
        cost=lambda n, p, self: (3.0 * self._seconds(n, p), 2e7),
        formula=r"\theta \leftarrow \theta + \alpha \sum_t \gamma^t\,(G_t - b)\,"
        r"\nabla \ln \pi(a_t \mid s_t)",
        synonyms=(
            "REINFORCE",
            "softmax policy",
            "likelihood ratio gradient",
            "policy search",
            "natural policy gradient",
            "natural gradient",
            "Fisher information",
            "natural actor-critic",
            "compatible features",
            "compatible critic",
            "Gaussian policy",
            "continuous actions",
        ),
        line="makes likelier what brought more reward",
    )
)
@dataclass(frozen=True, kw_only=True)
class PolicyGradient(PolicySearch):
    r"""Makes likelier what was followed by more reward: ascent on the expected return itself.

    The policy draws actions with probabilities $\pi(a \mid s) \propto e^{\theta_a \cdot \phi(s)}$,
    or, where any amount can be done, from a normal distribution about a mean that is linear in
    $\phi$.
    After some episodes $\theta$ moves along the mean of
    $\sum_t \gamma^t (G_t - b)\, \nabla \ln \pi(a_t \mid s_t)$, where $G_t$ is the discounted reward
    from move t on: its expectation is the gradient of the return, whatever the baseline b, which
    only takes away scatter. In a world of tables that gradient is known and can be taken as it is.

    The natural gradient (Kakade 2001) measures a step by how far it changes the policy and not the
    numbers $\theta$: it is $F^{-1}$ times the gradient, where F is the Fisher information of the
    policy. It goes on where the policy is nearly sure and the plain gradient nearly zero. The
    weights of a critic that is linear in the scores $\nabla \ln \pi$, the compatible features, are
    the same direction, found by least squares (natural actor-critic, Peters and Schaal 2008).

    Needs no values, and goes up on what one wants to have; the policy may stay random where that is
    best. Slow: what it learns from one episode is little and scatters much. Fails where chance
    alone never brings a reward that differs: then every gradient is zero.
    """

    gradient: str = choice(
        "episodes", "episodes", "exact", label="Gradient",
        doc="Estimated from episodes, or computed from the tables of the world.",
    )  # fmt: skip
    baseline: str = choice(
        "mean", "none", "mean", "value", label="Baseline",
        doc="What is taken from the returns: nothing, the mean of the other episodes at the same "
        "move, or a value learned from the features of the state.",
    )  # fmt: skip
    ascent: str = choice(
        "plain", "plain", "natural", "compatible", label="Ascent",
        doc="Along the gradient; along the natural gradient, which is that divided by the Fisher "
        "information of the policy; or along the weights of the compatible critic, which predicts "
        "returns from the scores of what was done (natural actor-critic).",
    )  # fmt: skip
    damping: float = real(
        0.01, above=0.0, high=100.0, soft=(1e-4, 1.0), log=True, advanced=True,
        label="Damping",
        doc="For natural and compatible ascent from episodes: added to the diagonal of Fisher "
        "information; high comes near the plain gradient, low trusts few visits.",
    )  # fmt: skip
    n_rollouts: int = integer(
        10, low=1, high=1000, soft=(1, 50), label="Episodes a step",
        doc="How many episodes one step of ascent is estimated from.",
    )  # fmt: skip
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="How far a step goes along the gradient.",
    )  # fmt: skip
    critic_rate: float = real(
        0.2, low=0.0, high=1.0, soft=(0.01, 1.0), log=True, symbol=r"\beta", advanced=True,
        label="Learning rate of the values",
        doc="Share of an error that a step removes from the values, which the baseline may use.",
    )  # fmt: skip

    def applies(self, world: Any) -> str | None:
        """As all; the exact gradient needs tables with finite values."""
        if reason := super().applies(world):
            return reason
        if self.gradient != "exact":
            return None
        if not isinstance(world, FiniteMDP):
            return (
                f"The exact gradient needs the tables of a world; {world.name} has none. Estimate "
                "it from episodes."
            )
        return world.unsolvable

    @property
    def _has_critic(self) -> bool:
        return self.gradient != "exact"

    @property
    def _each(self) -> int:
        return self.n_rollouts

    def _learning(
        self, course: Course | TableCourse, critic: np.ndarray, each: int
    ) -> Iterator[int]:
        rates = self.learning_rate.values(int(course.until[-1]) // each)
        for k, first, end in course.pieces():
            returns, lengths = [], []
            for step in range(first // each, end // each):
                rolled = self._rolled(course, each)
                returns.append(rolled.sums(course.counting))
                lengths.append(rolled.lengths)
                course.weights[...] += rates[step] * self._ascent(course, rolled, critic)
            course.note(k, np.concatenate(returns), np.concatenate(lengths))
            yield k

    def _rolled(self, course: Course | TableCourse, each: int) -> Rollouts:
        """Episodes under the present policy."""
        world, encoded = course.world, course.encoded
        spread, is_learned = self.policy.numbers
        T, R = each * world.max_steps, len(course.weights)
        shape = (T, encoded.n_active)
        moves = np.empty((T, R)), np.empty((T, R)), np.empty(T)
        lengths = np.empty(each, dtype=np.int64)
        rolled = Rollouts(np.empty(shape, dtype=np.int64), np.empty(shape), *moves, lengths)
        _kernels.roll(
            course.numbers, encoded.basis, read_only(course.weights),
            spread, is_learned, world.max_steps, course.nature, course.own, course.visits,
            *rolled,
        )  # fmt: skip
        end = int(lengths.sum())
        return Rollouts(
            rolled.index[:end], rolled.value[:end], rolled.told[:end], rolled.scores[:end],
            rolled.rewards[:end], lengths,
        )  # fmt: skip

    def _ascent(
        self, course: Course | TableCourse, rolled: Rollouts, critic: np.ndarray
    ) -> np.ndarray:
        """The direction of a step, shape (R, n); the critic learns on the way."""
        world = course.world
        if self.gradient == "exact" and isinstance(course, TableCourse):
            exact = exact_policy_gradient if self.ascent == "plain" else natural_policy_gradient
            return exact(course.taught_in, course.weights.T).T
        to_go = rolled.to_go(world.gamma)
        advantage = to_go - self._baseline(course, rolled, to_go, critic)
        gradient = rolled.gradient(advantage, world.gamma, course.encoded.n)
        if self.ascent == "plain":
            return course.encoded.scale * gradient
        return solved(lambda d: self._information(rolled, d, world.gamma), gradient, self.damping)

    def _information(self, rolled: Rollouts, direction: np.ndarray, gamma: float) -> np.ndarray:
        """Fisher information times a direction, both shape (R, n).

        Expected by the policy at each state; or of what was done, where the direction that is
        solved for has the weights of the critic that is linear in the scores.
        """
        if self.ascent == "natural":
            return rolled.fisher_times(direction, gamma, self.policy)
        return rolled.scores_times(direction, gamma)

    def _baseline(
        self, course: Course | TableCourse, rolled: Rollouts, to_go: np.ndarray, critic: np.ndarray
    ) -> np.ndarray | float:
        """What is expected of each move, shape (T,); it does not depend on its action."""
        expected = (critic[rolled.index] * rolled.value).sum(axis=1)
        critic += self.critic_rate * course.encoded.scale * rolled.errors(
            to_go - expected, len(critic)
        )  # fmt: skip
        if self.baseline == "value":
            return expected
        return mean_of_others(rolled, to_go) if self.baseline == "mean" else 0.0
