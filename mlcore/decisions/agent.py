"""What is tried on a world: the base of strategies, planners and learners, and of their fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.decisions.bandit import Bandit, Draw
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.world import World
from mlcore.maths.arrays import read_only
from mlcore.spine import checks, codec, random
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step
from mlcore.spine.wording import indefinite

POINTS = 100  # of a curve over the steps of a replicate
SNAPSHOTS = 60  # of the tables of a learner, for the player
DIVERGED = 1e6  # times the largest value of the world: no step that converges comes near


@dataclass(frozen=True, kw_only=True)
class Agent(Component):
    """Something that acts in worlds of one class."""

    acts_in: ClassVar[type[World]]
    chanceless: ClassVar[tuple[str, ...]] = ()  # settings on which its chance does not depend

    @property
    def label(self) -> str:
        """The name that it has in textbooks with these settings."""
        return self.title()

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """The settings under which people look for it, the defaults first."""
        return (cls(),)

    def applies(self, world: Any) -> str | None:
        """Why it cannot act in this world, as a sentence, or None."""
        if isinstance(world, self.acts_in):
            return None
        other = indefinite(world.name)
        return f"{self.title()} needs {self.acts_in.called}; this problem is {other}."

    def _check(self, world: Any, budget: int, seed: int) -> None:
        checks.seed(seed)
        if reason := self.applies(world):
            raise DataError(reason)
        if budget < 1:
            raise DataError(f"{self.title()} needs a budget of at least 1 step; got {budget}.")


@dataclass(frozen=True, eq=False, kw_only=True)
class BanditFit(Fit):
    """One replicate of a strategy."""

    columns: tuple[Column, ...] = ()
    rounds: np.ndarray  # (m,) the rounds at which the regret was noted
    regret: np.ndarray  # (m,) reward lost until then, as its world counts it
    counts: np.ndarray  # (K,) pulls
    means: np.ndarray  # (K,) what the strategy takes for the mean reward; NaN if never pulled

    @property
    def score(self) -> float:
        """Regret after the last round."""
        return float(self.regret[-1])


@dataclass(frozen=True, kw_only=True)
class Strategy(Agent):
    """Chooses arms of a bandit, round by round."""

    acts_in = Bandit
    kind_of_fit: ClassVar[type[BanditFit]] = BanditFit

    @property
    def tries_all(self) -> bool:
        """Whether each arm is pulled once before anything is chosen."""
        return False

    def fit(self, world: Bandit, budget: int = 1000, *, seed: int = 0, replicate: int = 0) -> Any:
        """Play `budget` rounds. Raises DataError if the strategy does not suit these arms."""
        return self.played(self._begun(world, budget, seed, replicate))

    def pulls(
        self, world: Bandit, budget: int = 1000, *, seed: int = 0, replicate: int = 0
    ) -> np.ndarray:
        """The arms that `fit` pulls, round by round, shape (budget,); raises what it raises."""
        game = self._begun(world, budget, seed, replicate)
        self.played(game)
        return game.pulls

    def seen(self, world: Bandit, budget: int = 1000, *, seed: int = 0, replicate: int = 0) -> Seen:
        """What `fit` has seen of the arms after some of its rounds; raises what it raises."""
        game = self._begun(world, budget, seed, replicate)
        self.played(game)
        return _seen(game)

    def _begun(self, world: Bandit, budget: int, seed: int, replicate: int) -> Game:
        self._check(world, budget, seed)
        if self.tries_all and budget < world.n_arms:
            raise DataError(
                f"{self.title()} pulls each of the {world.n_arms} arms once; "
                f"a budget of {budget} rounds is too small for that."
            )
        return begun(world, budget, seed, replicate, stream(self, seed, replicate))

    def regret_bound(self, world: Bandit, rounds: np.ndarray) -> np.ndarray | None:
        """What theory says that its expected regret cannot exceed after `rounds`, shape (m,).

        None where it says nothing. The last of the rounds is that of the end.
        """
        return None

    def most_pulls(self, world: Bandit, n: int) -> np.ndarray | None:
        """How often theory says that it pulls each arm at most in n rounds, in expectation, (K,).

        None where it says nothing.
        """
        return None

    def no_bound(self, world: Bandit) -> str | None:
        """Why `regret_bound` says nothing, as a sentence, where one would expect it to."""
        return None

    def lasting_loss(self, world: Bandit, n: int) -> float:
        """What it goes on losing in each of n rounds whatever it knows; 0 where it need not."""
        return 0.0

    def played(self, game: Game) -> BanditFit:
        """Play a game to its end, and what is known then."""
        self._play(game)
        return self.kind_of_fit(made_by=self, **game.outcome())

    def _play(self, game: Game) -> None:
        """Fill the pulls, and the numbers of pulls and the mean rewards of the arms."""
        raise NotImplementedError(f"{type(self).__name__} declares no play")


class Game(NamedTuple):
    """A bandit with the rewards of one replicate, and what a strategy fills while it plays."""

    world: Bandit
    drawn: Draw
    rng: np.random.Generator  # the strategy's own chance
    until: np.ndarray  # (m,) rounds at which curves are noted
    pulls: np.ndarray  # (n,) the arm of each round
    counts: np.ndarray  # (K,)
    means: np.ndarray  # (K,)

    @property
    def stacks(self) -> np.ndarray:
        """Rewards of each arm, shape (K, n)."""
        return self.drawn.stacks

    @property
    def filled(self) -> tuple[np.random.Generator, np.ndarray, np.ndarray, np.ndarray]:
        """Chance, pulls (n,), counts (K,) and means (K,): the last that every kernel takes."""
        return self.rng, self.pulls, self.counts, self.means

    def outcome(self) -> dict[str, Any]:
        """The fields that the fits of all strategies share."""
        regret = self.world.regret(self.pulls, self.drawn)[self.until - 1]
        return {
            "n_iter": len(self.pulls), "rounds": self.until, "regret": regret,
            "counts": self.counts, "means": self.means,
        }  # fmt: skip


def begun(world: Bandit, budget: int, seed: int, replicate: int, rng: np.random.Generator) -> Game:
    """A game of `budget` rounds whose rewards are the same for all strategies of a replicate."""
    drawn = world.drawn(budget, random.generator(seed, f"rewards {replicate}"))
    return Game(
        world, drawn, rng, marks(budget), np.zeros(budget, dtype=np.int64),
        np.zeros(world.n_arms, dtype=np.int64), np.zeros(world.n_arms),
    )  # fmt: skip


class Seen(NamedTuple):
    """What a strategy knew of its arms on the way."""

    rounds: np.ndarray  # (m,) after which it was noted
    counts: np.ndarray  # (m, K) pulls
    sums: np.ndarray  # (m, K) of rewards


def _seen(game: Game) -> Seen:
    """Of a game that was played, at about 60 of its rounds."""
    rounds = marks(len(game.pulls), SNAPSHOTS)
    counts = np.zeros((len(rounds), len(game.counts)), dtype=np.int64)
    sums = np.zeros(counts.shape)
    for arm, stack in enumerate(game.stacks):
        at = np.flatnonzero(game.pulls == arm)
        rewards = stack[at] if game.world.by_round else stack[: len(at)]
        counts[:, arm] = np.searchsorted(at, rounds)
        sums[:, arm] = np.append(0.0, np.cumsum(rewards))[counts[:, arm]]
    return Seen(rounds, counts, sums)


@dataclass(frozen=True, kw_only=True)
class Planner(Agent):
    """Computes a policy from the tables of a world, without acting in it."""

    acts_in = FiniteMDP

    def steps(self, world: FiniteMDP, *, seed: int = 0) -> Iterator[Step]:
        """One `Step` an iteration, at least one.

        Raises DataError at once, before the first step, if the world does not suit.
        """
        self._check(world, 1, seed)
        return self._steps(world)

    def fit(self, world: FiniteMDP, budget: int = 1, *, seed: int = 0, replicate: int = 0) -> Any:
        """Plan to the end: a planner takes the steps it needs, and every replicate is the same."""
        return self._finished(world, self.steps(world, seed=seed))

    def _steps(self, world: FiniteMDP) -> Iterator[Step]:
        raise NotImplementedError(f"{type(self).__name__} declares no steps")

    def _finished(self, world: FiniteMDP, steps: Iterator[Step]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} declares no fit")


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicyFit(Fit):
    """Values and a policy, planned or learned."""

    columns: tuple[Column, ...] = ()
    values: np.ndarray  # (S,)
    policy: np.ndarray  # (S,)
    score: float  # mean return of an episode under the policy, exactly

    def predict(self, states: Any) -> np.ndarray:
        """The action of each of the given states, both shape (m,).

        Raises DataError if one is not a number of a state.
        """
        states, n = np.atleast_1d(np.asarray(states)), len(self.policy)
        if states.dtype.kind not in "iu" or (states < 0).any() or (states >= n).any():
            raise DataError(f"{self.made_by.title()} knows states 0 to {n - 1}, as whole numbers.")
        return self.policy[states]


@dataclass(frozen=True, eq=False, kw_only=True)
class ActionValueFit(PolicyFit):
    """What each action is worth, too."""

    q: np.ndarray  # (S, A)


@dataclass(frozen=True)
class PolicyState:
    """What a planner or learner knows after a step."""

    values: np.ndarray  # (S,)
    policy: np.ndarray  # (S,)
    visits: np.ndarray | None = None  # (S,) how often each state was left
    q: np.ndarray | None = None  # (S, A) values of the actions; None: those that `values` tell
    chances: np.ndarray | None = None  # (S, A) of a policy that draws its actions
    changed: np.ndarray | None = None  # (S,) whether an action is another than a step before


def marks(budget: int, most: int = POINTS) -> np.ndarray:
    """At most about 1.25 `most` of the steps 1 ... budget, rising, shape (m,).

    They are dense at the beginning, and the last step is among them.
    """
    even = np.linspace(1, budget, most)
    early = np.geomspace(1, budget, most // 4)
    return read_only(np.unique(np.concatenate([even, early]).round().astype(np.int64)))


def stream(agent: Agent, seed: int, replicate: int) -> np.random.Generator:
    """The chance of an agent in one replicate: by its settings, whoever else takes part.

    Agents that differ only in what is `chanceless` are so compared under the same chance.
    """
    name = codec.digest(agent, without=agent.chanceless)
    return random.generator(seed, f"{name} {replicate}")


def diverged(label: str) -> DataError:
    """What is said of values that grow without bounds."""
    return DataError(
        f"{label} diverged: its values passed {DIVERGED:g} times those of the world. "
        "Lower the learning rate or the trace decay, or choose replacing traces."
    )
