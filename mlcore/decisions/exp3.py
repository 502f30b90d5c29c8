"""Exp3: exponential weights for exploration and exploitation, against any rewards."""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log, sqrt
from typing import Any

import numpy as np

from mlcore.decisions.agent import BanditFit, Game, Strategy
from mlcore.decisions.arms import _kernels
from mlcore.decisions.bandit import Bandit
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomisedFit(BanditFit):
    """One replicate of a strategy that draws its arms."""

    chances: np.ndarray  # (m, K) probability of each arm in the rounds that were noted


@enter(
    Card(
        "exp3",
        "Exp3",
        ("bandit",),
        "Auer, Cesa-Bianchi, Freund and Schapire (2002), SIAM Journal on Computing 32",
        sources=("cs2:bandit_adversarial",),
        random=True,
        cost=lambda n, p, self: (2e-8 * n * p, 16.0 * n * p),
        formula=r"p_i = (1-\gamma)\,\frac{w_i}{\sum_j w_j} + \frac{\gamma}{K}, \quad"
        r"w_i \leftarrow w_i\, e^{\gamma g_i / (K p_i)}",
        synonyms=("exponential weights", "adversarial bandit", "Hedge"),
        line="arms weighed by what they paid, exponentially",
    )
)
@dataclass(frozen=True, kw_only=True)
class Exp3(Strategy):
    r"""Draws its arm by weights that grow exponentially with what the arms have paid.

    $p_i = (1 - \gamma) w_i / \sum_j w_j + \gamma / K$ is the probability of arm i among K.
    A gain is divided by the probability of its arm before it counts, so that what is seen of an arm
    is right in the mean however seldom it is pulled,
    $w_i \leftarrow w_i \exp(\gamma g_i / (K p_i))$.

    For rewards that may change, or be chosen by an opponent who knows the method: whatever they
    are, the expected regret against the best single arm is at most
    $(e - 1) \gamma n + K \ln K / \gamma$, which is $2 \sqrt{e - 1} \sqrt{n K \ln K}$ with the
    usual gamma. O(n K) for n rounds. Where the means stay what they are it loses far more than UCB,
    and it needs rewards from 0 to 1.
    """

    gamma: float | None = real(
        None, above=0.0, high=1.0, soft=(0.01, 0.5), log=True, symbol=r"\gamma",
        or_none="the one with the least bound for the rounds asked",
        doc="Share of the pulls that any arm gets alike; it is the speed of learning, too.",
    )  # fmt: skip

    def applies(self, world: Any) -> str | None:
        """A bandit whose rewards lie between 0 and 1."""
        if reason := super().applies(world):
            return reason
        if world.distribution.low >= 0 and world.distribution.high <= 1:
            return None
        return (
            "Exp3 needs rewards between 0 and 1; those of this bandit may lie outside. "
            "Choose Bernoulli rewards, or a strategy such as UCB with Gaussian rewards."
        )

    def mixing(self, n_arms: int, n: int) -> float:
        """The gamma of n rounds: as it is set, else min(1, sqrt(K ln K / ((e - 1) n)))."""
        if self.gamma is not None:
            return self.gamma
        return min(1.0, sqrt(n_arms * log(n_arms) / ((e - 1) * n)))

    def regret_bound(self, world: Bandit, rounds: np.ndarray) -> np.ndarray:
        """(e - 1) gamma n + K ln K / gamma after n rounds, shape (m,), for any rewards."""
        gamma, n_arms = self.mixing(world.n_arms, int(rounds[-1])), world.n_arms
        return (e - 1) * gamma * rounds + n_arms * log(n_arms) / gamma

    def played(self, game: Game) -> RandomisedFit:
        n_arms, n = game.stacks.shape
        chances = np.zeros((len(game.until), n_arms))
        _kernels.weights_play(
            game.stacks, game.world.by_round, self.mixing(n_arms, n), game.until, *game.filled,
            chances,
        )  # fmt: skip
        game.means[:] = np.divide(
            game.means, game.counts, out=np.full(n_arms, np.nan), where=game.counts > 0
        )
        return RandomisedFit(made_by=self, **game.outcome(), chances=chances)
