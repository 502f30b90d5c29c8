"""A bandit with contexts: what an arm pays depends on what is seen before it is pulled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.bandit import Bandit, Draw, GaussianRewards
from mlcore.decisions.world import Fact
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import read_only
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real

ARM_FEATURES = 2  # numbers that describe an arm


@dataclass(frozen=True, eq=False, kw_only=True)
class ContextualBandit(Bandit):
    """Arms whose mean reward is linear in a context; `means` are those over all contexts."""

    weights: np.ndarray  # (K, d) each of length 1
    features: np.ndarray  # (K, q) of the arms, each of length 1; strategies may look at them
    distribution: GaussianRewards

    called = "a bandit with contexts"
    metric = Metric(
        "contextual_regret",
        "Regret",
        "lower",
        "Expected reward lost against pulling the best arm of each context.",
        0.0,
    )
    first_agents = ("linucb", "action_value_bandit")
    example = "contextual_arms"
    pictures = ("contexts",)
    by_round = True

    @property
    def size(self) -> int:
        """A matrix for each arm."""
        return self.weights.size * self.weights.shape[1]

    def facts(self) -> tuple[Fact, ...]:
        """How contexts come, and how many numbers they have."""
        n_arms, d = self.weights.shape
        return (
            self.named("Contexts have length 1 and any direction, each as likely."),
            Fact(
                "Numbers of a context:",
                str(d),
                f"Each of the {n_arms} arms pays the product of its {d} weights with the context, "
                f"and normal noise of standard deviation {self.distribution.sd:g}.",
            ),
        )

    def drawn(self, n: int, rng: np.random.Generator) -> Draw:
        """Contexts, uniform on the unit sphere, and the reward of each arm in each round."""
        contexts = rng.standard_normal((n, self.weights.shape[1]))
        contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
        noise = self.distribution.draw(self.means, n, rng)  # the means are 0
        return Draw(read_only(self.weights @ contexts.T + noise), read_only(contexts))

    def regret(self, pulls: np.ndarray, drawn: Draw) -> np.ndarray:
        """After each round, shape (n,): the sum of the best expected rewards less those pulled."""
        expected = drawn.contexts @ self.weights.T
        return np.cumsum(expected.max(axis=1) - expected[np.arange(len(pulls)), pulls])

    def most_regret(self, n: int) -> float:
        """Infinite: it depends on the contexts that come."""
        return np.inf

    def slope(self) -> float:
        """None: it depends on how often contexts lie near those where two arms pay alike."""
        return 0.0


@enter(
    Card(
        "contextual_arms",
        "Bandit with contexts",
        ("problem",),
        "Li, Chu, Langford and Schapire (2010), WWW 19",
        sources=("cs2:bandit_contextual",),
        formula=r"r = \theta_a^\top x + \epsilon, \quad"
        r"R_n = \sum_{t=1}^n \max_a \theta_a^\top x_t - \theta_{a_t}^\top x_t",
        kind="data",
        synonyms=("contextual bandit",),
    )
)
@dataclass(frozen=True, kw_only=True)
class ContextualArms(Component):
    r"""Before each round some numbers are seen, and they decide which arm pays best.

    A visitor with features $x$ comes, and one of several articles is shown: article $a$ is worth
    $\theta_a^\top x$ in the mean, with weights $\theta_a$ that nobody knows. Weights and contexts
    have length 1 and are drawn uniformly among all directions, so every arm pays 0 in the mean over
    all contexts: who does not look at the context cannot do better than chance. Arms have two
    features $f_a$ of their own, such as the subject of an article; as far as asked they tell the
    weights, $\theta_a \propto B f_a$ with the same $B$ for all.
    """

    n_arms: int = integer(
        3, low=2, high=20, soft=(2, 10), symbol="K", label="Arms", doc="Number of arms."
    )
    n_features: int = integer(
        2, low=2, high=20, soft=(2, 10), symbol="d", label="Numbers of a context",
        doc="How many numbers are seen before each round.",
    )  # fmt: skip
    noise: float = real(
        0.5, above=0.0, soft=(0.05, 2.0), symbol=r"\sigma",
        doc="Standard deviation of a reward about its mean.",
    )  # fmt: skip
    told: float = real(
        0.0, low=0.0, high=1.0, soft=(0.0, 1.0), label="Told by arm features",
        doc="How much of its weights the features of an arm tell: nothing at 0, all at 1.",
    )  # fmt: skip
    draw: int = integer(
        0, low=0, high=2**31 - 1, soft=(0, 99), label="Which one", doc="Which weights are drawn."
    )

    def world(self) -> ContextualBandit:
        """The arms as strategies meet them."""
        rng = random.generator(self.draw, "weights of arms")
        own = rng.standard_normal((self.n_arms, self.n_features))
        features = rng.standard_normal((self.n_arms, ARM_FEATURES))
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        common = features @ rng.standard_normal((ARM_FEATURES, self.n_features))
        weights = np.sqrt(self.told) * common + np.sqrt(1.0 - self.told) * own
        return ContextualBandit(
            name=f"bandit with {self.n_arms} arms and contexts",
            means=np.zeros(self.n_arms),
            distribution=GaussianRewards(sd=self.noise),
            features=features,
            weights=weights / np.linalg.norm(weights, axis=1, keepdims=True),
        )
