"""A function of several variables, seen with noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice

TREE = (0.35, 0.6, 0.45, 0.75)  # t1 ... t4: where the tree cuts
LEAVES = (1.0, -1.0, 2.0, 0.0, -2.0)


def _ripple(X: np.ndarray) -> np.ndarray:
    r = np.hypot(*X.T)
    return np.exp(-2.5 * r**2) * np.cos(8 * r)


def _tree(X: np.ndarray) -> np.ndarray:
    """Five boxes: x1 at t1, then x2 at t2 on the left; x1 at t4, then x2 at t3 on the right."""
    x, y = X.T
    t1, t2, t3, t4 = TREE
    left = np.where(y <= t2, LEAVES[0], LEAVES[1])
    middle = np.where(y <= t3, LEAVES[2], LEAVES[3])
    return np.where(x <= t1, left, np.where(x <= t4, middle, LEAVES[4]))


def _friedman(X: np.ndarray) -> np.ndarray:
    a, b, c, d, e = X[:, :5].T
    return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


# Name: function, number of columns, least and largest value of a column.
SURFACES = {
    "ripple": (_ripple, 2, -1.0, 1.0),
    "boxes": (_tree, 2, 0.0, 1.0),
    "friedman": (_friedman, 10, 0.0, 1.0),
    "plane": (lambda X: X @ [1.0, -0.5], 2, -1.0, 1.0),
    "saddle": (lambda X: X[:, 0] * X[:, 1], 2, -1.0, 1.0),
}
SOURCES = ("cs1:d_svr2d",)


@enter(Card("surface", "Noisy surface", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Surface(shared.Generator):
    """A function of two or more variables plus noise.

    Columns are uniform over the domain. The ripple is exp(-2.5 r^2) cos(8 r) on [-1, 1]^2, the
    boxes are five constants on [0, 1]^2, Friedman's function of ten columns on [0, 1] is
    10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 and ignores the rest, the plane is x1 - x2 / 2
    and the saddle x1 x2.

    Shows what a method can follow in more than one direction, and which columns it finds idle.
    """

    n_samples: int = shared.n_samples(200)
    function: str = choice("ripple", *SURFACES, symbol="f", doc="The surface behind the noise.")
    noise: float = shared.noise(0.1, "the ripple and the saddle reach from -1 to 1")
    noise_distribution: str = choice(
        "normal",
        "normal",
        "uniform",
        doc="Normal, or uniform with the same standard deviation.",
        advanced=True,
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows with the height as target."""
        function, p, low, high = SURFACES[self.function]
        X = self.rng("positions").uniform(low, high, (self.n_samples, p))
        rng, half = self.rng("noise"), np.sqrt(3.0)  # a uniform variable of variance 1 is this wide
        normal = self.noise_distribution == "normal"
        e = rng.normal(size=len(X)) if normal else rng.uniform(-half, half, len(X))
        signal = function(X)
        return shared.value_origin(
            self, X, signal + self.noise * e, signal=signal, noise=self.noise
        )
