"""One picture, altered in many ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.describing.altering import alter_image
from mlcore.data.generators import shared
from mlcore.data.generators.pictures import canvas, textures
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

FRAME, PATCH = 20, 9  # pixels a side of the frame and of the patch that is moved in it
WAYS = ("original", "shifted", "with rectangles", "darkened")
ALTERED = {2: "rectangles", 3: "darkening"}
MIXING = np.array([[1.0, 0.5], [0.4, 1.0]])


@enter(Card("altered_pictures", "Altered pictures", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class AlteredPictures(shared.Generator):
    """A picture that is moved, disturbed or mixed with another.

    Moved: a patch of 9 x 9 pixels at random places of an empty frame of 20 x 20. Disturbed: a
    picture shifted by a pixel, with rectangles, or darkened, the last two so strongly that their
    Euclidean distance from the original is that of the shift. Mixed: the pixels of two pictures,
    mixed twice, a row for each pixel.

    Shows that the distance of pictures is not what the eye sees, that moving a picture makes a
    curved surface of two dimensions, and that mixed pictures come apart again.
    """

    n_samples: int = shared.n_samples(400)
    change: str = choice("moved", "moved", "disturbed", "mixed", doc="What happens to the picture.")
    scene: int = integer(
        0, low=0, high=100, soft=(0, 20), label="Picture", doc="Which picture is taken."
    )
    noise: float = shared.noise(0.0, "a pixel lies between 0 and 1", (0.0, 0.3))

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The altered pictures, or the pixels of two mixed ones."""
        picture = textures.leaves(self._scene("scene"))
        if self.change == "mixed":
            return self._mixed(picture)
        change = self._moved if self.change == "moved" else self._disturbed
        clean, labels, places = change(picture)
        images = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        known = {"clean": clean, "coordinates": places, "noise": self.noise}
        return canvas.origin(self, images, labels, WAYS, **known)

    def _scene(self, name: str) -> np.random.Generator:
        """The picture is a matter of its number alone: the seed draws what is done to it."""
        return random.generator(0, f"{self.card.name} {name} {self.scene}")

    def _moved(self, picture: np.ndarray) -> tuple[np.ndarray, None, np.ndarray]:
        patch = picture[:PATCH, :PATCH]
        places = self.rng("places").integers(0, FRAME - PATCH + 1, (self.n_samples, 2))
        frames = np.zeros((self.n_samples, FRAME, FRAME))
        for frame, (row, column) in zip(frames, places, strict=True):
            frame[row : row + PATCH, column : column + PATCH] = patch
        return frames, None, places

    def _disturbed(self, picture: np.ndarray) -> tuple[np.ndarray, np.ndarray, None]:
        """Each picture is cut elsewhere; those of one cut follow one another."""
        corners = self.rng("places").integers(0, textures.SCENE - FRAME, (self.n_samples, 2))
        way = np.arange(self.n_samples) % len(WAYS)
        corners = corners[np.arange(self.n_samples) // len(WAYS) * len(WAYS)]
        made = [
            self._altered(picture, row, column, k)
            for (row, column), k in zip(corners.tolist(), way.tolist(), strict=True)
        ]
        return np.stack(made), way, None

    def _altered(self, picture: np.ndarray, row: int, column: int, way: int) -> np.ndarray:
        cut = picture[row : row + FRAME, column : column + FRAME]
        if way == 0:
            return cut
        # What comes in from beyond the cut is the picture's own.
        shifted = picture[row : row + FRAME, column + 1 : column + 1 + FRAME]
        if way == 1:
            return shifted
        distance = float(np.linalg.norm(shifted - cut))
        return alter_image(cut, ALTERED[way], distance)

    def _mixed(self, picture: np.ndarray) -> Origin:
        other = textures.clouds(self._scene("other")).ravel()
        flat = picture.ravel()
        at = self.rng("places").permutation(flat.size)[: self.n_samples]
        at = np.resize(at, self.n_samples)
        S = np.column_stack([(v[at] - v.mean()) / v.std() for v in (flat, other)])
        clean = S @ MIXING.T
        X = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        truth = shared.Truth(coordinates=S, mixing=MIXING, clean=clean, noise=self.noise)
        table = Table.of(*(numeric(f"mixture{j + 1}", X[:, j]) for j in range(2)))
        return Origin(table, self.title(), truth=truth)
