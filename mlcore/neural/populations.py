"""Optimisers that follow no gradient: they try many weights and learn from how these do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.neural.optimizers import Optimizer
from mlcore.neural.training import Training
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real


def spread(default: float, doc: str) -> Any:
    """The setting spread of every population."""
    return real(default, above=0.0, soft=(0.05, 3.0), log=True, symbol=r"\sigma", doc=doc)


@dataclass(frozen=True, kw_only=True)
class PopulationOptimizer(Optimizer):
    """A generation an epoch; the network has the best weights so far."""

    takes_batches = False
    most_weights = 200

    def epochs(self, task: Training) -> Iterator[str]:
        """Generations, without end."""
        best, low = task.theta.copy(), task.objective()
        for members, values, words in self.generations(task):
            at = int(np.argmin(values))
            if values[at] < low:
                best, low = members[at].copy(), float(values[at])
            task.theta[:] = best
            task.at(best)  # leaves the gradient there, for the record of the epoch
            yield f"The best of {len(values)} trials has {values[at]:.4g}. {words}".strip()

    def generations(self, task: Training) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
        """Members, shape (m, P), their objectives, (m,), and what to say of them, without end."""
        raise NotImplementedError(f"{type(self).__name__} declares no generations")


def _values(task: Training, members: np.ndarray) -> np.ndarray:
    """The objective of each member, shape (m,); infinite where it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = task.objectives(members)
    return np.where(np.isfinite(values), values, np.inf)


@enter(
    Card(
        "cma_es",
        "CMA-ES",
        ("optimizer",),
        paper="Hansen and Ostermeier (2001), Evolutionary Computation 9(2)",
        kind="part",
        sources=("cs2:opt_cma_es",),
        synonyms=("covariance matrix adaptation", "evolution strategy", "black-box optimisation"),
    )
)
@dataclass(frozen=True, kw_only=True)
class CMAES(PopulationOptimizer):
    """Draws trials from a normal distribution that moves and stretches towards the better half."""

    spread: float = spread(0.5, "Standard deviation of the first trials around the first weights.")
    population: int | None = integer(
        None, low=4, high=1000, soft=(6, 60), or_none="4 + 3 log P",
        doc="Trials in a generation; by the number of weights P if none is given.",
    )  # fmt: skip

    def work(self, n_weights: int) -> float:
        """Passes over all rows, about a third of which is the way forward."""
        return 1.0 + self._size(n_weights) / 3.0

    def _size(self, n_weights: int) -> int:
        return self.population or 4 + int(3 * np.log(n_weights))

    def generations(self, task: Training) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
        """Members, shape (m, P), and objectives, (m,); the settings of Hansen (2016), table 1."""
        P, m = len(task.theta), self._size(len(task.theta))
        half = m // 2
        w = np.log((m + 1) / 2) - np.log(np.arange(1, half + 1))
        w /= w.sum()
        power = 1.0 / float(w @ w)
        c_sigma = (power + 2) / (P + power + 5)
        c_path = (4 + power / P) / (P + 4 + 2 * power / P)
        c_one = 2 / ((P + 1.3) ** 2 + power)
        c_many = min(1 - c_one, 2 * (power - 2 + 1 / power) / ((P + 2) ** 2 + power))
        calm = 1 + 2 * max(0.0, np.sqrt((power - 1) / (P + 1)) - 1) + c_sigma
        usual = np.sqrt(P) * (1 - 1 / (4 * P) + 1 / (21 * P**2))  # length of a normal vector
        mean, sigma, C = task.theta.copy(), self.spread, np.eye(P)
        s_path, c_way = np.zeros(P), np.zeros(P)
        g = 0
        while True:
            g += 1
            values2, axes = np.linalg.eigh(C)
            lengths = np.sqrt(np.maximum(values2, 1e-20))
            drawn = (task.search.standard_normal((m, P)) * lengths) @ axes.T
            members = mean + sigma * drawn
            values = _values(task, members)
            best = drawn[np.argsort(values, kind="stable")[:half]]
            move = w @ best
            mean = mean + sigma * move
            white = axes @ ((axes.T @ move) / lengths)
            s_path = (1 - c_sigma) * s_path + np.sqrt(c_sigma * (2 - c_sigma) * power) * white
            length = float(np.linalg.norm(s_path))
            fair = length / np.sqrt(1 - (1 - c_sigma) ** (2 * g)) < (1.4 + 2 / (P + 1)) * usual
            c_way = (1 - c_path) * c_way + fair * np.sqrt(c_path * (2 - c_path) * power) * move
            lost = c_one * c_path * (2 - c_path) * (not fair)
            C = (1 - c_one - c_many + lost) * C + c_one * np.outer(c_way, c_way)
            C += c_many * (best.T * w) @ best
            C = 0.5 * (C + C.T)
            sigma *= float(np.exp(min(1.0, c_sigma / calm * (length / usual - 1))))
            yield members, values, f"The spread is {sigma:.3g}."


