"""REINFORCE: ascent along the gradient of the return, estimated from whole episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import Course
from mlcore.decisions.continuous.policy import PolicySearch, TableCourse
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.policy_gradients import exact_policy_gradient, natural_policy_gradient
from mlcore.maths.arrays import read_only
from mlcore.optimisation.conjugate_gradient import conjugate_gradient
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, part, real

MOST_PRODUCTS = 12  # of the Fisher information: roughly solved, a direction climbs nearly as well
EXACT_ENOUGH = 1e-6  # of the gradient may be left over


class Rollouts(NamedTuple):
    """Episodes under the policy, one behind the other, T moves in all."""

    index: np.ndarray  # (T, n_active) features of the states
    value: np.ndarray  # (T, n_active)
    actions: np.ndarray  # (T,)
    chances: np.ndarray  # (T, A)
    rewards: np.ndarray  # (T,)
    lengths: np.ndarray  # (e,)

    @property
    def times(self) -> np.ndarray:
        """The moves of its episode that came before each, shape (T,)."""
        return np.concatenate([np.arange(n) for n in self.lengths])

    def to_go(self, gamma: float) -> np.ndarray:
        """Discounted rewards from each move to the end of its episode, shape (T,)."""
        out, after, ends = np.empty(len(self.rewards)), 0.0, set(np.cumsum(self.lengths) - 1)
        for t in range(len(out) - 1, -1, -1):
            after = self.rewards[t] + (0.0 if t in ends else gamma * after)
            out[t] = after
        return out

    def sums(self, gamma: float) -> np.ndarray:
        """Discounted rewards of each episode, shape (e,)."""
        firsts = np.cumsum(self.lengths) - self.lengths
        return np.add.reduceat(self.rewards * gamma**self.times, firsts)

    def gradient(self, advantage: np.ndarray, gamma: float, n: int) -> np.ndarray:
        """Mean over episodes of gamma^t times the score of the move times its advantage, (A, n)."""
        A = self.chances.shape[1]
        weight = gamma**self.times * advantage / len(self.lengths)
        return self._spread(weight[:, None] * (np.eye(A)[self.actions] - self.chances), n)

    def fisher_times(self, direction: np.ndarray, gamma: float) -> np.ndarray:
        """The Fisher information of the policy over these moves times a direction, (A, n)."""
        weight = gamma**self.times / len(self.lengths)
        change = (direction[:, self.index] * self.value).sum(axis=2).T  # of the preferences, (T, A)
        mean = (self.chances * change).sum(axis=1, keepdims=True)
        return self._spread(weight[:, None] * self.chances * (change - mean), direction.shape[1])

    def _spread(self, by_move: np.ndarray, n: int) -> np.ndarray:
        """Numbers of moves and actions, (T, A), summed over the features that are on, (A, n)."""
        parts = [
            np.bincount(self.index.ravel(), (column[:, None] * self.value).ravel(), n)
            for column in by_move.T
        ]
        return np.array(parts)

    def errors(self, error: np.ndarray, n: int) -> np.ndarray:
        """The mean error, of shape (T,), where each feature is on, shape (n,)."""
        total = np.bincount(self.index.ravel(), (error[:, None] * self.value).ravel(), n)
        on = np.bincount(self.index.ravel(), np.abs(self.value).ravel(), n)
        return total / np.maximum(on, 1.0)


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
        ),
        line="makes likelier what brought more reward",
    )
)
@dataclass(frozen=True, kw_only=True)
class PolicyGradient(PolicySearch):
    r"""Makes likelier what was followed by more reward: ascent on the expected return itself.

    The policy draws actions with probabilities $\pi(a \mid s) \propto e^{\theta_a \cdot \phi(s)}$.
    After some episodes $\theta$ moves along the mean of
    $\sum_t \gamma^t (G_t - b)\, \nabla \ln \pi(a_t \mid s_t)$, where $G_t$ is the discounted reward
    from move t on: its expectation is the gradient of the return, whatever the baseline b, which
    only takes away scatter. In a world of tables that gradient is known and can be taken as it is.

    The natural gradient (Kakade 2001) measures a step by how far it changes the policy and not the
    numbers $\theta$: it is $F^{-1}$ times the gradient, where F is the Fisher information of the
    policy. It goes on where the policy is nearly sure and the plain gradient nearly zero.

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
        "plain", "plain", "natural", label="Ascent",
        doc="Along the gradient, or along the natural gradient: that divided by the Fisher "
        "information of the policy.",
    )  # fmt: skip
    damping: float = real(
        0.01, above=0.0, high=100.0, soft=(1e-4, 1.0), log=True, advanced=True,
        label="Damping",
        doc="For natural ascent from episodes: added to the diagonal of Fisher information; high "
        "comes near the plain gradient, low trusts few visits.",
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
        T, A = each * world.max_steps, world.n_actions
        shape = (T, encoded.n_active)
        moves = np.empty(T, dtype=np.int64), np.empty((T, A)), np.empty(T)
        lengths = np.empty(each, dtype=np.int64)
        rolled = Rollouts(np.empty(shape, dtype=np.int64), np.empty(shape), *moves, lengths)
        _kernels.roll(
            course.numbers, encoded.basis, read_only(course.weights), world.max_steps,
            course.nature, course.own, course.visits, *rolled,
        )  # fmt: skip
        end = int(lengths.sum())
        return Rollouts(
            rolled.index[:end], rolled.value[:end], rolled.actions[:end], rolled.chances[:end],
            rolled.rewards[:end], lengths,
        )  # fmt: skip

    def _ascent(
        self, course: Course | TableCourse, rolled: Rollouts, critic: np.ndarray
    ) -> np.ndarray:
        """The direction of a step, shape (A, n); the critic learns on the way."""
        world = course.world
        if self.gradient == "exact" and isinstance(world, FiniteMDP):
            exact = natural_policy_gradient if self.ascent == "natural" else exact_policy_gradient
            return exact(world, course.weights.T).T
        to_go = rolled.to_go(world.gamma)
        advantage = to_go - self._baseline(course, rolled, to_go, critic)
        gradient = rolled.gradient(advantage, world.gamma, course.encoded.n)
        if self.ascent == "natural":
            return _natural(rolled, gradient, world.gamma, self.damping)
        return course.encoded.scale * gradient

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
        return _mean_of_others(rolled, to_go) if self.baseline == "mean" else 0.0


def _natural(
    rolled: Rollouts, gradient: np.ndarray, gamma: float, damping: float
) -> np.ndarray:  # fmt: skip
    """(F + damping I)^-1 times the gradient, shape (A, n), by conjugate gradients.

    F has (A n)^2 numbers and is never written down; its product with a direction costs O(T A).
    """

    def product(flat: np.ndarray) -> np.ndarray:
        direction = flat.reshape(gradient.shape)
        return (rolled.fisher_times(direction, gamma) + damping * direction).ravel()

    # A direction that is solved for roughly still climbs, so the last of the products will do.
    for state in islice(conjugate_gradient(product, gradient.ravel()), MOST_PRODUCTS):
        if state.residual <= EXACT_ENOUGH:
            break
    return state.w.reshape(gradient.shape)


def _mean_of_others(rolled: Rollouts, to_go: np.ndarray) -> np.ndarray:
    """The mean of what the other episodes still earned at the same move, shape (T,); 0 if alone.

    An episode that was over by then earned nothing more. Its own is left out, or the mean would
    depend on the action and the gradient would be too small.
    """
    others = len(rolled.lengths) - 1
    if not others:
        return np.zeros(len(to_go))
    total = np.bincount(rolled.times, to_go)
    return (total[rolled.times] - to_go) / others
