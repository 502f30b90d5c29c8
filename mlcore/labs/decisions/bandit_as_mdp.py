"""A bandit is a world with one state: a learner of action values plays it as a strategy does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.agent import BanditFit, PolicyState, begun, stream
from mlcore.decisions.bandit import Bandit, BernoulliRewards, arms_wrong
from mlcore.decisions.explorers import EpsilonGreedy
from mlcore.decisions.mdp import FiniteMDP, from_transitions
from mlcore.decisions.td_control import TDControl
from mlcore.labs.lab import Lab
from mlcore.maths.arrays import read_only
from mlcore.optimisation.schedules import ConstantSchedule, VisitPowerSchedule
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, integer, many, real


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundsBandit(Bandit):
    """Arms whose rewards belong to the round, by the chance that the moves of a world have."""

    by_round = True

    def stacks(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """What each arm would pay in each round, shape (K, n).

        An episode of one move draws twice: where it begins, and what comes of the action.
        """
        return read_only((rng.random((n, 2))[:, 1] >= 1 - self.means[:, None]).astype(np.float64))


class BothWays(NamedTuple):
    """Estimates of K arms by a learner in a world and by a strategy on a bandit."""

    rounds: np.ndarray  # (m,) after which the estimates were noted
    learned: np.ndarray  # (m, K) action values of the only state
    played: np.ndarray  # (m, K) estimates of the strategy
    visits: np.ndarray  # (2, K) pulls in the end, of the learner and of the strategy
    means: np.ndarray  # (K,) the truth


@enter(
    Card(
        "bandit_as_mdp",
        "A bandit as a world of one state",
        ("lab",),
        sources=("cs2:bandit_as_mdp",),
        random=True,
        cost=lambda n, p, it: (0.05 + 2e-6 * it.n_rounds, 1e6),
        formula=r"Q(s, a) \leftarrow Q(s, a) + \alpha\,[\,r + \gamma \max_{a'} Q(s', a') - Q(s, a)"
        r"\,],\qquad \gamma = 0:\; \hat\mu_a \leftarrow \hat\mu_a + \alpha\,(r - \hat\mu_a)",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("one-state MDP", "Q-learning on a bandit", "multi-armed bandit as MDP"),
        line="the same learner under two names",
    )
)
@dataclass(frozen=True, kw_only=True)
class BanditAsMDP(Lab):
    r"""In a world with one state and a discount of 0 nothing follows an action but its reward.

    What is left of Q-learning is a step of an estimate towards the reward: the action-value method
    of a bandit. Both play here, each by its own code, on the same rewards, with the same explorer
    and the same lots, from estimates of 0 with steps of one over the number of pulls to a power.
    """

    tasks = (
        "Look whether the two ever differ, then let the strategy draw lots of its own.",
        "Lower the power of the steps, and see that both change alike.",
        "Set epsilon to 0: an estimate that begins with 0 is never below a coin's. Who is stuck?",
    )
    seen = (
        "With the same lots every estimate is the same to the last bit, in every round, whatever "
        "the steps and the explorer. With lots of its own the strategy pulls other arms in other "
        "rounds, and is no better and no worse. So all that is known of bandits, how much to "
        "explore above all, is about worlds with one state; what worlds add is that an action has "
        "consequences."
    )

    means: tuple[float, ...] = many(
        (0.2, 0.5, 0.6, 0.8), symbol=r"\mu", most=10,
        doc="True probability that each arm pays, at least two.",
    )  # fmt: skip
    epsilon: float = real(
        0.1, low=0.0, high=1.0, soft=(0.0, 0.5), symbol=r"\epsilon",
        doc="Probability of a random action.",
    )  # fmt: skip
    power: float = real(
        1.0, above=0.0, high=1.0, soft=(0.5, 1.0), symbol="p", label="Power of the steps",
        doc="A step is one over the number of pulls to this power; 1 makes the estimate the mean.",
    )  # fmt: skip
    n_rounds: int = integer(
        300, low=10, high=5000, soft=(10, 3000), log=True, label="Rounds", doc="To be played."
    )
    is_shared: bool = flag(
        True, label="Same lots", doc="Let the strategy explore by the lots of the learner."
    )

    def conflict(self) -> str | None:
        """What a bandit would say of these arms."""
        return arms_wrong(self.means, BernoulliRewards())

    def compute(self, seed: int = 0) -> BothWays:
        """Both to the end, and each round that the learner notes."""
        steps = list(self._learner().steps(self._world(), self.n_rounds, seed=seed))
        states: list[PolicyState] = [step.state for step in steps]
        fit = self._learner().fit(self._world(), self.n_rounds, seed=seed)
        played = [self._after(int(n), seed) for n in fit.episodes]
        return BothWays(
            fit.episodes, np.array([state.q[0] for state in states if state.q is not None]),
            np.array([each.means for each in played]),
            np.array([fit.visits[0], played[-1].counts]), np.array(self.means),
        )  # fmt: skip

    def _learner(self) -> TDControl:
        explorer = EpsilonGreedy(epsilon=ConstantSchedule(value=self.epsilon))
        return TDControl(explorer=explorer, learning_rate=VisitPowerSchedule(power=self.power))

    def _world(self) -> FiniteMDP:
        """One state, an action an arm, and the end after each: the discount is 0."""
        K = len(self.means)
        return from_transitions(
            "world of one state",
            [[[(1 - mean, 0, 0.0, True), (mean, 0, 1.0, True)] for mean in self.means]],
            gamma=0.0, initial=np.ones(1), max_steps=1, state_names=("the state",),
            action_names=tuple(f"arm {k + 1}" for k in range(K)),
        )  # fmt: skip

    def _after(self, n: int, seed: int) -> BanditFit:
        """The strategy after n rounds, on the rewards of the learner."""
        strategy = ActionValueBandit(
            explorer=self._learner().explorer, initial_value=0.0,
            step_size=VisitPowerSchedule(power=self.power),
        )  # fmt: skip
        world = RoundsBandit(
            name="bandit", means=np.array(self.means), distribution=BernoulliRewards()
        )
        who = self._learner() if self.is_shared else strategy
        game = begun(world, n, seed, 0, stream(who, seed, 0))
        drawn = world.drawn(n, random.generator(seed, "world 0"))
        return strategy.played(game._replace(drawn=drawn))
