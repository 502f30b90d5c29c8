"""Patches of textures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.describing.altering import patches_at
from mlcore.data.generators import shared
from mlcore.data.generators.pictures import canvas
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer

SCENE = 256  # pixels a side of the picture from which patches are cut
LEAVES = 3000  # discs that cover it
ANGLES = ("0 degrees", "45 degrees", "90 degrees", "135 degrees")


def leaves(rng: np.random.Generator) -> np.ndarray:
    """Discs of many sizes that cover each other, shape (256, 256): edges as in the world."""
    scene = np.full((SCENE, SCENE), 0.5)
    # Radii with density r^-3 look alike at every scale.
    radius = 3.0 / np.sqrt(rng.uniform(0.003, 1.0, LEAVES))
    place, grey = rng.uniform(0, SCENE, (LEAVES, 2)), rng.uniform(size=LEAVES)
    for (row, column), r, value in zip(place, radius, grey, strict=True):
        top, left = (max(0, int(c - r)) for c in (row, column))
        part = scene[top : int(row + r) + 2, left : int(column + r) + 2]
        at = np.indices(part.shape)
        part[np.hypot(at[0] + top - row, at[1] + left - column) < r] = value
    return scene


def clouds(rng: np.random.Generator) -> np.ndarray:
    """Noise whose amplitude falls as 1 / frequency, shape (256, 256)."""
    frequency = np.hypot(np.fft.fftfreq(SCENE)[:, None], np.fft.rfftfreq(SCENE))
    frequency[0, 0] = np.inf  # no constant part
    drawn = np.fft.rfft2(rng.normal(size=(SCENE, SCENE))) / frequency
    scene = np.fft.irfft2(drawn, s=(SCENE, SCENE))
    return scene / scene.std()


@enter(Card("textures", "Textures", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Textures(shared.Generator):
    """Square patches of gratings, of leaves that cover each other, or of clouds.

    Gratings are waves at one of four angles with a random phase and frequency, the angle being the
    class. Leaves are discs of many sizes, clouds are noise with amplitude 1 / frequency; patches
    are cut from one scene of 256 x 256 pixels, and their mean is taken off.

    Shows what components of natural pictures look like: waves for principal components, edges for
    independent ones, and only where there are edges.
    """

    n_samples: int = shared.n_samples(1000)
    texture: str = choice("leaves", "leaves", "clouds", "gratings", doc="What the patches show.")
    side: int = integer(12, low=4, high=32, soft=(6, 20), doc="Pixels along each side of a patch.")
    noise: float = shared.noise(0.0, "leaves lie between 0 and 1, waves between -1 and 1")

    def n_columns(self) -> int:
        """One a pixel."""
        return self.side**2

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The patches; the angle is the target of gratings, the others have none."""
        if self.texture == "gratings":
            clean, labels = self._gratings(self.rng("gratings"))
        else:
            draw = leaves if self.texture == "leaves" else clouds
            clean, labels = self._patches(draw(self.rng(self.texture))), None
        images = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        return canvas.origin(self, images, labels, ANGLES, clean=clean, noise=self.noise)

    def _gratings(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        labels = np.arange(self.n_samples) % len(ANGLES)
        angle = (labels * np.pi / 4)[:, None, None]
        frequency, phase = rng.uniform([[1.5], [0]], [[3.0], [2 * np.pi]], (2, self.n_samples))
        y, x = np.indices((self.side, self.side)) / self.side
        along = x * np.cos(angle) + y * np.sin(angle)
        phases = 2 * np.pi * frequency[:, None, None] * along + phase[:, None, None]
        return np.sin(phases), labels

    def _patches(self, scene: np.ndarray) -> np.ndarray:
        corners = self.rng("corners").integers(0, SCENE - self.side + 1, (self.n_samples, 2))
        patches = patches_at(scene, self.side, corners)
        return patches - patches.mean(axis=(1, 2), keepdims=True)
