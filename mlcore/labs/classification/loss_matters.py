"""The loss matters: three pictures at one distance, until a blur puts the twins together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data import bundled
from mlcore.data.generators.pictures.altered_pictures import FRAME, WAYS, AlteredPictures
from mlcore.data.sampling.fresh import draw
from mlcore.distances.blurred import blurred, blurred_distances
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, many, real

SIDE = 8  # pixels of a digit
PAIRS = ((0, 0, 1), (1, 2, 2))  # A and B, A and C, B and C
SIGMAS = np.linspace(0.0, 4.0, 41)  # pixels


class LossMatters(NamedTuple):
    """Distances of three digits, and of a picture from three alterations of it, at every blur."""

    digits: np.ndarray  # (3, 8, 8) A, B and C
    blurred: np.ndarray  # (3, 8, 8)
    plain: np.ndarray  # (3,) squared distances of the pairs AB, AC and BC
    after: np.ndarray  # (3,) squared, after the blur
    sigmas: np.ndarray  # (s,) pixels
    pairs: np.ndarray  # (s, 3) squared distances of the pairs at each blur
    scenes: np.ndarray  # (4, 20, 20) original, shifted, with rectangles, darkened
    altered: np.ndarray  # (s, 3) squared distance of the original from each alteration
    sigma: float


@enter(
    Card(
        "loss_matters",
        "Choice of a distance for images",
        ("lab",),
        sources=("cs2:loss_adequacy_demo", "cs1:vq_loss_choice"),
        random=True,
        cost=lambda n, p, it: (0.2, 1e6),
        formula=r"\|x - z\|^2 = \sum_{\text{pixels}} (x_j - z_j)^2\quad\text{and}\quad"
        r"\|G x - G z\|^2,\; G \text{ a Gaussian blur}",
        kind="lab",
        pages=("clustering", "classification"),
        synonyms=("image distance", "pixel distance", "similarity of images"),
        line="alike is what the distance says",
    )
)
@dataclass(frozen=True, kw_only=True)
class LossMattersLab(Lab):
    r"""What a method calls alike is what its distance says, not what the eye sees.

    Digit B is A moved sideways, C is another shape. As they come, each has eleven dark pixels and
    shares one with each other, so the squared distance of any two is $2 (11 - 1) = 20$. A blur of a
    pixel or so before the comparison lets near pixels count as nearly the same. The second set of
    pictures are three alterations of one scene that change it by the same distance.
    """

    tasks = (
        "Set the blur to zero and compare the three distances; then raise it to one pixel.",
        "Move the twin by one pixel only, or by four: how much blur does it take?",
        "Turn pixels of A over, such as 23 and 24, and see how little the eye minds.",
    )
    seen = (
        "Pixel by pixel the three digits are equally far apart. With a blur of one pixel A and B "
        "come nearest, as they should; with much more, only the place of the ink counts, and B, in "
        "the middle, is nearer to C. A scene moved by one pixel is pixel by pixel as far from "
        "the original as one with painted rectangles; the blur tells them apart. The loss carries "
        "what is meant, and no method can make up for the wrong one."
    )

    sigma: float = real(
        1.0, low=0.0, high=4.0, soft=(0.0, 4.0), symbol=r"\sigma", label="Blur", unit="pixels",
        doc="Width of the blur before pictures are compared.",
    )  # fmt: skip
    shift: int = integer(
        2, low=0, high=4, soft=(0, 4), label="Twin moved by", doc="Pixels from A to B, sideways."
    )
    turned: tuple[float, ...] = many(
        (),
        label="Pixels turned over",
        doc="Of A: row and column as one number, 0 for the top left corner and 77 for the last.",
    )

    def conflict(self) -> str | None:
        """Refuse a pixel that is not there."""
        for code in self.turned:
            if code % 1 or not (0 <= code // 10 < SIDE and code % 10 < SIDE):
                return (
                    "A pixel is a row and a column from 0 to 7 written as one number, such as 23; "
                    f"got {code:g}."
                )
        return None

    def compute(self, seed: int = 0) -> LossMatters:
        """All distances, at the chosen blur and at others."""
        digits = self._digits()
        scenes = draw(AlteredPictures(change="disturbed"), len(WAYS), seed).X
        by_sigma = [_squared(digits, SIDE, s)[PAIRS] for s in SIGMAS]
        altered = [_squared(scenes, FRAME, s)[0, 1:] for s in SIGMAS]
        return LossMatters(
            digits.reshape(-1, SIDE, SIDE),
            blurred(digits, (SIDE, SIDE), self.sigma).reshape(-1, SIDE, SIDE),
            by_sigma[0], _squared(digits, SIDE, self.sigma)[PAIRS], SIGMAS, np.array(by_sigma),
            scenes.reshape(-1, FRAME, FRAME), np.array(altered), self.sigma,
        )  # fmt: skip

    def _digits(self) -> np.ndarray:
        """A, A moved sideways, and C, shape (3, 64)."""
        table = bundled.load("digits8_three")
        first, _, other = table.matrix(*table.names[1:]).reshape(-1, SIDE, SIDE)
        first = first.copy()
        for code in map(int, self.turned):
            first[divmod(code, 10)] = 1 - first[divmod(code, 10)]
        moved = np.zeros_like(first)
        moved[:, self.shift :] = first[:, : SIDE - self.shift]
        return np.stack([first, moved, other]).reshape(3, -1)


def _squared(X: np.ndarray, side: int, sigma: float) -> np.ndarray:
    return blurred_distances(X, (side, side), sigma) ** 2
