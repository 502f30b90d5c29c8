"""Curves and surfaces that are bent in space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real

FULL_CIRCLE = 2 * np.pi


def _roll(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    t = 1.5 * np.pi * (1 + 2 * u)
    return np.column_stack([t * np.cos(t), 21 * v, t * np.sin(t)])


def _s_curve(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    t = 3 * np.pi * (u - 0.5)
    return np.column_stack([np.sin(t), 2 * v, np.sign(t) * (np.cos(t) - 1)])


def _spiral(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    t = 1 + 2 * u
    angle = 1.5 * np.pi * t
    return t[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _arc(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    angle = np.pi * u
    return 2 * np.column_stack([np.cos(angle), np.sin(angle)])


def _torus(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    a, b = FULL_CIRCLE * u, FULL_CIRCLE * v
    around = 2 + 0.7 * np.cos(b)
    return np.column_stack([around * np.cos(a), around * np.sin(a), 0.7 * np.sin(b)])


# Points at (u, v) in the unit square.
SHAPES = {
    "swiss roll": _roll,
    "s curve": _s_curve,
    "spiral": _spiral,
    "arc": _arc,
    "circle": lambda u, v: np.column_stack([np.cos(FULL_CIRCLE * u), np.sin(FULL_CIRCLE * u)]),
    "parabola": lambda u, v: np.column_stack([2 * u - 1, (2 * u - 1) ** 2]),
    "sheet": lambda u, v: np.column_stack([u, v, 0.3 * np.sin(FULL_CIRCLE * u)]),
    "torus": _torus,
    "box": lambda u, v: np.column_stack([u, v]),
}
SOURCES = ("prac:manifold", "cs1:d_disc_ring_map")


@enter(Card("manifold", "Bent surfaces", ("source",), sources=SOURCES, random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Manifold(shared.Generator):
    """Points on a curve or surface that bends through two or three dimensions.

    With (u, v) in the unit square, the roll is (t cos t, 21 v, t sin t) with t = 1.5 pi (1 + 2u);
    the others are an S, a spiral, half a circle, a circle, a parabola, a wavy sheet, a torus and a
    flat box. Unevenness e takes u to u^(1 + e), so that points crowd at one end; thickness is the
    range of v. Noise goes to every coordinate.

    Shows what straight projections lose and neighbourhoods keep, and how noise, uneven density and
    stray points make short cuts.
    """

    n_samples: int = shared.n_samples(600)
    shape: str = choice("swiss roll", *SHAPES, doc="The curve or surface.")
    noise: float = shared.noise(0.0, "the roll is about 25 wide, the others about 2 to 4")
    axis_noise: str = choice(
        "all",
        "all",
        "last",
        label="Noisy coordinates",
        doc="Which coordinates are noisy.",
        advanced=True,
    )
    thickness: float = real(
        1.0, low=0.0, high=1.0, soft=(0.0, 1.0), symbol="d", doc="Range of v, from 0 to this."
    )
    unevenness: float = real(
        0.0, low=0.0, high=5.0, soft=(0.0, 3.0), doc="How strongly points crowd at one end."
    )
    outliers: int = integer(
        0, low=0, high=1000, soft=(0, 50), doc="Further rows spread over a box around the data."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The drawn rows, with u, the place along the curve, as a label to colour by."""
        u, v = self.rng("positions").uniform(size=(2, self.n_samples))
        u, v = u ** (1 + self.unevenness), self.thickness * v
        clean = SHAPES[self.shape](u, v)
        noise = self.noise * self.rng("noise").normal(size=clean.shape)
        if self.axis_noise == "last":
            noise[:, :-1] = 0.0
        X, owner = shared.with_outliers(
            clean + noise, np.zeros(len(u)), self.outliers, self.rng("outliers")
        )
        at = np.vstack([np.column_stack([u, v]), np.full((self.outliers, 2), np.nan)])
        truth = shared.Truth(
            coordinates=at, clean=np.vstack([clean, X[owner < 0]]), noise=self.noise
        )
        columns = [numeric(f"x{j + 1}", X[:, j]) for j in range(X.shape[1])]
        table = Table.of(*columns, numeric("along", at[:, 0]))
        return Origin(table, self.title(), None, (("along", "label"),), truth)
