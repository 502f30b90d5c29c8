"""LinUCB: optimism where rewards are linear in a context."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import BanditFit, Game, Strategy
from mlcore.decisions.contextual import ContextualBandit
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

ANEW = 1000  # pulls of an arm after which its inverse is computed from its rows again


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearFit(BanditFit):
    """One replicate of a strategy that estimates weights of a context."""

    weights: np.ndarray  # (K, d) ridge estimates
    inverses: np.ndarray  # (K, d, d) of ridge I + sum of x x' over the pulls of the arm
    radius: float  # of the ellipses of confidence, in units of reward


@enter(
    Card(
        "linucb",
        "LinUCB",
        ("bandit",),
        "Li, Chu, Langford and Schapire (2010), WWW 19",
        sources=("cs2:bandit_contextual", "cs2:bandit_linear"),
        random=True,
        cost=lambda n, p, self: (1e-8 * n * p + 1e-7 * n, 16.0 * n * p),
        formula=r"\arg\max_a\; \hat\theta_a^\top x + \alpha \sqrt{x^\top A_a^{-1} x}, \quad"
        r"A_a = \lambda I + \sum_{t:\, a_t = a} x_t x_t^\top",
        synonyms=("contextual bandit", "linear bandit", "recommendation"),
        line="the arm that could pay most in this context",
    )
)
@dataclass(frozen=True, kw_only=True)
class LinUCB(Strategy):
    r"""Pulls the arm that could pay most in this context, given how little is known of it there.

    Each arm has a ridge regression of its rewards on the contexts in which it was pulled,
    $\hat\theta = A^{-1} \sum r_t x_t$ with $A = \lambda I + \sum x_t x_t^\top$. Its index in the
    context $x$ is $\hat\theta^\top x + \alpha \sqrt{x^\top A^{-1} x}$: the largest reward that any
    weights in the ellipse $(\theta - \hat\theta)^\top A (\theta - \hat\theta) \leq \alpha^2$
    would give.

    For choices that depend on who asks: articles, treatments, advertisements. O(K d^2) a round for
    K arms and d numbers of a context, by rank-one updates of the inverses. Fails where rewards
    are not linear in the context: then more rounds do not help.
    """

    acts_in = ContextualBandit

    alpha: float = real(
        1.0, low=0.0, high=100.0, soft=(0.0, 5.0), symbol=r"\alpha", label="Width",
        doc="Half width of the intervals, in standard deviations of a reward of 1; 0 is greedy.",
    )  # fmt: skip
    ridge: float = real(
        1.0, above=0.0, soft=(0.01, 100.0), log=True, symbol=r"\lambda", label="Ridge",
        doc="Weight of the belief that all weights are 0, in pulls with a context of length 1.",
    )  # fmt: skip

    def _played(self, game: Game) -> LinearFit:
        n_arms, d = game.world.n_arms, game.drawn.contexts.shape[1]
        weights, inverses = np.zeros((n_arms, d)), np.zeros((n_arms, d, d))
        _kernels.linear_play(
            game.stacks, game.drawn.contexts, self.alpha, self.ridge, ANEW, *game.filled, weights,
            inverses,
        )  # fmt: skip
        game.means[:] = np.divide(
            game.means, game.counts, out=np.full(n_arms, np.nan), where=game.counts > 0
        )
        return LinearFit(
            made_by=self, **game.outcome(), weights=weights, inverses=inverses, radius=self.alpha
        )
