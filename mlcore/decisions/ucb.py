"""Upper confidence bounds: pull the arm that could be the best."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from mlcore.decisions.agent import Agent, BanditFit, Game, Strategy
from mlcore.decisions.arms import _kernels
from mlcore.decisions.bandit import Bandit
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.params import choice, part, real
from mlcore.spine.records import function

TAIL, DIVERGENCE, MOSS = INDICES = ("tail", "divergence", "moss")
LABELS = {TAIL: "UCB", DIVERGENCE: "KL-UCB", MOSS: "MOSS"}


@dataclass(frozen=True, kw_only=True)
class Tail(Component):
    """How fast the mean of n rewards settles: P(mean - truth >= e) <= exp(-n rate(e)).

    For every tail here rate(e) = (e / scale)^2.
    """

    @property
    def scale(self) -> float:
        """The inverse of the rate at 1, in units of reward."""
        raise NotImplementedError(f"{type(self).__name__} declares no scale")

    def covers(self, bandit: Bandit) -> str | None:
        """Why the promise does not hold for these rewards, as a sentence, or None."""
        return None


@enter(Card("bounded_tail", "Bounded rewards", ("tail",), kind="part",
            sources=("cs2:hoeffding_bounded",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class BoundedTail(Tail):
    """Rewards within a range, by Hoeffding: rate(e) = 2 e^2 / (high - low)^2."""

    low: float = real(0.0, soft=(-1.0, 1.0), doc="Smallest reward that is possible.")
    high: float = real(1.0, soft=(0.0, 2.0), doc="Largest reward that is possible.")

    def conflict(self) -> str | None:
        """The range must have a width."""
        return None if self.low < self.high else "The smallest reward must lie below the largest."

    @property
    def scale(self) -> float:
        """(high - low) / sqrt(2)."""
        return (self.high - self.low) / sqrt(2)

    def covers(self, bandit: Bandit) -> str | None:
        """Refuse rewards that may lie outside of the range."""
        if bandit.distribution.low >= self.low and bandit.distribution.high <= self.high:
            return None
        return (
            f"The bound holds for rewards between {self.low:g} and {self.high:g}; those of this "
            "bandit may lie outside. Choose Gaussian rewards as its tail, or widen the range."
        )


@enter(Card("gaussian_tail", "Gaussian rewards", ("tail",), kind="part",
            sources=("cs2:psi_gaussian",)))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GaussianTail(Tail):
    """Normal rewards: rate(e) = e^2 / 2 sigma^2."""

    sigma: float = real(
        1.0, above=0.0, soft=(0.1, 3.0), symbol=r"\sigma", doc="Standard deviation of a reward."
    )

    @property
    def scale(self) -> float:
        """sigma sqrt(2)."""
        return self.sigma * sqrt(2)


@dataclass(frozen=True, eq=False, kw_only=True)
class UpperFit(BanditFit):
    """One replicate of a strategy that pulls the arm with the largest upper bound."""

    made_by: UCB

    @property
    def upper(self) -> np.ndarray:
        """What the mean of each arm could be at most in the round that would come next, (K,)."""
        return self.made_by.upper(self.counts, self.means, self.n_iter, self.n_iter)


@enter(
    Card(
        "ucb",
        "UCB",
        ("bandit",),
        "Auer, Cesa-Bianchi and Fischer (2002), Machine Learning 47; Audibert and Bubeck (2009), "
        "COLT 22; Garivier and Cappé (2011), COLT 24",
        sources=("cs2:ucb", "cs2:ucb_psi", "cs2:psi_gaussian"),
        random=True,
        cost=lambda n, p, self: (
            (5e-7 if self.index == DIVERGENCE else 1e-8) * n * p,
            16.0 * n * p,
        ),
        formula=r"\arg\max_i\; \hat\mu_i + \psi_*^{-1}\!\left(\frac{\alpha \ln t}{T_i}\right)",
        synonyms=(
            "upper confidence bound",
            "UCB1",
            "multi-armed bandit",
            "optimism in the face of uncertainty",
            "KL-UCB",
            "MOSS",
        ),
        line="the arm whose mean could be the largest",
    )
)
@dataclass(frozen=True, kw_only=True)
class UCB(Strategy):
    r"""Pulls the arm whose mean could be the largest, given how little is known of it.

    After each arm was pulled once, the index of an arm is its mean reward plus the width of an
    interval that grows with ln t and shrinks with its pulls T: sqrt(alpha ln t / 2T) for rewards
    in [0, 1]. UCB1 is alpha = 4.

    KL-UCB takes the largest mean q that the rewards do not speak against, T kl(mean, q) <= alpha
    ln t with the divergence of coins: narrower where means are near 0 or 1, usual with alpha = 1.
    MOSS knows how many rounds there are: its width sqrt(ln(n / (K T)) / T) is 0 once an arm has had
    its share, so its regret is at most in proportion to sqrt(n K) whatever the bandit.

    Use it where a guarantee counts: its regret grows like ln n, with a bound for alpha above 2.
    Small alpha loses less on most bandits and has no bound. O(n K) for n rounds and K arms, by
    KL-UCB some fifty times as much.
    Fails, losing in proportion to n, where rewards scatter more than the tail says.
    """

    index: str = choice(
        TAIL, *INDICES, label="Index",
        doc="What a mean could be at most: by the tail of the rewards, by the divergence of coins "
        "(KL-UCB), or by its share of all rounds (MOSS). The last two are for rewards from 0 to 1.",
    )  # fmt: skip
    alpha: float = real(
        2.1, above=0.0, soft=(0.05, 4.0), symbol=r"\alpha", only_if={"index": other_than(MOSS)},
        doc="Width of the intervals; above 2 the regret has a bound.",
    )  # fmt: skip
    tail: Any = part(
        "bounded_tail", slot="tail", symbol=r"\psi", doc="What is known of the rewards.",
        only_if={"index": TAIL},
    )  # fmt: skip

    kind_of_fit = UpperFit
    chanceless: ClassVar[tuple[str, ...]] = ("alpha", "tail")  # chance breaks ties alone

    @property
    def tries_all(self) -> bool:
        """Always: an arm that was not pulled has no interval."""
        return True

    @property
    def label(self) -> str:
        """The name that its index has in books."""
        return LABELS[self.index]

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """With each index; alpha 1 is usual for KL-UCB."""
        return cls(), cls(index=DIVERGENCE, alpha=1.0), cls(index=MOSS)

    def applies(self, world: Any) -> str | None:
        """A bandit whose rewards have such a tail, or lie between 0 and 1."""
        if reason := super().applies(world):
            return reason
        if self.index == TAIL:
            return self.tail.covers(world)
        if world.distribution.low >= 0 and world.distribution.high <= 1:
            return None
        return (
            f"{self.label} needs rewards between 0 and 1; those of this bandit may lie outside. "
            "Choose the index by the tail of the rewards, with Gaussian rewards as its tail."
        )

    def _play(self, game: Game) -> None:
        rewards = game.stacks, game.world.by_round
        if self.index == TAIL:
            scale = self.tail.scale * sqrt(self.alpha)
            _kernels.index_play(*rewards, scale, *game.filled)
        elif self.index == DIVERGENCE:
            _kernels.divergence_play(*rewards, self.alpha, *game.filled)
        else:
            _kernels.share_play(*rewards, *game.filled)
        game.means[:] /= game.counts

    def upper(self, counts: np.ndarray, means: np.ndarray, n: int, horizon: int) -> np.ndarray:
        """The index of each arm after n of `horizon` rounds, shape (K,).

        By the tail it is mean + psi*^-1(alpha ln(n + 1) / T), of arms that were pulled T times, all
        at least once.
        """
        if self.index == DIVERGENCE:
            upper = np.empty(len(means))
            most = self.alpha * np.log(n + 1.0)
            _kernels.upper_chances(read_only(means), read_only(counts), most, upper)
            return upper
        if self.index == MOSS:
            left = np.log(horizon / (len(counts) * counts)).clip(min=0.0)
            return means + np.sqrt(left / counts)
        return means + self.tail.scale * np.sqrt(self.alpha * np.log(n + 1.0) / counts)

    def regret_bound(self, world: Bandit, rounds: np.ndarray) -> np.ndarray | None:
        """For alpha above 2, where the means of the arms stay what they are."""
        is_bounded = self.index == TAIL and not world.by_round
        return regret_bound(self, world, rounds) if is_bounded else None

    def most_pulls(self, world: Bandit, n: int) -> np.ndarray | None:
        """As `pull_bound` says, where `regret_bound` holds."""
        is_bounded = self.index == TAIL and not world.by_round
        return pull_bound(self, world, n) if is_bounded else None

    def no_bound(self, world: Bandit) -> str | None:
        """That alpha is too small, or that the arms change."""
        if self.index != TAIL:
            return None
        if world.by_round:
            return f"No bound of {self.label} is known where the means of the arms change."
        return f"{self.label} has no bound for alpha up to 2." if self.alpha <= 2 else None


@function("regret_bound", title="Regret bound of UCB", sources=("cs2:ucb_regret_bound",))
def regret_bound(strategy: UCB, bandit: Bandit, n: np.ndarray) -> np.ndarray | None:
    """What the expected regret of UCB cannot exceed after n rounds, shape (m,).

    The sum over worse arms of alpha gap / rate(gap / 2) ln n + alpha / (alpha - 2) max(gap, 1);
    None for alpha up to 2, where there is no bound.
    """
    if strategy.alpha <= 2:
        return None
    gaps = bandit.gaps[bandit.gaps > 0]
    constant = strategy.alpha / (strategy.alpha - 2) * np.maximum(gaps, 1.0).sum()
    return strategy.alpha * (gaps / _rates(strategy, gaps)).sum() * np.log(n) + constant


@function("pull_bound", title="Bound of the pulls of UCB", sources=("cs2:ucb_regret_bound",))
def pull_bound(strategy: UCB, bandit: Bandit, n: int) -> np.ndarray | None:
    """How often UCB pulls each arm at most in n rounds, in expectation, shape (K,).

    alpha / rate(gap / 2) ln n + alpha / (alpha - 2) of a worse arm, all rounds of the best ones;
    None for alpha up to 2, where there is no bound.
    """
    if strategy.alpha <= 2:
        return None
    is_worse, most = bandit.gaps > 0, np.full(len(bandit.gaps), float(n))
    rates = _rates(strategy, bandit.gaps[is_worse])
    most[is_worse] = strategy.alpha * (np.log(n) / rates + 1 / (strategy.alpha - 2))
    return most


def _rates(strategy: UCB, gaps: np.ndarray) -> np.ndarray:
    """The rate of the tail at half of each gap."""
    return (gaps / (2 * strategy.tail.scale)) ** 2
