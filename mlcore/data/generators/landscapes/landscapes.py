"""Functions with which optimisers are tried, seen at random places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

SOURCES = ("epfl:DS64", "epfl:DS65", "epfl:DS66")
CONDITION = 10.0  # of the valley: how much steeper it is across than along
SCHWEFEL = 420.968746  # where each coordinate of its minimum lies


class Landscape(NamedTuple):
    """A function of the rows of X, the ends of its domain, and where it is least."""

    value: Callable[[np.ndarray], np.ndarray]
    low: float
    high: float
    minima: tuple[tuple[float, ...], ...]  # one number a row: the same for every column
    least: int = 1  # columns that it needs
    most: int = 10


def _valley(X: np.ndarray) -> np.ndarray:
    steep = CONDITION ** np.linspace(0.0, 1.0, X.shape[1])
    return 0.5 * (steep * X**2).sum(axis=1)


def _rosenbrock(X: np.ndarray) -> np.ndarray:
    a, b = X[:, :-1], X[:, 1:]
    return (100 * (b - a**2) ** 2 + (1 - a) ** 2).sum(axis=1)


def _ackley(X: np.ndarray) -> np.ndarray:
    size, waves = np.sqrt((X**2).mean(axis=1)), np.cos(2 * np.pi * X).mean(axis=1)
    return 20 * (1 - np.exp(-0.2 * size)) + np.e - np.exp(waves)


def _griewank(X: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.arange(1, X.shape[1] + 1))
    return 1 + (X**2).sum(axis=1) / 4000 - np.cos(X / root).prod(axis=1)


def _schwefel(X: np.ndarray) -> np.ndarray:
    return 418.982887 * X.shape[1] - (X * np.sin(np.sqrt(np.abs(X)))).sum(axis=1)


def _camel(X: np.ndarray) -> np.ndarray:
    x, y = X.T
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + 4 * (y**2 - 1) * y**2


def _himmelblau(X: np.ndarray) -> np.ndarray:
    x, y = X.T
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


HIMMELBLAU = ((3, 2), (-2.805118, 3.131313), (-3.779310, -3.283186), (3.584428, -1.848127))
CAMEL = ((0.089842, -0.712656), (-0.089842, 0.712656))
LANDSCAPES = {
    "sphere": Landscape(lambda X: (X**2).sum(axis=1), -2.0, 2.0, ((0.0,),)),
    "valley": Landscape(_valley, -2.0, 2.0, ((0.0,),)),
    "cubic": Landscape(lambda X: (X**3 - 2 * X**2 + 2).sum(axis=1), -0.5, 2.5, ((4 / 3,),)),
    "rosenbrock": Landscape(_rosenbrock, -2.0, 2.0, ((1.0,),), 2),
    "rastrigin": Landscape(
        lambda X: (10 + X**2 - 10 * np.cos(2 * np.pi * X)).sum(axis=1), -5.12, 5.12, ((0.0,),)
    ),
    "ackley": Landscape(_ackley, -32.0, 32.0, ((0.0,),)),
    "griewank": Landscape(_griewank, -50.0, 50.0, ((0.0,),)),
    "schwefel": Landscape(_schwefel, -500.0, 500.0, ((SCHWEFEL,),)),
    "camel": Landscape(_camel, -2.0, 2.0, CAMEL, 2, 2),
    "himmelblau": Landscape(_himmelblau, -5.0, 5.0, HIMMELBLAU, 2, 2),
    "saddle": Landscape(lambda X: X[:, 0] ** 2 - X[:, 1] ** 2, -1.0, 1.0, (), 2, 2),
}


@enter(
    Card("test_function", "Landscape of a function", ("source",), sources=SOURCES, random=True,
         kind="data")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Landscapes(shared.Generator):
    """Places of a box, drawn evenly, and how high a known function is there.

    A sphere, a long valley sum_j 10^((j-1)/(p-1)) x_j^2 / 2, the cubic sum x^3 - 2x^2 + 2 with a
    valley at 4/3 and no ground to its left, and the functions of Rosenbrock, Rastrigin, Ackley,
    Griewank, Schwefel and Himmelblau, the six-hump camel and a saddle. The truth holds the lowest
    places.

    Shows what a search meets: one valley that is round or narrow, or many of which one is the
    lowest; and how well a surface that is fitted to few places finds it.
    """

    n_samples: int = shared.n_samples(500)
    function: str = choice("rastrigin", *LANDSCAPES, doc="Which function.")
    n_features: int = integer(
        2, low=1, high=10, soft=(1, 5), symbol="p", label="Columns", doc="Coordinates of a place."
    )
    noise: float = shared.noise(0.0, "added to the height")

    def conflict(self) -> str | None:
        """Refuse a number of columns for which the function is not there."""
        landscape, p = LANDSCAPES[self.function], self.n_features
        if landscape.least <= p <= landscape.most:
            return None
        needs = (
            f"{landscape.least}"
            if landscape.least == landscape.most
            else f"{landscape.least} to {landscape.most}"
        )
        return f"{self.title()}: the function {self.function} needs {needs} columns; got {p}."

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The places with the height y."""
        landscape, p = LANDSCAPES[self.function], self.n_features
        X = self.rng("positions").uniform(landscape.low, landscape.high, (self.n_samples, p))
        signal = landscape.value(X)
        y = signal + self.noise * self.rng("noise").normal(size=len(X))
        lowest = np.array([place * (p if len(place) == 1 else 1) for place in landscape.minima])
        known = {"signal": signal, "noise": self.noise, "centers": lowest.reshape(-1, p)}
        return shared.value_origin(self, X, y, **known)
