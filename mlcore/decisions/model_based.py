"""Model-based reinforcement learning: count what follows what, and plan on the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import SNAPSHOTS, Agent, stream
from mlcore.decisions.explorers import Chances, Greedy
from mlcore.decisions.learner import LearnedFit, TableLearner, Trace, empty_trace
from mlcore.decisions.mdp import FiniteMDP
from mlcore.maths.arrays import read_only
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, part, real

TOLERANCE = 1e-9  # of a value: below it sweeps over the learned model stop


class Use(NamedTuple):
    """How a model is used, in numbers as the kernel takes them."""

    n_planned: int  # moves that the model makes up after each real one; -1: sweeps over the model
    least: int  # times that an action must have been taken before the model speaks of it
    first: float  # value of the others, and of all actions at the beginning
    prior: float  # that is added to the count of each transition before one is drawn; 0: no draws
    rates: np.ndarray  # (n,) of an update, by episode
    exponent: float


@dataclass(frozen=True, kw_only=True)
class ModelUse(Component):
    """What an agent does with the model that it learns."""

    def use(self, world: FiniteMDP, n: int) -> Use:
        """In numbers, for n episodes in this world."""
        raise NotImplementedError(f"{type(self).__name__} declares no use")

    def updates(self, p: int) -> float:
        """About how many updates a move costs, with p values in the table: those of sweeps."""
        return 0.05 * p


@enter(Card("dyna_planning", "Dyna-Q", ("model_use",), kind="part",
            paper="Sutton (1990), ICML 7", sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class DynaPlanning(ModelUse):
    """After each move Q-learning is applied to it, and to moves that the model makes up.

    A made-up move begins with an action that was taken before, drawn uniformly, and leads where the
    model says with the probabilities that were counted. Without any it is Q-learning.
    """

    planning_steps: int = integer(
        10, low=0, high=1000, soft=(0, 100), symbol="n", label="Planning steps",
        doc="Moves that the model makes up after each real one; 0 is Q-learning.",
    )  # fmt: skip
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha", label="Learning rate",
        doc="How far a value moves towards its target, from 0 to 1.",
    )  # fmt: skip
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", advanced=True,
        doc="Value of every action at the beginning; a high one makes all be tried.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Updates after each move."""
        rate = self.learning_rate
        first = self.initial_value
        return Use(self.planning_steps, 1, first, 0.0, rate.values(n), float(rate.exponent))

    def updates(self, p: int) -> float:
        """Those that are made up."""
        return float(self.planning_steps)


