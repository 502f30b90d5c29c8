"""Points from a density on a square, or in a cube, by rejection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real

NINE = (  # a thick 9, drawn on a grid of 12 x 12
    "............", "...######...", "..########..", ".###....###.", ".###....###.",
    "..#########.", "...########.", ".......###..", "......###...", ".....###....",
    "....###.....", "............",
)  # fmt: skip
BATCH = 10_000  # points that are tried at once
BITMAP = np.array([[cell == "#" for cell in line] for line in NINE])[::-1]  # lowest row first


def _two_parts(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    bar = (np.abs(x + 0.3) < 0.06) & (np.abs(y) < 0.4)
    r = np.hypot(x - 0.2, y)
    return 1.0 * (bar | ((r > 0.12) & (r < 0.25)))


def _boxes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Two boxes, one twice as dense as the other, over a thin floor of noise."""
    dense = (np.abs(x + 0.25) < 0.15) & (np.abs(y + 0.2) < 0.15)
    sparse = (np.abs(x - 0.25) < 0.15) & (np.abs(y - 0.2) < 0.15)
    return np.where(dense, 1.0, np.where(sparse, 0.5, 0.05))


def _shape(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    side = len(BITMAP)
    column, row = (np.clip((at + 0.5) * side, 0, side - 1).astype(int) for at in (x, y))
    return 1.0 * BITMAP[row, column]


# Probability to keep a point at (x, y) of [-1/2, 1/2]^2, or at (x, y, z) of the cube.
DENSITIES: dict[str, Callable[..., np.ndarray]] = {
    "uniform": lambda x, y: np.ones_like(x),
    "ramp": lambda x, y: (x + y + 1) / 2,
    "corona": lambda x, y: 1.0 * ((np.hypot(x, y) >= 0.25) & (np.hypot(x, y) <= 0.5)),
    "disc": lambda x, y: 1.0 * (np.hypot(x, y) <= 0.5),
    "bar and ring": _two_parts,
    "boxes": _boxes,
    "nine": _shape,
    "ball": lambda x, y, z: 1.0 * (np.sqrt(x * x + y * y + z * z) <= 0.5),
}
# Share of the points that is accepted: the integral of the probability.
SHARES = {
    "uniform": 1.0, "ramp": 0.5, "corona": np.pi * (0.25 - 0.0625), "disc": np.pi / 4,
    "bar and ring": 0.12 * 0.8 + np.pi * (0.25**2 - 0.12**2),
    "boxes": 0.09 * (1.0 + 0.5) + 0.05 * (1.0 - 2 * 0.09), "nine": BITMAP.mean(),
    "ball": np.pi / 6,
}  # fmt: skip
SOLID = ("ball",)  # has three columns


@enter(Card("density", "Density", ("source",), sources=("epfl:DS60",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Density(shared.Generator):
    """Points of a square or cube, each kept with a probability that depends on where it lies.

    Points are tried evenly over the square of side s around 0 and kept with the probability p(x /
    s): 1, (x + y + 1) / 2, a ring between radius 1/4 and 1/2, a disc, a bar beside a ring, two
    boxes, or a drawn 9; the ball lies in a cube. Points are tried until `n_samples` are kept. The
    truth holds how many were tried, whose kept share estimates the integral of p, and the density
    of every row, p over that integral.

    Shows where vector quantisation puts its prototypes: in proportion to the density, to a power.
    """

    n_samples: int = shared.n_samples(1000)
    shape: str = choice("uniform", *DENSITIES, symbol="p", doc="Where points are kept.")
    side: float = real(
        1.0,
        above=0.0,
        high=1000.0,
        soft=(0.5, 10.0),
        symbol="s",
        doc="Side of the square, or of the cube.",
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The points that were kept, without a target."""
        probability, p = DENSITIES[self.shape], 3 if self.shape in SOLID else 2
        X, attempts = rejection(probability, self.n_samples, self.rng("positions"), p)
        density = probability(*X.T) / (SHARES[self.shape] * self.side**p)
        return shared.plain_origin(
            self, self.side * X, attempts=attempts, log_density=np.log(density)
        )


def rejection(
    probability: Callable[..., np.ndarray], n: int, rng: np.random.Generator, p: int
) -> tuple[np.ndarray, int]:
    """n points of [-1/2, 1/2]^p, shape (n, p), by rejection, and how many were tried for them.

    A point is accepted with its `probability`, a function of its p coordinates.
    """
    points, tried = np.empty((0, p)), 0
    while True:
        batch = rng.uniform(-0.5, 0.5, (BATCH, p))
        accepted = np.flatnonzero(rng.uniform(size=BATCH) < probability(*batch.T))
        if len(points) + len(accepted) >= n:
            last = accepted[n - len(points) - 1]
            return np.vstack([points, batch[accepted]])[:n], tried + int(last) + 1
        points, tried = np.vstack([points, batch[accepted]]), tried + BATCH
