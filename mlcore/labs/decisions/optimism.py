"""Optimism: the arm whose interval reaches highest, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.bandit import BanditArms, BernoulliRewards, arms_wrong
from mlcore.decisions.ucb import UCB
from mlcore.labs.lab import Lab
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, many, real


class Optimism(NamedTuple):
    """What UCB knows of K arms before each of its n rounds."""

    means: np.ndarray  # (K,) true ones
    pulls: np.ndarray  # (n,) the arm of each round
    counts: np.ndarray  # (n, K) pulls before the round
    centres: np.ndarray  # (n, K) mean rewards before it; NaN where none was seen
    widths: np.ndarray  # (n, K) half widths of the intervals; NaN likewise
    alpha: float

    @property
    def is_worse(self) -> np.ndarray:
        """Whether an interval lies wholly below that of another arm, (n, K)."""
        low = np.where(np.isnan(self.centres), -1.0, self.centres - self.widths)
        high = np.where(np.isnan(self.centres), 2.0, self.centres + self.widths)
        return high < low.max(axis=1, keepdims=True)


@enter(
    Card(
        "optimism",
        "Optimism in the face of uncertainty",
        ("lab",),
        "Auer, Cesa-Bianchi and Fischer (2002), Machine Learning 47",
        sources=("cs2:optimism", "cs2:interval picture", "cs2:ucb"),
        random=True,
        cost=lambda n, p, it: (0.01 + 2e-5 * it.n_rounds, 1e6),
        formula=r"a_t = \arg\max_i\; \hat\mu_i + \sqrt{\frac{\alpha \ln t}{2 T_i}}",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("UCB", "upper confidence bound", "confidence interval of arms"),
        line="pull whatever could be the best",
    )
)
@dataclass(frozen=True, kw_only=True)
class OptimismLab(Lab):
    r"""An arm is pulled because it is good, or because nobody knows yet that it is not.

    Each arm has an interval around the mean of what it has paid. It widens slowly with time,
    $\sqrt{\alpha \ln t / 2 T_i}$, and shrinks with every pull $T_i$. The arm whose interval reaches
    highest is pulled: either it pays, or its interval comes down.
    """

    tasks = (
        "Play it, and stop where the arm that is pulled is not the one with the best mean.",
        "Look at the upper ends of the intervals in late rounds, then at the lower ones.",
        "Set alpha to 0.05: what do the intervals say after each arm was pulled once, and is it "
        "true?",
        "Give two arms means of 0.8 and 0.79, and look how long it cannot tell them apart.",
    )
    seen = (
        "At first all intervals overlap and every arm is pulled. Later the upper ends are nearly "
        "level: the arm that reaches highest comes down by being pulled, the others rise with time "
        "until it is their turn. So no arm is ever given up, but a bad one is left with a wide "
        "interval and few pulls, about alpha ln t / 2 gap^2: half the gap takes four times the "
        "pulls. With an alpha of 0.05 a single pull without a reward makes an arm surely worse, "
        "which is no knowledge; the strategy is greedy then."
    )

    means: tuple[float, ...] = many(
        (0.2, 0.5, 0.6, 0.8), symbol=r"\mu", most=10,
        doc="True probability that each arm pays, at least two.",
    )  # fmt: skip
    alpha: float = real(
        2.1, above=0.0, high=10.0, soft=(0.05, 4.0), symbol=r"\alpha",
        doc="Width of the intervals; above 2 the regret has a bound.",
    )  # fmt: skip
    n_rounds: int = integer(
        400, low=10, high=3000, soft=(10, 2000), log=True, label="Rounds", doc="To be played."
    )

    def conflict(self) -> str | None:
        """What a bandit would say of these arms, and a round for each of them."""
        if wrong := arms_wrong(self.means, BernoulliRewards()):
            return wrong
        K = len(self.means)
        if self.n_rounds < K:
            return f"Each of the {K} arms is pulled once first; {self.n_rounds} rounds are too few."
        return None

    def compute(self, seed: int = 0) -> Optimism:
        """UCB round by round, with all that it knows."""
        world, n = BanditArms(means=self.means).world(), self.n_rounds
        pulls = UCB(alpha=self.alpha).pulls(world, n, seed=seed)
        is_pulled = pulls[:, None] == np.arange(world.n_arms)
        counts = np.cumsum(is_pulled, axis=0) - is_pulled  # before each round
        stacks = world.stacks(n, random.generator(seed, "rewards 0"))
        paid = is_pulled * stacks[pulls, counts[np.arange(n), pulls]][:, None]
        seen = np.where(counts > 0, counts, np.nan)
        centres = (np.cumsum(paid, axis=0) - paid) / seen
        logs = np.log(np.arange(1, n + 1))[:, None]
        widths = np.sqrt(self.alpha * logs / (2 * seen))
        return Optimism(np.array(self.means), pulls, counts, centres, widths, self.alpha)
