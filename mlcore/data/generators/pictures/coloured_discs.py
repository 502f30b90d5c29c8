"""Discs of some colour, place and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.pictures import canvas
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer

COLOURS = {"red": (0.85, 0.15, 0.15), "green": (0.15, 0.7, 0.25), "blue": (0.15, 0.3, 0.85)}
CARD = Card(
    "coloured_discs",
    "Coloured discs",
    ("source",),
    sources=("epfl:DS03", "epfl:DS60"),
    random=True,
    kind="data",
)


@enter(CARD)
@dataclass(frozen=True, kw_only=True)
class ColouredDiscs(shared.Generator):
    """Pictures of one disc on a grey ground: red, green or blue, somewhere, of some size.

    Pixels hold red, green and blue between 0 and 1, so that 32 x 32 of them make 3072 columns. The
    place is uniform, the radius too, and each color is mixed with a little of any other.

    Shows components of colour pictures, which are pictures themselves, and columns by the thousand.
    """

    n_samples: int = shared.n_samples(60, usual=500)
    side: int = integer(
        32, low=4, high=40, soft=(8, 32), doc="Pixels along each side of the picture."
    )
    noise: float = shared.noise(0.02, "a color lies between 0 and 1", (0.0, 0.3))

    def n_columns(self) -> int:
        """Red, green and blue of each pixel."""
        return 3 * self.side**2

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The pictures with their color as target."""
        n, rng = self.n_samples, self.rng("discs")
        labels = self.rng("order").permutation(np.arange(n) % len(COLOURS))
        place, radius = rng.uniform(0.3, 0.7, (n, 2)), rng.uniform(0.12, 0.28, n)
        tint = np.array(list(COLOURS.values()))[labels] + 0.05 * rng.normal(size=(n, 3))
        at = (np.indices((self.side, self.side)) + 0.5) / self.side
        far = np.hypot(*(at[i] - place[:, i, None, None] for i in range(2)))
        inside = canvas.soft(radius[:, None, None] - far, 4.0 * self.side)[..., None]
        clean = 0.5 + inside * (tint[:, None, None, :] - 0.5)
        images = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        coordinates = np.column_stack([place, radius])
        return canvas.origin(
            self, images, labels, tuple(COLOURS), clean=clean, coordinates=coordinates
        )
