"""Faces drawn from ellipses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.pictures import canvas
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, integer

HEIGHT, WIDTH = 28, 20
EXPRESSIONS = ("neutral", "smiling", "sad")
FEATURES = 6  # of an identity: width, eyes apart, eye height, mouth width, hair, darkness


@enter(Card("drawn_faces", "Drawn faces", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class DrawnFaces(shared.DistributionGenerator):
    """Small grey pictures of faces: 28 rows of 20 pixels between 0 and 1.

    Each person has a width of the face, a place of the eyes, a mouth and hair of their own;
    pictures of one person differ by a shift of the head, by the light and by noise. The target is
    the person, whether glasses are worn, person and glasses together, the expression, or long
    hair.

    Shows eigenfaces, classification of many columns by few rows, and a bias: with long hair worn by
    one group only, a classifier learns hair.
    """

    n_samples: int = shared.n_samples(120)
    people: int = integer(
        4, low=1, high=60, soft=(2, 40), symbol="K", doc="How many persons are drawn."
    )
    target: str = choice(
        "person",
        "person",
        "glasses",
        "person and glasses",
        "expression",
        "long hair",
        doc="What is to be predicted.",
    )
    is_biased: bool = flag(
        False, label="Biased hair", doc="Long hair on all but a few of the first half of people."
    )
    noise: float = shared.noise(0.05, "a pixel lies between 0 and 1", (0.0, 0.3))

    def n_columns(self) -> int:
        """One a pixel."""
        return HEIGHT * WIDTH

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The pictures, their pixels from the upper left, row by row."""
        rng = self.rng("traits")
        traits = self.distribution_rng("people").normal(size=(self.people, FEATURES))
        person = self.rng("order").permutation(np.arange(self.n_samples) % self.people)
        glasses = rng.integers(0, 2, self.n_samples) * ("glasses" in self.target)
        mood = rng.integers(0, 3, self.n_samples) * (self.target == "expression")
        hair = self._hair(person, rng)
        nuisance = self.rng("nuisance").normal(size=(self.n_samples, 3))
        clean = np.stack(
            [
                _face(*features)
                for features in zip(traits[person], glasses, mood, hair, nuisance, strict=True)
            ]
        )
        images = clean + self.noise * self.rng("noise").normal(size=clean.shape)
        labels, levels = self._labels(person, glasses, mood, hair)
        behind = np.column_stack([traits[person], nuisance])
        known = {"clean": clean, "coordinates": behind, "noise": self.noise}
        return canvas.origin(self, images, labels, levels, **known)

    def _hair(self, person: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Whether each picture shows long hair: half of them, or nearly by the group of persons."""
        u = rng.uniform(size=self.n_samples)
        chance = np.where(person < self.people / 2, 0.95, 0.05) if self.is_biased else 0.5
        wanted = self.is_biased or self.target == "long hair"
        return (u < chance).astype(np.int64) * wanted

    def _labels(self, person: np.ndarray, glasses: np.ndarray, mood: np.ndarray, hair: np.ndarray):
        names = tuple(f"person {k + 1}" for k in range(self.people))
        if self.target == "person":
            return person, names
        if self.target == "person and glasses":
            both = tuple(
                f"{name}, {word}" for name in names for word in ("without", "with glasses")
            )
            return 2 * person + glasses, both
        if self.target == "expression":
            return mood, EXPRESSIONS
        return (glasses, ("without", "with")) if self.target == "glasses" else (hair, ("no", "yes"))


def _face(
    traits: np.ndarray, glasses: int, mood: int, hair: int, nuisance: np.ndarray
) -> np.ndarray:
    """One face, shape (28, 20), brighter where there is skin."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    x = x - (WIDTH - 1) / 2 - 0.6 * nuisance[0]
    y = y - (HEIGHT - 1) / 2 - 0.6 * nuisance[1]
    half = 7.0 + 0.6 * traits[0]
    picture = 0.75 * canvas.soft(1.0 - np.hypot(x / half, y / 11.0), 8.0)
    if hair:
        picture -= (
            0.5
            * canvas.soft(1.0 - np.hypot(x / (half + 2.5), (y + 2) / 12.5), 8.0)
            * (np.hypot(x / (half - 1.0), (y - 2) / 11.0) > 1)
        )
    picture -= (
        (0.35 + 0.05 * traits[4]) * canvas.soft((-7.5 + traits[4]) - y, 1.5) * (picture > 0.3)
    )
    eye_y = -2.5 + 0.5 * traits[2]
    for side in (-1.0, 1.0):
        far = np.hypot(x - side * (3.2 + 0.4 * traits[1]), y - eye_y)
        picture -= (0.5 + 0.05 * traits[5]) * np.exp(-((far / 1.1) ** 2))
        picture -= 0.4 * glasses * np.exp(-(((far - 2.3) / 0.5) ** 2))
    bend = np.array([0.0, -0.12, 0.12])[mood]
    wide = 3.0 + 0.5 * traits[3]
    line = y - 5.5 - bend * (x**2 - 5)
    picture -= 0.45 * np.exp(-(line**2)) * canvas.soft(wide - np.abs(x), 2.0)
    return np.clip(picture * (1 + 0.08 * nuisance[2]) + 0.1, 0.0, 1.0)
