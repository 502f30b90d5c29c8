"""Thompson sampling: pull each arm as often as it is likely to be the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.agent import BanditFit, Game, Strategy
from mlcore.decisions.arms import _kernels
from mlcore.decisions.bandit import Bandit
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import part, real


@dataclass(frozen=True, kw_only=True)
class Posterior(Component):
    """What is believed of the mean of an arm before and after its rewards."""

    def covers(self, bandit: Bandit) -> str | None:
        """Why it cannot describe these rewards, as a sentence, or None."""
        return None

    def density(self, x: np.ndarray, counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Of the mean of each arm, shape (K, m), at x, shape (m,), after rewards of these sums."""
        raise NotImplementedError(f"{type(self).__name__} declares no density")

    def play(self, game: Game) -> None:
        """Play all rounds; `game.means` gets the sums of the rewards."""
        raise NotImplementedError(f"{type(self).__name__} declares no play")


@enter(Card("beta_posterior", "Beta", ("posterior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class BetaPosterior(Posterior):
    """Beta(a, b): as if a wins and b losses had been seen already, less one each."""

    a: float = real(
        1.0, above=0.0, soft=(0.1, 20.0), log=True, symbol="a", label="Wins before",
        doc="Wins believed in before.",
    )  # fmt: skip
    b: float = real(
        1.0, above=0.0, soft=(0.1, 20.0), log=True, symbol="b", label="Losses before",
        doc="Losses believed in before.",
    )  # fmt: skip

    def covers(self, bandit: Bandit) -> str | None:
        """Rewards from 0 to 1 only."""
        if bandit.distribution.low >= 0 and bandit.distribution.high <= 1:
            return None
        return (
            "A Beta posterior describes rewards between 0 and 1; those of this bandit may lie "
            "outside. Choose the normal posterior."
        )

    def density(self, x: np.ndarray, counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Beta(a + sum, b + pulls - sum), 0 outside of 0 to 1."""
        from scipy.special import betaln, xlog1py, xlogy

        a, b = (self.a + sums)[:, None], (self.b + counts - sums)[:, None]
        inside = np.clip(x, 0.0, 1.0)
        log = xlogy(a - 1, inside) + xlog1py(b - 1, -inside) - betaln(a, b)
        return np.where((x >= 0) & (x <= 1), np.exp(log), 0.0)

    def play(self, game: Game) -> None:
        """Beta draws.

        A reward that is no coin counts as a success with that probability.
        """
        is_coin = bool(game.world.distribution.is_coin)
        by_round = game.world.by_round
        _kernels.beta_play(game.stacks, by_round, self.a, self.b, is_coin, *game.filled)


@enter(Card("normal_posterior", "Normal", ("posterior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NormalPosterior(Posterior):
    """Normal mean, with rewards that scatter about it by a known amount."""

    mean: float = real(0.0, soft=(-1.0, 1.0), doc="Mean believed in before.")
    sd: float = real(
        1.0, above=0.0, soft=(0.1, 10.0), log=True, label="Standard deviation",
        doc="How unsure that is.",
    )  # fmt: skip
    noise: float = real(
        1.0, above=0.0, soft=(0.1, 10.0), log=True, doc="Standard deviation of a reward."
    )

    def density(self, x: np.ndarray, counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Normal about the mean of belief and rewards, weighed by how sure each is."""
        precision = (1 / self.sd**2 + counts / self.noise**2)[:, None]
        middle = (self.mean / self.sd**2 + sums / self.noise**2)[:, None] / precision
        return np.sqrt(precision / (2 * np.pi)) * np.exp(-precision * (x - middle) ** 2 / 2)

    def play(self, game: Game) -> None:
        """Normal draws."""
        by_round, noise = game.world.by_round, self.noise
        _kernels.normal_play(game.stacks, by_round, self.mean, self.sd, noise, *game.filled)


@dataclass(frozen=True, eq=False, kw_only=True)
class BelievingFit(BanditFit):
    """One replicate of a strategy that believes something of every arm."""

    made_by: ThompsonSampling

    def belief(self, x: np.ndarray) -> np.ndarray:
        """The density of the mean of each arm, (K, m), at x, (m,), after the last round."""
        sums = np.where(self.counts > 0, self.counts * self.means, 0.0)
        return self.made_by.prior.density(x, self.counts, sums)


@enter(
    Card(
        "thompson_sampling",
        "Thompson sampling",
        ("bandit",),
        "Thompson (1933), Biometrika 25",
        sources=("cs2:bandit_thompson",),
        random=True,
        cost=lambda n, p, self: (5e-8 * n * p, 16.0 * n * p),
        formula=r"\theta_i \sim p(\mu_i \mid \text{rewards of } i), \quad \arg\max_i \theta_i",
        synonyms=("posterior sampling", "Bayesian bandit", "multi-armed bandit"),
        line="draws a mean an arm, pulls the largest",
    )
)
@dataclass(frozen=True, kw_only=True)
class ThompsonSampling(Strategy):
    """Draws a mean for each arm from what is believed of it, and pulls the largest.

    Belief starts from the prior and is updated by Bayes' rule after every reward, so an arm is
    pulled as often as it is likely to be the best one.

    Hard to beat on most bandits, and needs no width to be tuned. O(n K) draws for n rounds and K
    arms. Fails where the prior is sure of something wrong: then a good arm is hardly ever tried.
    """

    kind_of_fit = BelievingFit

    prior: Any = part(
        "beta_posterior", slot="posterior", doc="What is believed of an arm before its rewards."
    )

    def applies(self, world: Any) -> str | None:
        """A bandit whose rewards the posterior can describe."""
        return super().applies(world) or self.prior.covers(world)

    def _play(self, game: Game) -> None:
        self.prior.play(game)
        # An arm may never be pulled: then nothing is known of its mean.
        pulled = game.counts > 0
        game.means[:] = np.where(pulled, game.means / np.maximum(game.counts, 1), np.nan)