@enter(Card("certainty_equivalence", "Certainty equivalence", ("model_use",), kind="part",
            sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class CertaintyEquivalence(ModelUse):
    """Value iteration on the counted model, as if it were the truth.

    It is done when an episode begins, and when an action is taken for the first time. Actions that
    were never taken keep the initial value.
    """

    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value",
        doc="Value of an action that was never taken.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over all that was seen."""
        return Use(-1, 1, self.initial_value, 0.0, read_only(np.ones(n)), 0.0)


@enter(Card("r_max", "R-max", ("model_use",), kind="part",
            paper="Brafman and Tennenholtz (2002), Journal of Machine Learning Research 3",
            sources=("cs2:rmax",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RMax(ModelUse):
    """Value iteration on the counted model, and the best of all worlds where it was seldom tried.

    An action is known once it was taken often enough; every other one is worth the largest reward
    at each move that an episode has. So the agent goes where it knows least, by plan and not by
    chance, until what it knows is enough.
    """

    n_known: int = integer(
        5, low=1, high=1000, soft=(1, 50), symbol="m", label="Visits until known",
        doc="How often an action must have been taken in a state to be known.",
    )  # fmt: skip
    reward_max: float | None = real(
        None, soft=(-1.0, 20.0), or_none="the largest of the world", symbol=r"r_{\max}",
        label="Largest reward", doc="What a move can pay at most.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over what is known, with a high value for the rest."""
        reward = float(world.rewards.max()) if self.reward_max is None else self.reward_max
        powers = world.gamma ** np.arange(world.max_steps)
        # Where every move costs, it is best to be at the end after the next one.
        best = reward * float(powers.sum()) if reward > 0 else reward
        return Use(-1, self.n_known, best, 0.0, read_only(np.ones(n)), 0.0)


@enter(Card("posterior_sampling", "Posterior sampling (PSRL)", ("model_use",), kind="part",
            paper="Strens (2000), ICML 17; Osband, Russo and Van Roy (2013), NIPS 26",
            sources=("cs2:bayesian_rl",),
            synonyms=("PSRL", "Bayesian reinforcement learning", "Bayesian dynamic programming",
                      "Thompson sampling of worlds")))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PosteriorSampling(ModelUse):
    """Before each episode a world is drawn from the posterior, and its best policy followed.

    It is told which transitions are possible and what they pay, but not how likely they are: the
    probabilities of each action have a Dirichlet prior, whose parameters the counts are added to.
    What is hardly known is drawn differently each time, and so is tried; what is known is drawn as
    it is. In a world where nothing is left to chance there is nothing for it to learn. The values
    that it shows are those of the mean of the posterior.
    """

    prior_count: float = real(
        1.0, above=0.0, high=1000.0, soft=(0.1, 10.0), log=True, symbol=r"\alpha_0",
        label="Prior count",
        doc="Visits that each possible transition counts for before the first: 1 is the uniform "
        "prior, many are a strong belief that all are equally likely.",
    )  # fmt: skip

    def use(self, world: FiniteMDP, n: int) -> Use:
        """Sweeps over a draw, an episode each."""
        return Use(-1, 0, 0.0, self.prior_count, read_only(np.ones(n)), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelFit(LearnedFit):
    """One replicate of a learner of models."""

    counts: np.ndarray  # (E,) how often each transition of the world was seen
    model_errors: np.ndarray  # (m,) mean distance of learned and true probabilities


@enter(
    Card(
        "model_based_rl",
        "Model-based reinforcement learning",
        ("learning",),
        "Sutton (1990), Integrated architectures for learning, planning and reacting, ICML 7",
        sources=("cs2:rmax", "cs2:bayesian_rl"),
        random=True,
        cost=lambda n, p, self: (
            n * (2e-5 + 5e-6 * self.model_use.updates(p))
            + 1e-6 * SNAPSHOTS * p,
            32.0 * SNAPSHOTS * p,
        ),
        formula=r"\hat P(s' \mid s, a) = \frac{n(s, a, s')}{n(s, a)}, \quad"
        r"Q(s,a) = \hat r(s,a) + \gamma \sum_{s'} \hat P(s' \mid s,a) \max_{a'} Q(s',a')",
        synonyms=("Dyna-Q", "Dyna", "R-max", "certainty equivalence", "planning and learning",
                  "maximum likelihood model", "posterior sampling", "PSRL",
                  "Bayesian reinforcement learning"),
        line="counts what follows, and plans on the counts",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ModelBasedRL(TableLearner):
    r"""Learns what follows an action by counting, and finds values by planning on the counts.

    The model is the share of visits after which each transition was seen,
    $\hat P(s' \mid s, a) = n(s, a, s') / n(s, a)$. It is used between moves (Dyna-Q), as if it were
    the truth (certainty equivalence), with optimism for what it does not know yet (R-max), or as a
    posterior that a world is drawn from before each episode (posterior sampling).

    For worlds where moves are dear and thinking is cheap: one visit of the goal is carried through
    the whole table at once, where Q-learning needs an episode for each state on the way. O(n) more
    a move for n planning steps, O(E) a sweep over E transitions. Fails where the first model is
    wrong and nothing makes the agent look again, and where states are too many to be counted.
    """

    model_use: Any = part(
        "dyna_planning", slot="model_use", label="Use of the model", doc="How values come from it."
    )
    explorer: Any = part("epsilon_greedy_explorer", slot="explorer", doc="How it chooses actions.")

    @property
    def label(self) -> str:
        """The name that its use of the model has in books."""
        return self.model_use.title()

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """Each use of the model; optimism and drawn worlds explore by themselves."""
        return (
            cls(),
            cls(model_use=CertaintyEquivalence()),
            cls(model_use=RMax(), explorer=Greedy()),
            cls(model_use=PosteriorSampling(), explorer=Greedy()),
        )

    def fit(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> ModelFit:
        """Learn over `budget` episodes. Raises DataError if the world does not suit."""
        return cast("ModelFit", super().fit(world, budget, seed=seed, replicate=replicate))

    def _made(self, world: FiniteMDP, trace: Trace) -> ModelFit:
        noted = zip(trace.counts, trace.visits, strict=True)
        errors = [model_errors(world, *both)[world.reachable].mean() for both in noted]
        return ModelFit(
            **self._known(world, trace),
            counts=trace.counts[-1].copy(), model_errors=np.array(errors),
        )  # fmt: skip

    def _learned(self, world: FiniteMDP, budget: int, seed: int, replicate: int) -> Trace:
        n_entries, shape = len(world.successors), (world.n_states, world.n_actions)
        trace = empty_trace(world, budget, n_counted=n_entries)
        use: Use = self.model_use.use(world, budget)
        chances: Chances = self.explorer.chances(budget)
        _kernels.model_control(
            *world.entries, world.gamma, world.initial, use.n_planned, use.least, use.first,
            use.prior, TOLERANCE, use.rates, use.exponent, *chances, world.max_steps,
            trace.episodes, random.generator(seed, f"world {replicate}"),
            stream(self, seed, replicate), random.generator(seed, f"planning {replicate}"),
            np.full(shape, use.first), np.zeros(shape, dtype=np.int64),
            np.zeros(world.n_states, dtype=np.int64), np.zeros(n_entries, dtype=np.int64),
            trace.online, trace.lengths, trace.q, trace.visits, trace.counts,
        )  # fmt: skip
        return trace


def estimated(world: FiniteMDP, counts: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """The learned probability of each transition, shape (E,); NaN of actions never taken.

    `counts`, shape (E,), are those of the transitions, `visits`, shape (S, A), of the actions.
    """
    taken = visits.ravel()[world.pairs]
    return np.divide(counts, taken, out=np.full(len(counts), np.nan), where=taken > 0)


def model_errors(world: FiniteMDP, counts: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Half the sum of |learned - true probability| over what may follow, shape (S, A).

    That is the total variation distance, from 0 to 1; 1 for an action that was never taken.
    """
    off = np.abs(estimated(world, counts, visits) - world.chances)
    sums = np.bincount(world.pairs, off, world.size).reshape(visits.shape)
    return np.where(visits > 0, sums / 2, 1.0)
