"""What no peer does, against the time that it may take."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from benchmarks.pairs import Alone
from mlcore.clustering.kernel_kmeans import KernelKMeans
from mlcore.clustering.memberships import Gibbs
from mlcore.clustering.soft_kmeans import SoftKMeans
from mlcore.data.leaks import leak_scores
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.contextual import ContextualArms
from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.continuous.cart_pole import CartPole
from mlcore.decisions.continuous.mountain_car import MountainCar
from mlcore.decisions.continuous.reinforce import PolicyGradient
from mlcore.decisions.exp3 import Exp3
from mlcore.decisions.explorers import Greedy
from mlcore.decisions.gym_world import GymWorld
from mlcore.decisions.linucb import LinUCB
from mlcore.decisions.model_based import ModelBasedRL, PosteriorSampling
from mlcore.decisions.random_walk import RandomWalk
from mlcore.decisions.td_prediction import TDPrediction
from mlcore.distances.sequences import edit_distances
from mlcore.preparation.selection.searches import SFS, Exhaustive
from mlcore.preparation.selection.selector import SubsetSelector


@lru_cache(maxsize=4)
def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a Gaussian, and a quantity that some columns carry."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X[:, : p // 4].sum(axis=1) + rng.normal(size=n)


@lru_cache(maxsize=1)
def strings() -> list[str]:
    """300 strings of 100 letters."""
    return ["".join(row) for row in np.random.default_rng(0).choice(list("ACGT"), (300, 100))]


def leaks() -> object:
    """Two classes; the best rule on each column, and on each for 50 shuffled targets."""
    X, y = table(10_000, 100)
    return leak_scores(X, (y > 0).astype(int))


def leaks_with_ties() -> object:
    """The same where every column has ties of its own, so that none shares another's chance."""
    X, y = table(10_000, 100)
    return leak_scores(np.round(X * np.arange(1, 101) / 3), (y > 0).astype(int))


def soft_shares() -> object:
    """Ten clouds, each row shared by its radius."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-5, 5, (10, 10))[rng.integers(0, 10, 20_000)] + rng.normal(size=(20_000, 10))
    return SoftKMeans(n_clusters=10, membership=Gibbs(beta=1.0), max_iter=50).fit(X)


def weighted() -> object:
    """A hundred thousand rounds of four arms."""
    return Exp3().fit(BanditArms().world(), 100_000)


def in_contexts() -> object:
    """A hundred thousand contexts of five numbers, five arms."""
    return LinUCB().fit(ContextualArms(n_arms=5, n_features=5).world(), 100_000)


def counted() -> object:
    """Two thousand episodes of the frozen lake, ten made-up moves after each real one."""
    return ModelBasedRL().fit(GymWorld().world(), 2000)


def kernel_groups() -> object:
    """Three clouds by a Gaussian kernel, 30 starts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 5)) + 3.0 * rng.integers(0, 3, (2_000, 1))
    return KernelKMeans().fit(X)


def traced() -> object:
    """A thousand episodes of about a hundred moves."""
    return TDPrediction(decay=0.8).fit(RandomWalk(n_states=19).world(), 1000)


def criticised() -> object:
    """Two hundred episodes of the car, judged twenty times."""
    return ActorCritic().fit(MountainCar().world(), 200)


def naturally() -> object:
    """As many steps along the natural gradient."""
    return PolicyGradient(ascent="natural").fit(CartPole().world(), 200)


def drawn() -> object:
    """Five hundred worlds drawn and planned on."""
    agent = ModelBasedRL(model_use=PosteriorSampling(), explorer=Greedy())
    return agent.fit(GymWorld().world(), 500)


def reinforced() -> object:
    """Twenty steps of ascent for the pole, ten episodes each."""
    return PolicyGradient().fit(CartPole().world(), 200)


PAIRS = [
    Alone("actor_critic", "mountain car, 200 episodes", criticised, 0.3),
    Alone("policy_gradient", "cart and pole, 200 episodes", reinforced, 0.5),
    Alone("policy_gradient", "cart and pole, 200 episodes, natural", naturally, 5.0),
    Alone("model_based_rl", "frozen lake, 500 episodes, posterior sampling", drawn, 0.5),
    Alone("kernel_kmeans", "2000 x 5, k 3, 30 starts", kernel_groups, 5.0),
    Alone("td_prediction", "1000 episodes, 19 states", traced, 0.05),
    Alone("soft_kmeans", "20000 x 10, k 10, 50 iterations", soft_shares, 1.5),
    Alone("model_based_rl", "frozen lake, 2000 episodes, 10 planning steps", counted, 0.2),
    Alone("linucb", "100000 rounds, 5 arms x 5", in_contexts, 0.3),
    Alone("exp3", "100000 rounds, 4 arms", weighted, 0.1),
    Alone("edit_distances", "300 strings of 100", lambda: edit_distances(strings()), 1.0),
    Alone("leak_scores", "10000 x 100, 50 shuffles", leaks, 3.0),
    Alone("leak_scores", "10000 x 100, different ties", leaks_with_ties, 3.0),
    Alone(
        "cfs sfs",
        "500 x 200",
        lambda: SubsetSelector(score="cfs", search=SFS()).fit(*table(500, 200)),
        0.05,
    ),
    Alone(
        "cfs exhaustive",
        "500 x 20",
        lambda: SubsetSelector(score="cfs", search=Exhaustive()).fit(*table(500, 20)),
        0.15,
    ),
]
