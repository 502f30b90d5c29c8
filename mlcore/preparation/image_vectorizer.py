"""Images: fewer pixels, grey, blurred, and shades between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.maths.images import COLORS, LUMA, Images, blurred, images_in, pixel_name, shrunk
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit, as_number, image_height
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer, real


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageVectorizerFit(StepFit):
    """Which columns are pixels, and the range of their shades."""

    made_by: ImageVectorizer
    plain: np.ndarray  # positions of the columns that are no pixels: they come first
    pixels: np.ndarray  # (h w c,) positions of the pixels in reading order, colors side by side
    shape: tuple[int, int]  # height h and width w of the images as they come
    channels: int  # c: 1 for grey, 3 for colors
    made: tuple[int, int]  # height and width of what they become
    darkest: float
    brightest: float

    def transform(self, X: Any) -> np.ndarray:
        """The columns that pass, then one a pixel in reading order, shape (m, q)."""
        X = self._rows(X)
        images = Images(self.pixels, self.shape, self.channels).of(X)
        if self.made_by.scale == "unit":
            images = (images - self.darkest) / ((self.brightest - self.darkest) or 1.0)
        if self.made_by.grey and self.channels > 1:
            images = (images * LUMA).sum(axis=-1, keepdims=True)
        layers = [self._layer(images[..., k]) for k in range(images.shape[-1])]
        return np.hstack([X[:, self.plain], np.stack(layers, axis=-1).reshape(len(X), -1)])

    @property
    def images(self) -> tuple[Images, Images]:
        """How the columns are pixels before the step and behind it."""
        channels = 1 if self.made_by.grey else self.channels
        new_pixels = np.arange(len(self.plain), len(self.out_columns))
        before = Images(self.pixels, self.shape, self.channels)
        return before, Images(new_pixels, self.made, channels)

    def _layer(self, images: np.ndarray) -> np.ndarray:
        """Images of one color, (m, h, w), blurred and with fewer pixels."""
        if self.made_by.blur:
            images = blurred(images, self.shape, self.made_by.blur)
        return images if self.made == self.shape else shrunk(images, self.made)

    def summary(self) -> StepSummary:
        """The size of the images before and after, and the range of their shades."""
        values = (
            ("pixels", "darkest", self.darkest),
            ("pixels", "brightest", self.brightest),
        )
        return StepSummary(self.made_by.title(), values, self._note())

    def _note(self) -> str:
        """What the columns are taken for, and what becomes of them."""
        h, w = self.shape
        colors = " in color" if self.channels > 1 else ""
        text = f"{len(self.pixels)} columns are images of {h} by {w} pixels{colors}"
        if self.made != self.shape:
            text += f"; they become {self.made[0]} by {self.made[1]}"
        beside = len(self.plain)
        others = f" {beside} other columns stay as they are." if beside > 1 else ""
        others = f" {self.columns[self.plain[0]].name} stays as it is." if beside == 1 else others
        return f"{text}.{others}"


def _cost(n: int, p: int, step: ImageVectorizer) -> tuple[float, float]:
    return 1e-3 + n * p * (4e-8 + (1e-8 + 1.5e-8 * step.blur if step.blur else 0.0)), 48.0 * n * p


@enter(
    Card(
        "image_vectorizer",
        "Image preprocessing",
        ("preparation",),
        sources=("prac:structured_data", "cs2:loss_blurred_euclid"),
        takes=("columns",),
        cost=_cost,
        formula=r"z = A\, G_\sigma\, \frac{x - \min}{\max - \min}",
        synonyms=("image resizing", "greyscale", "downsampling", "flattening of images"),
        line="columns of pixels as smaller, greyer images",
    )
)
@dataclass(frozen=True, kw_only=True)
class ImageVectorizer(Method):
    r"""Turns columns of pixels into images with fewer pixels, in grey, blurred, and from 0 to 1.

    The columns are pixels by their names (pixel_0_0 and so on, or pixel1 to pixel64), else all of
    them in reading order. Shades go from 0 at the darkest to 1 at the brightest of all training
    pixels, colors become grey by how bright each looks (0.299, 0.587 and 0.114), a Gaussian
    spreads each pixel with standard deviation $\sigma$, and each new pixel is the mean of the area
    that it covers. Columns that are no pixels pass as they are.

    Pixel by pixel, a thing one pixel further on is as far as another thing: a blur makes near
    places count as alike, and small images cost less. What is finer than the blur or the new
    pixels is gone. O(n p).
    """

    size: int | None = integer(
        None,
        low=1,
        soft=(4, 32),
        or_none="as it is",
        label="Longer side",
        doc="Pixels along the longer side of the new images; smaller ones stay as they are.",
    )
    grey: bool = flag(True, doc="Turn red, green and blue into one shade.")
    blur: float = real(
        0.0,
        low=0.0,
        high=4.0,
        soft=(0.0, 4.0),
        symbol=r"\sigma",
        unit="pixels",
        doc="Standard deviation of the Gaussian, in pixels of the images as they come.",
    )
    scale: str = choice(
        "unit", "unit", "none", doc="Shades between 0 and 1 (unit), or as they come (none)."
    )
    height: int | str = image_height(advanced=True)

    def _fit(self, given: Given) -> ImageVectorizerFit:
        images = images_in([c.name for c in given.columns], self.height, self.title())
        refuse_names(tuple(given.columns[j] for j in images.at), self.title())
        plain = np.setdiff1d(np.arange(given.p), images.at)
        shades = given.X[:, images.at]
        made = self._made(images.shape)
        return ImageVectorizerFit(
            made_by=self,
            columns=given.columns,
            out_columns=self._columns(given.columns, plain, images, made),
            plain=plain,
            pixels=images.at,
            shape=images.shape,
            channels=images.channels,
            made=made,
            darkest=float(shades.min()),
            brightest=float(shades.max()),
        )

    def _made(self, shape: tuple[int, int]) -> tuple[int, int]:
        """Height and width with `size` pixels along the longer side; never more than there are."""
        longer = max(shape)
        if self.size is None or self.size >= longer:
            return shape
        h, w = (max(1, round(side * self.size / longer)) for side in shape)
        return h, w

    def _columns(
        self, columns: tuple[Column, ...], plain: np.ndarray, images: Images, made: tuple[int, int]
    ) -> tuple[Column, ...]:
        """Those that pass, then the pixels: the old ones where each stays in its place."""
        others = tuple(columns[j] for j in plain)
        is_mixed = self.grey and images.channels > 1
        if made == images.shape and not is_mixed:
            return (*others, *(as_number(columns[j]) for j in images.at))
        colors = COLORS if images.channels > 1 and not is_mixed else ("",)
        at = ((r, c, color) for r in range(made[0]) for c in range(made[1]) for color in colors)
        return (*others, *(Column(pixel_name(*place)) for place in at))
