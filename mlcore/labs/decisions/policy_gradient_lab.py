"""The gradient of a policy on a surface that is known: exact, estimated, natural."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, values_of
from mlcore.decisions.policy_gradients import (
    exact_policy_gradient,
    natural_policy_gradient,
    policy_objective,
    softmax,
)
from mlcore.labs.decisions.two_worlds import GO, two_worlds
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

REACH = 4.0  # the surface goes from minus this to this in both parameters
SIDE = 41  # points of it along each
ESTIMATES = 200
STEPS = 60  # of each way up
SHORT = 1e-3  # of a reward: an episode is cut when all that follows counts less


class GradientCloud(NamedTuple):
    """J over the two preferences for going, and gradients at one point of it."""

    axis: np.ndarray  # (SIDE,) of both parameters
    surface: np.ndarray  # (SIDE, SIDE) J: rows by the parameter of the poor state
    theta: np.ndarray  # (2,) of the poor and of the rich state
    exact: np.ndarray  # (2,) gradient
    natural: np.ndarray  # (2,) natural gradient
    plain: np.ndarray  # (ESTIMATES, 2) estimates without a baseline
    based: np.ndarray  # (ESTIMATES, 2) estimates of the same episodes with one
    ways: np.ndarray  # (2, STEPS + 1, 2) by exact steps along the gradient and the natural one
    heights: np.ndarray  # (2, STEPS + 1) J on them
    n_rollouts: int
    baseline: str


@enter(
    Card(
        "policy_gradient_lab",
        "Gradients of a policy",
        ("lab",),
        "Williams (1992), Machine Learning 8; Kakade (2001), NIPS 14",
        sources=("cs2:baseline_invariance", "cs2:policy_gradient_exact", "cs2:policy_gradient_mc",
                 "cs2:opt_natural_gradient"),
        random=True,
        cost=lambda n, p, it: (0.25 + 4e-4 * it.n_rollouts / (1.005 - it.gamma), 4e7),
        formula=r"\nabla J = E \sum_t \gamma^t\,(G_t - b(s_t))\,\nabla \ln \pi(a_t \mid s_t)",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("REINFORCE", "baseline", "natural gradient", "variance of the gradient"),
        line="a baseline shrinks the cloud, not its middle",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PolicyGradientLab(Lab):
    r"""Two states and two numbers: here one sees the mountain that a policy gradient climbs.

    In the poor state staying pays 1 a move, in the rich one 2; going leads to the other and pays
    nothing. The policy goes with the probabilities $1 / (1 + e^{-\theta})$, one $\theta$ a state.
    $J$ is what the poor state is worth. Click the surface to put the policy elsewhere.
    """

    tasks = (
        "Compare the two clouds in the second picture: their middles, and how wide they are.",
        "Take one episode an estimate, then a hundred.",
        "Put the policy where it nearly always stays in the poor state and leaves the rich one, at "
        "-3 and 3, and compare the two ways up in the first and the third picture.",
        "Lower the discount to 0.3: where is the top now?",
    )
    seen = (
        "Both clouds have their middle at the exact gradient; the baseline takes most of the "
        "scatter away, as much as about 25 times the episodes would. At -3 and 3 the policy is "
        "nearly sure of the wrong thing: it hardly ever sees the rich state, so the gradient there "
        "is nearly zero, and plain ascent rests at half of what could be had. Natural ascent does "
        "not, since it measures a step by how far the policy changes. With a discount of 0.3 the "
        "way to the rich state does not pay any more."
    )

    poor: float = real(
        -1.0, low=-REACH, high=REACH, soft=(-REACH, REACH), symbol=r"\theta_1",
        label="Preference for going, poor state", doc="0 goes half of the time.",
    )  # fmt: skip
    rich: float = real(
        1.0, low=-REACH, high=REACH, soft=(-REACH, REACH), symbol=r"\theta_2",
        label="Preference for going, rich state", doc="0 goes half of the time.",
    )  # fmt: skip
    gamma: float = real(
        0.9, low=0.0, high=0.98, soft=(0.0, 0.98), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip
    n_rollouts: int = integer(
        5, low=1, high=200, soft=(1, 100), log=True, label="Episodes an estimate",
        doc="Of which one estimate of the gradient is the mean.",
    )  # fmt: skip
    baseline: str = choice(
        "value", "value", "mean", label="Baseline",
        doc="What is taken from the return after a move: the value of the state that it left, or "
        "the mean return of all episodes after as many moves.",
    )  # fmt: skip

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """The policy at the point of the surface that was clicked."""
        inside = [mark for mark in marks if 0 <= mark < SIDE**2]
        if not inside:
            return self
        row, column = divmod(inside[-1], SIDE)
        axis = np.linspace(-REACH, REACH, SIDE)
        return replace(self, poor=round(float(axis[row]), 6), rich=round(float(axis[column]), 6))

    def compute(self, seed: int = 0) -> GradientCloud:
        """The surface and its gradients exactly, estimates from drawn episodes."""
        world = two_worlds(self.gamma)
        axis, theta = np.linspace(-REACH, REACH, SIDE), np.array([self.poor, self.rich])
        surface = [[policy_objective(world, preferences((a, b))) for b in axis] for a in axis]
        plain, based = self._estimates(world, theta, seed)
        ways = np.array([_way(world, theta, is_natural) for is_natural in (False, True)])
        heights = [[policy_objective(world, preferences(at)) for at in way] for way in ways]
        return GradientCloud(
            axis, np.array(surface), theta, _gradient(world, theta), _natural(world, theta),
            plain, based, ways, np.array(heights), self.n_rollouts, self.baseline,
        )  # fmt: skip

    def _estimates(
        self, world: FiniteMDP, theta: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradients estimated without and with a baseline, (ESTIMATES, 2) each."""
        goes = softmax(preferences(theta))[:, GO]
        shape = ESTIMATES * self.n_rollouts, _moves(self.gamma)
        lots = generator(seed, "episodes").random(shape)
        states, acts = np.zeros(shape, dtype=np.int64), np.empty(shape, dtype=bool)
        for t in range(shape[1]):
            acts[:, t] = lots[:, t] < goes[states[:, t]]
            if t + 1 < shape[1]:
                states[:, t + 1] = states[:, t] ^ acts[:, t]
        rewards = world.expected_rewards[states, acts.astype(np.int64)]
        to_go = _to_go(rewards, self.gamma)
        expected = values_of(world, softmax(preferences(theta)))[states]
        if self.baseline == "mean":
            expected = to_go.mean(axis=0)
        scores = (acts - goes[states]) * self.gamma ** np.arange(shape[1])
        return (
            self._summed(scores * to_go, states),
            self._summed(scores * (to_go - expected), states),
        )

    def _summed(self, each: np.ndarray, states: np.ndarray) -> np.ndarray:
        """What all moves say of the parameter of their state, (ESTIMATES, 2)."""
        sums = [(each * (states == s)).sum(axis=1) for s in (0, 1)]
        return np.stack(sums, axis=1).reshape(ESTIMATES, self.n_rollouts, 2).mean(axis=1)


