"""Dependence: a covariance of zero is no independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.describing.information import mutual_information
from mlcore.data.describing.moments import correlation, covariance
from mlcore.data.generators.quantities.dependence_patterns import PATTERNS, DependencePatterns
from mlcore.data.sampling.fresh import draw
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

FUNCTIONS = ("x", "x squared", "x cubed")
SHUFFLES = 19  # the largest of them is passed by chance in one case of twenty


class Dependence(NamedTuple):
    """A cloud of two variables, and three ways to ask whether they depend on each other."""

    X: np.ndarray  # (n, 2)
    covariance: float
    products: np.ndarray  # (3, 3) correlation of each function of column 1 with each of column 2
    information: float  # nats
    shuffled: np.ndarray  # (SHUFFLES,) nats, column 2 dealt out anew
    pattern: str


def _cost(n: int, p: int, it: DependenceLab) -> tuple[float, float]:
    return 0.01 + (SHUFFLES + 1) * 1.5e-5 * it.n_rows, 1e6


@enter(
    Card(
        "dependence_patterns",
        "Correlation and independence",
        ("lab",),
        sources=("epfl:independence_check", "mi2:uncorrelated_vs_independent"),
        random=True,
        cost=_cost,
        formula=r"p(x_1, x_2) = p(x_1)\, p(x_2) \iff \operatorname{E} f(x_1)\, g(x_2)"
        r" = \operatorname{E} f(x_1) \operatorname{E} g(x_2) \text{ for all } f, g",
        kind="lab",
        pages=("data", "dimensionality_reduction"),
        synonyms=("mutual information", "zero correlation", "Pearson correlation"),
        line="what covariance sees, and what it misses",
    )
)
@dataclass(frozen=True, kw_only=True)
class DependenceLab(Lab):
    r"""Covariance sees straight lines only; mutual information sees every dependence.

    Two variables are independent if every function of one is uncorrelated with every function of
    the other. The covariance asks for one pair of functions, $x_1$ and $x_2$ themselves. The table
    of pictures asks for nine pairs, and mutual information, estimated from distances to
    neighbours, for all of them. Its yardstick is the same rows with the second column shuffled.
    """

    tasks = (
        "Look at the ring: the covariance is near zero; find the functions that betray it.",
        "Do the same with the parabola, and see that one function suffices.",
        "Add noise until the mutual information is no larger than that of shuffled columns.",
    )
    seen = (
        "Ring and parabola have covariance zero and a mutual information far above that of "
        "shuffled columns: on a ring the squares add up to one, on the parabola one column is the "
        "square of the other. For the tilted cloud both measures speak, for the round one neither."
    )

    pattern: str = choice("ring", *PATTERNS, doc="How the two variables depend on each other.")
    noise: float = real(
        0.1, low=0.0, high=10.0, soft=(0.0, 2.0), symbol=r"\sigma", doc="Added to both columns."
    )
    n_rows: int = row_count(500, (50, 2000), low=20)

    def compute(self, seed: int = 0) -> Dependence:
        """Covariance, nine correlations and mutual information of a cloud."""
        source = DependencePatterns(pattern=self.pattern, noise=self.noise)
        X = draw(source, self.n_rows, seed).X
        powers = np.hstack([X, X**2, X**3])[:, [0, 2, 4, 1, 3, 5]]
        rng = generator(seed, "shuffles")
        shuffled = [_information(X[:, 0], rng.permutation(X[:, 1])) for _ in range(SHUFFLES)]
        return Dependence(
            X, float(covariance(X)[0, 1]), correlation(powers)[:3, 3:],
            _information(*X.T), np.array(shuffled), self.pattern,
        )  # fmt: skip


def _information(x: np.ndarray, y: np.ndarray) -> float:
    return mutual_information(x, y, estimator="knn")
