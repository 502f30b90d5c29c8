"""A lift: ten points that no line parts are parted by a plane higher up, and by any nonsense."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data import bundled
from mlcore.data.sampling.fresh import draw
from mlcore.kernels.products import Linear
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator
from mlcore.svm.svc import SVC, SVCFit

POINTS, NEW = 10, 500
GRID = 81  # places along each side of the square
DIMENSIONS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15])
LIFTS = 3  # random lifts in each dimension
HARD = 1e3  # price of a row on the wrong side: high enough to part what can be parted

Map = Callable[[np.ndarray], np.ndarray]


class Lifted(NamedTuple):
    """Ten points, the plane that parts them after the lift, and what it makes of the square."""

    X: np.ndarray  # (10, 2) in [-1, 1]
    y: np.ndarray  # (10,) 0 or 1
    scores: np.ndarray  # (10,) of the points, 0 on the plane
    plane: np.ndarray  # (D + 1,) weights of the lifted columns, and last the offset
    places: np.ndarray  # (GRID,) along each side
    surface: np.ndarray  # (GRID, GRID) score at each place, columns along the first axis
    train: float  # share of the points on the wrong side
    test: float  # share of new rows
    dimensions: np.ndarray  # (D,) of random lifts
    train_by_dimension: np.ndarray  # (D,) means over LIFTS
    test_by_dimension: np.ndarray  # (D,)
    lift: str
    shown: int  # dimension of the lift that is drawn


@enter(
    Card(
        "lift",
        "Feature maps and linear separability",
        ("lab",),
        sources=("cs1:paraboloid_lift", "cs1:random_projection_curse"),
        random=True,
        cost=lambda n, p, it: (0.6, 5e6),
        formula=r"\varphi(x) = (x_1, x_2, x_1^2 + x_2^2)\quad\text{or}\quad"
        r"\varphi_j(x) = \cos(\omega_j^\top x + b_j),\; j = 1, \dots, D",
        kind="lab",
        pages=("classification", "kernels"),
        synonyms=("kernel trick", "Cover's theorem", "random features"),
        line="a plane in more dimensions is a curve here",
    )
)
@dataclass(frozen=True, kw_only=True)
class LiftLab(Lab):
    r"""A plane in more dimensions is a curve in the plane; with enough dimensions it is any curve.

    Five points lie inside a circle and five outside, or have classes by the toss of a coin. On the
    paraboloid above the plane, a flat cut lies over a circle. Random waves are a lift that knows
    nothing of the data: with nine of them and an offset there are ten numbers for ten points, so
    whatever their classes, a plane fits them.
    """

    tasks = (
        "Compare no lift with the paraboloid: the plane above is a circle below.",
        "Take random waves in 12 dimensions: nothing is wrong on the ten points. Look at the new "
        "rows, and at the shape of the region.",
        "Let the classes be tosses of a coin: the ten points are still parted without an error.",
    )
    seen = (
        "The paraboloid parts the points and most new rows, because it was chosen for what is to "
        "be learned. From about nine random dimensions on no point is wrong, with any classes, "
        "and new rows are classed hardly better than by chance: fitting ten points in ten numbers "
        "is no evidence."
    )

    lift: str = choice("paraboloid", "none", "paraboloid", "random waves", doc="What is added.")
    classes: str = choice(
        "inside a circle", "inside a circle", "by a coin", doc="What decides the classes."
    )
    dimension: int = integer(
        9,
        low=1,
        high=200,
        soft=(1, 30),
        symbol="D",
        doc="Number of random waves.",
        only_if={"lift": "random waves"},
    )
    wildness: float = real(
        8.0, above=0.0, high=100.0, soft=(1.0, 20.0), symbol=r"\omega",
        doc="Spread of the frequencies of the waves; larger bends the region more.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Lifted:
        """One lift on the whole square, and random ones in every dimension."""
        (X, y), (new, truth) = self._rows(POINTS, seed, "points"), self._rows(NEW, seed, "new rows")
        lift = self._map(self.dimension, generator(seed, "lift"))
        fit = SVC(kernel=Linear(), C=HARD).fit(lift(X), y)
        places = np.linspace(-1, 1, GRID)
        square = np.stack(np.meshgrid(places, places), axis=-1).reshape(-1, 2)
        by_dimension = [self._errors(X, y, new, truth, d, seed) for d in DIMENSIONS.tolist()]
        train, test = np.array(by_dimension).T
        return Lifted(
            X, y, fit.decision(lift(X)), _plane(fit, lift(X).shape[1]), places,
            fit.decision(lift(square)).reshape(GRID, GRID),
            _error(fit, lift(X), y), _error(fit, lift(new), truth),
            DIMENSIONS, train, test, self.lift, lift(X).shape[1],
        )  # fmt: skip

    def _rows(self, n: int, seed: int, name: str) -> tuple[np.ndarray, np.ndarray]:
        rng = generator(seed, name)
        rows = draw(bundled.recipe("lift_ten"), n, int(rng.integers(2**31)))
        y = rng.permutation(np.arange(n) % 2) if self.classes == "by a coin" else np.asarray(rows.y)
        return 2 * rows.X - 1, y

    def _map(self, dimension: int, rng: np.random.Generator) -> Map:
        if self.lift == "none":
            return lambda X: X
        if self.lift == "paraboloid":
            return lambda X: np.column_stack([X, (X**2).sum(axis=1)])
        return _waves(dimension, self.wildness, rng)

    def _errors(
        self, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray, d: int, seed: int
    ) -> tuple[float, float]:
        """Mean errors on the points and on new rows of random lifts to d dimensions."""
        errors = []
        for k in range(LIFTS):
            lift = _waves(d, self.wildness, generator(seed, f"lift {k} to {d}"))
            fit = SVC(kernel=Linear(), C=HARD).fit(lift(X), y)
            errors.append((_error(fit, lift(X), y), _error(fit, lift(new), truth)))
        train, test = np.mean(errors, axis=0)
        return float(train), float(test)


def _plane(fit: SVCFit, dimension: int) -> np.ndarray:
    """Weights and offset, from the scores of the corners of a unit cube beside its origin."""
    *corners, offset = fit.decision(np.vstack([np.eye(dimension), np.zeros(dimension)]))
    return np.array([*(score - offset for score in corners), offset])


def _waves(dimension: int, wildness: float, rng: np.random.Generator) -> Map:
    W = wildness * rng.normal(size=(2, dimension))
    b = rng.uniform(0, 2 * np.pi, dimension)
    return lambda X: np.cos(X @ W + b)


def _error(fit: SVCFit, Z: np.ndarray, y: np.ndarray) -> float:
    return float((fit.predict(Z) != y).mean())
