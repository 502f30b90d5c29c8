"""LinUCB: optimism where rewards are linear in a context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.agent import Agent, BanditFit, Game, Strategy
from mlcore.decisions.contexts import _kernels
from mlcore.decisions.contextual import ContextualBandit
from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real

ANEW = 1000  # pulls of an arm after which its inverse is computed from its rows again
PER_ARM, SHARED, HYBRID = MODELS = ("per_arm", "shared", "hybrid")
LABELS = {PER_ARM: "LinUCB", SHARED: "LinUCB, shared weights", HYBRID: "Hybrid LinUCB"}


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearFit(BanditFit):
    """One replicate of a strategy that estimates weights of a context."""

    weights: np.ndarray  # (K, d) ridge estimates
    inverses: np.ndarray  # (K, d, d) covariances of the estimates, for noise of variance 1
    radius: float  # of the ellipses of confidence, in units of reward


@enter(
    Card(
        "linucb",
        "LinUCB",
        ("bandit",),
        "Li, Chu, Langford and Schapire (2010), WWW 19",
        sources=("cs2:bandit_contextual", "cs2:bandit_linear"),
        random=True,
        cost=lambda n, p, self: (
            n * (1e-7 + (1e-8 if self.sharing == PER_ARM else 5e-8) * p),
            16.0 * n * p,
        ),
        formula=r"\arg\max_a\; \hat\theta_a^\top x + \alpha \sqrt{x^\top A_a^{-1} x}, \quad"
        r"A_a = \lambda I + \sum_{t:\, a_t = a} x_t x_t^\top",
        synonyms=("contextual bandit", "linear bandit", "recommendation", "hybrid LinUCB"),
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

    Arms that have features $f_a$ may share weights: $\theta_a = B f_a$, one ridge regression on the
    products of $f_a$ and $x$, so each pull says something of every arm. The hybrid model adds
    weights of each arm for itself to that. Sharing saves pulls where the features tell what an arm
    pays, and misleads where they do not; the hybrid model costs O(K^2 d^2) a round.

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

    sharing: str = choice(
        PER_ARM, *MODELS, label="Weights",
        doc="Of each arm for itself, shared by all arms through their features, or both (hybrid).",
    )  # fmt: skip

    @property
    def label(self) -> str:
        """With what is shared, where something is."""
        return LABELS[self.sharing]

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """With each choice of what arms share."""
        return tuple(cls(sharing=model) for model in MODELS)

    def played(self, game: Game) -> LinearFit:
        n_arms, d = game.world.n_arms, game.drawn.contexts.shape[1]
        weights, inverses = np.zeros((n_arms, d)), np.zeros((n_arms, d, d))
        settings = self.alpha, self.ridge, ANEW
        if self.sharing == PER_ARM:
            _kernels.linear_play(
                game.stacks, game.drawn.contexts, *settings, *game.filled, weights, inverses
            )
        else:
            _kernels.shared_play(
                game.stacks, game.drawn.contexts, self._features(game.world), *settings,
                *game.filled, weights, inverses,
            )  # fmt: skip
        game.means[:] = np.divide(
            game.means, game.counts, out=np.full(n_arms, np.nan), where=game.counts > 0
        )
        return LinearFit(
            made_by=self, **game.outcome(), weights=weights, inverses=inverses, radius=self.alpha
        )

    def _features(self, world: Any) -> np.ndarray:
        """Of each arm, shape (K, q): the hybrid model has one more for every arm, its own."""
        if self.sharing == SHARED:
            return world.features
        return read_only(np.hstack([world.features, np.eye(world.n_arms)]))