@enter(
    Card(
        "particle_swarm",
        "Particle swarm",
        ("optimizer",),
        paper="Clerc and Kennedy (2002), IEEE Transactions on Evolutionary Computation 6(1)",
        kind="part",
        sources=("cs2:opt_pso",),
        formula=r"v \leftarrow \omega v + c_1 r_1 (p - x) + c_2 r_2 (g - x)",
        synonyms=("PSO", "swarm intelligence"),
    )
)
@dataclass(frozen=True, kw_only=True)
class ParticleSwarm(PopulationOptimizer):
    """Particles fly on, drawn to the best place of their own and to the best of all."""

    population: int = integer(
        30, low=2, high=1000, soft=(10, 100), doc="Particles, each a vector of all weights."
    )
    inertia: float = real(
        0.7298, low=0.0, below=1.0, soft=(0.3, 0.95), symbol=r"\omega",
        doc="Share of its velocity that a particle keeps.", advanced=True,
    )  # fmt: skip
    pull: float = real(
        1.4962, above=0.0, soft=(0.5, 2.5), symbol="c",
        doc="How strongly it is drawn to each of the best places.", advanced=True,
    )  # fmt: skip
    spread: float = spread(1.0, "Standard deviation of the first places around the first weights.")

    def work(self, n_weights: int) -> float:
        """Passes over all rows, about a third of which is the way forward."""
        return 1.0 + self.population / 3.0

    def generations(self, task: Training) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
        """Members, shape (m, P), and their objectives, (m,)."""
        shape = self.population, len(task.theta)
        x = task.theta + self.spread * task.search.standard_normal(shape)
        x[0], v = task.theta, np.zeros(shape)
        own, own_values = x.copy(), np.full(self.population, np.inf)
        while True:
            values = _values(task, x)
            better = values < own_values
            own[better], own_values[better] = x[better], values[better]
            top = own[int(np.argmin(own_values))]
            yield x, values, f"The swarm is {float(np.mean(np.std(x, axis=0))):.3g} wide."
            lots = self.pull * task.search.random((2, *shape))
            v = self.inertia * v + lots[0] * (own - x) + lots[1] * (top - x)
            x = x + v


@enter(
    Card(
        "genetic_algorithm",
        "Genetic algorithm",
        ("optimizer",),
        paper="Holland (1975), Adaptation in Natural and Artificial Systems; Eshelman and Schaffer "
        "(1993), Foundations of Genetic Algorithms 2",
        kind="part",
        sources=("epfl:ga_ann_weights",),
        synonyms=("GA", "evolutionary algorithm", "crossover", "mutation", "neuroevolution"),
    )
)
@dataclass(frozen=True, kw_only=True)
class GeneticAlgorithm(PopulationOptimizer):
    """Breeds weights: the better of a few drawn ones are parents, and children blend and mutate."""

    population: int = integer(
        50, low=4, high=1000, soft=(10, 200), doc="Individuals, each a vector of all weights."
    )
    tournament: int = integer(
        3, low=1, high=50, soft=(2, 7), doc="A parent is the best of so many drawn at random."
    )
    mutation: float = real(
        0.1, low=0.0, high=1.0, soft=(0.0, 0.5), doc="Share of the weights of a child that mutate."
    )
    spread: float = spread(
        0.5,
        "Standard deviation of a mutation, and of the first individuals around the first weights.",
    )
    elite: int = integer(
        2, low=0, high=100, soft=(0, 5), doc="The best so many live on unchanged.", advanced=True
    )

    def work(self, n_weights: int) -> float:
        """Passes over all rows, about a third of which is the way forward."""
        return 1.0 + self.population / 3.0

    def generations(self, task: Training) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
        """Members, shape (m, P), and their objectives, (m,)."""
        shape = self.population, len(task.theta)
        x = task.theta + self.spread * task.search.standard_normal(shape)
        x[0] = task.theta
        while True:
            values = _values(task, x)
            finite = values[np.isfinite(values)]
            middle = float(np.median(finite)) if len(finite) else np.inf
            yield x, values, f"Half of them are below {middle:.4g}."
            elite = min(self.elite, self.population - 1)
            kept = x[np.argsort(values, kind="stable")[:elite]]
            x = np.vstack([kept, self._children(task, x, values, self.population - elite)])

    def _children(
        self, task: Training, x: np.ndarray, values: np.ndarray, count: int
    ) -> np.ndarray:
        """New individuals, shape (count, P): between two parents and a little beyond (BLX)."""
        lot = task.search
        drawn = lot.integers(len(x), size=(2, count, self.tournament))
        winners = np.take_along_axis(drawn, values[drawn].argmin(axis=2)[..., None], 2)[..., 0]
        mothers, fathers = x[winners[0]], x[winners[1]]
        share = lot.uniform(-BEYOND, 1.0 + BEYOND, mothers.shape)
        children = mothers + share * (fathers - mothers)
        mutates = lot.random(children.shape) < self.mutation
        return children + mutates * self.spread * lot.standard_normal(children.shape)


BEYOND = 0.25  # of the way between its parents, by which a weight of a child may lie outside
