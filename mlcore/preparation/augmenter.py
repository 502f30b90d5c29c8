"""Augmenting: altered copies of the training rows, with the same target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.maths.images import Images, images_in
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit, image_height
from mlcore.spine.capabilities import Resampled
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choices, integer, real
from mlcore.spine.random import generator
from mlcore.spine.wording import count, listed, spaced

OF_IMAGES = ("shift", "rotate", "flip")
HALF_CIRCLE = np.pi


@dataclass(frozen=True, eq=False, kw_only=True)
class AugmenterFit(StepFit):
    """The spread of the columns, and the shape of the images if the rows are some."""

    made_by: Augmenter
    spread: np.ndarray  # (p,) standard deviations; 0 where values are codes
    pixels: np.ndarray  # positions of the pixels of images in reading order; (0,) if none moves
    shape: tuple[int, int]  # height and width of the images
    channels: int  # 1 for grey, 3 for colors
    n_rows: int
    seed: int  # of the random changes

    def resample(self, X: Any, y: Any = None) -> Resampled:
        """The rows X, shape (n, p), then their altered copies, one round after the other."""
        X = self._rows(X)
        rng = generator(self.seed, "augmenting")
        copies = [self._altered(X, rng) for _ in range(self.made_by.copies)]
        rows = np.tile(np.arange(len(X)), len(copies) + 1)
        return Resampled(np.concatenate([X, *copies]), rows)

    @property
    def images(self) -> tuple[Images, Images] | None:
        """How the columns are pixels, in the rows and in their copies; None where none moves."""
        if not len(self.pixels):
            return None
        images = Images(self.pixels, self.shape, self.channels)
        return images, images

    def _altered(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One copy of each row with all chosen changes, drawn independently for each row."""
        step = self.made_by
        if len(self.pixels):
            X = self._moved(X, rng)
        if "scale" in step.kinds:
            factor = 1.0 + step.strength * rng.standard_normal((len(X), 1))
            X = np.where(self.spread > 0, X * factor, X)
        if "noise" in step.kinds:
            X = X + step.strength * self.spread * rng.standard_normal(X.shape)
        return X

    def _moved(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Images flipped, rotated about their middle and shifted; the border is continued."""
        from scipy.ndimage import affine_transform  # takes a moment to import

        step, images = self.made_by, Images(self.pixels, self.shape, self.channels).of(X)
        lots = rng.uniform(-step.strength, step.strength, (len(X), 3))
        flips = rng.random(len(X)) < 0.5
        if "flip" in step.kinds:
            images = np.where(flips[:, None, None, None], images[:, :, ::-1], images)
        angles = HALF_CIRCLE * lots[:, 0] if "rotate" in step.kinds else np.zeros(len(X))
        shifts = lots[:, 1:] * self.shape if "shift" in step.kinds else np.zeros((len(X), 2))
        middle = (np.array(self.shape) - 1) / 2
        out, made = X.copy(), np.empty_like(images)
        for image, angle, shift, moved in zip(images, angles, shifts, made, strict=True):
            rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            start: Any = middle - rotation @ (middle + shift)
            for k in range(self.channels):
                layer: Any = moved[..., k]
                affine_transform(
                    image[..., k], rotation, start, output=layer, order=1, mode="nearest"
                )
        out[:, self.pixels] = made.reshape(len(X), -1)
        return out

    def summary(self) -> StepSummary:
        """How many rows there are now, and what was done to the copies."""
        step = self.made_by
        made = self.n_rows * (1 + step.copies)
        values = (("rows", "to learn from", float(made)),)
        copies = count(step.copies, "copy", "copies")
        rows = f"{spaced(made)} rows of {spaced(self.n_rows)}"
        note = f"Made {rows}: each and {copies}, by {listed(list(step.kinds))}."
        return StepSummary(step.title(), values, note, "on altered copies too")


def _cost(n: int, p: int, step: Augmenter) -> tuple[float, float]:
    per_row = 1e-7 * p + (4e-5 + 1e-7 * p if set(step.kinds) & set(OF_IMAGES) else 0.0)
    return 1e-3 + step.copies * n * per_row, 16.0 * n * p * (step.copies + 1)


@enter(
    Card(
        "augmenter",
        "Data augmentation",
        ("preparation",),
        stage="resample",
        paper="Simard, Steinkraus and Platt (2003), ICDAR 7",
        sources=("cs2:data_augmentation", "s841:training_with_transformed_data"),
        takes=("columns",),
        random=True,
        cost=_cost,
        formula=r"\{(x_i, y_i)\} \cup \{(t(x_i), y_i)\},\quad t \text{ drawn anew for each copy}",
        synonyms=("jittering", "noise injection", "synthetic rows", "image augmentation"),
        line="altered copies of the training rows",
    )
)
@dataclass(frozen=True, kw_only=True)
class Augmenter(Method):
    r"""Adds copies of the training rows that are altered a little and keep their target.

    Each copy gets all chosen changes, with strength s: $x_j + s\, \sigma_j \varepsilon$ with
    normal $\varepsilon$ (noise), the whole row times $1 + s \varepsilon$ (scale), and for images,
    one pixel a column, a shift by up to s of their size, a rotation by up to 180 s degrees, or left
    and right exchanged every other time. Codes of names and order stay as they are. The rows
    themselves stay, and test rows are never altered.

    Tells a method by example what does not matter for the answer; noise smooths, much as a
    penalty does. Wrong where it does matter: a rotated 6 is a 9. The time of a fit grows with the
    rows: O(copies n p).
    """

    kinds: tuple[str, ...] = choices(
        ("noise",),
        "noise",
        "shift",
        "rotate",
        "flip",
        "scale",
        doc="What is done to a copy; shift, rotate and flip are for images.",
    )
    copies: int = integer(1, low=1, high=10, soft=(1, 10), doc="Copies of each row.")
    strength: float = real(
        0.05,
        low=0.0,
        high=1.0,
        soft=(0.01, 0.5),
        log=True,
        symbol="s",
        doc="Size of a change: a share of the standard deviation, row, image, or half turn.",
    )
    height: int | str = image_height()

    def conflict(self) -> str | None:
        """At least one change."""
        if not self.kinds:
            return f"{self.title()} needs at least one kind of change; choose noise, say."
        return None

    def rows_made(self, n: int, y: np.ndarray | None = None) -> int:
        """The number of training rows and copies, of n rows; y, shape (n,), does not matter."""
        return n * (1 + self.copies)

    def _fit(self, given: Given) -> AugmenterFit:
        images = self._images(given.columns)
        return AugmenterFit(
            made_by=self,
            columns=given.columns,
            out_columns=given.columns,
            spread=np.where([is_quantity(c) for c in given.columns], given.X.std(axis=0), 0.0),
            pixels=images.at,
            shape=images.shape,
            channels=images.channels,
            n_rows=given.n,
            seed=given.seed,
        )

    def _images(self, columns: tuple[Column, ...]) -> Images:
        """The images among the columns; without pixels where none is moved."""
        if not set(self.kinds) & set(OF_IMAGES):
            return Images(np.array([], dtype=np.int64), (0, 0))
        who = f"{self.title()} by {', '.join(k for k in self.kinds if k in OF_IMAGES)}"
        images = images_in([c.name for c in columns], self.height, who)
        refuse_names(tuple(columns[j] for j in images.at), who)
        return images


def is_quantity(column: Column) -> bool:
    """Whether a little more or less of it makes sense: no names, no levels, no yes or no."""
    return not column.levels and column.kind != "binary"