def preferences(theta: tuple[float, float] | np.ndarray) -> np.ndarray:
    """Preferences (2, 2) of both actions in both states, where staying has 0."""
    return np.column_stack([np.zeros(2), np.asarray(theta, dtype=np.float64)])


def _gradient(world: FiniteMDP, theta: np.ndarray) -> np.ndarray:
    return exact_policy_gradient(world, preferences(theta))[:, GO]


def _natural(world: FiniteMDP, theta: np.ndarray) -> np.ndarray:
    """By the preferences of both actions it moves one up and the other down by as much."""
    both = natural_policy_gradient(world, preferences(theta))
    return both[:, GO] - both[:, 1 - GO]


def _way(world: FiniteMDP, theta: np.ndarray, is_natural: bool) -> np.ndarray:
    """Exact steps up, (STEPS + 1, 2), as long as they stay on the surface."""
    way = [theta]
    for _ in range(STEPS):
        step = _natural(world, way[-1]) if is_natural else _gradient(world, way[-1])
        way.append(np.clip(way[-1] + 0.1 * step, -REACH, REACH))
    return np.array(way)


def _moves(gamma: float) -> int:
    """Moves of an episode until all that follows counts next to nothing."""
    return int(np.ceil(np.log(SHORT * (1 - gamma)) / np.log(max(gamma, 1e-3)))) + 1


def _to_go(rewards: np.ndarray, gamma: float) -> np.ndarray:
    """Discounted rewards from each move on, (n, H)."""
    total, sums = np.zeros(len(rewards)), np.empty_like(rewards)
    for t in range(rewards.shape[1] - 1, -1, -1):
        total = rewards[:, t] + gamma * total
        sums[:, t] = total
    return sums
