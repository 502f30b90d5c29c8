"""A bandit whose rewards an adversary has chosen beforehand: which arm is good changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.bandit import MOST_ARMS, Bandit, BernoulliRewards, Draw
from mlcore.decisions.world import Fact
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import many, real
from mlcore.spine.wording import percent


@dataclass(frozen=True, eq=False, kw_only=True)
class AdversarialBandit(Bandit):
    """Arms whose rewards stand in a table, one a round; `means` are those over all rounds."""

    early: np.ndarray  # (K,) mean rewards before the change
    late: np.ndarray  # (K,) after it
    change_point: float  # share of the rounds that lie before it

    called = "a bandit whose rewards change"
    metric = Metric(
        "adversarial_regret",
        "Regret",
        "lower",
        "Reward lost against the one arm that was best over all rounds, of the rewards drawn.",
        0.0,
    )
    first_agents = ("exp3", "ucb", "thompson_sampling")
    example = "adversarial_arms"
    by_round = True

    def facts(self) -> tuple[Fact, ...]:
        """When it changes, and the arm that is best over all rounds."""
        early, late = (", ".join(f"{mean:.4g}" for mean in m) for m in (self.early, self.late))
        return (
            self.named("A reward belongs to the round, and is 0 or 1."),
            Fact(
                "Best arm of all rounds:",
                str(self.means.argmax() + 1),
                f"Mean rewards are {early} in the first {percent(self.change_point)} of the "
                f"rounds, then {late}.",
            ),
        )

    def stacks(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """The reward of each arm in each round, shape (K, n)."""
        is_early = np.arange(n) < self._at(n)
        chances = np.where(is_early, self.early[:, None], self.late[:, None])
        return read_only((rng.random(chances.shape) < chances).astype(np.float64))

    def regret(self, pulls: np.ndarray, drawn: Draw) -> np.ndarray:
        """After each round: the reward of the arm that was best until then, less what was earned.

        Shape (n,). Below 0 for who changed arms in time: no single arm does that.
        """
        earned = drawn.stacks[pulls, np.arange(len(pulls))]
        return np.cumsum(drawn.stacks, axis=1).max(axis=0) - np.cumsum(earned)

    def most_regret(self, n: int) -> float:
        """Infinite: regret is against the rewards drawn, whatever the means are."""
        return np.inf

    def change_points(self, n: int) -> tuple[int, ...]:
        """The one change, where there are rounds before and after it."""
        return (self._at(n),) if 0 < self._at(n) < n else ()

    def _at(self, n: int) -> int:
        """How many of n rounds lie before the change."""
        return round(self.change_point * n)

    def slope(self) -> float:
        """0: where the means do not stay, no slope in the long run is known."""
        return 0.0


@enter(
    Card(
        "adversarial_arms",
        "Bandit that changes",
        ("problem",),
        "Auer, Cesa-Bianchi, Freund and Schapire (2002), SIAM Journal on Computing 32",
        sources=("cs2:bandit_adversarial",),
        formula=r"R_n = \max_i \sum_{t=1}^n g_i(t) - \sum_{t=1}^n g_{I_t}(t)",
        kind="data",
        synonyms=("adversarial bandit", "non-stationary bandit"),
    )
)
@dataclass(frozen=True, kw_only=True)
class AdversarialArms(Component):
    r"""Arms whose rewards are fixed before the game begins, by somebody who means no good.

    The adversary lures to the arms that pay at first, and then others do. Regret is measured
    against the arm that is best over all rounds,
    $R_n = \max_i \sum_t g_i(t) - \sum_t g_{I_t}(t)$, with the gains $g_i(t)$ of the arms, 0 or 1,
    and the arm $I_t$ that is pulled. Who trusts mean rewards alone stays with what used to be good.
    A strategy that explores may follow the change, but of a bandit that nothing is known of, only
    one that draws its arms by weights has a bound.
    """

    means: tuple[float, ...] = many(
        (0.8, 0.5, 0.2), symbol=r"\mu", label="Means at first", most=MOST_ARMS,
        doc="Mean reward of each arm before the change, from 0 to 1, at least two.",
    )  # fmt: skip
    late_means: tuple[float, ...] = many(
        (0.2, 0.5, 0.8), label="Means later", most=MOST_ARMS,
        doc="Mean reward of each arm after the change, from 0 to 1, as many as before.",
    )  # fmt: skip
    change_point: float = real(
        0.35, low=0.0, high=1.0, soft=(0.0, 1.0), label="Change point",
        doc="Share of the rounds after which the means change.",
    )  # fmt: skip

    def conflict(self) -> str | None:
        """At least two arms, as many later as at first, with means from 0 to 1."""
        if len(self.means) < 2 or len(self.means) != len(self.late_means):
            return (
                f"A bandit needs at least 2 arms, and each a mean at first and one later; got "
                f"{len(self.means)} and {len(self.late_means)} means."
            )
        wrong = [mean for mean in (*self.means, *self.late_means) if not 0 <= mean <= 1]
        return f"Mean rewards lie between 0 and 1 here; got {wrong[0]:g}." if wrong else None

    def world(self) -> AdversarialBandit:
        """The arms as strategies meet them."""
        early, late = np.array(self.means), np.array(self.late_means)
        return AdversarialBandit(
            name=f"bandit with {len(early)} arms that changes",
            means=self.change_point * early + (1 - self.change_point) * late,
            distribution=BernoulliRewards(),
            early=early,
            late=late,
            change_point=self.change_point,
        )
