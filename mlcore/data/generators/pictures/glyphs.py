"""Letters and digits drawn with a pen of some width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.generators.pictures import canvas
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, integer, real

MISSED = (0.5, 1.0)  # how far from the middle a glyph lies that a window missed
POINTS = 30  # places of the pen along a stroke


def _arc(x: float, y: float, a: float, b: float, first: float, last: float) -> np.ndarray:
    """Part of an ellipse, from one share of a turn to another, upwards being small y."""
    t = 2 * np.pi * np.linspace(first, last, POINTS)
    return np.column_stack([x + a * np.cos(t), y - b * np.sin(t)])


def _line(*corners: tuple[float, float]) -> np.ndarray:
    at = np.linspace(0, len(corners) - 1, POINTS)
    xs, ys = zip(*corners, strict=True)
    return np.column_stack([np.interp(at, range(len(corners)), c) for c in (xs, ys)])


# Strokes in a square from -1 to 1.
GLYPHS = {
    "3": [_arc(0, -0.4, 0.55, 0.4, 0.4, -0.25), _arc(0, 0.4, 0.6, 0.4, 0.25, -0.4)],
    "A": [_line((-0.7, 0.9), (0, -0.9), (0.7, 0.9)), _line((-0.45, 0.3), (0.45, 0.3))],
    "C": [_arc(0.1, 0, 0.7, 0.85, 0.12, 0.88)],
    "J": [_line((0.5, -0.9), (0.5, 0.4)), _arc(0, 0.4, 0.5, 0.5, 0.5, 1.0)],
    "M": [_line((-0.8, 0.9), (-0.8, -0.9), (0, 0.2), (0.8, -0.9), (0.8, 0.9))],
    "O": [_arc(0, 0, 0.7, 0.85, 0.0, 1.0)],
    "Q": [_arc(0, 0, 0.7, 0.85, 0.0, 1.0), _line((0.2, 0.3), (0.8, 0.9))],
    "T": [_line((-0.8, -0.85), (0.8, -0.85)), _line((0, -0.85), (0, 0.9))],
    "X": [_line((-0.7, -0.9), (0.7, 0.9)), _line((0.7, -0.9), (-0.7, 0.9))],
}
HITS = ("beside", "letter")
ALPHABETS = {
    "threes": ("3",),
    "unlike letters": ("A", "C", "J", "X"),
    "like letters": ("C", "O", "Q", "T"),
}


@enter(Card("glyphs", "Drawn letters", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Glyphs(shared.Generator):
    """Letters and digits drawn with a pen, each at its own slant and width.

    A glyph is a few strokes; its points are slanted by s and stretched by w, both normal around 0
    and 1, and a pixel is the darker the nearer it lies to a stroke. As signs, dark pixels are +1
    and others -1. A share of the pixels is then turned around, or noise is added.

    With windows, half of the pictures hold a glyph in their middle; the others are windows beside
    it, which caught a part of one. The target is then whether a window hits.

    Shows pictures that vary by two hidden numbers only, and patterns for a memory to complete:
    letters that are alike are harder to keep apart.
    """

    n_samples: int = shared.n_samples(130)
    alphabet: str = choice("threes", *ALPHABETS, doc="What is drawn.")
    height: int = integer(28, low=6, high=40, soft=(8, 28), doc="Rows of pixels.")
    width: int = integer(23, low=6, high=40, soft=(8, 28), doc="Columns of pixels.")
    variation: float = real(
        0.15, low=0.0, high=1.0, soft=(0.0, 0.4), doc="Standard deviation of slant and stretch."
    )
    windows: bool = flag(
        False, label="Windows that miss", advanced=True,
        doc="Half of the pictures miss the glyph, and the target is whether one hits.",
    )  # fmt: skip
    are_signs: bool = flag(False, label="As signs", doc="Pixels are -1 or +1, without greys.")
    flip: float = real(
        0.0, low=0.0, high=0.5, soft=(0.0, 0.4), doc="Share of the pixels that are turned around."
    )
    noise: float = shared.noise(0.0, "a pixel lies between 0 and 1", (0.0, 0.5))

    def n_columns(self) -> int:
        """One a pixel."""
        return self.height * self.width

    def row_seconds(self) -> float:
        """Each is drawn by itself."""
        return 1e-4 + super().row_seconds()

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The pictures with their letter, or without a class where there is one letter only."""
        names = ALPHABETS[self.alphabet]
        labels = np.arange(self.n_samples) % len(names)
        shape = self.variation * self.rng("shape").normal(size=(self.n_samples, 2))
        is_hit = np.arange(self.n_samples) // len(names) % 2 == 0
        shifts = self._shifts() * (~is_hit & self.windows)[:, None]
        drawings = zip(labels, shape, shifts, strict=True)
        clean = np.stack([self._drawn(names[k], how, shift) for k, how, shift in drawings])
        turned = clean.min() + clean.max() - clean
        is_turned = self.rng("flip").uniform(size=clean.shape) < self.flip
        images = np.where(is_turned, turned, clean)
        images = images + self.noise * self.rng("noise").normal(size=clean.shape)
        known = {"clean": clean, "coordinates": shape, "noise": self.noise}
        if self.windows:
            return canvas.origin(self, images, is_hit.astype(np.int64), HITS, **known)
        return canvas.origin(self, images, labels if len(names) > 1 else None, names, **known)

    def _shifts(self) -> np.ndarray:
        """How far each glyph lies from the middle of a window that misses it, (n, 2): x and y."""
        rng = self.rng("windows")
        angle = rng.uniform(0.0, 2 * np.pi, self.n_samples)
        far = rng.uniform(*MISSED, self.n_samples)
        return far[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

    def _drawn(self, name: str, how: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """One glyph, shape (height, width), dark strokes being 1."""
        (slant, wide), points = how, np.vstack(GLYPHS[name])
        x = 0.8 * (points[:, 0] * (1 + wide) - slant * points[:, 1])
        row = (0.85 * points[:, 1] + shift[1] + 1) / 2 * (self.height - 1)
        column = (x + shift[0] + 1) / 2 * (self.width - 1)
        down = (np.arange(self.height)[:, None] - row) ** 2
        across = (np.arange(self.width)[:, None] - column) ** 2
        near = np.sqrt((down[:, None, :] + across).min(axis=-1))
        dark = canvas.soft(self.height / 16 - near, 3.0)
        return np.where(dark > 0.5, 1.0, -1.0) if self.are_signs else dark
