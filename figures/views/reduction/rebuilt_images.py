"""Rows as images beside what a map gives back of them, where columns are pixels."""

from __future__ import annotations

import numpy as np

from figures.drawing.words import fitted_on
from figures.numbers.images import named, turned_back
from figures.view import View, joined, view
from figures.views.preparation import image_pairs
from figures.views.preparation.image_pairs import Pairs
from mlcore.data.dataset import Dataset
from mlcore.maths.images import Images
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Inverts, Transforms
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent

LINES = ("as it is", "rebuilt", "lost")


def has_rebuilt(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether what a fit gives back are images."""
    return whole is not None and _layout(whole) is not None


def _layout(whole: Whole) -> Images | None:
    prepared = whole.prepared
    return named(turned_back(prepared, np.zeros((1, len(prepared.columns))))[1])


@view(
    "rebuilt_images",
    title="Images and what is left of them",
    asks=(Transforms, Inverts),
    when=has_rebuilt,
    order=223,
    sources=("prac:pca_reconstruct", "epfl:pca_compress_image", "s841:pca_image_approximation"),
    synonyms=("reconstruction", "compression", "denoising", "eigenfaces"),
)
def rebuilt_images(dataset: Dataset, whole: Whole) -> View:
    """Some rows of different classes, what comes back of them from the map, and what does not."""
    p = numbers(dataset, whole)
    note = f"{len(p.rows)} of {count(dataset.n, 'row')}, {fitted_on(dataset, whole)}"
    return joined(p, image_pairs.draw, reading, image_pairs.table, note=note)


def numbers(dataset: Dataset, whole: Whole) -> Pairs:
    """The rows, what comes back of them, and the sizes of the differences.

    Raises DataError where columns are no pixels.
    """
    layout = _layout(whole)
    if layout is None:
        raise DataError("Only rows whose columns are pixels can be seen as images.")
    at = image_pairs.examples(dataset)
    X, fit = whole.prepared.transform(dataset.X[at]), whole.fit
    before, _ = turned_back(whole.prepared, X)
    after, _ = turned_back(whole.prepared, fit.inverse_transform(fit.transform(X)))
    rows = dataset.rows[at]
    images = tuple(layout.of(each) for each in (before, after, np.abs(before - after)))
    return Pairs(LINES, images, rows, tuple(f"row {row + 1}" for row in rows))


def reading(p: Pairs) -> str:
    """How much of these images comes back, of their difference from their mean."""
    before, after, _ = (line.reshape(len(line), -1) for line in p.images)
    lost, spread = ((before - after) ** 2).sum(), ((before - before.mean(axis=0)) ** 2).sum()
    h, w = p.images[0].shape[1:3]
    text = f"Images of {h} by {w} pixels, rebuilt from their coordinates in the map."
    if spread > 0:
        text += f" Of how these differ from their mean, {percent(float(1 - lost / spread))} is "
        text += "rebuilt."
    return text
