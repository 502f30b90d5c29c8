"""Bandits: arms with unknown mean rewards, and the problem that declares them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.decisions.world import Fact, World
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import many, part, real
from mlcore.spine.records import function

MOST_ARMS = 50


@dataclass(frozen=True, kw_only=True)
class RewardDistribution(Component):
    """How the rewards of an arm scatter about its mean."""

    low, high = -inf, inf  # what a reward may be
    is_coin = False  # whether a reward is 0 or 1

    def draw(self, means: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """n rewards of each arm, shape (K, n)."""
        # Each distribution draws in its own way.
        raise NotImplementedError(f"{type(self).__name__} declares no rewards")

    def divergence(self, means: np.ndarray, best: float) -> np.ndarray:
        """Kullback-Leibler divergence from each arm to one with the best mean, shape (K,)."""
        # It is another formula for each distribution.
        raise NotImplementedError(f"{type(self).__name__} declares no divergence")


@enter(Card("bernoulli_rewards", "Bernoulli", ("reward_distribution",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class BernoulliRewards(RewardDistribution):
    """1 with the probability that is the mean of the arm, else 0."""

    low, high, is_coin = 0.0, 1.0, True

    def draw(self, means: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """n rewards of 0 or 1 of each arm, shape (K, n)."""
        return (rng.random((len(means), n)) < means[:, None]).astype(np.float64)

    def divergence(self, means: np.ndarray, best: float) -> np.ndarray:
        """p ln(p/q) + (1-p) ln((1-p)/(1-q)), shape (K,)."""
        from scipy.special import rel_entr

        return rel_entr(means, best) + rel_entr(1 - means, 1 - best)


@enter(Card("gaussian_rewards", "Normal", ("reward_distribution",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class GaussianRewards(RewardDistribution):
    """Normal about the mean of the arm."""

    sd: float = real(
        1.0, above=0.0, soft=(0.1, 3.0), symbol=r"\sigma", label="Standard deviation",
        doc="Standard deviation of a reward, the same for every arm.",
    )  # fmt: skip

    def draw(self, means: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """n normal rewards of each arm, shape (K, n)."""
        return means[:, None] + self.sd * rng.standard_normal((len(means), n))

    def divergence(self, means: np.ndarray, best: float) -> np.ndarray:
        """(difference of the means)^2 / 2 sd^2, shape (K,)."""
        return (best - means) ** 2 / (2 * self.sd**2)


class Draw(NamedTuple):
    """The chance of one replicate of a bandit."""

    stacks: np.ndarray  # (K, n) rewards of each arm, by its pulls or by the round
    contexts: np.ndarray  # (n, d) what is seen before each round; d is 0 where nothing is


@dataclass(frozen=True, eq=False, kw_only=True)
class Bandit(World):
    """Arms with their true means; who plays sees rewards alone."""

    means: np.ndarray  # (K,)
    distribution: RewardDistribution

    called = "the arms of a bandit"
    metric = Metric(
        "regret", "Regret", "lower", "Reward lost against pulling always the best arm.", 0.0
    )
    baseline = "uniform_arms"
    first_agents = ("action_value_bandit", "ucb", "thompson_sampling")
    budget_unit = "Rounds"
    example = "bandit_arms"
    pictures = ("bandit",)
    by_round: ClassVar[bool] = False  # whether a reward belongs to the round, or to the j-th pull

    @property
    def n_arms(self) -> int:
        """Number of arms."""
        return len(self.means)

    @property
    def size(self) -> int:
        """One number for each arm."""
        return self.n_arms

    def facts(self) -> tuple[Fact, ...]:
        """How rewards scatter, and the best arm."""
        means = ", ".join(f"{mean:.4g}" for mean in self.means)
        return (
            self.named(f"Rewards of the arms: {self.distribution.title().lower()}."),
            Fact("Best arm:", str(self.means.argmax() + 1), f"Mean rewards of the arms: {means}."),
        )

    @property
    def best(self) -> float:
        """The mean reward of the best arm."""
        return float(self.means.max())

    @cached_property
    def gaps(self) -> np.ndarray:
        """What pulling each arm loses in the mean, shape (K,)."""
        return read_only(self.best - self.means)

    def stacks(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """The first n rewards of each arm, shape (K, n), whoever pulls it in which round."""
        return read_only(self.distribution.draw(self.means, n, rng))

    def drawn(self, n: int, rng: np.random.Generator) -> Draw:
        """What chance holds ready for n rounds, the same for all strategies."""
        return Draw(self.stacks(n, rng), read_only(np.empty((n, 0))))

    def regret(self, pulls: np.ndarray, drawn: Draw) -> np.ndarray:
        """What the arms pulled, shape (n,), lost up to each round: the sum of their gaps, (n,)."""
        return np.cumsum(self.gaps[pulls])

    def most_regret(self, n: int) -> float:
        """What n pulls can lose at most; infinite where no number is known."""
        return n * float(self.gaps.max())

    def change_points(self, n: int) -> tuple[int, ...]:
        """The rounds among n after which the means of the arms are others."""
        return ()

    def slope(self) -> float:
        """What regret grows by for each unit of ln n, in time; 0 where nothing is known of it."""
        return lai_robbins_slope(self) if (self.gaps > 0).any() else 0.0


@enter(
    Card(
        "bandit_arms",
        "Bandit",
        ("problem",),
        "Robbins (1952), Bulletin of the American Mathematical Society 58",
        sources=(
            "cs2:bandit_env",
            "cs2:Bernoulli bandit",
            "cs2:clinical trial / ad placement / radio channels",
            "cs2:interval picture",
        ),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class BanditArms(Component):
    """Arms that pay at random; only pulling them tells which pays best."""

    means: tuple[float, ...] = many(
        (0.5, 0.6, 0.7, 0.8), symbol=r"\mu", doc="Mean reward of each arm, at least two.",
        most=MOST_ARMS,
    )  # fmt: skip
    reward_distribution: Any = part(
        "bernoulli_rewards",
        slot="reward_distribution",
        doc="How rewards scatter.",
    )

    def conflict(self) -> str | None:
        """At least two arms, with means that the distribution can have."""
        return arms_wrong(self.means, self.reward_distribution)

    def world(self) -> Bandit:
        """The arms, ready to be pulled."""
        name = f"bandit with {len(self.means)} arms"
        return Bandit(name=name, means=np.array(self.means), distribution=self.reward_distribution)


def arms_wrong(means: tuple[float, ...], distribution: RewardDistribution) -> str | None:
    """What is wrong with arms of these means, as a sentence, or None."""
    if len(means) < 2:
        return f"A bandit needs at least 2 arms; got {len(means)}. Add a mean."
    low, high = distribution.low, distribution.high
    if any(not low <= mean <= high for mean in means):
        return (
            f"Rewards of this kind lie between {low:g} and {high:g}, and so must the means of "
            f"the arms; got {min(means):g} to {max(means):g}."
        )
    return None


@function("minimax_regret", title="Regret that no strategy avoids", sources=("cs2:regret",))
def minimax_regret(n: np.ndarray, n_arms: int) -> np.ndarray:
    """sqrt(n K) / 20, shape (m,): what every strategy loses in n rounds, (m,), on some bandit.

    With K arms, rewards from 0 to 1 and n at least K (Auer and others 2002, theorem 5.1). On an
    easy bandit all strategies may stay below.
    """
    return np.sqrt(n * n_arms) / 20


@function("lai_robbins_slope", sources=("cs2:regret",))
def lai_robbins_slope(bandit: Bandit) -> float:
    """sum over arms of gap / KL(arm, best): what regret grows by for each unit of ln n, in time.

    A slope that holds as n grows; at finite n the regret of a good strategy may lie below it.
    """
    worse = bandit.gaps > 0
    divergence = bandit.distribution.divergence(bandit.means[worse], bandit.best)
    return float((bandit.gaps[worse] / divergence).sum())
